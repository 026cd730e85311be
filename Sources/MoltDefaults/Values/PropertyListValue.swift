public import Foundation

/// What a suite can hold under a key: a property list, in one form on every platform.
///
/// `UserDefaults` itself hands out other forms of the same: see ``init(normalizing:)``.
public indirect enum PropertyListValue: Hashable, Sendable {
    /// A truth value; never the number 0 or 1.
    case bool(Bool)
    /// A whole number.
    case int(Int64)
    /// A whole number above `Int64.max`; smaller ones are always an ``int(_:)``.
    case unsigned(UInt64)
    /// Any other number.
    case double(Double)
    /// A text.
    case string(String)
    /// A date. Linux keeps whole seconds only.
    case date(Date)
    /// Bytes.
    case data(Data)
    /// Values in order.
    case array([PropertyListValue])
    /// Values by name.
    case dictionary([String: PropertyListValue])
}
