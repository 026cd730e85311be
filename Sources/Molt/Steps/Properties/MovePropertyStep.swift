extension MigrationStep {
    /// Moves a property in the records of a type, or in settings.
    ///
    /// ```swift
    /// .moveProperty("Person", "street", to: ["address", "street"])
    /// ```
    ///
    /// In JSON, the value stays byte for byte the same.
    ///
    /// Objects on the new path are created only for a value: if the property is missing or null, none is. An object is
    /// not created beside what may be an enum's case, that is in an object whose only property is an object: the
    /// upgrade fails with the code `typeMismatch`.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - newPath: Its new path; missing or null objects on it are created for a value.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    ///   - createsObjects: Whether objects on the new path are created for null and beside an enum's case, too; by
    ///     default they are not.
    ///   - policy: The policy for a record with another value at the new path; by default it fails with the code
    ///     `propertyExists`.
    public static func moveProperty(
        _ place: some Place,
        _ path: PropertyPath,
        to newPath: PropertyPath,
        ifMissing: Record.MissingProperty = .skip,
        creatingObjects createsObjects: Bool = false,
        onConflict policy: ConflictPolicy<RecordValue> = .fail
    ) -> MigrationStep {
        MigrationStep(
            MovePropertyStep(
                place: StepPlace(place),
                path: path,
                newPath: newPath,
                policy: Record.MissingPolicy(property: ifMissing, createsObjects: createsObjects),
                copies: false,
                onConflict: policy
            )
        )
    }

    /// Copies a property in the records of a type, or in settings.
    ///
    /// ```swift
    /// .copyProperty("Person", "email", to: "contactEmail")
    /// ```
    ///
    /// In JSON, the value stays byte for byte the same.
    ///
    /// Objects on the new path are created only for a value: if the property is missing or null, none is. An object is
    /// not created beside what may be an enum's case, that is in an object whose only property is an object: the
    /// upgrade fails with the code `typeMismatch`.
    ///
    /// - Parameters:
    ///   - place: The type of the records, or settings; see ``Place``.
    ///   - path: The path of the property.
    ///   - newPath: The path of the copy; missing or null objects on it are created for a value.
    ///   - ifMissing: The policy for a record without the property; by default it is left as it is.
    ///   - createsObjects: Whether objects on the new path are created for null and beside an enum's case, too; by
    ///     default they are not.
    ///   - policy: The policy for a record with another value at the new path; by default it fails with the code
    ///     `propertyExists`.
    public static func copyProperty(
        _ place: some Place,
        _ path: PropertyPath,
        to newPath: PropertyPath,
        ifMissing: Record.MissingProperty = .skip,
        creatingObjects createsObjects: Bool = false,
        onConflict policy: ConflictPolicy<RecordValue> = .fail
    ) -> MigrationStep {
        MigrationStep(
            MovePropertyStep(
                place: StepPlace(place),
                path: path,
                newPath: newPath,
                policy: Record.MissingPolicy(property: ifMissing, createsObjects: createsObjects),
                copies: true,
                onConflict: policy
            )
        )
    }
}

struct MovePropertyStep: RecordStep {
    var place: StepPlace
    var path: PropertyPath
    var newPath: PropertyPath
    var policy: Record.MissingPolicy
    /// Whether the value stays at its old path, too.
    var copies: Bool
    var onConflict: ConflictPolicy<RecordValue>

    var description: String {
        "\(copies ? "copy" : "move") \(place.name(of: path)) to \(newPath)\(place.suffix)\(onConflict.phrase)"
    }
    var identity: [String] {
        let kind = copies ? "copyProperty" : "moveProperty"
        let destination = copies ? newPath.identity : newPath.names
        return place.identity(of: kind) + path.identity + destination + policy.identity + onConflict.valueIdentity
    }
    var losses: [MigrationReport.DataLoss] {
        onConflict.losesValue(isCopy: copies) ? [.conflicts(at: place.name(of: newPath))] : []
    }
    var valueUses: [ValueUse] { [.moves(PropertyPlace(place, path), to: PropertyPlace(place, newPath))] }

    var edit: RecordEdit {
        RecordEdit(property: path, skipsSomeValues: false, runsClosure: onConflict.runsClosure) { record in
            if copies {
                try record.copy(path, to: newPath, policy, onConflict: onConflict)
            } else {
                try record.move(path, to: newPath, policy, onConflict: onConflict)
            }
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(place, path: path)
        check.checkNames([newPath], besides: path)
        guard path.count > 0, newPath.count > 0 else { return }
        if newPath.starts(with: path) {
            check.add("The property \(place.name(of: path)) is \(copies ? "copied" : "moved") into itself.")
        }
        if copies {
            check.put(place, newPath)
        } else {
            check.replace(place, [path], by: [newPath], "moved to \(newPath)")
        }
    }
}
