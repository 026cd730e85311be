extension DefaultsForm {
    /// A Boolean.
    public static var bool: DefaultsForm { DefaultsForm(.bool) }
    /// An `Int`.
    public static var int: DefaultsForm { .integer(Int.self) }
    /// An `Int8`.
    public static var int8: DefaultsForm { .integer(Int8.self) }
    /// An `Int16`.
    public static var int16: DefaultsForm { .integer(Int16.self) }
    /// An `Int32`.
    public static var int32: DefaultsForm { .integer(Int32.self) }
    /// An `Int64`.
    public static var int64: DefaultsForm { .integer(Int64.self) }
    /// A `UInt`.
    public static var uint: DefaultsForm { .integer(UInt.self) }
    /// A `UInt8`.
    public static var uint8: DefaultsForm { .integer(UInt8.self) }
    /// A `UInt16`.
    public static var uint16: DefaultsForm { .integer(UInt16.self) }
    /// A `UInt32`.
    public static var uint32: DefaultsForm { .integer(UInt32.self) }
    /// A `UInt64`.
    public static var uint64: DefaultsForm { .integer(UInt64.self) }
    /// A `Float`.
    public static var float: DefaultsForm { DefaultsForm(.float) }
    /// A `Double` or `CGFloat`.
    public static var double: DefaultsForm { DefaultsForm(.double) }
    /// A string; JSON in it is part of the string, and never converted.
    public static var string: DefaultsForm { DefaultsForm(.string) }
    /// A date.
    public static var date: DefaultsForm { DefaultsForm(.date) }
    /// Bytes.
    public static var data: DefaultsForm { DefaultsForm(.data) }
    /// A URL, as JSON text.
    public static var url: DefaultsForm { DefaultsForm(.url) }
    /// A UUID.
    public static var uuid: DefaultsForm { DefaultsForm(.uuid) }
    /// A decimal number, as JSON text.
    public static var decimal: DefaultsForm { DefaultsForm(.decimal) }
    /// `Data` of a keyed archive.
    public static var keyedArchive: DefaultsForm { DefaultsForm(.keyedArchive) }

    /// An integer within a type's limits.
    static func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> DefaultsForm {
        DefaultsForm(.integer(min: Int64(clamping: Number.min), max: UInt64(clamping: Number.max)))
    }

    /// Any value that a suite can hold; never converted.
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
    /// A Codable value that stands as JSON text, of a type that is not at hand: any JSON text will do.
    public static var codable: DefaultsForm {
        DefaultsForm(.codable(check: { json in try DefaultsJSON.check(json) }))
    }

    /// A Codable value that stands as JSON text.
    ///
    /// - Parameter type: The text must be one that the type can be decoded from.
    public static func codable<Value: Decodable & SendableMetatype>(as type: Value.Type) -> DefaultsForm {
        DefaultsForm(.codable(check: { json in _ = try DefaultsJSON.decode(Value.self, from: json) }))
    }

    /// A raw value of a type that is not at hand: any value of the form will do.
    ///
    /// - Parameter form: That of the raw value: ``string`` or an integer.
    public static func rawValue(of form: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.rawValue(form, isKnown: { stored in form.fits(scalar: stored) }))
    }

    /// A raw value.
    ///
    /// - Parameter type: The value must be one of its raw values.
    public static func rawValue<Value: RawRepresentable & SendableMetatype>(_ type: Value.Type) -> DefaultsForm
    where Value.RawValue: DefaultsSerializable {
        let isKnown: @Sendable (PropertyListValue) -> Bool = { stored in
            (try? DefaultsRawRepresentableBridge<Value>().decode(stored)) != nil
        }
        return DefaultsForm(.rawValue(Value.RawValue.defaultsForm, isKnown: isKnown))
    }

    /// A value that stands natively today, and as JSON text of a Codable form before.
    ///
    /// - Parameter type: That Codable form; its native form says what stands today.
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

    /// A set, which stands as an array in any order.
    public static func set(of element: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.set(element))
    }

    /// A dictionary.
    ///
    /// - Parameters:
    ///   - key: How its keys are written; strings by default.
    ///   - value: How its values stand.
    public static func dictionary(key: DefaultsKeyForm = .string, of value: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.dictionary(key, value))
    }

    /// A `Range`, which stands as an array of its bounds.
    public static func range(of bound: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.range(bound, isClosed: false))
    }

    /// A `ClosedRange`, which stands as an array of its bounds.
    public static func closedRange(of bound: DefaultsForm) -> DefaultsForm {
        DefaultsForm(.range(bound, isClosed: true))
    }

    // Raw values are strings or numbers; other forms are left to the conversion.
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

extension DefaultsKeyForm {
    /// Keys that are strings.
    public static var string: DefaultsKeyForm {
        .of(String.self)
    }

    /// Keys that are integers of any width, as strings.
    public static var integer: DefaultsKeyForm {
        DefaultsKeyForm { text in Int64(text)?.description ?? UInt64(text)?.description }
    }

    /// Keys that are raw values of a type that is not at hand: any string will do.
    public static var rawValue: DefaultsKeyForm {
        DefaultsKeyForm { $0 }
    }

    /// Keys of a type, each as its string.
    public static func of<Key: DefaultsDictionaryKey>(_ type: Key.Type) -> DefaultsKeyForm {
        DefaultsKeyForm(mayAlternate: type != String.self && type != Int.self) { text in
            Key(defaultsKey: text)?.defaultsKey
        }
    }
}
