internal import MoltCore

/// How the values under a key are stored, without their Swift types: a conversion of settings needs no more.
///
/// Typed keys know their form; write one out for tools that have no types:
///
/// ```swift
/// .key("timeZones", .array(of: .codable))
/// ```
///
/// The JSON text alone would not do: a date stands there as a number, data as a string.
public struct DefaultsForm: Sendable {
    package let kind: Kind

    package init(_ kind: Kind) {
        self.kind = kind
    }

    /// What conversions look at.
    package indirect enum Kind: Sendable {
        case bool
        /// An integer within limits.
        case integer(min: Int64, max: UInt64)
        /// A `Float`: single precision.
        case float
        case double
        case string
        case date
        case data
        case url
        case uuid
        case decimal
        /// Two bounds.
        case range(DefaultsForm, isClosed: Bool)
        /// A leaf that stands as JSON text; `check` throws for text that the type cannot be decoded from.
        ///
        /// `isRawValue` says whether a value is one of the type's raw values, which is read as it is.
        case codable(
            check: @Sendable ([UInt8]) throws -> Void,
            isRawValue: @Sendable (PropertyListValue) -> Bool = { _ in false }
        )
        /// A raw value that stands as such; the closure says whether it is one of the type's.
        case rawValue(DefaultsForm, isKnown: @Sendable (PropertyListValue) -> Bool)
        /// Data of a keyed archive.
        case keyedArchive
        case array(DefaultsForm)
        case set(DefaultsForm)
        case dictionary(DefaultsKeyForm, DefaultsForm)
        /// A type that was stored as JSON text of its Codable form and now stands natively, in a form of its own.
        ///
        /// `convert` decodes the JSON text and gives the native form; `isCurrent` says whether a value is one.
        case native(
            convert: @Sendable ([UInt8]) throws -> PropertyListValue,
            isCurrent: @Sendable (PropertyListValue) -> Bool
        )
    }
}

extension DefaultsForm {
    /// The form as text that stays the same in all releases of Molt; closures in it count for nothing.
    var identity: String {
        switch kind {
        case .bool: "bool"
        // Not how wide it is: an Int is not on all devices.
        case .integer: "integer"
        case .float: "float"
        case .double: "double"
        case .string: "string"
        case .date: "date"
        case .data: "data"
        case .url: "url"
        case .uuid: "uuid"
        case .decimal: "decimal"
        case .range(let bound, let isClosed): "\(isClosed ? "closedRange" : "range")(\(bound.identity))"
        case .codable: "codable"
        case .rawValue(let raw, _): "rawValue(\(raw.identity))"
        case .keyedArchive: "keyedArchive"
        case .array(let element): "array(\(element.identity))"
        case .set(let element): "set(\(element.identity))"
        case .dictionary(_, let value): "dictionary(\(value.identity))"
        case .native: "native"
        }
    }
}

/// How the keys of a dictionary are written.
public struct DefaultsKeyForm: Sendable {
    /// The string that a suite's dictionary has for the key; nil when it is no key of the type.
    package let text: @Sendable (String) -> String?
    /// Whether Codable may write dictionaries with such keys as an array, of keys and values in turn.
    ///
    /// It does so for all keys but `String` and `Int`, which it writes as the properties of an object.
    package let mayAlternate: Bool

    package init(mayAlternate: Bool = true, _ text: @escaping @Sendable (String) -> String?) {
        self.mayAlternate = mayAlternate
        self.text = text
    }
}

/// Why JSON text of a type with a bridge of its own cannot be converted: nothing says how to read it.
struct NoCodableForm: ValueFreeError {
    /// The type's name.
    var type: String

    /// The reason, as reports show it.
    var description: String {
        "JSON text of \(type), which is not Codable and names no Codable form"
    }
}
