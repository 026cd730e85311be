extension MigrationError {
    /// The error for migrations that were edited after a store had counted them as applied.
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

    /// The error for a migration that was edited when a part of the records had gone through it.
    static func edited(_ edit: MigrationPlan.Edit, whileHalfDone unfinished: UnfinishedMigration) -> MigrationError {
        var error = MigrationError(
            .migrationEdited,
            "Edited while it is half done: \(edit). \(unfinished.counts.read) of \(unfinished.total) records went through "
                + "it as it was, and nobody can read the store until it is complete. Undo the edit, and correct what went "
                + "wrong in a new migration behind it. If it is right that the other records go through it as it is now, "
                + "set `editedMigrations = .ignore`."
        )
        error.migration = edit.migration
        return error
    }
}
