internal import Foundation
internal import MoltPlatform

extension PropertyListValue {
    /// The value as an object for `UserDefaults` and `PropertyListSerialization`.
    public var object: Any {
        switch self {
        case .bool(let bool): bool
        case .int(let int): int
        case .unsigned(let unsigned): unsigned
        case .double(let double): double
        case .string(let string): string
        case .date(let date): date
        case .data(let data): data
        case .array(let array): array.map(\.object)
        case .dictionary(let dictionary): dictionary.mapValues(\.object)
        }
    }

    /// Checks that the platform returns the value unchanged, except for fractional seconds of dates on Linux.
    ///
    /// It is called before every write, so that a value that cannot be stored changes nothing.
    ///
    /// - Throws: ``DefaultsError`` with the code `cannotStore` and the place, for arrays and dictionaries nested more
    ///   than 200 levels deep. On Linux also for a date that is infinite or 30 million years away, a string that begins
    ///   with a byte order mark, and a dictionary whose only key is `CF$UID`.
    public func checkStorable() throws(DefaultsError) {
        try checkStorable(depth: 0)
    }

    private func checkStorable(depth: Int) throws(DefaultsError) {
        switch self {
        case .array(let array):
            guard depth < Self.depthLimit else { throw Self.tooDeep }
            for (index, element) in array.enumerated() {
                try DefaultsError.within(.index(index), .cannotStore) {
                    try element.checkStorable(depth: depth + 1)
                }
            }
        case .dictionary(let dictionary):
            guard depth < Self.depthLimit else { throw Self.tooDeep }
            try Self.check(SuiteFormat.fault(ofDictionary: dictionary))
            for (key, value) in dictionary {
                try DefaultsError.within(.key(key), .cannotStore) {
                    try Self.check(SuiteFormat.fault(ofText: key))
                    try value.checkStorable(depth: depth + 1)
                }
            }
        case .string(let string):
            try Self.check(SuiteFormat.fault(ofText: string))
        case .date(let date):
            try Self.check(SuiteFormat.fault(of: date))
        case .bool, .int, .unsigned, .double, .data:
            break
        }
    }

    private static func check(_ fault: String?) throws(DefaultsError) {
        if let fault { throw DefaultsError(.cannotStore, fault) }
    }

    /// The values that the platform returns after they were written.
    static func asStored(_ values: [String: PropertyListValue]) -> [String: PropertyListValue] {
        values.mapValues { $0.asStored() }
    }

    /// The value that the platform returns after it was written.
    ///
    /// On Linux dates are rounded down to whole seconds.
    public func asStored() -> PropertyListValue {
        switch self {
        case .unsigned(let unsigned): Int64(exactly: unsigned).map { .int($0) } ?? self
        case .date(let date): .date(SuiteFormat.stored(date))
        case .array(let array): .array(array.map { $0.asStored() })
        case .dictionary(let dictionary): .dictionary(dictionary.mapValues { $0.asStored() })
        case .bool, .int, .double, .string, .data: self
        }
    }
}

/// The values that the platform's file format for suites does not preserve.
///
/// On Linux the format is XML. In Swift 6.3 it preserves numbers exactly, including infinities and NaN, but not the
/// sign of zero. It preserves strings with any character, even those that XML forbids, except a leading byte order
/// mark. A dictionary whose only key is `CF$UID` is read back as a keyed archive's reference, or not at all. On Apple
/// platforms the format is a binary property list, which preserves all of these.
enum SuiteFormat {
    #if canImport(Darwin)
        static func withDecimalPoint<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
        static func stored(_ date: Date) -> Date { date }
        static func fault(of date: Date) -> String? { nil }
        static func fault(ofText text: String) -> String? { nil }
        static func fault(ofDictionary dictionary: [String: PropertyListValue]) -> String? { nil }
    #else
        /// Runs a closure in which numbers have a decimal point, even if the app has set another C locale.
        ///
        /// Foundation writes that locale's decimal separator into XML, and cannot read a comma back.
        static func withDecimalPoint<Result>(_ body: () throws -> Result) rethrows -> Result {
            guard localeconv().pointee.decimal_point.pointee != CChar(UInt8(ascii: ".")) else { return try body() }
            let plain = newlocale(1 << LC_NUMERIC, "C", nil)
            let own = uselocale(plain)
            defer {
                uselocale(own)
                freelocale(plain)
            }
            return try body()
        }

        /// The maximum distance of a date from 2001, in seconds; beyond the year 2147483647 the XML is wrong.
        private static let furthest = 1e15

        /// The date rounded down to whole seconds, as the library writes it.
        static func stored(_ date: Date) -> Date {
            Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
        }

        /// Why a date is not preserved; nil if it is.
        static func fault(of date: Date) -> String? {
            abs(date.timeIntervalSinceReferenceDate) <= furthest
                ? nil : "The date is infinite or more than 30 million years away, which a suite's file cannot hold."
        }

        /// Why a string or a key is not preserved; nil if it is.
        static func fault(ofText text: String) -> String? {
            text.unicodeScalars.first == "\u{FEFF}"
                ? "The text begins with a byte order mark, which a suite's file loses. Remove it, or store data." : nil
        }

        static func fault(ofDictionary dictionary: [String: PropertyListValue]) -> String? {
            dictionary.count == 1 && dictionary.keys.first == "CF$UID"
                ? "A dictionary whose only key is CF$UID is read back as something else. Choose another key." : nil
        }
    #endif
}
