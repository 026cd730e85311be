extension MigrationStep {
    /// Removes a property from each record of a type.
    ///
    /// - Parameters:
    ///   - type: The type name of the records.
    ///   - path: The property, behind the names of the objects around it.
    ///   - ifMissing: What to do with a record that has no such property; leaves it as it is by default.
    /// - Important: The property's values are gone when the upgrade is committed.
    public static func removeProperty(
        _ type: String,
        _ path: PropertyPath,
        ifMissing: MissingProperty = .skip
    ) -> MigrationStep {
        MigrationStep(RemovePropertyStep(type: type, path: path, ifMissing: ifMissing))
    }
}

/// The declaration of `removeProperty`.
struct RemovePropertyStep: RecordStep {
    static let kind = "removeProperty"

    var type: String
    var path: PropertyPath
    var ifMissing: MigrationStep.MissingProperty

    var requiredProperty: PropertyPath? { path }
    var description: String { "remove \(type).\(path)" }
    var identity: [String] { [Self.kind, type, String(path.count)] + path.names + [ifMissing.rawValue] }

    var change: StepChange {
        { record in
            if try !record.removeIfPresent(path), ifMissing == .fail { throw record.missing(path) }
        }
    }

    func check(_ check: inout StepCheck) {
        check.use(type: type, path: path)
        check.remove(type, path)
    }
}
