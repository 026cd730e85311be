extension MigrationStep {
    /// Changes the kind of a property's value in each record of a type.
    ///
    /// ```swift
    /// .changeValue("Person", "age", to: .integer)
    /// ```
    ///
    /// A value is changed only if it has the same meaning in the new kind: "36" and 36.0 become 36, but "007", " 7" and
    /// 7.5 are not integers. Null stays null.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The path of the property.
    ///   - kind: The new kind.
    ///   - other: What happens to values that cannot be changed; by default the upgrade fails with the code
    ///     `typeMismatch`.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func changeValue(
        _ type: String,
        _ path: PropertyPath,
        to kind: Record.ScalarKind,
        otherwise other: Record.OtherValue = .fail,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(ChangeValueStep(type, path, .kind(kind), other, ifMissing))
    }

    /// Changes the form of a date in each record of a type.
    ///
    /// ```swift
    /// .changeValue("Event", "at", from: .iso8601, to: .secondsSinceReferenceDate)
    /// ```
    ///
    /// The new value is exact to the last digit. Only ``Record/DateForm/iso8601`` has no fractions of seconds: they are
    /// cut off, and plans list the property among the losses. Null stays null.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The path of the property.
    ///   - form: The form of the stored dates.
    ///   - newForm: The new form.
    ///   - other: What happens to values of another form; by default the upgrade fails with the code `typeMismatch`.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func changeValue(
        _ type: String,
        _ path: PropertyPath,
        from form: Record.DateForm,
        to newForm: Record.DateForm,
        otherwise other: Record.OtherValue = .fail,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(ChangeValueStep(type, path, .date(from: form, to: newForm), other, ifMissing))
    }
}

struct ChangeValueStep: RecordStep {
    var type: String
    var path: PropertyPath
    var conversion: ValueConversion
    var other: OtherJSON
    var ifMissing: Record.MissingProperty

    init(
        _ type: String,
        _ path: PropertyPath,
        _ conversion: ValueConversion,
        _ other: Record.OtherValue,
        _ ifMissing: Record.MissingProperty
    ) {
        self.type = type
        self.path = path
        self.conversion = conversion
        self.other = OtherJSON(other, at: path)
        self.ifMissing = ifMissing
    }

    var description: String {
        switch conversion {
        case .kind(let kind): "change the values of \(type).\(path) to \(kind)"
        case .date(let form, let newForm): "change the dates of \(type).\(path) from \(form) to \(newForm)"
        }
    }
    var identity: [String] {
        ["changeValue", type] + path.identity + conversion.identity + other.identity + [ifMissing.rawValue]
    }
    var valueUses: [ValueUse] {
        // The only strings and numbers that become a Boolean.
        let literals = [#""true""#, #""false""#, #""1""#, #""0""#, "1", "0"]
        if case .kind(.bool) = conversion { return [.literals(literals, at: PropertyPlace(type, path))] }
        return []
    }
    var losses: [MigrationReport.DataLoss] {
        other.isLossy || conversion.isLossy ? [.init(.values, "\(type).\(path)")] : []
    }

    var edit: RecordEdit {
        RecordEdit(typeName: type, property: path, mayKeepValue: true) { record in
            try record.replaceValue(path, ifMissing: ifMissing) { conversion.change(of: $0, otherwise: other) }
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type, path: path, mayBeElement: true)
        if other == .tooDeep { check.add("The other value is nested too deep to be written.") }
        if case .date(let form, let newForm) = conversion, form == newForm {
            check.add("The form \(form) is changed to itself.")
        }
        check.replaceValue(type, path)
    }
}
