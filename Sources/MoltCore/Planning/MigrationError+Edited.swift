extension MigrationError {
    static func edited(_ edit: MigrationPlan.Edit, all edits: [MigrationPlan.Edit]) -> MigrationError {
        let names = edits.map(\.description).joined(separator: "; ")
        var error = MigrationError(
            .migrationEdited,
            "Edited after the store had counted it as applied: \(names). A migration never changes once it has shipped: "
                + "undo the edit, and add a new migration. If it has not shipped yet, start with a new store, or set "
                + "`editedMigrations = .ignore`."
        )
        error.migration = edit.migration
        return error
    }
}
