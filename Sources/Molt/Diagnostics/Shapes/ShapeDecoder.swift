internal import Foundation

/// The properties that a type decodes.
///
/// Sendable because one thread at a time decodes, and the result is only read.
final class ShapeReading: @unchecked Sendable {
    /// The ways in which a property was decoded.
    struct Request {
        var types: [Any.Type] = []
        var isOptional = false
    }

    fileprivate(set) var requests: [String: Request] = [:]
    fileprivate(set) var keyTypes: [any CodingKey.Type] = []
    /// Whether the properties stand for the case of an enum, which must not be mixed with those of another case.
    fileprivate(set) var isCase = false
    /// What was read in nested objects, by their properties.
    fileprivate(set) var nested: [String: ShapeReading] = [:]
    /// What was read in the elements of an array, by their indexes.
    fileprivate(set) var elements: [Int: ShapeReading] = [:]
    /// Whether all keys are those of a dictionary, or the elements are its keys and values.
    fileprivate(set) var isDictionary = false
    fileprivate(set) var isSet = false
    /// An element as it was decoded, and its identity, if its type declares one.
    private(set) var element: Any?
    private(set) var id: AnyHashable?
    private let scope: Scope

    /// What is recorded.
    enum Scope {
        /// The properties of a value.
        case properties
        /// Also those of nested objects and elements.
        case nested
        /// Also the element that the value is.
        case element
    }

    init(_ scope: Scope) {
        self.scope = scope
    }

    private var includesNested: Bool { scope != .properties }

    /// The reading of a value in this one; nil if it is not to be recorded.
    fileprivate func reading(of type: Any.Type? = nil, forKey key: String) -> ShapeReading? {
        guard includesNested, type.map(Self.mayHaveProperties) ?? true else { return nil }
        let found = nested[key] ?? ShapeReading(.nested)
        nested[key] = found
        return found
    }

    /// The reading of an element in this one; nil if it is not to be recorded.
    fileprivate func reading(of type: Any.Type? = nil, at index: Int) -> ShapeReading? {
        guard includesNested, type.map(Self.mayHaveProperties) ?? true else { return nil }
        let found = elements[index] ?? ShapeReading(.element)
        elements[index] = found
        return found
    }

    /// Notes that the decoder was asked for all keys, as by an enum whose only key is its case.
    fileprivate func noteAllKeys() {
        if !isDictionary { isCase = true }
    }

    /// The reading of a value that is stored in place of this one.
    fileprivate func reading(of type: Any.Type) -> ShapeReading? {
        includesNested && Self.mayHaveProperties(type) ? self : nil
    }

    fileprivate func noteStyle<Value>(of value: Value) {
        let isOptional = Value.self is any AnyOptional.Type
        guard includesNested, !isOptional, !(Value.self is AnyClass), !(value is any CustomReflectable) else { return }
        // One that decodes itself may not ask for all keys.
        if Mirror(reflecting: value).displayStyle == .enum { isCase = true }
    }

    /// Notes an element and its identity.
    ///
    /// One that is not encoded differs each time that the element is decoded. It is none.
    fileprivate func noteElement<Value: Decodable>(_ value: Value, _ decoder: any Decoder) {
        guard scope == .element else { return }
        element = value
        guard let value = value as? any Identifiable else { return }
        func id(of value: some Identifiable) -> AnyHashable { value.id }
        let found = id(of: value)
        if let again = try? Value(from: decoder) as? any Identifiable, id(of: again) == found { self.id = found }
    }

    /// Coders treat the types of the libraries specially, except for collections and optionals.
    private static func mayHaveProperties(_ type: Any.Type) -> Bool {
        if let optional = type as? any AnyOptional.Type { return mayHaveProperties(optional.wrappedType) }
        if let list = type as? any ShapedList.Type { return mayHaveProperties(list.elementType) }
        return type is any ShapedDictionary.Type || !StaticShape.isLeaf(type)
    }
}

/// A value that is decoded through a recording decoder.
struct ReadValue<Value: Decodable>: DecodableWithConfiguration {
    let value: Value

    init(from decoder: any Decoder, configuration: ShapeReading) throws {
        if Value.self is any ShapedDictionary.Type { configuration.isDictionary = true }
        if Value.self is any SetAlgebra.Type { configuration.isSet = true }
        value = try Value(from: ShapeDecoder(base: decoder, reading: configuration))
        configuration.noteStyle(of: value)
        configuration.noteElement(value, decoder)
    }
}

/// A decoder that records the properties of a value, and forwards to another decoder.
private struct ShapeDecoder: Decoder {
    let base: any Decoder
    let reading: ShapeReading
    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        reading.keyTypes.append(type)
        return KeyedDecodingContainer(Keyed(base: try base.container(keyedBy: type), reading: reading))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        Unkeyed(base: try base.unkeyedContainer(), reading: reading)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        Single(base: try base.singleValueContainer(), decoder: base, reading: reading)
    }

    private struct Single: SingleValueDecodingContainer {
        let base: any SingleValueDecodingContainer
        let decoder: any Decoder
        let reading: ShapeReading
        var codingPath: [any CodingKey] { base.codingPath }

        func decodeNil() -> Bool { base.decodeNil() }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            guard let reading = reading.reading(of: type) else { return try base.decode(type) }
            return try ReadValue<Value>(from: decoder, configuration: reading).value
        }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        var base: any UnkeyedDecodingContainer
        let reading: ShapeReading
        var codingPath: [any CodingKey] { base.codingPath }
        var count: Int? { base.count }
        var isAtEnd: Bool { base.isAtEnd }
        var currentIndex: Int { base.currentIndex }

        mutating func decodeNil() throws -> Bool { try base.decodeNil() }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            guard let element = reading.reading(of: type, at: currentIndex) else { return try base.decode(type) }
            // A container stays before an element that it cannot decode.
            var after = base
            let value = try after.decode(ReadValue<Value>.self, configuration: element).value
            base = after
            return value
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> {
            let element = reading.reading(at: currentIndex)
            let container = try base.nestedContainer(keyedBy: type)
            guard let element else { return container }
            element.keyTypes.append(type)
            return KeyedDecodingContainer<Nested>(Keyed<Nested>(base: container, reading: element))
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            let element = reading.reading(at: currentIndex)
            let container = try base.nestedUnkeyedContainer()
            return element.map { Unkeyed(base: container, reading: $0) } ?? container
        }

        mutating func superDecoder() throws -> any Decoder {
            let element = reading.reading(at: currentIndex)
            let decoder = try base.superDecoder()
            return element.map { ShapeDecoder(base: decoder, reading: $0) } ?? decoder
        }
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let base: KeyedDecodingContainer<Key>
        let reading: ShapeReading
        var codingPath: [any CodingKey] { base.codingPath }
        var allKeys: [Key] {
            reading.noteAllKeys()
            return base.allKeys
        }

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
            guard let nested = reading.reading(of: type, forKey: key.stringValue) else {
                return try base.decode(type, forKey: key)
            }
            return try base.decode(ReadValue<Value>.self, forKey: key, configuration: nested).value
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
            let container = try base.nestedContainer(keyedBy: type, forKey: key)
            guard let nested = reading.reading(forKey: key.stringValue) else { return container }
            nested.keyTypes.append(type)
            return KeyedDecodingContainer<Nested>(Keyed<Nested>(base: container, reading: nested))
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            note(key)
            let container = try base.nestedUnkeyedContainer(forKey: key)
            return reading.reading(forKey: key.stringValue).map { Unkeyed(base: container, reading: $0) } ?? container
        }

        func superDecoder() throws -> any Decoder { recording(try base.superDecoder(), "super") }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            note(key)
            return recording(try base.superDecoder(forKey: key), key.stringValue)
        }

        private func recording(_ decoder: any Decoder, _ key: String) -> any Decoder {
            reading.reading(forKey: key).map { ShapeDecoder(base: decoder, reading: $0) } ?? decoder
        }

        private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
            note(key, type, isOptional: true)
            guard let nested = reading.reading(of: type, forKey: key.stringValue) else {
                return try base.decodeIfPresent(type, forKey: key)
            }
            return try base.decodeIfPresent(ReadValue<Value>.self, forKey: key, configuration: nested)?.value
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
