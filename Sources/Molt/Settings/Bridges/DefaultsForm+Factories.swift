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
    where Value.RawValue: DefaultsSerializable {
        let kind = Kind.rawValue(Value.RawValue.defaultsForm) { stored in
            (try? Value.RawValue.decoded(from: stored)).flatMap(Value.init(rawValue:)) != nil
        }
        return DefaultsForm(kind)
    }

    /// A value that is stored natively now, and was stored as JSON text of a Codable type before.
    ///
    /// - Parameter type: The former Codable type; its `NativeForm` is the current type.
    public static func native<Former: DefaultsCodableType>(from type: Former.Type) -> DefaultsForm
    where Former.NativeForm: DefaultsSerializable {
        Former.NativeForm.native {
            try Former.NativeForm.encodeInside(DefaultsJSON.decode(Former.self, from: $0).toNative())
        }
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
