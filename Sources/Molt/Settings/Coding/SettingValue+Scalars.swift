public import Foundation

extension SettingValue where Self: FixedWidthInteger & Codable {
    /// Stores an integer of up to 64 bits exactly.
    public static var settingCoding: SettingCoding<Self> {
        SettingCoding(.integer(Self.self), "an integer that fits \(Self.self)") { value in
            if let number = PropertyListValue(exactly: value) { return number }
            let fault = "The number needs more than 64 bits, which a suite cannot hold. Store it as a string."
            throw MoltError(.cannotStore, fault)
        } decode: { stored in
            switch stored {
            case .int(let number): Self(exactly: number)
            case .unsigned(let number): Self(exactly: number)
            case .double(let number): Self(exactly: number)
            default: nil
            }
        }
    }
}

extension Int: SettingValue, SettingDictionaryKey {}
extension Int8: SettingValue, SettingDictionaryKey {}
extension Int16: SettingValue, SettingDictionaryKey {}
extension Int32: SettingValue, SettingDictionaryKey {}
extension Int64: SettingValue, SettingDictionaryKey {}
extension UInt: SettingValue, SettingDictionaryKey {}
extension UInt8: SettingValue, SettingDictionaryKey {}
extension UInt16: SettingValue, SettingDictionaryKey {}
extension UInt32: SettingValue, SettingDictionaryKey {}
extension UInt64: SettingValue, SettingDictionaryKey {}

extension SettingValue where Self: BinaryFloatingPoint & Codable {
    /// Stores a number in double precision, which represents every `Float` and `CGFloat` exactly.
    public static var settingCoding: SettingCoding<Self> {
        let form = Self.self == Float.self ? DefaultsForm.float : .double
        return SettingCoding(form, "a number that \(Self.self) can hold") {
            .double(Double($0))
        } decode: { stored in
            switch stored {
            case .double(let number): Self(number).isInfinite && number.isFinite ? nil : Self(number)
            case .int(let number): Self(number)
            case .unsigned(let number): Self(number)
            default: nil
            }
        }
    }
}

extension Float: SettingValue {}
extension Double: SettingValue, SettingDictionaryKey {}
extension CGFloat: SettingValue {}

extension Bool: SettingValue, SettingDictionaryKey {
    /// Stores a Boolean; the numbers 0 and 1 are read too, because launch arguments and tools write them.
    public static var settingCoding: SettingCoding<Bool> {
        SettingCoding(.bool, "a Boolean") {
            .bool($0)
        } decode: { stored in
            switch stored {
            case .bool(let value): value
            case .int(0): false
            case .int(1): true
            default: nil
            }
        }
    }
}

extension String: SettingValue, SettingDictionaryKey {
    /// Stores the string unchanged.
    public static var settingCoding: SettingCoding<String> {
        SettingCoding(.string, "a string", encode: { .string($0) }, decode: { $0.string })
    }
}

extension Date: SettingValue {
    /// Stores the date; Linux rounds it down to whole seconds.
    public static var settingCoding: SettingCoding<Date> {
        SettingCoding(.date, "a date", encode: { .date($0) }, decode: { $0.date })
    }
}

extension Data: SettingValue {
    /// Stores the bytes unchanged.
    ///
    /// Read archives of classes without `NSSecureCoding` as `Data`: decoding them from a suite is not safe, so it is
    /// left to the app.
    public static var settingCoding: SettingCoding<Data> {
        SettingCoding(.data, "data", encode: { .data($0) }, decode: { $0.data })
    }
}

extension UUID: SettingValue, SettingDictionaryKey {
    /// Stores the string without quotes, as Defaults does since 6.2; the quoted one of earlier releases is read too.
    public static var settingCoding: SettingCoding<UUID> {
        SettingCoding(.uuid, "the text of a UUID") {
            .string($0.uuidString)
        } decode: { stored in
            guard let text = stored.string else { return nil }
            let isQuoted = text.hasPrefix("\"") && text.hasSuffix("\"")
            return UUID(uuidString: isQuoted ? String(text.dropFirst().dropLast()) : text)
        }
    }

    /// The UUID string, in upper case with dashes.
    public var dictionaryKey: String { uuidString }

    /// Creates a UUID from its string.
    public init?(dictionaryKey: String) { self.init(uuidString: dictionaryKey) }
}

extension URL: SettingValue {
    /// Stores JSON text of a URL, as every release of Defaults does.
    public static var settingCoding: SettingCoding<URL> { .json(form: .url) }
}

extension Decimal: SettingValue {
    /// Stores JSON text of a number, as every release of Defaults does.
    public static var settingCoding: SettingCoding<Decimal> { .json(form: .decimal) }
}

extension PropertyListValue: SettingValue {
    /// Stores the value unchanged; it is never converted.
    public static var settingCoding: SettingCoding<PropertyListValue> {
        let kind = DefaultsForm.Kind.decoded(
            convert: { _ in throw NoCodableForm(type: "PropertyListValue") },
            isCurrent: { _ in true }
        )
        return SettingCoding(makeForm: { DefaultsForm(kind) }, encoder: { $0 }, decoder: { $0 })
    }
}
