internal import Foundation

#if canImport(Darwin)
    internal import CoreFoundation
#endif

/// The one place that turns what `UserDefaults` and `PropertyListSerialization` hand out into values.
///
/// What they hand out, as seen with Swift 6.3:
/// - On Linux, what `UserDefaults` gives is an `Optional` inside of `Any`, and so is each element of an array and
///   each value of a dictionary, at any depth; the keys are `AnyHashable`. Casts look through that, `type(of:)` and
///   patterns do not.
/// - A number is an `NSNumber` on both platforms, or a Swift number. A cast does not tell a truth value from 1: an
///   `NSNumber` of 1 read from a file can be cast to `Bool`.
/// - On Apple, a truth value is the `NSNumber` that is a CFBoolean. On Linux CFBoolean has no name in Swift, but a
///   truth value is the only number whose class is not `NSNumber` itself. (`NSDecimalNumber` is refused before.)
/// - A whole number above `Int64.max` says "Q" of its type; a smaller one may be of any width and sign.
extension PropertyListValue {
    /// How deeply arrays and dictionaries may lie in each other.
    ///
    /// Linux cannot read back more than 512; JSON, in which values are set aside, has two levels for each of these.
    static let depthLimit = 200

    /// Creates a value from what `UserDefaults` or `PropertyListSerialization` handed out.
    ///
    /// Numbers of every width, `String`, `Date`, `Data`, arrays, and dictionaries whose keys are texts, also where
    /// they are boxed in optionals.
    ///
    /// - Throws: ``DefaultsError`` with the code `cannotStore` for anything else, which names the type and the place.
    public init(normalizing object: Any) throws(DefaultsError) {
        try self.init(normalizing: object, around: 0)
    }

    /// - Parameter containers: How many containers lie around each value that a suite could hold.
    init(normalizing object: Any, around containers: Int) throws(DefaultsError) {
        self = try Self.normalized(object, depth: -containers)
    }

    private static func normalized(_ boxed: Any, depth: Int) throws(DefaultsError) -> PropertyListValue {
        var object = boxed
        while let optional = object as? any AnyOptional {
            guard let content = optional.content else { throw refusal("nil") }
            object = content
        }
        if let string = object as? String { return .string(string) }
        if let number = try number(object) { return number }
        if let date = object as? Date { return .date(date) }
        if let data = object as? Data { return .data(data) }
        let elements = object as? [Any]
        let entries = elements == nil ? object as? [AnyHashable: Any] : nil
        guard elements != nil || entries != nil else { throw refusal("\(type(of: object))") }
        guard depth < depthLimit else { throw tooDeep }
        if let elements {
            var values: [PropertyListValue] = []
            values.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                let value = try DefaultsError.inside(.index(index)) { () throws(DefaultsError) in
                    try normalized(element, depth: depth + 1)
                }
                values.append(value)
            }
            return .array(values)
        }
        var values: [String: PropertyListValue] = [:]
        for (key, entry) in entries ?? [:] {
            guard let name = key.base as? String else {
                throw refusal("a key of type \(type(of: key.base))")
            }
            values[name] = try DefaultsError.inside(.key(name)) { () throws(DefaultsError) in
                try normalized(entry, depth: depth + 1)
            }
        }
        return .dictionary(values)
    }

    private static func number(_ object: Any) throws(DefaultsError) -> PropertyListValue? {
        if type(of: object) == Bool.self, let bool = object as? Bool { return .bool(bool) }
        guard let number = object as? NSNumber else { return nil }
        // Decimal digits that a suite does not keep.
        guard !(number is NSDecimalNumber) else { throw refusal("Decimal") }
        if isTruthValue(number, castFrom: object) { return .bool(number.boolValue) }
        switch UInt8(truncatingIfNeeded: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"):
            return .double(number.doubleValue)
        case UInt8(ascii: "Q"):
            return PropertyListValue(exactly: number.uint64Value)
        default:
            return .int(number.int64Value)
        }
    }

    private static func isTruthValue(_ number: NSNumber, castFrom object: Any) -> Bool {
        #if canImport(Darwin)
            CFGetTypeID(number) == CFBooleanGetTypeID()
        #else
            type(of: number) != NSNumber.self
        #endif
    }

    private static func refusal(_ type: String) -> DefaultsError {
        DefaultsError(
            .cannotStore,
            "No suite can hold \(type). Store texts, numbers, truth values, dates, data, arrays, and dictionaries with "
                + "texts as keys."
        )
    }

    /// The error for a value that is too deep.
    static var tooDeep: DefaultsError {
        DefaultsError(
            .cannotStore,
            "Arrays and dictionaries lie more than \(depthLimit) levels deep in each other. Store it as data."
        )
    }
}

/// An optional of any type.
private protocol AnyOptional {
    /// What it holds.
    var content: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var content: Any? { map { $0 as Any } }
}
