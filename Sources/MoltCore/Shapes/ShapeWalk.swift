package import Foundation

extension TypeShape {
    /// The shape that a value shows.
    ///
    /// The value is encoded into nothing. A type that can be read is also decoded from what it encodes to, so that
    /// properties count that this value does not write but its type would read.
    ///
    /// - Parameters:
    ///   - value: Any value; the more of its properties have values, the more is known.
    ///   - coding: The coders that values of the type are stored with.
    ///   - content: What the coders have encoded the value to, where it is at hand.
    package static func of<Value: Encodable>(
        _ value: Value,
        coding: RecordCoding = .standard,
        content: Data? = nil
    ) -> TypeShape {
        ShapeWalk(coding, content: content).shape(of: value)
    }

    /// The shape that several values of a type show together; nil when there is none.
    package static func of<Value: Encodable>(all values: [Value], coding: RecordCoding = .standard) -> TypeShape? {
        let shapes = values.map { of($0, coding: coding) }
        guard let first = shapes.first else { return nil }
        return shapes.dropFirst().reduce(first) { $0.merged(with: $1) }
    }
}

/// Goes through a value and what is in it; used by one thread.
///
/// However large a value is, so many values in it are looked into, and each type is read so often: what is beyond is
/// not known.
final class ShapeWalk {
    let coding: RecordCoding
    /// What the outermost value is encoded to, until it is looked into.
    private var content: Data?
    /// How many more values are looked into.
    private var valuesLeft = 500
    private var types: [ObjectIdentifier: WalkedType] = [:]
    private let readingLimit = 2
    /// The types that the walk is inside of.
    private var path: [ObjectIdentifier] = []
    private let depthLimit = 24
    /// How many elements of a list are looked at.
    let elementLimit = 16

    init(_ coding: RecordCoding, content: Data? = nil) {
        self.coding = coding
        self.content = content
    }

    /// The shape of a value.
    func shape<Value: Encodable>(of value: Value) -> TypeShape {
        if let type = Value.self as? any ShapedOptional.Type {
            var shape = shape(ofAny: (value as? any ShapedOptional)?.anyWrapped, as: type.wrappedType)
            shape.isOptional = true
            return shape
        }
        let (name, isLeaf) = known(Value.self)
        if let list = value as? any ShapedList {
            content = nil
            return TypeShape(name, .array(part(Swift.type(of: list).elementType, list.firstElements(elementLimit))))
        }
        if let dictionary = value as? any ShapedDictionary {
            content = nil
            let type = Swift.type(of: dictionary)
            return TypeShape(
                name,
                .dictionary(
                    key: part(type.keyType, dictionary.firstKeys(elementLimit)),
                    value: part(type.valueType, dictionary.firstValues(elementLimit))
                )
            )
        }
        guard !isLeaf else { return TypeShape(name, .leaf) }
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
        let (name, isLeaf) = known(type)
        if let type = type as? any ShapedList.Type {
            return TypeShape(name, .array(shape(of: type.elementType)))
        }
        if let type = type as? any ShapedDictionary.Type {
            return TypeShape(name, .dictionary(key: shape(of: type.keyType), value: shape(of: type.valueType)))
        }
        guard !isLeaf else { return TypeShape(name, .leaf) }
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
        let shape = shape(of: type)
        guard shape.form != .leaf else { return shape }
        return values.reduce(shape) { $0.merged(with: self.shape(ofAny: $1, as: type)) }
    }

    private func known(_ type: Any.Type) -> (name: String, isLeaf: Bool) {
        let id = ObjectIdentifier(type)
        if let known = types[id] { return (known.name, known.isLeaf) }
        let found = WalkedType(type)
        types[id] = found
        return (found.name, found.isLeaf)
    }

    private func inside(_ type: Any.Type, _ body: () -> TypeShape.Form) -> TypeShape.Form {
        guard !path.contains(ObjectIdentifier(type)) else { return .reference }
        guard path.count < depthLimit, valuesLeft > 0 else { return .unknown }
        valuesLeft -= 1
        path.append(ObjectIdentifier(type))
        defer { path.removeLast() }
        return body()
    }

    private func form<Value: Encodable>(of value: Value) -> TypeShape.Form {
        let id = ObjectIdentifier(Value.self)
        // The same for all its values.
        if let form = types[id]?.allCases { return form }
        let content = content
        self.content = nil
        // Of a class's instance nothing is asked: it may guard what it holds.
        let isEnum = !(Value.self is AnyClass) && Mirror(reflecting: value).displayStyle == .enum
        let found = recordedForm(of: value, content, isEnum: isEnum)
        guard isEnum, let cases = (Value.self as? any CaseIterable.Type)?.fewCases as? [Value] else { return found }
        let form = form(ofCases: cases, with: found)
        switch form {
        case .raw, .cases: types[id]?.allCases = form
        default: break
        }
        return form
    }

    /// What all cases of an enum show.
    private func form<Value: Encodable>(ofCases cases: [Value], with found: TypeShape.Form) -> TypeShape.Form {
        switch found {
        case .raw(let raw, _, let type):
            return .raw(raw, cases: cases.compactMap { ($0 as? any RawRepresentable)?.rawText }.sorted(), type)
        case .cases(let first, _, let type):
            var all = first
            for value in cases {
                guard case .cases(let own, _, _) = recordedForm(of: value, nil, isEnum: true) else { return .varying }
                all.merge(own) { $0.merged(with: $1) }
            }
            return .cases(all, isComplete: true, type)
        default:
            return found
        }
    }

    private func recordedForm<Value: Encodable>(
        of value: Value,
        _ content: Data?,
        isEnum: Bool
    ) -> TypeShape.Form {
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
            guard inner.form == .leaf, let type = Value.self as? any RawRepresentable.Type else { return form }
            return .raw(inner, cases: nil, CaseSource(type))
        case .object(var object):
            // What is not written by the compiler may depend on the case.
            guard !isEnum else { return target.asCase ?? .varying }
            // The keys of what the value stands for, and another value stands for something else.
            guard !StaticShape.areKeys(object.keyTypes, ofOtherThan: Value.self) else { return .varying }
            object.members = members(of: value)
            if let type = Value.self as? any Decodable.Type { read(value, content, as: type, into: &object) }
            return .object(object)
        default:
            return isEnum ? .varying : form
        }
    }

    /// The names of the stored properties in code; nil for a type that describes itself, and for a class.
    ///
    /// There is no way to the names but through what is stored. To read that of an instance could be a race with who
    /// guards it, or be the end of the process when it refers to something that is gone. A structure is a copy; it is
    /// looked into once for each type.
    private func members<Value>(of value: Value) -> Set<String>? {
        let id = ObjectIdentifier(Value.self)
        if let members = types[id]?.members { return members }
        guard !(Value.self is AnyClass), !(value is any CustomReflectable) else { return nil }
        var members: Set<String> = []
        for child in Mirror(reflecting: value).children {
            // Wrapped properties and those of macros are stored with an underscore.
            if let label = child.label { members.insert(label.hasPrefix("_") ? String(label.dropFirst()) : label) }
        }
        types[id]?.members = members
        return members
    }

    /// Adds the properties that a type asks for when it is read; none when it cannot read what it has written.
    private func read<Value: Decodable>(
        _ value: any Encodable,
        _ content: Data?,
        as type: Value.Type,
        into object: inout ObjectShape
    ) {
        let id = ObjectIdentifier(type)
        guard let known = types[id], known.readings < readingLimit else { return }
        types[id]?.readings += 1
        let reading = ShapeReading()
        // What cannot be read back says less, and that is all: writing the value does not depend on it.
        guard let data = content ?? (try? coding.encoder.encode(value)),
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

/// What a walk knows of a type that it has met.
private struct WalkedType {
    let name: String
    let isLeaf: Bool
    /// How many values of the type were read.
    var readings = 0
    /// The names of the stored properties.
    var members: Set<String>?
    /// The form of an enum of which all cases are known.
    var allCases: TypeShape.Form?

    init(_ type: Any.Type) {
        name = StaticShape.name(type)
        isLeaf = StaticShape.isLeaf(type)
    }
}
