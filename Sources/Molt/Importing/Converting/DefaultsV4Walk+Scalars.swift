internal import Foundation

extension DefaultsV4Walk {
    func convertScalar(_ part: JSONPart, as form: DefaultsForm) throws(ConversionFailure) -> PropertyListValue {
        switch form.kind {
        case .bool:
            if let value = part.bool { return .bool(value) }
        case .integer(let min, let max):
            if part.kind == .number { return try wholeNumber(part.text, min: min, max: max) }
        case .float:
            if part.kind == .number { return .double(Double(try finite(Float(part.text)))) }
        case .double:
            if part.kind == .number { return .double(try finite(Double(part.text))) }
        case .date:
            if part.kind == .number {
                return .date(Date(timeIntervalSinceReferenceDate: try finite(Double(part.text))))
            }
        case .decimal:
            if part.kind == .number {
                guard Decimal(string: part.text) != nil else { throw beyondLimits() }
                return .string(part.text)
            }
        case .string:
            if let text = part.string { return .string(text) }
        case .data:
            if let text = part.string {
                guard let data = Data(base64Encoded: text) else { throw failure("a string that is not base64") }
                return .data(data)
            }
        case .url:
            if let text = part.string {
                guard URL(string: text) != nil else { throw failure("a string that is not a URL") }
                return .string(part.text)
            }
        case .uuid:
            if let text = part.string {
                guard UUID(uuidString: text) != nil else { throw failure("a string that is not a UUID") }
                return .string(isStoredAsJSON(form) ? part.text : text)
            }
        case .codable, .rawValue, .native, .array, .set, .dictionary, .range, .keyedArchive:
            break
        }
        throw mismatch(part, form)
    }

    /// The integer that a JSON number denotes: `100`, `1e2` and `100.0` are the same.
    private func wholeNumber(
        _ text: String,
        min: Int64,
        max: UInt64
    ) throws(ConversionFailure) -> PropertyListValue {
        let digits = Int64(text) == nil && UInt64(text) == nil ? Decimal(string: text)?.description ?? "" : text
        guard !digits.contains(".") else { throw failure("a number that is not whole") }
        if let value = Int64(digits), value >= min, value < 0 || UInt64(value) <= max { return .int(value) }
        if let value = UInt64(digits), value > Int64.max, value <= max { return .unsigned(value) }
        throw beyondLimits()
    }

    private func finite<Number: FloatingPoint>(_ number: Number?) throws(ConversionFailure) -> Number {
        guard let number, number.isFinite else { throw beyondLimits() }
        return number
    }

    /// Whether a native value, neither a string nor a container, has the form or can be read as it.
    func isCurrentScalar(_ value: PropertyListValue, _ form: DefaultsForm) -> Bool {
        switch (form.kind, value) {
        case (.bool, .bool), (.bool, .int(0)), (.bool, .int(1)), (.date, .date), (.data, .data),
            (.double, .double), (.double, .int), (.double, .unsigned), (.float, .int),
            (.float, .unsigned):
            true
        case (.float, .double(let value)): !value.isFinite || Float(value).isFinite
        case (.integer(let min, let max), .int(let value)): value >= min && (value < 0 || UInt64(value) <= max)
        case (.integer(_, let max), .unsigned(let value)): value <= max
        case (.integer(let min, let max), .double(let value)):
            Int64(exactly: value).map { $0 >= min && ($0 < 0 || UInt64($0) <= max) }
                ?? UInt64(exactly: value).map { $0 <= max } ?? false
        case (.codable(let isRawValue), _): isRawValue(value)
        default: false
        }
    }

    /// Whether a string that is not JSON already has the form's native representation.
    func isCurrentText(_ text: PropertyListValue, _ form: DefaultsForm) -> Bool {
        switch (form.kind, text) {
        case (.uuid, .string(let text)): !isStoredAsJSON(form) && UUID(uuidString: text) != nil
        case (.rawValue(_, let isKnown), _): isKnown(text)
        case (.codable(let isRawValue), _): isRawValue(text)
        case (.native(_, let isCurrent), _): isCurrent(text)
        default: false
        }
    }

    /// Whether a value keeps the JSON text that Defaults 4 wrote.
    func isStoredAsJSON(_ form: DefaultsForm) -> Bool {
        switch form.kind {
        case .url, .decimal, .codable: true
        case .rawValue(let raw, _): isStoredAsJSON(raw)
        case .uuid: target < .v6dot2
        case .range: target < .v6dot3
        default: false
        }
    }
}

extension DefaultsV4Walk {
    func failure(_ reason: String) -> ConversionFailure {
        ConversionFailure(reason: reason, place: place)
    }

    func mismatch(_ part: JSONPart, _ form: DefaultsForm) -> ConversionFailure {
        mismatch(part.kind.rawValue, form)
    }

    func misfit(_ value: PropertyListValue, _ form: DefaultsForm) -> ConversionFailure {
        switch (form.kind, value) {
        case (.integer, .int), (.integer, .unsigned), (.float, .double): beyondLimits()
        default: mismatch(value.kindName, form)
        }
    }

    func mismatch(_ kind: String, _ form: DefaultsForm) -> ConversionFailure {
        failure("\(kind), where \(form.kindName) was expected")
    }

    func beyondLimits() -> ConversionFailure {
        failure("a number beyond the limits of its type")
    }

    func unknownRawValue() -> ConversionFailure {
        failure("not a raw value of its type")
    }

    func unknownKey() -> ConversionFailure {
        failure("its key is not one of the dictionary's type")
    }
}
