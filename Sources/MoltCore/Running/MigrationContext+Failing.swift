/// What becomes of a record that the closure of `enumerate` could not convert.
extension MigrationContext {
    /// Sets a record aside as it was when the block started, where the policy says so.
    ///
    /// What the closure did to an attached store before it threw could not be taken back.
    func setAside(_ old: Record, now typeName: String, _ error: MigrationError) throws -> Bool {
        let policy = scope.options.policy(of: step)
        guard policy != .stop, failure == nil, usedAttachments.isEmpty, StepFailure.isAboutRecord(error) else {
            return false
        }
        let error = StepFailure.error(error, migration, step.number, store: scope.storeName)
        let cause = RecordFailure(error, in: migration, step: step.number, firstStep: step.number)
        let isDropped = if case .drop = policy { true } else { false }
        do {
            let record = MigrationReport.FailedRecord(
                key: old.key,
                type: old.typeName,
                outcome: isDropped ? .dropped : .quarantined,
                cause
            )
            try scope.failures.add(record, error, at: step, of: count(ofType: typeName) + failureCount)
            failureCount += 1
        } catch {
            failure = failure ?? error
            limitError = error as? MigrationError
            throw error
        }
        if isDropped {
            try delete(id: old.id)
            return true
        }
        touch(old.id, isDeleted: true)
        counts.quarantined += 1
        let stage = newStage()
        try perform { transaction in
            try transaction.deferQuarantine(
                DeferredQuarantine(stage: stage, id: old.id, typeName: old.typeName, failure: cause)
            )
            try transaction.applyDeferredChanges(stage: stage)
        }
        return true
    }

    /// The error for a record that the closure changed twice, where one of the changes would be lost.
    func lostUpdate(key: String, type: String) -> MigrationError {
        var error = MigrationError(
            .stepFailed,
            "The closure changed the record that it visits, and that record was also written by update, or by an "
                + "enumeration inside the closure: one of the two changes would be lost. Make both on `new`."
        )
        error.recordKey = key
        error.recordType = type
        return error
    }

    /// An error with the key and the type of the record that it is about.
    func recordError(_ error: any Error, key: String, type: String) -> MigrationError {
        var named = StepFailure.named(error, store: scope.storeName)
        guard named.code != .cancelled else { return named }
        named.recordKey = named.recordKey ?? key
        named.recordType = named.recordType ?? type
        return named
    }
}
