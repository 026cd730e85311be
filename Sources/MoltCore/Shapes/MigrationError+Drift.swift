extension MigrationError {
    /// The error for a type whose stored shape differs from the recorded one.
    package static func drifted(_ drift: SchemaDrift, in store: String) -> MigrationError {
        let changes = drift.differences.map(\.description).joined(separator: " ")
        var error = MigrationError(
            .schemaDrift,
            "The shape of '\(drift.type)' changed, and the schema version is still \(drift.version): \(changes) Add a "
                + "migration to a new version. When stored records can be read as they are, it needs no step: "
                + "\(SchemaDrift.migration(of: drift.type, from: drift.version)) If version \(drift.version) has not shipped "
                + "yet, start with a new store, or set `configuration.drift = .ignore`. \(drift.advice) Nothing was written."
        )
        error.store = store
        error.recordType = drift.type
        error.property = drift.differences.count == 1 ? drift.differences.first?.property : nil
        if error.property == "" { error.property = nil }
        error.storeVersion = drift.version
        error.registryVersion = drift.version
        return error
    }
}
