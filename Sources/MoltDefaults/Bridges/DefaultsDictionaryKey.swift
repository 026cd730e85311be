public import Foundation

/// A type whose values can be keys of a dictionary in a suite, where all keys are strings.
///
/// A `LosslessStringConvertible` type has its description as the key, a `RawRepresentable` one its raw value's. Such
/// a type only needs to declare the conformance:
///
/// ```swift
/// extension Period: DefaultsDictionaryKey {}
/// ```
public protocol DefaultsDictionaryKey: Hashable, SendableMetatype {
    /// The key as a string.
    var defaultsKey: String { get }

    /// The key of a string; nil when no value of the type has it.
    init?(defaultsKey: String)
}

extension DefaultsDictionaryKey where Self: LosslessStringConvertible {
    /// The description.
    public var defaultsKey: String {
        description
    }

    /// The value with this description.
    public init?(defaultsKey: String) {
        self.init(defaultsKey)
    }
}

extension DefaultsDictionaryKey where Self: RawRepresentable, RawValue: DefaultsDictionaryKey {
    /// The raw value as text.
    public var defaultsKey: String {
        rawValue.defaultsKey
    }

    /// The value with the raw value of this text.
    public init?(defaultsKey: String) {
        guard let rawValue = RawValue(defaultsKey: defaultsKey) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension DefaultsDictionaryKey
where Self: RawRepresentable & LosslessStringConvertible, RawValue: DefaultsDictionaryKey {
    /// The description.
    public var defaultsKey: String {
        description
    }

    /// The value with this description.
    public init?(defaultsKey: String) {
        self.init(defaultsKey)
    }
}

extension String: DefaultsDictionaryKey {}
extension Bool: DefaultsDictionaryKey {}
extension Double: DefaultsDictionaryKey {}
extension Int: DefaultsDictionaryKey {}
extension Int8: DefaultsDictionaryKey {}
extension Int16: DefaultsDictionaryKey {}
extension Int32: DefaultsDictionaryKey {}
extension Int64: DefaultsDictionaryKey {}
extension UInt: DefaultsDictionaryKey {}
extension UInt8: DefaultsDictionaryKey {}
extension UInt16: DefaultsDictionaryKey {}
extension UInt32: DefaultsDictionaryKey {}
extension UInt64: DefaultsDictionaryKey {}

extension UUID: DefaultsDictionaryKey {
    /// The text in upper case, with dashes.
    public var defaultsKey: String {
        uuidString
    }

    /// The UUID of a text.
    public init?(defaultsKey: String) {
        self.init(uuidString: defaultsKey)
    }
}
