extension MigrationStep {
    /// Splits a string property into several in the records of a type, or in settings.
    ///
    /// ```swift
    /// .splitProperty("Person", "fullName", into: ["firstName", "lastName"])
    /// ```
    ///
    /// "Ada King Lovelace" becomes "Ada" and "King Lovelace"; with `at: .last(" ")`, "Ada King" and "Lovelace". A
    /// separator at the beginning or end stays part of the text, so no character is lost, and
    /// ``joinProperties(_:_:into:separator:ifMissing:creatingObjects:)`` gives the same string again. If the property
    /// is null, all new ones are null.
    ///
    /// Objects on the new paths are created only for a string: for null, none is. An object is not created beside what
    /// may be an enum's case, that is in an object whose only property is an object: the upgrade fails with the code
    /// `typeMismatch`.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property, which is removed unless it is among the new ones.
    ///   - separator: Where to split; by default at the first spaces.
    ///   - newPaths: The paths of the parts, in their order; missing or null objects on them are created for a
    ///     string.
    ///   - missing: The value of the last properties when the string has fewer parts; by default an empty string.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is. A record with a
    ///     value that is neither a string nor null fails the upgrade with the code `typeMismatch`, and one with a
    ///     property at a new path with `propertyExists`.
    ///   - createsObjects: Whether objects on the new paths are created for null and beside an enum's case, too; by
    ///     default they are not.
    public static func splitProperty(
        _ place: some Place,
        _ path: PropertyPath,
        at separator: Record.Separator = .first(" "),
        into newPaths: [PropertyPath],
        missing: RecordValue = "",
        ifMissing: Record.MissingProperty = .skip,
        creatingObjects createsObjects: Bool = false
    ) -> MigrationStep {
        MigrationStep(
            SplitPropertyStep(
                place: StepPlace(place),
                path: path,
                separator: separator,
                newPaths: newPaths,
                missing: missing.json(within: newPaths),
                policy: Record.MissingPolicy(property: ifMissing, createsObjects: createsObjects)
            )
        )
    }
}

struct SplitPropertyStep: RecordStep {
    var place: StepPlace
    var path: PropertyPath
    var separator: Record.Separator
    var newPaths: [PropertyPath]
    /// The value without a part as JSON; nil if it is nested too deeply for a path.
    var missing: [UInt8]?
    var policy: Record.MissingPolicy

    var description: String {
        "split \(place.name(of: path)) into \(newPaths.map(\.description).joined(separator: ", "))\(place.suffix)"
    }
    var identity: [String] {
        let separation =
            switch separator {
            case .first(let text): ["first", text]
            case .last(let text): ["last", text]
            }
        return place.identity(of: "splitProperty") + path.identity + separation + [String(newPaths.count)]
            + newPaths.flatMap(\.identity) + [String(decoding: missing ?? [], as: UTF8.self)] + policy.identity
    }
    var losses: [MigrationReport.DataLoss] { [] }
    var valueUses: [ValueUse] { [.splits(at: separator.text)] }

    var edit: RecordEdit {
        let missing = missing ?? []
        let paths = [path] + newPaths
        return RecordEdit(property: path, skipsSomeValues: false) { record in
            try record.split(paths, at: separator, missing: missing, policy)
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(place, path: path)
        check.checkNames(newPaths, besides: path)
        if let fault = Record.splitFault(newPaths, at: separator) { check.add(fault) }
        if missing == nil { check.add("The value for missing parts is nested too deep to be written.") }
        guard path.count > 0, !newPaths.contains(where: { $0.count == 0 }) else { return }
        check.replace(place, [path], by: newPaths, "split")
    }
}
