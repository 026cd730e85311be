/// The stored form of a setting's value, without its Swift type, which conversions of settings do not need.
///
/// Typed keys provide their form. Migrations specify it:
///
/// ```swift
/// .key("timeZones", .array(of: .codable))
/// ```
///
/// JSON text does not determine the form: in JSON, a date is a number and data is a string.
public struct DefaultsForm: Sendable {
    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// The kinds of forms that conversions distinguish.
    package indirect enum Kind: Sendable {
        case bool, float, double, string, date, data, url, uuid, decimal, keyedArchive
        /// An integer in a range.
        case integer(min: Int64, max: UInt64)
        /// A range, with the form of its bounds.
        case range(DefaultsForm, isClosed: Bool)
        /// A value stored as JSON text, which is carried over as it is: today's type may be another one.
        ///
        /// `isRawValue` returns whether a value is one of the type's raw values, which are valid without conversion.
        case codable(isRawValue: @Sendable (PropertyListValue) -> Bool = { _ in false })
        /// A raw value stored as such; the closure returns whether it is one of the type's.
        case rawValue(DefaultsForm, isKnown: @Sendable (PropertyListValue) -> Bool)
        case array(DefaultsForm)
        case set(DefaultsForm)
        case dictionary(DefaultsForm.Key, DefaultsForm)
        /// A value that was stored as JSON text of a Codable type, and now has a form of its own.
        ///
        /// `convert` decodes the JSON text and returns what to store; `isCurrent` returns whether a value has the form.
        case decoded(
            convert: @Sendable ([UInt8]) throws -> PropertyListValue,
            isCurrent: @Sendable (PropertyListValue) -> Bool
        )
    }
}

extension DefaultsForm {
    /// A Boolean.
    public static var bool: DefaultsForm { DefaultsForm(.bool) }
    /// An `Int`.
    public static var int: DefaultsForm { .integer(Int.self) }
    /// A `Float`.
    public static var float: DefaultsForm { DefaultsForm(.float) }
    /// A `Double` or `CGFloat`.
    public static var double: DefaultsForm { DefaultsForm(.double) }
    /// A string; JSON inside it is part of the string and never converted.
    public static var string: DefaultsForm { DefaultsForm(.string) }
    /// A date.
    public static var date: DefaultsForm { DefaultsForm(.date) }
    /// Data.
    public static var data: DefaultsForm { DefaultsForm(.data) }
    /// A URL, stored as JSON text.
    public static var url: DefaultsForm { DefaultsForm(.url) }
    /// A UUID.
    public static var uuid: DefaultsForm { DefaultsForm(.uuid) }
    /// A decimal number, stored as JSON text.
    public static var decimal: DefaultsForm { DefaultsForm(.decimal) }
    /// A keyed archive, stored as `Data`.
    public static var keyedArchive: DefaultsForm { DefaultsForm(.keyedArchive) }

    /// An integer in the range of a type, such as `.integer(UInt8.self)`; use ``int`` for an `Int`.
    public static func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> DefaultsForm {
        DefaultsForm(.integer(min: Int64(clamping: Number.min), max: UInt64(clamping: Number.max)))
    }

    /// A Codable value, stored as JSON text, which a conversion carries over as it is.
    public static var codable: DefaultsForm { DefaultsForm(.codable()) }

    /// A raw value of a type that is not available: any value of the form, a string or an integer, is valid.
    public static func rawValue(of form: DefaultsForm) -> DefaultsForm {
        // All but text that is not JSON has been converted as the form before.
        DefaultsForm(.rawValue(form, isKnown: { stored in stored.string == nil || !form.isInteger }))
    }

    /// A raw value of a type; any other value is invalid.
    public static func rawValue<Value: RawRepresentable & SendableMetatype>(_ type: Value.Type) -> DefaultsForm
    where Value.RawValue: SettingValue {
        let kind = Kind.rawValue(Value.RawValue.coding.form) { stored in
            (try? Value.RawValue.coding.decode(stored)).flatMap(Value.init(rawValue:)) != nil
        }
        return DefaultsForm(kind)
    }

    /// A value that was stored as JSON text of a former type, and is stored as another type now.
    ///
    /// ```swift
    /// .key("period", .decoded(PeriodV1.self) { $0 == .tenMinutes ? Period.short : .long }),
    /// .key("zones", .array(of: .decoded(ZoneV1.self) { ["id": $0.id, "name": $0.name] })),
    /// ```
    ///
    /// JSON text of the former type is converted. Any other value must be one that today's type can be read from.
    ///
    /// - Parameters:
    ///   - type: The former type, declared for the migration alone.
    ///   - convert: Returns the value to store. If it throws, the setting cannot be converted.
    public static func decoded<Former: Decodable & SendableMetatype, Value: SettingValue>(
        _ type: Former.Type,
        _ convert: @escaping @Sendable (Former) throws -> Value
    ) -> DefaultsForm {
        // The coding is made when it is needed, because it may have this form.
        let kind = Kind.decoded {
            try Value.coding.encodeInside(convert(DefaultsJSON.decode(Former.self, from: $0)))
        } isCurrent: {
            (try? Value.coding.decode($0)) != nil
        }
        return DefaultsForm(kind)
    }

    /// An array.
    public static func array(of element: DefaultsForm) -> DefaultsForm { DefaultsForm(.array(element)) }

    /// A set, stored as an array in any order.
    public static func set(of element: DefaultsForm) -> DefaultsForm { DefaultsForm(.set(element)) }

    /// A dictionary; its keys are strings by default.
    public static func dictionary(key: DefaultsForm.Key = .string, of value: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.dictionary(key, value))
    }

    /// A `Range`, stored as an array of its bounds.
    public static func range(of bound: DefaultsForm) -> DefaultsForm { DefaultsForm(.range(bound, isClosed: false)) }

    /// A `ClosedRange`, stored as an array of its bounds.
    public static func closedRange(of bound: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.range(bound, isClosed: true))
    }

    private var isInteger: Bool { if case .integer = kind { true } else { false } }
}

extension DefaultsForm {
    /// Whether values of the form are keyed archives, or contain some.
    var holdsArchives: Bool {
        switch kind {
        case .keyedArchive: true
        case .array(let element), .set(let element), .dictionary(_, let element): element.holdsArchives
        default: false
        }
    }
}

extension DefaultsForm {
    /// The form as text that is the same in all releases of Molt; closures do not affect it.
    var identity: String {
        switch kind {
        case .bool: "bool"
        // Without the limits, because the width of `Int` depends on the device.
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
        // The name that the form had first.
        case .decoded: "native"
        }
    }
}

extension DefaultsForm {
    /// The form of a dictionary's keys.
    public struct Key: Sendable {
        /// Whether Codable may encode dictionaries with such keys as an array of alternating keys and values.
        ///
        /// It does so for all keys except `String` and `Int`, which it encodes as the properties of an object.
        var mayAlternate = true
        /// Converts a key to its string in a stored dictionary; returns nil if it is not a key of the type.
        package let text: @Sendable (String) -> String?

        /// String keys.
        public static var string: Key { .of(String.self) }

        /// Integer keys of any width, stored as strings.
        public static var integer: Key { Key { text in Int64(text)?.description ?? UInt64(text)?.description } }

        /// Keys that are raw values of a type that is not available: any string is valid.
        public static var rawValue: Key { Key { $0 } }

        /// Keys of a type, stored as strings.
        ///
        /// A key whose raw value is none of the type's is valid too: an earlier release may have had it.
        public static func of<Value: SettingDictionaryKey>(_ type: Value.Type) -> Key {
            Key(mayAlternate: type != String.self && type != Int.self) { text in
                if let key = Value(dictionaryKey: text) { return key.dictionaryKey }
                guard let type = type as? any RawRepresentable.Type else { return nil }
                return rawKey(of: type, text)
            }
        }

        private static func rawKey<Value: RawRepresentable>(of type: Value.Type, _ text: String) -> String? {
            (Value.RawValue.self as? any SettingDictionaryKey.Type)?.init(dictionaryKey: text)?.dictionaryKey
        }
    }
}

/// The error for JSON text of a type that has a coding of its own but is not Codable.
struct NoCodableForm: ValueFreeError {
    /// The type's name.
    var type: String

    /// The reason as shown in reports.
    var description: String { "JSON text of \(type), which is not Codable and has no Codable form" }
}
