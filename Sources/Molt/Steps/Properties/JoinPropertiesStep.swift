extension MigrationStep {
    /// Joins string properties into one, in their order, in the records of a type, or in settings.
    ///
    /// ```swift
    /// .joinProperties("Person", ["firstName", "lastName"], into: "fullName")
    /// ```
    ///
    /// Missing, null and empty strings are left out, together with their separator. If all are null or missing, the
    /// result is null.
    ///
    /// Objects on the new path are created only for a string: for null, none is. An object is not created beside what
    /// may be an enum's case, that is in an object whose only property is an object: the upgrade fails with the code
    /// `typeMismatch`.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - paths: The paths of the properties, which are removed.
    ///   - newPath: The path of the result, which may be one of them; missing or null objects on it are created
    ///     for a string.
    ///   - separator: The text between the parts; by default a space.
    ///   - ifMissing: The policy for a record with none of the properties; by default it is left as it is. A record
    ///     with a value that is neither a string nor null fails the upgrade with the code `typeMismatch`, and one with
    ///     a property at the new path with `propertyExists`.
    ///   - createsObjects: Whether objects on the new path are created for null and beside an enum's case, too; by
    ///     default they are not.
    public static func joinProperties(
        _ place: some Place,
        _ paths: [PropertyPath],
        into newPath: PropertyPath,
        separator: String = " ",
        ifMissing: Record.MissingProperty = .skip,
        creatingObjects createsObjects: Bool = false
    ) -> MigrationStep {
        MigrationStep(
            JoinPropertiesStep(
                place: StepPlace(place),
                paths: paths,
                newPath: newPath,
                separator: separator,
                policy: Record.MissingPolicy(property: ifMissing, createsObjects: createsObjects)
            )
        )
    }
}

struct JoinPropertiesStep: RecordStep {
    var place: StepPlace
    var paths: [PropertyPath]
    var newPath: PropertyPath
    var separator: String
    var policy: Record.MissingPolicy

    var description: String {
        let names = [place.name(of: paths.first ?? [])] + paths.dropFirst().map(\.description)
        return "join \(names.joined(separator: ", ")) into \(newPath)\(place.suffix)"
    }
    var identity: [String] {
        place.identity(of: "joinProperties") + [String(paths.count)] + paths.flatMap(\.identity) + newPath.identity
            + [separator] + policy.identity
    }
    var losses: [MigrationReport.DataLoss] { [] }
    var valueUses: [ValueUse] { [] }

    var edit: RecordEdit {
        RecordEdit(property: paths.first, alternatives: paths, skipsSomeValues: true) { record in
            try record.join(paths, into: newPath, separator: separator, policy)
        }
    }

    func check(_ check: inout StepCheck) {
        for path in paths { check.use(place, path: path) }
        if let fault = Record.joinFault(paths) { check.add(fault) }
        if let first = paths.first { check.checkNames([newPath] + paths.dropFirst(), besides: first) }
        guard newPath.count > 0, !paths.contains(where: { $0.count == 0 }) else { return }
        check.replace(place, paths, by: [newPath], "joined")
    }
}
