internal import Foundation
internal import MoltCore
internal import MoltDefaults

/// A value while it is drawn or made smaller: what JSON and property lists have in common.
indirect enum GeneratedValue: Hashable {
    case null
    case bool(Bool)
    /// A number without a fraction and an exponent.
    case whole(RecordNumber)
    /// Any other number.
    case fraction(RecordNumber)
    case string(String)
    /// A date, in seconds since 1970.
    case date(Int64)
    case data([UInt8])
    case array([GeneratedValue])
    case object([Property])
    /// A number of a property list that is infinite or none.
    case unusual(PropertyListValue)

    struct Property: Hashable {
        var name: String
        var value: GeneratedValue

        /// Whether it has a name, by its bytes.
        func isNamed(_ other: String) -> Bool {
            name.utf8.elementsEqual(other.utf8)
        }
    }
}

// MARK: Records

extension GeneratedValue {
    /// What a record holds.
    ///
    /// - Throws: `JSONSyntaxError`.
    init(_ content: StoreFixture.Content) throws {
        self = content.isData ? .data(content.bytes) : GeneratedValue(try RecordValue(json: content.bytes))
    }

    private init(_ value: RecordValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let bool): .bool(bool)
            case .number(let number): Self.number(number)
            case .string(let string): .string(string)
            case .array(let elements): .array(elements.map { GeneratedValue($0) })
            case .object(let object):
                .object(object.properties.map { Property(name: $0.name, value: GeneratedValue($0.value)) })
            }
    }

    /// A number, by its text.
    static func number(_ number: RecordNumber) -> GeneratedValue {
        let isWhole = number.text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0 >= UInt8(ascii: "0") && $0 <= 0x39 }
        return isWhole ? .whole(number) : .fraction(number)
    }

    /// What a record with this value holds; the value itself was drawn from a record.
    var content: StoreFixture.Content {
        if case .data(let bytes) = self { return StoreFixture.Content(bytes: bytes, isData: true) }
        // Samples are no deeper than JSON text may be, and what is drawn is no deeper than its sample.
        return StoreFixture.Content(bytes: (try? recordValue.json()) ?? Array("null".utf8), isData: false)
    }

    private var recordValue: RecordValue {
        switch self {
        case .null, .date, .data, .unusual: .null
        case .bool(let bool): .bool(bool)
        case .whole(let number), .fraction(let number): .number(number)
        case .string(let string): .string(string)
        case .array(let elements): .array(elements.map(\.recordValue))
        case .object(let properties):
            .object(RecordObject(properties.map { .init(name: $0.name, value: $0.value.recordValue) }))
        }
    }
}

// MARK: Settings

extension GeneratedValue {
    /// What a suite holds under a key.
    init(_ value: PropertyListValue) {
        self =
            switch value {
            case .bool(let bool): .bool(bool)
            case .int(let int): .whole(RecordNumber(int))
            case .unsigned(let unsigned): .whole(RecordNumber(unsigned))
            case .double(let double): RecordNumber(double).map { .fraction($0) } ?? .unusual(value)
            case .string(let string): .string(string)
            case .date(let date): .date(Int64(exactly: date.timeIntervalSince1970.rounded()) ?? 0)
            case .data(let data): .data(Array(data))
            case .array(let elements): .array(elements.map { GeneratedValue($0) })
            case .dictionary(let values): GeneratedValue(values)
            }
    }

    /// The settings of a suite, in the order of their keys' bytes.
    init(_ settings: [String: PropertyListValue]) {
        let names = settings.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        self = .object(
            names.compactMap { name in settings[name].map { Property(name: name, value: GeneratedValue($0)) } }
        )
    }

    /// What a suite would hold; the value itself was drawn from a property list.
    var propertyListValue: PropertyListValue {
        switch self {
        case .null: .string("")
        case .bool(let bool): .bool(bool)
        case .whole(let number): PropertyListValue(whole: number)
        case .fraction(let number): .double(number.double ?? 0)
        case .string(let string): .string(string)
        case .date(let seconds): .date(Date(timeIntervalSince1970: Double(seconds)))
        case .data(let bytes): .data(Data(bytes))
        case .array(let elements): .array(elements.map(\.propertyListValue))
        case .object: .dictionary(settings)
        case .unusual(let value): value
        }
    }

    /// The settings of a suite.
    var settings: [String: PropertyListValue] {
        guard case .object(let properties) = self else { return [:] }
        return Dictionary(properties.map { ($0.name, $0.value.propertyListValue) }) { $1 }
    }
}

extension PropertyListValue {
    fileprivate init(whole number: RecordNumber) {
        if let small = number.integer(Int64.self) {
            self = .int(small)
        } else {
            self = .unsigned(number.integer(UInt64.self) ?? .max)
        }
    }
}
