extension MigrationStep {
    /// Changes the form in which a dictionary is stored, in the records of a type, or in settings.
    ///
    /// ```swift
    /// .changeDictionary("Person", "phones", to: .object)              // ["home",1] becomes {"home":1}
    /// .changeDictionary("Person", "phones", to: .alternatingArray)    // {"home":1} becomes ["home",1]
    /// .changeDictionary("Person", "phones", to: .arrayOfValues)       // {"home":1} becomes [1]
    /// ```
    ///
    /// Codable writes a dictionary whose keys are neither strings nor integers nor `CodingKeyRepresentable` as an array
    /// in which keys and values alternate: `[.home: 1]` of the type `[Place: Int]` with an enum `Place: String` becomes
    /// `["home",1]`. Use the step when `Place` becomes `CodingKeyRepresentable` or the keys become strings, and for the
    /// way back.
    ///
    /// The entries keep their order, and their values stay byte for byte the same in JSON. Null stays null, and nothing
    /// is created where the property is missing. The upgrade fails with the code `typeMismatch` for a value that has
    /// the new form already, an array that should become another one, an array of an odd count, a key that is neither a
    /// string nor an integer, a key that occurs twice, and any other value.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the dictionary.
    ///   - form: The new form.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func changeDictionary(
        _ place: some Place,
        _ path: PropertyPath,
        to form: Record.DictionaryForm,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(ChangeDictionaryStep(place: StepPlace(place), path: path, form: form, ifMissing: ifMissing))
    }
}

struct ChangeDictionaryStep: RecordStep {
    var place: StepPlace
    var path: PropertyPath
    var form: Record.DictionaryForm
    var ifMissing: Record.MissingProperty

    var description: String { "change the dictionary \(place.name(of: path)) to \(form.description)\(place.suffix)" }
    var identity: [String] {
        place.identity(of: "changeDictionary") + path.identity + [form.identity, ifMissing.identity]
    }
    var losses: [MigrationReport.DataLoss] {
        // The keys.
        form == .arrayOfValues ? [MigrationReport.DataLoss(.values, place.name(of: path))] : []
    }
    var valueUses: [ValueUse] { form == .object ? [.keys(at: PropertyPlace(place, path + .each))] : [] }

    var edit: RecordEdit {
        RecordEdit(property: path, skipsSomeValues: true) { record in
            try record.changeDictionary(path, to: form, ifMissing: ifMissing)
        }
    }

    func check(_ check: inout StepCheck) {
        check.useValue(place, path: path)
        check.replaceValue(place, path)
    }
}
