public import Foundation

extension SettingCoding where Value: Codable & SendableMetatype {
    /// Stores JSON text, as Defaults does.
    public static var json: Self { json() }

    /// Stores JSON text, and also reads what `rawValue` does.
    static func json(
        form: DefaultsForm? = nil,
        rawValue: @escaping @Sendable (PropertyListValue) -> Value? = { _ in nil }
    ) -> Self {
        SettingCoding {
            form ?? DefaultsForm(.codable(isRawValue: { rawValue($0) != nil }))
        } encoder: {
            try encoded($0).map { .string(String(decoding: $0, as: UTF8.self)) }
        } decoder: { stored in
            do {
                if stored.array != nil || stored.dictionary != nil {
                    return try DefaultsJSON.decode(Value.self, fromNative: stored)
                }
                guard let text = stored.string else { throw MoltError.mismatch("JSON text of \(Value.self)") }
                return try DefaultsJSON.decode(Value.self, from: text.utf8)
            } catch {
                // A value that is neither JSON text nor a raw value is reported as not being JSON text.
                let native = rawValue(stored) ?? (try? DefaultsJSON.decode(Value.self, fromNative: stored))
                guard let native else { throw error }
                return native
            }
        }
    }

    /// Stores `Data` of JSON, as SwiftyUserDefaults does; a native value with the same content is read too.
    public static var jsonData: Self {
        SettingCoding {
            nil
        } encoder: {
            try encoded($0).map { .data($0) }
        } decoder: { stored in
            if let json = stored.data { return try DefaultsJSON.decode(Value.self, from: json) }
            do {
                return try DefaultsJSON.decode(Value.self, fromNative: stored)
            } catch {
                let isContainer = stored.array != nil || stored.dictionary != nil
                throw isContainer ? error : MoltError.mismatch("data of JSON of \(Value.self)")
            }
        }
    }

    /// The value's JSON; nil for nil, for which nothing is stored.
    private static func encoded(_ value: Value) throws -> Data? {
        let json = try DefaultsJSON.encode(value)
        return Value.self is any ExpressibleByNilLiteral.Type && json.elementsEqual("null".utf8) ? nil : json
    }
}

extension SettingCoding where Value: RawRepresentable & SendableMetatype, Value.RawValue: SettingValue {
    /// Stores the raw value.
    public static var rawValue: Self {
        SettingCoding(.rawValue(Value.self), "a raw value of \(Value.self)") {
            try Value.RawValue.coding.encode($0.rawValue)
        } decode: {
            try Value(rawValue: Value.RawValue.coding.decode($0))
        }
    }
}

extension SettingCoding
where Value: RawRepresentable & Codable & SendableMetatype, Value.RawValue: SettingValue {
    /// Stores JSON text; a raw value is read too, because `@AppStorage` and most apps write it.
    public static var json: Self { json { try? rawValue.decode($0) } }
}

extension SettingCoding where Value: NSObject & NSSecureCoding {
    /// Stores a secure keyed archive.
    ///
    /// Archives that were written without secure coding are read too, if their class supports it. If the class was
    /// renamed, call `NSKeyedUnarchiver.setClass(_:forClassName:)` before the upgrade. To read the bytes instead, use a
    /// `SettingKey<Data?>`.
    public static var keyedArchive: Self {
        SettingCoding(
            makeForm: { .keyedArchive },
            encoder: { try KeyedArchive.archive($0) },
            decoder: { try KeyedArchive.object([Value.self], from: $0) }
        )
    }
}

extension SettingCoding
where Value: RangeReplaceableCollection & SendableMetatype, Value.Element: NSObject & NSSecureCoding {
    /// Stores an array of objects as one secure keyed archive, as SwiftyUserDefaults does.
    public static var keyedArchive: Self {
        SettingCoding(
            makeForm: { .keyedArchive },
            encoder: { try KeyedArchive.archive(NSArray(array: Array($0))) },
            decoder: { stored in
                let classes = [NSArray.self, Value.Element.self]
                return try Value(KeyedArchive.object(classes, from: stored) as [Value.Element])
            }
        )
    }
}
