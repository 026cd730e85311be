internal import Foundation

extension TypeShape {
    /// The shape that a value shows.
    ///
    /// The value is encoded into nothing. A type that can be read is also decoded from what it encodes to, so that
    /// properties count that this value does not write but its type would read.
    ///
    /// - Parameters:
    ///   - value: Any value; the more of its properties have values, the more is known.
    ///   - coding: The coders that values of the type are stored with.
    package static func of<Value: Encodable>(_ value: Value, coding: RecordCoding = .standard) -> TypeShape {
        ShapeWalk(coding).shape(of: value)
    }

    /// The shape that several values of a type show together; nil when there is none.
    package static func of<Value: Encodable>(all values: [Value], coding: RecordCoding = .standard) -> TypeShape? {
        let shapes = values.map { of($0, coding: coding) }
        guard let first = shapes.first else { return nil }
        return shapes.dropFirst().reduce(first) { $0.merged(with: $1) }
    }
}

/// Goes through a value and what is in it; used by one thread.
final class ShapeWalk {
    let coding: RecordCoding
    /// The types that the walk is inside of.
    private var path: [ObjectIdentifier] = []
    private let depthLimit = 24
    /// How many elements of a list are looked at.
    let elementLimit = 16

    init(_ coding: RecordCoding) {
        self.coding = coding
    }

    /// The shape of a value.
    func shape<Value: Encodable>(of value: Value) -> TypeShape {
        if let type = Value.self as? any ShapedOptional.Type {
            var shape = shape(ofAny: (value as? any ShapedOptional)?.anyWrapped, as: type.wrappedType)
            shape.isOptional = true
            return shape
        }
        let name = StaticShape.name(Value.self)
        if let list = value as? any ShapedList {
            return TypeShape(name, .array(part(Swift.type(of: list).elementType, list.firstElements(elementLimit))))
        }
        if let dictionary = value as? any ShapedDictionary {
            let type = Swift.type(of: dictionary)
            return TypeShape(
                name,
                .dictionary(
                    key: part(type.keyType, dictionary.firstKeys(elementLimit)),
                    value: part(type.valueType, dictionary.firstValues(elementLimit))
                )
            )
        }
        guard !StaticShape.isLeaf(Value.self) else { return TypeShape(name, .leaf) }
        // Of a class, another value may well be of another subclass.
        guard Swift.type(of: value) == Value.self else { return TypeShape(name, .varying) }
        return TypeShape(name, inside(Value.self) { form(of: value) })
    }

    /// The shape of a type of which there is no value.
    func shape(of type: Any.Type) -> TypeShape {
        if let type = type as? any ShapedOptional.Type {
            var shape = shape(of: type.wrappedType)
            shape.isOptional = true
            return shape
        }
        let name = StaticShape.name(type)
        if let type = type as? any ShapedList.Type {
            return TypeShape(name, .array(shape(of: type.elementType)))
        }
        if let type = type as? any ShapedDictionary.Type {
            return TypeShape(name, .dictionary(key: shape(of: type.keyType), value: shape(of: type.valueType)))
        }
        guard !StaticShape.isLeaf(type) else { return TypeShape(name, .leaf) }
        if path.contains(ObjectIdentifier(type)) { return TypeShape(name, .reference) }
        // An enum's cases are values that need not be made up.
        if let type = type as? any CaseIterable.Type, let first = type.fewCases?.first as? any Encodable {
            return shape(of: first)
        }
        return TypeShape(name, .unknown)
    }

    private func shape(ofAny value: Any?, as type: Any.Type) -> TypeShape {
        func open<Value>(_ type: Value.Type) -> TypeShape? {
            guard let value = value as? Value, let encodable = Value.self as? any Encodable.Type else { return nil }
            return shape(of: value, as: encodable)
        }
        return _openExistential(type, do: open) ?? shape(of: type)
    }

    private func shape<Value: Encodable>(of value: Any, as type: Value.Type) -> TypeShape? {
        (value as? Value).map { shape(of: $0) }
    }

    private func part(_ type: Any.Type, _ values: [Any]) -> TypeShape {
        values.reduce(shape(of: type)) { $0.merged(with: shape(ofAny: $1, as: type)) }
    }

    private func inside(_ type: Any.Type, _ body: () -> TypeShape.Form) -> TypeShape.Form {
        guard !path.contains(ObjectIdentifier(type)) else { return .reference }
        guard path.count < depthLimit else { return .unknown }
        path.append(ObjectIdentifier(type))
        defer { path.removeLast() }
        return body()
    }

    private func form<Value: Encodable>(of value: Value) -> TypeShape.Form {
        let isEnum = Mirror(reflecting: value).displayStyle == .enum
        let found = recordedForm(of: value, isEnum: isEnum)
        guard isEnum, let cases = (Value.self as? any CaseIterable.Type)?.fewCases as? [Value] else { return found }
        switch found {
        case .raw(let raw, _):
            return .raw(raw, cases: cases.compactMap { ($0 as? any RawRepresentable)?.rawText }.sorted())
        case .cases(let first, _):
            var all = first
            for value in cases {
                guard case .cases(let own, _) = recordedForm(of: value, isEnum: true) else { return .varying }
                all.merge(own) { $0.merged(with: $1) }
            }
            return .cases(all, isComplete: true)
        default:
            return found
        }
    }

    private func recordedForm<Value: Encodable>(of value: Value, isEnum: Bool) -> TypeShape.Form {
        let target = ShapeTarget()
        do {
            let userInfo = coding.encoder.userInfo
            try value.encode(to: ShapeEncoder(target: target, walk: self, codingPath: [], userInfo: userInfo))
        } catch {
            return .unknown
        }
        let form = target.form
        switch form {
        case .single(let inner):
            return value is any RawRepresentable && inner.form == .leaf ? .raw(inner, cases: nil) : form
        case .object(var object):
            // What is not written by the compiler may depend on the case.
            guard !isEnum else { return target.asCase ?? .varying }
            object.members = Self.members(of: value)
            if let type = Value.self as? any Decodable.Type { read(value, as: type, into: &object) }
            return .object(object)
        default:
            return isEnum ? .varying : form
        }
    }

    /// The names of the stored properties in code, of superclasses too; nil when the type describes itself.
    private static func members(of value: Any) -> Set<String>? {
        guard !(value is any CustomReflectable) else { return nil }
        var members: Set<String> = []
        var mirror: Mirror? = Mirror(reflecting: value)
        while let found = mirror {
            for child in found.children {
                // Wrapped properties and those of macros are stored with an underscore.
                if let label = child.label { members.insert(label.hasPrefix("_") ? String(label.dropFirst()) : label) }
            }
            mirror = found.superclassMirror
        }
        return members
    }

    /// Adds the properties that a type asks for when it is read; none when it cannot read what it has written.
    private func read<Value: Decodable>(_ value: any Encodable, as type: Value.Type, into object: inout ObjectShape) {
        let reading = ShapeReading()
        guard let data = try? coding.encoder.encode(value),
            (try? coding.decoder.decode(ReadValue<Value>.self, from: data, configuration: reading)) != nil
        else { return }
        object.keyTypes += reading.keyTypes
        for (name, asked) in reading.asked {
            if let written = object.properties[name] {
                if asked.isOptional, !written.isOptional { object.lenient.insert(name) }
            } else {
                var shape = asked.types.count == 1 ? shape(of: asked.types[0]) : TypeShape("", .unknown)
                shape.isOptional = shape.isOptional || asked.isOptional
                object.properties[name] = shape
                object.onlyRead.insert(name)
                object.lenient.insert(name)
            }
        }
    }
}
