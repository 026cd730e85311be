extension MigrationError {
    /// What an upgrade that fails says of the store, unless some of it was committed before.
    package static let rolledBack = "The upgrade was rolled back; the store is as it was."
}

extension Error {
    /// The error of an upgrade that had committed a part of it before it failed: that part stays.
    ///
    /// - Parameter unfinished: The migration that is half done; nil when the part is whole migrations.
    func keeping(_ unfinished: UnfinishedMigration?) -> any Error {
        // Where the migration is in the way by itself, the text says so.
        guard var error = self as? MigrationError,
            ![.superseded, .migrationMissing, .migrationEdited].contains(error.code)
        else {
            return self
        }
        let kept =
            if let unfinished {
                "This batch was rolled back, and what was committed before stays: \(unfinished.words), and nobody can read "
                    + "the store until it is complete."
            } else {
                "This part of the upgrade was rolled back, and what was committed before stays."
            }
        let text = error.message.replacing(MigrationError.rolledBack, with: kept)
        error.message = text == error.message ? "\(text) \(kept)" : text
        if unfinished != nil, StepFailure.isAboutRecord(error) {
            error.message +=
                " Correct what the step does, without a new revision, or have such records set aside, as by "
                + "onFailure(.quarantine())."
        }
        error.message += " The next opening goes on from there."
        return error
    }
}

extension UnfinishedMigration {
    /// The migration and how far it has come, as the beginning of a sentence.
    var words: String {
        "migration \(migration) is half done, with \(counts.read) of \(total) records"
    }
}
