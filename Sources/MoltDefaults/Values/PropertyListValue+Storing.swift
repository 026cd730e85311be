internal import Foundation

#if canImport(Musl)
    internal import Musl
#elseif canImport(Glibc)
    internal import Glibc
#endif

extension PropertyListValue {
    /// What `UserDefaults` and `PropertyListSerialization` can be given for the value.
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

    /// Checks that the platform gives the value back as it is, dates on Linux in whole seconds aside.
    ///
    /// It is called before every write, so that a value that cannot be stored changes nothing.
    ///
    /// - Throws: ``DefaultsError`` with the code `cannotStore`, which names the place: arrays and dictionaries more
    ///   than 200 levels deep; on Linux also a date that is infinite or 30 million years away, a text that begins with
    ///   a byte order mark, and a dictionary whose only key is `CF$UID`.
    public func checkStorable() throws(DefaultsError) {
        try checkStorable(depth: 0)
    }

    private func checkStorable(depth: Int) throws(DefaultsError) {
        switch self {
        case .array(let array):
            guard depth < Self.depthLimit else { throw Self.tooDeep }
            for (index, element) in array.enumerated() {
                try DefaultsError.inside(.index(index)) { () throws(DefaultsError) in
                    try element.checkStorable(depth: depth + 1)
                }
            }
        case .dictionary(let dictionary):
            guard depth < Self.depthLimit else { throw Self.tooDeep }
            try Self.check(SuiteFormat.fault(ofDictionary: dictionary))
            for (key, value) in dictionary {
                try DefaultsError.inside(.key(key)) { () throws(DefaultsError) in
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

    /// Whether the platform gives back the same for both after they were written.
    ///
    /// As `asStored()` of both would tell, without making those values.
    func isStored(as other: PropertyListValue) -> Bool {
        switch (self, other) {
        case (.date(let left), .date(let right)): SuiteFormat.stored(left) == SuiteFormat.stored(right)
        case (.unsigned, .int), (.int, .unsigned): asStored() == other.asStored()
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isStored(as: $1) }
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count && left.allSatisfy { right[$0.key]?.isStored(as: $0.value) == true }
        default: self == other
        }
    }

    /// Whether the platform gives it back as it is.
    private var isAsStored: Bool {
        switch self {
        case .unsigned(let unsigned): unsigned > Int64.max
        case .date(let date): SuiteFormat.stored(date) == date
        case .array(let array): array.allSatisfy(\.isAsStored)
        case .dictionary(let dictionary): Self.areAsStored(dictionary)
        case .bool, .int, .double, .string, .data: true
        }
    }

    private static func areAsStored(_ values: [String: PropertyListValue]) -> Bool {
        values.allSatisfy { $0.value.isAsStored }
    }

    /// What the platform gives back for each after they were written; nothing is copied when that is what they are.
    static func asStored(_ values: [String: PropertyListValue]) -> [String: PropertyListValue] {
        areAsStored(values) ? values : values.mapValues { $0.asStored() }
    }

    /// What the platform gives back after the value was written.
    ///
    /// On Linux dates are cut to whole seconds, towards the past.
    public func asStored() -> PropertyListValue {
        guard !isAsStored else { return self }
        return switch self {
        case .unsigned(let unsigned): Int64(exactly: unsigned).map { .int($0) } ?? self
        case .date(let date): .date(SuiteFormat.stored(date))
        case .array(let array): .array(array.map { $0.asStored() })
        case .dictionary(let dictionary): .dictionary(dictionary.mapValues { $0.asStored() })
        case .bool, .int, .double, .string, .data: self
        }
    }
}

/// What the platform's form of a suite on disk does not keep.
///
/// On Linux that is XML, as seen with Swift 6.3: numbers survive exactly, infinities and what is not a number too (the
/// sign of zero does not); so do texts with any character, those that XML forbids included, but for a byte order mark
/// at the beginning, which is lost. A dictionary whose only key is `CF$UID` comes back as a keyed archive's reference,
/// or not at all. On Apple it is a binary property list, which keeps all of these.
enum SuiteFormat {
    #if canImport(Darwin)
        static func withDecimalPoint<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }
        static func stored(_ date: Date) -> Date { date }
        static func fault(of date: Date) -> String? { nil }
        static func fault(ofText text: String) -> String? { nil }
        static func fault(ofDictionary dictionary: [String: PropertyListValue]) -> String? { nil }
    #else
        /// Runs a closure in which numbers have a point, whatever the locale of C is that the app has set.
        ///
        /// Foundation writes the point of that locale into XML, and cannot read a comma back.
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

        /// The furthest date from 2001 in seconds; beyond the year 2147483647 the XML is wrong.
        private static let furthest = 1e15

        /// The date in whole seconds, towards the past, as the library writes it.
        static func stored(_ date: Date) -> Date {
            Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
        }

        /// Why a date is not kept; nil when it is.
        static func fault(of date: Date) -> String? {
            abs(date.timeIntervalSinceReferenceDate) <= furthest
                ? nil : "The date is infinite or more than 30 million years away, which a suite's file cannot hold."
        }

        /// Why a text, or a key, is not kept; nil when it is.
        static func fault(ofText text: String) -> String? {
            text.unicodeScalars.first == "\u{FEFF}"
                ? "The text begins with a byte order mark, which a suite's file loses. Remove it, or store data." : nil
        }

        /// Why a dictionary is not kept; nil when it is.
        static func fault(ofDictionary dictionary: [String: PropertyListValue]) -> String? {
            dictionary.count == 1 && dictionary.keys.first == "CF$UID"
                ? "A dictionary whose only key is CF$UID is read back as something else. Choose another key." : nil
        }
    #endif
}
