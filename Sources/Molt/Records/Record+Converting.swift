extension Record {
    /// A kind of value to which strings, numbers and Booleans can be changed.
    public enum ScalarKind: String, Hashable, Sendable {
        /// `36` becomes `"36"`, and `true` becomes `"true"`.
        case string
        /// `"36"`, `36.0` and `3.6e1` become `36`; `true` becomes `1`, and `false` becomes `0`.
        case integer
        /// `"36.50"` becomes `36.50`; `true` becomes `1`, and `false` becomes `0`.
        case number
        /// `"true"`, `"1"` and `1` become `true`; `"false"`, `"0"` and `0` become `false`.
        case bool
    }

    /// Changes the kind of a property's value.
    ///
    /// ```swift
    /// try person.changeValue("age", to: .integer)
    /// ```
    ///
    /// A value is changed only if it has the same meaning in the new kind: "36" and 36.0 become 36, but "007", " 7" and
    /// 7.5 are not integers. Null stays null.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - kind: The new kind.
    ///   - other: What happens to values that cannot be changed; by default the record cannot be converted.
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that cannot be changed.
    public mutating func changeValue(
        _ path: PropertyPath,
        to kind: ScalarKind,
        otherwise other: OtherValue = .fail
    ) throws {
        try convert(path, .kind(kind), other)
    }

    /// Changes the form of a date.
    ///
    /// ```swift
    /// try event.changeValue("at", from: .iso8601, to: .secondsSinceReferenceDate)
    /// ```
    ///
    /// The new value is exact to the last digit. Only ``DateForm/iso8601`` has no fractions of seconds: they are cut
    /// off. Null stays null.
    ///
    /// - Parameters:
    ///   - path: The path of the property.
    ///   - form: The form of the stored date.
    ///   - newForm: The new form.
    ///   - other: What happens to values of another form; by default the record cannot be converted.
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value of another form.
    public mutating func changeValue(
        _ path: PropertyPath,
        from form: DateForm,
        to newForm: DateForm,
        otherwise other: OtherValue = .fail
    ) throws {
        try convert(path, .date(from: form, to: newForm), other)
    }

    private mutating func convert(_ path: PropertyPath, _ conversion: ValueConversion, _ other: OtherValue) throws {
        let other = OtherJSON(other, at: path)
        if other == .tooDeep { throw tooDeep(path) }
        try replaceValue(path, ifMissing: requirement(of: [path])) { conversion.change(of: $0, otherwise: other) }
    }
}

/// A conversion of a property's value.
enum ValueConversion: Sendable {
    case kind(Record.ScalarKind)
    case date(from: Record.DateForm, to: Record.DateForm)

    var identity: [String] {
        switch self {
        case .kind(let kind): ["kind", kind.rawValue]
        case .date(let form, let newForm): ["date", form.rawValue, newForm.rawValue]
        }
    }

    /// Whether fractions of seconds may be cut off.
    var isLossy: Bool {
        if case .date(_, .iso8601) = self { true } else { false }
    }

    func change(of bytes: UnsafeBufferPointer<UInt8>, otherwise other: OtherJSON) -> ValueChange {
        let value = RecordValue(checked: bytes)
        guard !value.isNull else { return .kept }
        let json: String?
        switch self {
        case .kind(.string) where value.string != nil: return .kept
        case .kind(let kind): json = kind.json(value)
        case .date(let form, let newForm):
            guard let seconds = form.seconds(value) else { return other.change("is not a date in the form \(form)") }
            guard form != newForm else { return .kept }
            json = newForm.json(seconds)
        }
        return json.map { .new(Array($0.utf8)) }
            ?? other.change("is \(value.kind) that cannot be converted to \(target)")
    }

    /// The target, for messages.
    private var target: String {
        switch self {
        case .kind(.string): "a string"
        case .kind(.integer): "an integer"
        case .kind(.number): "a number"
        case .kind(.bool): "a Boolean"
        case .date(_, let form): "a date in the form \(form)"
        }
    }
}

extension Record.ScalarKind {
    /// The JSON for a value of another kind; nil if there is none.
    fileprivate func json(_ value: RecordValue) -> String? {
        switch (self, value) {
        case (_, .null), (_, .array), (_, .object), (.string, .string): nil
        case (.number, .number(let number)): number.text
        case (.bool, .bool(let bool)): "\(bool)"
        case (.string, .number(let number)): "\"\(number.text)\""
        case (.string, .bool(let bool)): "\"\(bool)\""
        case (.integer, .bool(let bool)), (.number, .bool(let bool)): bool ? "1" : "0"
        case (.integer, .number(let number)): Self.integer(number)
        case (.integer, .string(let text)):
            // A fraction or an exponent is not how integers are written.
            RecordValue.Number(text: text).flatMap { $0.isInteger ? $0.text : nil }
        case (.number, .string(let text)): RecordValue.Number(text: text)?.text
        case (.bool, .string(let text)): ["true": "true", "1": "true", "false": "false", "0": "false"][text]
        case (.bool, .number(let number)): ["1": "true", "0": "false"][number.text]
        }
    }

    private static func integer(_ number: RecordValue.Number) -> String? {
        if number.isInteger { return number.text }
        return DecimalNumber(number).flatMap { $0.isInteger ? $0.text : nil }
    }
}
