extension MigrationStep {
    /// Splits a string with separators into an array of strings, in the records of a type, or in settings.
    ///
    /// ```swift
    /// .splitIntoArray("Note", "tags", separator: ",")                     // "a,b" becomes ["a","b"]
    /// .splitIntoArray("Note", "tags", separator: ",", trimming: true)     // " a, b,," becomes ["a","b"]
    /// ```
    ///
    /// Without `trimming`, nothing is lost: spaces stay, an empty element becomes an empty string, and
    /// ``joinArray(_:_:separator:ifMissing:)`` gives the same string again. An empty string becomes an empty array, and
    /// null stays null. Any other value fails the upgrade with the code `typeMismatch`. Nothing is created where the
    /// property is missing.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - separator: The text between the elements, compared by its bytes.
    ///   - trimming: Whether white space around elements is removed, and then elements that are empty; by default, both
    ///     stay.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func splitIntoArray(
        _ place: some Place,
        _ path: PropertyPath,
        separator: String,
        trimming: Bool = false,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        let change = StringArray(separator: separator, trims: trimming)
        return MigrationStep(
            SplitIntoArrayStep(place: StepPlace(place), path: path, change: change, ifMissing: ifMissing)
        )
    }

    /// Joins an array of strings into one string with separators, in the records of a type, or in settings.
    ///
    /// ```swift
    /// .joinArray("Note", "tags", separator: ",")                          // ["a","b"] becomes "a,b"
    /// ```
    ///
    /// An empty array becomes an empty string, and null stays null. An array whose string could not be split into the
    /// same elements again fails the upgrade with the code `typeMismatch`: one element contains the separator, or the
    /// only one is empty. So does any other value, and an array with an element that is not a string.
    /// Nothing is created where the property is missing.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - separator: The text between the elements.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    public static func joinArray(
        _ place: some Place,
        _ path: PropertyPath,
        separator: String,
        ifMissing: Record.MissingProperty = .skip
    ) -> MigrationStep {
        let change = StringArray(separator: separator)
        return MigrationStep(
            SplitIntoArrayStep(place: StepPlace(place), path: path, change: change, ifMissing: ifMissing, joins: true)
        )
    }
}

struct SplitIntoArrayStep: RecordStep {
    var place: StepPlace
    var path: PropertyPath
    var change: StringArray
    var ifMissing: Record.MissingProperty
    /// Whether it joins the array again.
    var joins = false

    var description: String {
        joins
            ? "join the array \(place.name(of: path))\(place.suffix)"
            : "split \(place.name(of: path)) into an array\(place.suffix)"
    }
    var identity: [String] {
        let trimming = joins ? [] : [change.trims ? "trimming" : "exact"]
        return place.identity(of: joins ? "joinArray" : "splitIntoArray") + path.identity + [change.separator]
            + trimming + [ifMissing.identity]
    }
    var valueUses: [ValueUse] { joins ? [] : [.splits(at: change.separator)] }
    var losses: [MigrationReport.DataLoss] { change.trims ? [.init(.values, place.name(of: path))] : [] }

    var edit: RecordEdit {
        RecordEdit(property: path, skipsSomeValues: true) { record in
            let depth = record.full(path).count
            try record.replaceValue(path, ifMissing: ifMissing) {
                joins ? change.join($0) : change.split($0, depth: depth)
            }
        }
    }

    func check(_ check: inout StepCheck) {
        check.useValue(place, path: path)
        if let fault = change.fault { check.add(fault) }
        check.replaceValue(place, path)
    }
}
