internal import Foundation

/// The properties that a type decodes.
final class ShapeReading {
    /// The ways in which a property was decoded.
    struct Request {
        var types: [Any.Type] = []
        var isOptional = false
    }

    fileprivate(set) var requests: [String: Request] = [:]
    fileprivate(set) var keyTypes: [any CodingKey.Type] = []
}

/// A value that is decoded through a recording decoder.
struct ReadValue<Value: Decodable>: DecodableWithConfiguration {
    init(from decoder: any Decoder, configuration: ShapeReading) throws {
        _ = try Value(from: ShapeDecoder(base: decoder, reading: configuration))
    }
}

/// A decoder that records the properties of the outermost type, and forwards to another decoder.
private struct ShapeDecoder: Decoder {
    let base: any Decoder
    let reading: ShapeReading
    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        reading.keyTypes.append(type)
        return KeyedDecodingContainer(Keyed(base: try base.container(keyedBy: type), reading: reading))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { try base.singleValueContainer() }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let base: KeyedDecodingContainer<Key>
        let reading: ShapeReading
        var codingPath: [any CodingKey] { base.codingPath }
        var allKeys: [Key] { base.allKeys }

        func contains(_ key: Key) -> Bool {
            note(key, isOptional: true)
            return base.contains(key)
        }

        func decodeNil(forKey key: Key) throws -> Bool {
            note(key, isOptional: true)
            return try base.decodeNil(forKey: key)
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            note(key, type)
            return try base.decode(type, forKey: key)
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            try optional(type, key)
        }

        // The default implementations would decode only values that are present.
        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
        func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
        func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
        func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optional(type, key) }
        func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optional(type, key) }
        func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
        func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try optional(type, key) }
        func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
        func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(type, key) }
        func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
        func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
        func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try optional(type, key) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            note(key)
            return try base.nestedContainer(keyedBy: type, forKey: key)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            note(key)
            return try base.nestedUnkeyedContainer(forKey: key)
        }

        func superDecoder() throws -> any Decoder { try base.superDecoder() }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            note(key)
            return try base.superDecoder(forKey: key)
        }

        private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
            note(key, type, isOptional: true)
            return try base.decodeIfPresent(type, forKey: key)
        }

        private func note(_ key: Key, _ type: Any.Type? = nil, isOptional: Bool = false) {
            guard key.isProperty else { return }
            var request = reading.requests[key.stringValue] ?? ShapeReading.Request()
            if let type, !request.types.contains(where: { $0 == type }) { request.types.append(type) }
            request.isOptional = request.isOptional || isOptional
            reading.requests[key.stringValue] = request
        }
    }
}
