extension MigrationStep {
    /// Moves a property of each record of a type to another place of the record; its value stays byte for byte.
    ///
    /// ```swift
    /// .moveProperty("Person", "street", to: ["address", "street"])
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The property, behind the names of the objects around it.
    ///   - newPath: Its new name, behind the names of the objects around it, which are added where there is nothing or
    ///     null.
    ///   - ifMissing: What to do with a record that has no such property; leaves it as it is by default. A record
    ///     that has a property at the new place already fails the upgrade, with the code `propertyExists`.
    public static func moveProperty(
        _ type: String,
        _ path: PropertyPath,
        to newPath: PropertyPath,
        ifMissing: MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(MovePropertyStep(type: type, path: path, newPath: newPath, ifMissing: ifMissing))
    }
}

/// The declaration of `moveProperty`.
struct MovePropertyStep: RecordStep {
    static let kind = "moveProperty"

    var type: String
    var path: PropertyPath
    var newPath: PropertyPath
    var ifMissing: MigrationStep.MissingProperty

    var requiredProperty: PropertyPath? { path }
    var description: String { "move \(type).\(path) to \(newPath)" }
    var identity: [String] {
        [Self.kind, type, String(path.count)] + path.names + newPath.names + [ifMissing.rawValue]
    }

    var change: StepChange {
        { record in
            if try !record.moveIfPresent(path, to: newPath), ifMissing == .fail { throw record.missing(path) }
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type, path: path)
        if newPath.count == 0 { check.add("No new place is named.") }
        guard path.count > 0, newPath.count > 0 else { return }
        if newPath.starts(with: path) { check.add("The property \(type).\(path) is moved into itself.") }
        check.relocate(type, path, to: newPath, "moved to \(newPath)", ifMissing)
    }
}
