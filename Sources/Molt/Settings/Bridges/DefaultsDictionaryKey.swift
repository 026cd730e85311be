/// A type whose values can be keys of a dictionary in a suite, where all keys are strings.
///
/// The key of a `LosslessStringConvertible` value is its description; that of any other `RawRepresentable` value is the
/// key of its raw value. Such types only need to declare the conformance:
///
/// ```swift
/// extension Period: DefaultsDictionaryKey {}
/// ```
public protocol DefaultsDictionaryKey: Hashable, SendableMetatype {
    /// The key as a string.
    var defaultsKey: String { get }

    /// Creates the value with a key; nil if there is none.
    init?(defaultsKey: String)
}

extension DefaultsDictionaryKey where Self: LosslessStringConvertible {
    /// The description.
    public var defaultsKey: String { description }

    /// Creates the value with this description.
    public init?(defaultsKey: String) { self.init(defaultsKey) }
}

extension DefaultsDictionaryKey where Self: RawRepresentable, RawValue: DefaultsDictionaryKey {
    /// The key of the raw value.
    public var defaultsKey: String { rawValue.defaultsKey }

    /// Creates the value whose raw value has this key.
    public init?(defaultsKey: String) {
        guard let rawValue = RawValue(defaultsKey: defaultsKey) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension DefaultsDictionaryKey
where Self: RawRepresentable & LosslessStringConvertible, RawValue: DefaultsDictionaryKey {
    /// The description.
    public var defaultsKey: String { description }

    /// Creates the value with this description.
    public init?(defaultsKey: String) { self.init(defaultsKey) }
}
