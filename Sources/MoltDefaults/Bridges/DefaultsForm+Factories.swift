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

    /// Any property list value; it is never converted.
    static var any: DefaultsForm {
        DefaultsForm(
            .native(
                convert: { _ in throw NoCodableForm(type: "PropertyListValue") },
                isCurrent: { _ in true }
            )
        )
    }
}

extension DefaultsForm {
    /// A Codable value, stored as JSON text, of a type that is not available: any JSON text is valid.
    public static var codable: DefaultsForm {
        DefaultsForm(.codable(check: { json in try DefaultsJSON.check(json) }))
    }

    /// A Codable value, stored as JSON text.
    ///
    /// - Parameter type: The type; text that it cannot be decoded from is invalid.
    public static func codable<Value: Decodable & SendableMetatype>(as type: Value.Type) -> DefaultsForm {
        DefaultsForm(.codable(check: { json in _ = try DefaultsJSON.decode(Value.self, from: json) }))
    }

    /// A raw value of a type that is not available: any value of the raw value's form is valid.
    ///
    /// - Parameter form: The form of the raw value: ``string`` or an integer.
    public static func rawValue(of form: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.rawValue(form, isKnown: { stored in form.fits(scalar: stored) }))
    }

    /// A raw value of a type.
    ///
    /// - Parameter type: The type; a value that is not one of its raw values is invalid.
    public static func rawValue<Value: RawRepresentable & SendableMetatype>(_ type: Value.Type) -> DefaultsForm
    where Value.RawValue: DefaultsSerializable {
        let isKnown: @Sendable (PropertyListValue) -> Bool = { stored in
            (try? DefaultsRawRepresentableBridge<Value>().decode(stored)) != nil
        }
        return DefaultsForm(.rawValue(Value.RawValue.defaultsForm, isKnown: isKnown))
    }

    /// A value that is stored natively now, and was stored as JSON text of a Codable type before.
    ///
    /// - Parameter type: The former Codable type; its `NativeForm` is the current type.
    public static func native<Former: DefaultsCodableType>(from type: Former.Type) -> DefaultsForm
    where Former.NativeForm: DefaultsSerializable {
        Former.NativeForm.native { json in
            try Former.NativeForm.encodeInside(DefaultsJSON.decode(Former.self, from: json).toNative())
        }
    }

    /// An array.
    public static func array(of element: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.array(element))
    }

    /// A set, stored as an array in any order.
    public static func set(of element: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.set(element))
    }

    /// A dictionary.
    ///
    /// - Parameters:
    ///   - key: The form of the keys; strings by default.
    ///   - value: The form of the values.
    public static func dictionary(key: DefaultsForm.Key = .string, of value: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.dictionary(key, value))
    }

    /// A `Range`, stored as an array of its bounds.
    public static func range(of bound: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.range(bound, isClosed: false))
    }

    /// A `ClosedRange`, stored as an array of its bounds.
    public static func closedRange(of bound: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.range(bound, isClosed: true))
    }

    // Checks strings and integers, the usual raw values; the conversion checks all others.
    private func fits(scalar stored: PropertyListValue) -> Bool {
        switch (kind, stored) {
        case (.string, _): stored.string != nil
        case (.integer(let min, _), .int(let number)): number >= min && fits(unsigned: UInt64(clamping: number))
        case (.integer, .unsigned(let number)): fits(unsigned: number)
        case (.integer, _): false
        default: true
        }
    }

    private func fits(unsigned number: UInt64) -> Bool {
        if case .integer(_, let max) = kind { number <= max } else { false }
    }
}

extension DefaultsForm.Key {
    /// String keys.
    public static var string: DefaultsForm.Key {
        .of(String.self)
    }

    /// Integer keys of any width, stored as strings.
    public static var integer: DefaultsForm.Key {
        DefaultsForm.Key { text in Int64(text)?.description ?? UInt64(text)?.description }
    }

    /// Keys that are raw values of a type that is not available: any string is valid.
    public static var rawValue: DefaultsForm.Key {
        DefaultsForm.Key { $0 }
    }

    /// Keys of a type, stored as strings.
    public static func of<Key: DefaultsDictionaryKey>(_ type: Key.Type) -> DefaultsForm.Key {
        DefaultsForm.Key(mayAlternate: type != String.self && type != Int.self) { text in
            Key(defaultsKey: text)?.defaultsKey
        }
    }
}
