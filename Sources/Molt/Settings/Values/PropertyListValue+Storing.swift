internal import Foundation

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
    /// - Throws: ``MoltError`` with the code `cannotStore` and the place, for arrays and dictionaries nested more
    ///   than 200 levels deep. On Linux also for a date that is infinite or 30 million years away, a string that begins
    ///   with a byte order mark, and a dictionary whose only key is `CF$UID`.
    package func checkStorable() throws(MoltError) {
        try checkStorable(depth: 0)
    }

    private func checkStorable(depth: Int) throws(MoltError) {
        switch self {
        case .array(let array):
            guard depth < Self.depthLimit else { throw Self.tooDeep }
            for (index, element) in array.enumerated() {
                try MoltError.within(.index(index), .cannotStore) {
                    try element.checkStorable(depth: depth + 1)
                }
            }
        case .dictionary(let dictionary):
            guard depth < Self.depthLimit else { throw Self.tooDeep }
            try Self.check(SuiteFormat.fault(ofDictionary: dictionary))
            for (key, value) in dictionary {
                try MoltError.within(.key(key), .cannotStore) {
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

    private static func check(_ fault: String?) throws(MoltError) {
        if let fault { throw MoltError(.cannotStore, fault) }
    }

    /// The value that the platform returns after it was written.
    ///
    /// On Linux dates are rounded down to whole seconds.
    package func asStored() -> PropertyListValue {
        switch self {
        case .unsigned(let unsigned): Int64(exactly: unsigned).map { .int($0) } ?? self
        case .date(let date): .date(SuiteFormat.stored(date))
        case .array(let array): .array(array.map { $0.asStored() })
        case .dictionary(let dictionary): .dictionary(dictionary.mapValues { $0.asStored() })
        case .bool, .int, .double, .string, .data: self
        }
    }
}

extension PropertyListValue: Hashable {
    /// Whether a suite returns the same value for both.
    public static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        // NaN equals itself; otherwise a suite that holds one would never read back as it was written.
        case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
        case (.string(let left), .string(let right)): hasSameBytes(left, right)
        case (.date(let left), .date(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count
                && left.allSatisfy { key, value in
                    right.index(forKey: key).map { hasSameBytes(right[$0].key, key) && right[$0].value == value }
                        ?? false
                }
        default: false
        }
    }

    /// Strings that are only canonically equivalent are different values.
    private static func hasSameBytes(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    /// Hashes the value and its kind.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .bool(let bool): hasher.combine(bool)
        case .int(let int): hasher.combine(int)
        case .unsigned(let unsigned): hasher.combine(unsigned)
        case .double(let double): hasher.combine(double.isNaN ? .nan : double)
        case .string(let string): hasher.combine(string)
        case .date(let date): hasher.combine(date)
        case .data(let data): hasher.combine(data)
        case .array(let array): hasher.combine(array)
        case .dictionary(let dictionary): hasher.combine(dictionary)
        }
    }
}

/// Converts the objects of `UserDefaults` and `PropertyListSerialization` to values.
///
/// These are their objects in Swift 6.3:
/// - On Linux, `UserDefaults` returns an `Optional` inside `Any`. Elements of arrays and values of dictionaries are
///   wrapped too, at any depth; keys are `AnyHashable`. Casts unwrap these optionals, `type(of:)` and patterns do not.
/// - A number is an `NSNumber` on both platforms, or a Swift number. A cast does not distinguish a Boolean from 1: an
///   `NSNumber` of 1 read from a file can be cast to `Bool`.
/// - On Apple platforms, a Boolean is the `NSNumber` that is a CFBoolean. On Linux CFBoolean is not available in Swift,
///   but a Boolean is the only number whose class is not `NSNumber` itself. (`NSDecimalNumber` is refused before.)
/// - An integer above `Int64.max` has the type "Q"; a smaller one may have any width and sign.
extension PropertyListValue {
    /// The maximum nesting depth of arrays and dictionaries.
    ///
    /// Linux cannot read back more than 512 levels; JSON, as in the journal, needs two levels for each one.
    static let depthLimit = 200

    /// Creates a value from an object of `UserDefaults` or `PropertyListSerialization`.
    ///
    /// It accepts numbers of every width, `String`, `Date`, `Data`, arrays, and dictionaries with string keys, also if
    /// they are wrapped in optionals.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore` for any other object; it names the type and the place.
    public init(normalizing object: Any) throws(MoltError) {
        try self.init(normalizing: object, around: 0)
    }

    /// - Parameter containers: The number of containers around each value of a suite.
    init(normalizing object: Any, around containers: Int) throws(MoltError) {
        self = try Self.normalized(object, depth: -containers)
    }

    private static func normalized(_ object: Any, depth: Int) throws(MoltError) -> PropertyListValue {
        // The first three casts unwrap optionals by themselves.
        if let string = object as? String { return .string(string) }
        // Before numbers: the cast of an array or a dictionary to `NSNumber` first converts all of its content.
        if let elements = object as? [Any] {
            guard depth < depthLimit else { throw tooDeep }
            var values: [PropertyListValue] = []
            values.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                let value = try MoltError.within(.index(index), .cannotStore) {
                    try normalized(element, depth: depth + 1)
                }
                values.append(value)
            }
            return .array(values)
        }
        if let entries = object as? [AnyHashable: Any] {
            guard depth < depthLimit else { throw tooDeep }
            var values: [String: PropertyListValue] = [:]
            values.reserveCapacity(entries.count)
            for (key, entry) in entries {
                guard let name = key.base as? String else { throw refusal("a key of type \(type(of: key.base))") }
                values[name] = try MoltError.within(.key(name), .cannotStore) {
                    try normalized(entry, depth: depth + 1)
                }
            }
            return .dictionary(values)
        }
        if let optional = object as? any AnyOptional {
            guard let content = optional.anyWrapped else { throw refusal("nil") }
            return try normalized(content, depth: depth)
        }
        if let number = try number(object) { return number }
        if let date = object as? Date { return .date(date) }
        if let data = object as? Data { return .data(data) }
        throw refusal("\(type(of: object))")
    }

    private static func number(_ object: Any) throws(MoltError) -> PropertyListValue? {
        if type(of: object) == Bool.self, let bool = object as? Bool { return .bool(bool) }
        guard let number = object as? NSNumber else { return nil }
        // A suite does not preserve decimal digits.
        guard !(number is NSDecimalNumber) else { throw refusal("Decimal") }
        if SuiteFormat.isBool(number, castFrom: object) { return .bool(number.boolValue) }
        switch UInt8(truncatingIfNeeded: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            return .double(number.doubleValue)
        case UInt8(ascii: "Q"):
            return PropertyListValue(exactly: number.uint64Value)
        default:
            return .int(number.int64Value)
        }
    }

    private static func refusal(_ type: String) -> MoltError {
        MoltError(
            .cannotStore,
            "A suite cannot hold \(type).",
            advice: "Store strings, numbers, Booleans, dates, data, arrays, and dictionaries with strings as keys."
        )
    }

    static var tooDeep: MoltError {
        MoltError(
            .cannotStore,
            "Arrays and dictionaries are nested more than \(depthLimit) levels deep.",
            advice: "Store the value as data."
        )
    }
}
