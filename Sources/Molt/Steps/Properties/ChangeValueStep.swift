extension MigrationStep {
    /// Changes the kind of a property's value in the records of a type, or in settings.
    ///
    /// ```swift
    /// .changeValue("Person", "age", to: .integer)
    /// ```
    ///
    /// A value is changed only if it has the same meaning in the new kind: "36" and 36.0 become 36, but "007", " 7" and
    /// 7.5 are not integers. Null stays null, and nothing is created where the property is missing.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - kind: The new kind.
    ///   - other: What happens to values that cannot be changed; by default the upgrade fails with the code
    ///     `typeMismatch`.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func changeValue(
        _ place: some Place,
        _ path: PropertyPath,
        to kind: Record.ScalarKind,
        otherwise other: Record.OtherValue = .fail,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(ChangeValueStep(StepPlace(place), path, .kind(kind), other, ifMissing))
    }

    /// Changes the form of a date in the records of a type, or in settings.
    ///
    /// ```swift
    /// .changeValue("Event", "at", from: .iso8601, to: .deferredToDate)
    /// ```
    ///
    /// The new value is exact to the last digit. Only ``Record/DateForm/iso8601`` has no fractions of seconds: they are
    /// cut off, and plans list the property among the losses. Null stays null. A number of seconds since another date
    /// is not noticed. If the app's coders change with the form, declare both in the registry; see
    /// ``MigrationRegistry/coding(_:through:)``.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - form: The form of the stored dates.
    ///   - newForm: The new form.
    ///   - other: What happens to values of another form; by default the upgrade fails with the code `typeMismatch`.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func changeValue(
        _ place: some Place,
        _ path: PropertyPath,
        from form: Record.DateForm,
        to newForm: Record.DateForm,
        otherwise other: Record.OtherValue = .fail,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(ChangeValueStep(StepPlace(place), path, .date(from: form, to: newForm), other, ifMissing))
    }

    /// Changes file URLs and absolute paths to paths in a directory, in the records of a type, or in settings.
    ///
    /// ```swift
    /// .changeValue("Photo", "file", toPathIn: "Documents")
    /// ```
    ///
    /// The container of an app has another path after each installation, and on each device, so a stored
    /// "file:///var/mobile/…/Documents/photos/a%20b.jpg" leads nowhere. It becomes "photos/a b.jpg", which
    /// `URL.documentsDirectory.appending(path:)` makes a URL again.
    ///
    /// What follows the first directory of that name is kept, without percent encoding. Where a path may have that name
    /// twice, name the directories around it, too: "Library/Application Support". Only the stored text counts, not
    /// where the directory is today. A relative path and null stay as they are; a text that begins as another URL does,
    /// such as "data:", is another value. A `URL` in a property list is an object: its path ends with "relative".
    ///
    /// Plans list the property among the losses: a path outside the container cannot be restored.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - directory: The name of the directory.
    ///   - other: What happens to other values, and to paths that do not lead into the directory; by default the
    ///     upgrade fails with the code `typeMismatch`.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func changeValue(
        _ place: some Place,
        _ path: PropertyPath,
        toPathIn directory: String,
        otherwise other: Record.OtherValue = .fail,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(ChangeValueStep(StepPlace(place), path, .path(in: directory), other, ifMissing))
    }
}

struct ChangeValueStep: RecordStep {
    var place: StepPlace
    var path: PropertyPath
    var conversion: ValueConversion
    var other: OtherJSON
    var ifMissing: Record.MissingProperty

    init(
        _ place: StepPlace,
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
        case .path(let directory):
            "change the file URLs of \(place.name(of: path)) to paths in \(directory)\(place.suffix)"
        case .jsonText(.parse): "parse the JSON text of \(place.name(of: path))\(place.suffix)"
        case .jsonText(.encode): "encode \(place.name(of: path)) as JSON text\(place.suffix)"
        }
    }
    var identity: [String] {
        place.identity(of: "changeValue") + path.identity + conversion.identity + other.identity + [ifMissing.identity]
    }
    var valueUses: [ValueUse] {
        // The only strings and numbers that become a Boolean.
        let literals = [#""true""#, #""false""#, #""1""#, #""0""#, "1", "0"]
        switch conversion {
        case .kind(.bool): return [.literals(literals, at: PropertyPlace(place, path))]
        case .path(let directory): return [.splits(at: "file:"), .splits(at: "localhost"), .splits(at: directory)]
        case .jsonText: return [.jsonText(at: PropertyPlace(place, path))]
        case .kind, .date: return []
        }
    }
    var losses: [MigrationReport.DataLoss] {
        other.isLossy || conversion.isLossy ? [.init(.values, place.name(of: path))] : []
    }

    var edit: RecordEdit {
        let dateForm: Record.DateForm? = if case .date(let form, _) = conversion { form } else { nil }
        let mayDrop = path.count == 0 && other == .remove
        return RecordEdit(property: path, skipsSomeValues: true, mayDrop: mayDrop, dateForm: dateForm) { record in
            try record.replaceValue(path, ifMissing: ifMissing, conversion, otherwise: other)
        }
    }

    func check(_ check: inout StepCheck) {
        check.useValue(place, path: path)
        if other == .tooDeep { check.add("The other value is nested too deep to be written.") }
        if case .date(let form, let newForm) = conversion, form == newForm {
            check.add("The form \(form) is changed to itself.")
        }
        if case .date(let form, let newForm) = conversion, place.settings == nil,
            [form, newForm].contains(.propertyListDate)
        {
            check.add("Records are JSON, which cannot hold a date of a property list.")
        }
        if case .path(let directory) = conversion, directory.allSatisfy({ $0 == "/" }) {
            check.add("No directory is named.")
        }
        check.replaceValue(place, path)
    }
}
