/// A type whose values can be keys of a dictionary in a suite, where all keys are strings.
///
/// The key of a `LosslessStringConvertible` value is its description; that of any other `RawRepresentable` value is the
/// key of its raw value. Such types only need to declare the conformance:
///
/// ```swift
/// extension Period: SettingDictionaryKey {}
/// ```
public protocol SettingDictionaryKey: Hashable, SendableMetatype {
    /// The key as a string.
    var dictionaryKey: String { get }

    /// Creates the value with a key; nil if there is none.
    init?(dictionaryKey: String)
}

extension SettingDictionaryKey where Self: LosslessStringConvertible {
    /// The description.
    public var dictionaryKey: String { description }

    /// Creates the value with this description.
    public init?(dictionaryKey: String) { self.init(dictionaryKey) }
}

extension SettingDictionaryKey where Self: RawRepresentable, RawValue: SettingDictionaryKey {
    /// The key of the raw value.
    public var dictionaryKey: String { rawValue.dictionaryKey }

    /// Creates the value whose raw value has this key.
    public init?(dictionaryKey: String) {
        guard let rawValue = RawValue(dictionaryKey: dictionaryKey) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension SettingDictionaryKey
where Self: RawRepresentable & LosslessStringConvertible, RawValue: SettingDictionaryKey {
    /// The description.
    public var dictionaryKey: String { description }

    /// Creates the value with this description.
    public init?(dictionaryKey: String) { self.init(dictionaryKey) }
}
