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
    public func checkStorable() throws(MoltError) {
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
