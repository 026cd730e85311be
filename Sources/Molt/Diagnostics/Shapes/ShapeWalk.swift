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
        ShapeWalk(coding, content: content).shape(of: Value.self, value)
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
    /// The maximum number of elements of a list that are read.
    let elementLimit = 16
    private let readingLimit = 2
    private var valuesLeft = 500
    /// The encoded outermost value, until it is used.
    private var content: Data?
    private var types: [ObjectIdentifier: WalkedType] = [:]

    init(_ coding: RecordCoding, content: Data? = nil) {
        self.coding = coding
        self.content = content
    }

    /// The shape of a type, as far as the type itself and a value of it, if there is one, show it.
    func shape(of type: Any.Type, _ value: Any?) -> TypeShape {
        if let optional = type as? any AnyOptional.Type {
            var shape = shape(of: optional.wrappedType, value.flatMap { ($0 as? any AnyOptional)?.anyWrapped })
            shape.isOptional = true
            return shape
        }
        let walked = types[ObjectIdentifier(type)] ?? WalkedType(type)
        types[ObjectIdentifier(type)] = walked
        if let list = type as? any ShapedList.Type {
            content = nil
            let elements = (value as? any ShapedList)?.firstElements(elementLimit) ?? []
            return TypeShape(walked.name, .array(part(list.elementType, elements)))
        }
        if let dictionary = type as? any ShapedDictionary.Type {
            content = nil
            let value = value as? any ShapedDictionary
            let keys = part(dictionary.keyType, value?.firstKeys(elementLimit) ?? [])
            let values = part(dictionary.valueType, value?.firstValues(elementLimit) ?? [])
            return TypeShape(walked.name, .dictionary(key: keys, value: values))
        }
        guard !walked.isLeaf else { return TypeShape(walked.name, .leaf) }
        // The cases of an enum serve as values.
        guard let value = (value ?? (type as? any CaseIterable.Type)?.fewCases?.first) as? any Encodable else {
            return TypeShape(walked.name, walked.isBeingWalked ? .reference : .unknown)
        }
        // Other values of a class may belong to other subclasses.
        guard Swift.type(of: value) == type else { return TypeShape(walked.name, .varying) }
        return TypeShape(walked.name, form(of: value, walked))
    }

    private func part(_ type: Any.Type, _ values: [Any]) -> TypeShape {
        let shape = shape(of: type, nil)
        guard shape.form != .leaf else { return shape }
        return values.reduce(shape) { $0.merged(with: self.shape(of: type, $1)) }
    }

    private func form<Value: Encodable>(of value: Value, _ type: WalkedType) -> TypeShape.Form {
        guard !type.isBeingWalked else { return .reference }
        guard valuesLeft > 0 else { return .unknown }
        valuesLeft -= 1
        type.isBeingWalked = true
        defer { type.isBeingWalked = false }
        if let form = type.allCases { return form }
        let content = content
        self.content = nil
        let found = recordedForm(of: value, type, content)
        guard isEnum(value), let cases = (Value.self as? any CaseIterable.Type)?.fewCases as? [Value] else {
            return found
        }
        switch found {
        case .raw(let raw, _, let code):
            let texts = cases.compactMap { ($0 as? any RawRepresentable).map { String(describing: $0.rawValue) } }
            type.allCases = .raw(raw, cases: texts.sorted(), code)
        case .cases(var all, _, let code):
            for value in cases {
                guard case .cases(let own, _, _) = recordedForm(of: value, type, nil) else {
                    return .varying
                }
                all.merge(own) { $0.merged(with: $1) }
            }
            type.allCases = .cases(all, isComplete: true, code)
        default: break
        }
        return type.allCases ?? found
    }

    private func isEnum<Value>(_ value: Value) -> Bool {
        // Instances of classes are not inspected, as they may guard their state.
        !(Value.self is AnyClass) && Mirror(reflecting: value).displayStyle == .enum
    }

    private func recordedForm<Value: Encodable>(
        of value: Value,
        _ type: WalkedType,
        _ content: Data?
    ) -> TypeShape.Form {
        let target = ShapeTarget()
        guard (try? value.encode(to: ShapeEncoder(target: target, walk: self))) != nil else { return .unknown }
        switch target.form {
        case .single(let inner):
            guard inner.form == .leaf, let rawType = Value.self as? any RawRepresentable.Type else {
                return .single(inner)
            }
            return .raw(inner, cases: nil, CodeNames(rawType: rawType))
        case .object(var object):
            // Hand-written encoding may depend on the case.
            guard !isEnum(value) else { return target.asCase ?? .varying }
            // These keys belong to a type that the value wraps; other values may wrap other types.
            guard !StaticShape.areKeys(object.code.keyTypes, ofOtherThan: Value.self) else { return .varying }
            type.members = type.members ?? members(of: value)
            object.members = type.members
            if let decodable = Value.self as? any Decodable.Type, type.readings < readingLimit {
                type.readings += 1
                read(value, content, as: decodable, into: &object)
            }
            return .object(object)
        case let form:
            return isEnum(value) ? .varying : form
        }
    }

    /// The names of the stored properties in code; nil for a class, and for a type with a custom mirror.
    ///
    /// The names are available only with the stored values. Reading those of an instance could race with its guards, or
    /// crash on a dangling reference. A structure is a copy; each type is inspected once.
    private func members<Value>(of value: Value) -> Set<String>? {
        guard !(Value.self is AnyClass), !(value is any CustomReflectable) else { return nil }
        // Wrapped properties, and those of macros, are stored with an underscore.
        let labels = Mirror(reflecting: value).children.compactMap(\.label)
        return Set(labels.map { $0.hasPrefix("_") ? String($0.dropFirst()) : $0 })
    }

    /// Adds the properties that a type decodes; none if it cannot decode its own output.
    private func read<Value: Decodable>(
        _ value: any Encodable,
        _ content: Data?,
        as type: Value.Type,
        into object: inout ObjectShape
    ) {
        let reading = ShapeReading(.properties)
        // If decoding fails, the shape is only less complete: writing the value does not depend on it.
        guard let data = content ?? (try? coding.encoder.encode(value)),
            (try? coding.decoder.decode(ReadValue<Value>.self, from: data, configuration: reading)) != nil
        else { return }
        object.code.keyTypes += reading.keyTypes
        for (name, request) in reading.requests {
            if let written = object.properties[name] {
                if request.isOptional, !written.isOptional { object.lenient.insert(name) }
            } else {
                var shape = request.types.count == 1 ? shape(of: request.types[0], nil) : TypeShape("", .unknown)
                shape.isOptional = shape.isOptional || request.isOptional
                object.properties[name] = shape
                object.onlyRead.insert(name)
                object.lenient.insert(name)
            }
        }
    }
}

/// What a traversal knows of a type.
private final class WalkedType {
    let name: String
    let isLeaf: Bool
    /// Whether a value of the type encloses the current one.
    var isBeingWalked = false
    /// The number of values of the type that were decoded.
    var readings = 0
    var members: Set<String>?
    /// The form of an enum whose cases are all known, which is that of every value.
    var allCases: TypeShape.Form?

    init(_ type: Any.Type) {
        name = StaticShape.name(type)
        isLeaf = StaticShape.isLeaf(type)
    }
}

extension CaseIterable {
    /// All values, or nil if there are more than 256.
    fileprivate static var fewCases: [Any]? {
        let cases = allCases.prefix(257).map { $0 }
        return cases.count > 256 ? nil : cases
    }
}
