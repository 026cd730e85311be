internal import Foundation

/// A property list as JSON, in which steps change it.
///
/// JSON has no dates, data, infinities and NaN. Texts stand for them; see ``PropertyListTag``. A number is an integer
/// if its text is one.
extension PropertyListValue {
    /// How null is stored, which property lists do not have.
    enum Nulls {
        /// As the string `$null`, as `PropertyListEncoder` writes it.
        case text
        /// A member that is null is left out, and null cannot be elsewhere.
        case omitted
    }

    /// The value as JSON, with the members of dictionaries in the order of their names.
    ///
    /// - Returns: nil if a string looks like a text that stands for another value.
    func json(nulls: Nulls) -> RecordValue? {
        switch self {
        case .bool(let bool): return .bool(bool)
        case .int(let int): return .int(int)
        case .unsigned(let unsigned): return .int(unsigned)
        case .double(let double):
            return double.isFinite
                ? .number(RecordValue.Number(checked: "\(double)")) : .string(PropertyListTag.real.text("\(double)"))
        case .string(let string):
            guard !PropertyListTag.isPart(of: string) else { return nil }
            return nulls == .text && string == Self.null ? .null : .string(string)
        case .date(let date): return .string(PropertyListTag.date.text("\(date.timeIntervalSinceReferenceDate)"))
        case .data(let data): return .string(PropertyListTag.data.text(data.base64EncodedString()))
        case .array(let elements):
            let values = elements.compactMap { $0.json(nulls: nulls) }
            return values.count == elements.count ? .array(values) : nil
        case .dictionary(let members):
            var object = RecordValue.Object()
            for (name, value) in members.sortedByUTF8 {
                guard let value = value.json(nulls: nulls) else { return nil }
                object.properties.append((name: name, value: value))
            }
            return .object(object)
        }
    }

    /// Creates a value from JSON.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore` for null elsewhere, and for a number that is too large or
    ///   has too many digits.
    init(json: RecordValue, nulls: Nulls) throws(MoltError) {
        switch json {
        case .null:
            guard nulls == .text else { throw Self.nullElement }
            self = .string(Self.null)
        case .bool(let bool): self = .bool(bool)
        case .number(let number): self = try Self.number(number)
        case .string(let string): self = try Self.value(of: string)
        case .array(let elements):
            var values: [PropertyListValue] = []
            for element in elements { values.append(try PropertyListValue(json: element, nulls: nulls)) }
            self = .array(values)
        case .object(let object):
            var members: [String: PropertyListValue] = [:]
            for property in object.properties {
                if let index = members.index(forKey: property.name),
                    !ExactName.isSame(members[index].key, property.name)
                {
                    throw Self.sameName
                }
                // Of several members with one name, the last one counts.
                members[property.name] =
                    nulls == .text || !property.value.isNull
                    ? try PropertyListValue(json: property.value, nulls: nulls) : nil
            }
            self = .dictionary(members)
        }
    }

    private static func number(_ number: RecordValue.Number) throws(MoltError) -> PropertyListValue {
        if number.isInteger {
            if let int = number.integer(Int64.self) { return .int(int) }
            if let unsigned = number.integer(UInt64.self) { return .unsigned(unsigned) }
        } else if let double = number.double {
            guard number.isExact(as: double) else {
                throw MoltError(
                    .cannotStore,
                    "A property list cannot hold a number with more digits than a `Double` has.",
                    advice: "Store it as a string."
                )
            }
            return .double(double)
        }
        throw MoltError(
            .cannotStore,
            "A property list cannot hold a number that needs more than 64 bits.",
            advice: "Store it as a string."
        )
    }

    private static func value(of text: String) throws(MoltError) -> PropertyListValue {
        let (tag, content) = PropertyListTag.read(text) ?? (nil, "")
        let value: PropertyListValue? =
            switch tag {
            case .date: Double(content).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case .data: Data(base64Encoded: content).map { .data($0) }
            case .real: Double(content).map { .double($0) }
            case nil: PropertyListTag.isPart(of: text) ? nil : .string(text)
            }
        if let value { return value }
        throw MoltError(
            .cannotStore,
            "A step has changed a date, or data, as if it were a string.",
            advice: "Change it in a `transform`, as a `Date` or `Data`."
        )
    }

    /// What `PropertyListEncoder` writes for nil.
    private static let null = "$null"

    static var sameName: MoltError {
        MoltError(
            .cannotStore,
            "A dictionary cannot have two keys that differ in their Unicode form alone.",
            advice: "Choose another name."
        )
    }

    private static var nullElement: MoltError {
        MoltError(
            .cannotStore,
            "A native value cannot hold null, except for a member of a dictionary, which is left out.",
            advice: "Choose another value, or change the setting's form to JSON text first."
        )
    }
}
