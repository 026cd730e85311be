/// The data that an encoder receives; nested containers may fill in parts later.
final class ShapeTarget {
    private var parts: [String: TypeShape] = [:]
    private var nested: [String: (target: ShapeTarget, keyType: Any.Type?)] = [:]
    private var elements: TypeShape?
    private var nestedElements: [ShapeTarget] = []
    private var single: TypeShape?
    private var keyTypes: [any CodingKey.Type] = []
    private var isKeyed = false

    func key(by type: any CodingKey.Type) {
        isKeyed = true
        keyTypes.append(type)
    }

    /// Adds a property; the shape is computed only if the type names the key.
    func add(_ key: some CodingKey, _ shape: @autoclosure () -> TypeShape) {
        guard key.isProperty else { return }
        let shape = shape()
        parts[key.stringValue] = parts[key.stringValue].map { $0.merged(with: shape) } ?? shape
    }

    func nest(_ key: some CodingKey, _ keyType: Any.Type?, isProperty: Bool = true) -> ShapeTarget {
        if let known = nested[key.stringValue] { return known.target }
        let target = ShapeTarget()
        if key.isProperty || !isProperty { nested[key.stringValue] = (target, keyType) }
        return target
    }

    func beginElements() {
        elements = elements ?? TypeShape("", .unknown)
    }

    func addElement(_ shape: TypeShape) {
        elements = elements.map { $0.merged(with: shape) } ?? shape
    }

    func nestElement() -> ShapeTarget {
        let target = ShapeTarget()
        nestedElements.append(target)
        return target
    }

    func set(_ shape: TypeShape) {
        single = shape
    }

    var form: TypeShape.Form {
        if isKeyed {
            var object = ObjectShape()
            object.keyTypes = keyTypes
            object.properties = parts
            for (name, nested) in nested { object.properties[name] = TypeShape("", nested.target.form) }
            return .object(object)
        }
        if let elements {
            return .array(nestedElements.reduce(elements) { $0.merged(with: TypeShape("", $1.form)) })
        }
        return single.map { .single($0) } ?? .unknown
    }

    /// The form of an enum value with synthesized coding, recognized by its nested keys.
    var asCase: TypeShape.Form? {
        guard parts.isEmpty, nested.count == 1, let (name, (target, keyType)) = nested.first,
            let keyType, String(describing: keyType).hasSuffix("CodingKeys")
        else { return nil }
        return .cases([name: TypeShape("", target.form)], isComplete: false, CaseSource(keyTypes))
    }
}

extension CodingKey {
    /// Whether the type's code names the key; a string made at run time, also in an enum case, is a value.
    var isProperty: Bool {
        let mirror = Mirror(reflecting: self)
        return mirror.displayStyle == .enum && mirror.children.isEmpty
    }
}

/// An encoder that writes nothing and records the values.
struct ShapeEncoder: Encoder {
    let target: ShapeTarget
    let walk: ShapeWalk
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        target.key(by: type)
        return KeyedEncodingContainer(Keyed(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        target.beginElements()
        return Unkeyed(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        Single(encoder: self)
    }

    private func nested(_ target: ShapeTarget, _ key: any CodingKey) -> ShapeEncoder {
        ShapeEncoder(target: target, walk: walk, codingPath: codingPath + [key], userInfo: userInfo)
    }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: ShapeEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil(forKey key: Key) {
            encoder.target.add(key, TypeShape("", .unknown, isOptional: true))
        }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) {
            encoder.target.add(key, encoder.walk.shape(of: value))
        }

        // The optional's type is known even without a value.
        func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) {
            note(value, key)
        }

        func encodeIfPresent(_ value: Bool?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: String?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: Double?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: Float?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: Int?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: Int8?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: Int16?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: Int32?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: Int64?, forKey key: Key) { note(value, key) }
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        func encodeIfPresent(_ value: Int128?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: UInt?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: UInt8?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: UInt16?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: UInt32?, forKey key: Key) { note(value, key) }
        func encodeIfPresent(_ value: UInt64?, forKey key: Key) { note(value, key) }
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        func encodeIfPresent(_ value: UInt128?, forKey key: Key) { note(value, key) }

        private func note<Value: Encodable>(_ value: Value?, _ key: Key) {
            encoder.target.add(key, encoder.walk.shape(of: value))
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            encoder.nested(encoder.target.nest(key, type), key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.nested(encoder.target.nest(key, nil), key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder {
            let key = SuperKey()
            return encoder.nested(encoder.target.nest(key, nil, isProperty: false), key)
        }

        func superEncoder(forKey key: Key) -> any Encoder {
            encoder.nested(encoder.target.nest(key, nil), key)
        }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let encoder: ShapeEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        private(set) var count = 0

        init(encoder: ShapeEncoder) {
            self.encoder = encoder
        }

        mutating func encodeNil() {
            guard isLookedAt() else { return }
            encoder.target.addElement(TypeShape("", .unknown, isOptional: true))
        }

        mutating func encode<Value: Encodable>(_ value: Value) {
            guard isLookedAt() else { return }
            encoder.target.addElement(encoder.walk.shape(of: value))
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) -> KeyedEncodingContainer<Nested> {
            nestedEncoder().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            nestedEncoder().unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder {
            nestedEncoder()
        }

        private mutating func nestedEncoder() -> ShapeEncoder {
            let target = isLookedAt() ? encoder.target.nestElement() : ShapeTarget()
            return encoder.nested(target, SuperKey())
        }

        private mutating func isLookedAt() -> Bool {
            count += 1
            return count <= encoder.walk.elementLimit
        }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: ShapeEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil() {
            encoder.target.set(TypeShape("", .unknown, isOptional: true))
        }

        func encode<Value: Encodable>(_ value: Value) {
            encoder.target.set(encoder.walk.shape(of: value))
        }
    }
}

/// The key of a superclass in Foundation's coders.
private struct SuperKey: CodingKey {
    let stringValue = "super"
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}
