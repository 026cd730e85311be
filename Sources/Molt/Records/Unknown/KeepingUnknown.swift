/// A property whose value is kept if this release cannot decode it, such as a case of an enum that a newer release
/// added.
///
/// ```swift
/// enum Status: String, Codable { case open, done }
///
/// struct Order: Codable {
///     var id: Int
///     @KeepingUnknown var status: Status?
/// }
/// ```
///
/// With `{"id": 1, "status": "archived"}`, `order.status` is nil, `order.$status` is `"archived"`, and the order is
/// encoded with the same status again. Assigning a value, or nil, replaces it. A property that is missing or null is
/// nil and is not encoded.
///
/// The wrapper is also a type for the values of dictionaries: `[String: KeepingUnknown<Status>]`. For arrays, see
/// ``KeepingUnknownElements``.
///
/// - Important: Any value that cannot be decoded counts as unknown, also one in an old form. If the form has changed,
///   write a migration.
@propertyWrapper
public struct KeepingUnknown<Value: Codable>: Codable {
    private var known: Value?
    private var unknown: CodedValue?

    /// Creates a property with a value.
    public init(wrappedValue: Value?) {
        known = wrappedValue
    }

    /// The value; nil if there is none, or one that this release does not know.
    public var wrappedValue: Value? {
        get { known }
        set { (known, unknown) = (newValue, nil) }
    }

    /// The value that this release does not know; nil if it knows it, or if there is none.
    ///
    /// A date or data that is not JSON is a string here.
    public var projectedValue: RecordValue? { unknown?.json }

    /// Decodes the value, or keeps it as it is.
    ///
    /// - Throws: The decoder's error if it is no value at all, such as malformed JSON.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.singleValueContainer(), container.decodeNil() { return }
        known = try? Value(from: decoder)
        if known == nil { unknown = try CodedValue(from: decoder) }
    }

    /// Encodes the value; one that is not known is encoded as it was decoded.
    public func encode(to encoder: any Encoder) throws {
        if let unknown { try unknown.encode(to: encoder) } else { try known.encode(to: encoder) }
    }

    fileprivate var isEmpty: Bool { known == nil && unknown == nil }
}

extension KeepingUnknown: Sendable where Value: Sendable {}
extension KeepingUnknown: Equatable where Value: Equatable {}
extension KeepingUnknown: Hashable where Value: Hashable {}

// Swift calls these for the properties of a type whose coding it synthesizes.

extension KeyedDecodingContainer {
    /// Decodes a property that keeps unknown values; it may be missing.
    public func decode<Value>(_ type: KeepingUnknown<Value>.Type, forKey key: Key) throws -> KeepingUnknown<Value> {
        try decodeIfPresent(type, forKey: key) ?? KeepingUnknown(wrappedValue: nil)
    }

    /// Decodes an array that keeps unknown elements; it may be missing.
    public func decode<Element>(
        _ type: KeepingUnknownElements<Element>.Type,
        forKey key: Key
    ) throws -> KeepingUnknownElements<Element> {
        try decodeIfPresent(type, forKey: key) ?? KeepingUnknownElements(wrappedValue: [])
    }
}

extension KeyedEncodingContainer {
    /// Encodes a property that keeps unknown values, unless it is nil.
    public mutating func encode<Value>(_ property: KeepingUnknown<Value>, forKey key: Key) throws {
        guard !property.isEmpty else { return }
        try encodeIfPresent(property, forKey: key)
    }
}
