internal import Foundation

/// The data that an encoder receives; nested containers may fill in parts later.
final class ShapeTarget {
    /// A property or an element.
    enum Part {
        case value(TypeShape)
        case nested(ShapeTarget)

        var shape: TypeShape {
            switch self {
            case .value(let shape): shape
            case .nested(let target): TypeShape("", target.form)
            }
        }
    }

    fileprivate var keyTypes: [any CodingKey.Type] = []
    fileprivate var properties: [String: Part] = [:]
    fileprivate var elements: [Part]?
    fileprivate var single: TypeShape?

    var form: TypeShape.Form {
        if !keyTypes.isEmpty {
            .object(ObjectShape(properties: properties.mapValues(\.shape), code: CodeNames(keyTypes: keyTypes)))
        } else if let elements {
            .array(elements.reduce(TypeShape("", .unknown)) { $0.merged(with: $1.shape) })
        } else {
            single.map { .single($0) } ?? .unknown
        }
    }

    /// The form of an enum value with synthesized coding, recognized by its nested keys.
    var asCase: TypeShape.Form? {
        guard properties.count == 1, case (let name, .nested(let target))? = properties.first,
            let keyType = target.keyTypes.first, String(describing: keyType).hasSuffix("CodingKeys")
        else { return nil }
        return .cases([name: TypeShape("", target.form)], isComplete: false, CodeNames(keyTypes: keyTypes))
    }
}

extension CodingKey {
    /// Whether the type's code names the key; a string made at run time, also in an enum case, is a value.
    var isProperty: Bool {
        if case .property = CodingStep(self) { true } else { false }
    }
}

/// An encoder that writes nothing and records the values.
struct ShapeEncoder: Encoder, SingleValueEncodingContainer {
    let target: ShapeTarget
    let walk: ShapeWalk
    /// Empty, because each value is encoded on its own.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { walk.coding.encoder.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        target.keyTypes.append(type)
        return KeyedEncodingContainer(Keyed(target: target, walk: walk))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        target.elements = target.elements ?? []
        return Unkeyed(target: target, walk: walk)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { target.single = .bareNil }

    func encode<Value: Encodable>(_ value: Value) { target.single = walk.shape(of: Value.self, value) }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let target: ShapeTarget
        let walk: ShapeWalk
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { add(.bareNil, key) }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) { add(walk.shape(of: Value.self, value), key) }

        // The optional's type is known even without a value.
        func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: Bool?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: String?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: Double?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: Float?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: Int?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: Int8?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: Int16?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: Int32?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: Int64?, forKey key: Key) { encode(value, forKey: key) }
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        func encodeIfPresent(_ value: Int128?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: UInt?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: UInt8?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: UInt16?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: UInt32?, forKey key: Key) { encode(value, forKey: key) }
        func encodeIfPresent(_ value: UInt64?, forKey key: Key) { encode(value, forKey: key) }
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        func encodeIfPresent(_ value: UInt128?, forKey key: Key) { encode(value, forKey: key) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            nested(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }

        func superEncoder() -> any Encoder { nested(SuperKey.super) }

        func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

        /// Adds a property; the shape is computed only if the type names the key.
        private func add(_ shape: @autoclosure () -> TypeShape, _ key: Key) {
            guard key.isProperty else { return }
            let (name, shape) = (key.stringValue, shape())
            target.properties[name] = .value(target.properties[name].map { $0.shape.merged(with: shape) } ?? shape)
        }

        private func nested(_ key: some CodingKey) -> ShapeEncoder {
            if case .nested(let part)? = target.properties[key.stringValue] {
                return ShapeEncoder(target: part, walk: walk)
            }
            let part = ShapeTarget()
            if key.isProperty { target.properties[key.stringValue] = .nested(part) }
            return ShapeEncoder(target: part, walk: walk)
        }
    }

    private final class Unkeyed: UnkeyedEncodingContainer {
        let target: ShapeTarget
        let walk: ShapeWalk
        private(set) var count = 0
        var codingPath: [any CodingKey] { [] }

        init(target: ShapeTarget, walk: ShapeWalk) {
            self.target = target
            self.walk = walk
        }

        func encodeNil() { add(.value(.bareNil)) }

        func encode<Value: Encodable>(_ value: Value) { add(.value(walk.shape(of: Value.self, value))) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            superEncoder().container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }

        func superEncoder() -> any Encoder {
            let part = ShapeTarget()
            add(.nested(part))
            return ShapeEncoder(target: part, walk: walk)
        }

        private func add(_ part: @autoclosure () -> ShapeTarget.Part) {
            count += 1
            guard count <= walk.elementLimit else { return }
            let part = part()
            target.elements?.append(part)
        }
    }
}

/// The key of a superclass in Foundation's coders.
private enum SuperKey: CodingKey { case `super` }
