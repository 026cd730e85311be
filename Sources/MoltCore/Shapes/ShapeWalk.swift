package import Foundation

extension TypeShape {
    /// The shape of a value.
    ///
    /// The value is encoded, and the output is discarded. A decodable type is also decoded, to find properties that
    /// this value does not write but its type reads.
    ///
    /// - Parameters:
    ///   - value: Any value; more non-nil properties give a more complete shape.
    ///   - coding: The coders that values of the type are stored with.
    ///   - content: The encoded value, if available.
    package static func of<Value: Encodable>(
        _ value: Value,
        coding: RecordCoding = .standard,
        content: Data? = nil
    ) -> TypeShape {
        ShapeWalk(coding, content: content).shape(of: value)
    }

    /// The merged shape of several values of a type; nil when there are none.
    package static func of<Value: Encodable>(all values: [Value], coding: RecordCoding = .standard) -> TypeShape? {
        let shapes = values.map { of($0, coding: coding) }
        guard let first = shapes.first else { return nil }
        return shapes.dropFirst().reduce(first) { $0.merged(with: $1) }
    }
}

/// A traversal of a value and its parts; used on one thread.
///
/// Limits on the number of values and on the readings of each type bound the cost for large values; anything beyond
/// them is unknown.
final class ShapeWalk {
    let coding: RecordCoding
    /// The encoded outermost value, until it is used.
    private var content: Data?
    private var valuesLeft = 500
    private var types: [ObjectIdentifier: WalkedType] = [:]
    private let readingLimit = 2
    /// The types that enclose the current one.
    private var path: [ObjectIdentifier] = []
    private let depthLimit = 24
    /// The maximum number of elements of a list that are read.
    let elementLimit = 16

    init(_ coding: RecordCoding, content: Data? = nil) {
        self.coding = coding
        self.content = content
    }

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
        // Other values of a class may belong to other subclasses.
        guard Swift.type(of: value) == Value.self else { return TypeShape(name, .varying) }
        return TypeShape(name, inside(Value.self) { form(of: value) })
    }

    /// The shape of a type without a value.
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
        // The cases of an enum serve as values.
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
        // All values of the type have the same form.
        if let form = types[id]?.allCases { return form }
        let content = content
        self.content = nil
        // Instances of classes are not inspected, as they may guard their state.
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
            // Hand-written encoding may depend on the case.
            guard !isEnum else { return target.asCase ?? .varying }
            // These keys belong to a type that the value wraps; other values may wrap other types.
            guard !StaticShape.areKeys(object.keyTypes, ofOtherThan: Value.self) else { return .varying }
            object.members = members(of: value)
            if let type = Value.self as? any Decodable.Type { read(value, content, as: type, into: &object) }
            return .object(object)
        default:
            return isEnum ? .varying : form
        }
    }

    /// The names of the stored properties in code; nil for a class, and for a type with a custom mirror.
    ///
    /// The names are available only with the stored values. Reading those of an instance could race with its guards, or
    /// crash on a dangling reference. A structure is a copy; each type is inspected once.
    private func members<Value>(of value: Value) -> Set<String>? {
        let id = ObjectIdentifier(Value.self)
        if let members = types[id]?.members { return members }
        guard !(Value.self is AnyClass), !(value is any CustomReflectable) else { return nil }
        var members: Set<String> = []
        for child in Mirror(reflecting: value).children {
            // Wrapped properties, and those of macros, are stored with an underscore.
            if let label = child.label { members.insert(label.hasPrefix("_") ? String(label.dropFirst()) : label) }
        }
        types[id]?.members = members
        return members
    }

    /// Adds the properties that a type decodes; none if it cannot decode its own output.
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
        // If decoding fails, the shape is only less complete: writing the value does not depend on it.
        guard let data = content ?? (try? coding.encoder.encode(value)),
            (try? coding.decoder.decode(ReadValue<Value>.self, from: data, configuration: reading)) != nil
        else { return }
        object.keyTypes += reading.keyTypes
        for (name, request) in reading.requests {
            if let written = object.properties[name] {
                if request.isOptional, !written.isOptional { object.lenient.insert(name) }
            } else {
                var shape = request.types.count == 1 ? shape(of: request.types[0]) : TypeShape("", .unknown)
                shape.isOptional = shape.isOptional || request.isOptional
                object.properties[name] = shape
                object.onlyRead.insert(name)
                object.lenient.insert(name)
            }
        }
    }
}

/// The state of a traversal for a type.
private struct WalkedType {
    let name: String
    let isLeaf: Bool
    /// The number of values of the type that were decoded.
    var readings = 0
    var members: Set<String>?
    /// The form of an enum whose cases are all known.
    var allCases: TypeShape.Form?

    init(_ type: Any.Type) {
        name = StaticShape.name(type)
        isLeaf = StaticShape.isLeaf(type)
    }
}
