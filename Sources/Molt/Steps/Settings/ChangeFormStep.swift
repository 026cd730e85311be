extension MigrationStep {
    /// Changes the form in which a suite holds settings; their content stays the same.
    ///
    /// ```swift
    /// .changeForm(.setting("theme", in: .standard), to: .native)              // "\"dark\"" becomes "dark"
    /// .changeForm(.settings(withPrefix: "draft.", in: group), to: .jsonData)
    /// ```
    ///
    /// Use it when the app changes the library that reads its settings, or when releases have written several forms.
    /// JSON has no data, so data becomes a Base64 string, as `JSONEncoder` writes it. Null becomes `$null` in a
    /// property list, as `PropertyListEncoder` writes it. Native values have no null: a setting that is null, as for an
    /// optional that was nil, is removed, and a member of a dictionary is left out.
    ///
    /// A value that the new form cannot hold fails the upgrade with the code `cannotStore`: null in a native array, an
    /// infinite number in JSON, or a string or number alone in a property list in data.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - form: The new form; for ``SettingForm/jsonTexts``, each element of an array or dictionary becomes a text.
    ///   - dates: The form of the dates of a property list in JSON; by default that of Foundation's coders. Dates in
    ///     JSON are numbers or strings and stay so: change them with ``changeValue(_:_:from:to:otherwise:ifMissing:)``.
    public static func changeForm(
        _ settings: Settings,
        to form: SettingForm,
        dates: Record.DateForm = .deferredToDate
    ) -> MigrationStep {
        let declaration = ChangeFormStep(place: StepPlace(settings), form: form, dates: dates)
        return MigrationStep(declaration, .settings(.changeForm(settings.place, declaration)))
    }
}

extension Record.DateForm {
    /// What the dates of a property list lose in this form of JSON.
    func losses(of place: StepPlace) -> [MigrationReport.DataLoss] {
        self == .iso8601 ? [MigrationReport.DataLoss(.values, place.name(of: []))] : []
    }
}

struct ChangeFormStep: StepDeclaration {
    var place: StepPlace
    var form: SettingForm
    var dates: Record.DateForm

    var description: String { "change the form of \(place.name(of: []))\(place.suffix) to \(form)" }
    var losses: [MigrationReport.DataLoss] { dates.losses(of: place) }
    var identity: [String] { place.identity(of: "changeForm") + [form.identity, dates.identity] }
    var valueUses: [ValueUse] { [] }

    func check(_ check: inout StepCheck) {
        check.use(place)
        if dates == .propertyListDate { check.add("JSON cannot hold a date of a property list.") }
    }
}
