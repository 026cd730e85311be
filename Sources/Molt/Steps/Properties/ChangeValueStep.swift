extension MigrationStep {
    /// Changes the kind of a property's value in the records of a type, or in settings.
    ///
    /// ```swift
    /// .changeValue("Person", "age", to: .integer)
    /// ```
    ///
    /// A value is changed only if it has the same meaning in the new kind: "36" and 36.0 become 36, but "007", " 7" and
    /// 7.5 are not integers. Null stays null.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - kind: The new kind.
    ///   - other: What happens to values that cannot be changed; by default the upgrade fails with the code
    ///     `typeMismatch`.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func changeValue(
        _ place: Place,
        _ path: PropertyPath,
        to kind: Record.ScalarKind,
        otherwise other: Record.OtherValue = .fail,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(ChangeValueStep(place, path, .kind(kind), other, ifMissing))
    }

    /// Changes the form of a date in the records of a type, or in settings.
    ///
    /// ```swift
    /// .changeValue("Event", "at", from: .iso8601, to: .secondsSinceReferenceDate)
    /// ```
    ///
    /// The new value is exact to the last digit. Only ``Record/DateForm/iso8601`` has no fractions of seconds: they are
    /// cut off, and plans list the property among the losses. Null stays null.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - form: The form of the stored dates.
    ///   - newForm: The new form.
    ///   - other: What happens to values of another form; by default the upgrade fails with the code `typeMismatch`.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func changeValue(
        _ place: Place,
        _ path: PropertyPath,
        from form: Record.DateForm,
        to newForm: Record.DateForm,
        otherwise other: Record.OtherValue = .fail,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(ChangeValueStep(place, path, .date(from: form, to: newForm), other, ifMissing))
    }
}

struct ChangeValueStep: RecordStep {
    var place: MigrationStep.Place
    var path: PropertyPath
    var conversion: ValueConversion
    var other: OtherJSON
    var ifMissing: Record.MissingProperty

    init(
        _ place: MigrationStep.Place,
        _ path: PropertyPath,
        _ conversion: ValueConversion,
        _ other: Record.OtherValue,
        _ ifMissing: Record.MissingProperty
    ) {
        self.place = place
        self.path = path
        self.conversion = conversion
        self.other = OtherJSON(other, at: path)
        self.ifMissing = ifMissing
    }

    var description: String {
        switch conversion {
        case .kind(let kind): "change the values of \(place.name(of: path)) to \(kind)\(place.suffix)"
        case .date(let form, let newForm):
            "change the dates of \(place.name(of: path)) from \(form) to \(newForm)\(place.suffix)"
        }
    }
    var identity: [String] {
        place.identity(of: "changeValue") + path.identity + conversion.identity + other.identity + [ifMissing.rawValue]
    }
    var valueUses: [ValueUse] {
        // The only strings and numbers that become a Boolean.
        let literals = [#""true""#, #""false""#, #""1""#, #""0""#, "1", "0"]
        if case .kind(.bool) = conversion { return [.literals(literals, at: PropertyPlace(place, path))] }
        return []
    }
    var losses: [MigrationReport.DataLoss] {
        other.isLossy || conversion.isLossy ? [.init(.values, place.name(of: path))] : []
    }

    var edit: RecordEdit {
        RecordEdit(property: path, mayKeepValue: true, mayDrop: path.count == 0 && other == .remove) { record in
            try record.replaceValue(path, ifMissing: ifMissing) { conversion.change(of: $0, otherwise: other) }
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(place, path: path, mayBeWhole: true)
        if other == .tooDeep { check.add("The other value is nested too deep to be written.") }
        if case .date(let form, let newForm) = conversion, form == newForm {
            check.add("The form \(form) is changed to itself.")
        }
        if case .date(let form, let newForm) = conversion, place.settings == nil,
            [form, newForm].contains(.propertyListDate)
        {
            check.add("Records are JSON, which has no dates of property lists.")
        }
        check.replaceValue(place, path)
    }
}
