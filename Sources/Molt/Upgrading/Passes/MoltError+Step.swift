extension MoltError {
    /// Creates the error for what a step has thrown, with its location: no other function of an upgrade adds that.
    ///
    /// An error of this upgrade keeps its code. Any other one becomes the underlying error, also one of Molt: a closure
    /// may open another store.
    ///
    /// - Parameters:
    ///   - key: The key of the record, unless the error names one.
    ///   - type: The type of the record, unless the error names one.
    ///   - store: The name of the store; nil for a document.
    init(_ error: any Error, in step: ScheduledStep, key: String? = nil, type: String? = nil, store: String?) {
        if let error = error as? MoltError, error.isOwn(of: step.migration, store) {
            self = error
        } else {
            self.init(.stepFailed, "The step's closure threw an error; see the underlying error.", underlying: error)
        }
        self.store = store
        guard code != .cancelled else { return }
        migration = step.migration.id
        self.step = StepPosition(step)
        self.key = self.key ?? key
        self.type = self.type ?? type
    }

    /// Whether the error has no location yet, or the one of this migration.
    private func isOwn(of migration: Migration, _ store: String?) -> Bool {
        if let found = self.migration { return found == migration.id && self.store == store }
        return self.store == nil || self.store == store
    }
}

extension MoltError.StepPosition {
    init(_ step: ScheduledStep) {
        self.init(number: step.number + 1, summary: step.declared.description)
    }
}

extension MigrationReport.RecordFailure {
    /// Takes those parts of an error that contain no values.
    init(_ error: MoltError, in step: ScheduledStep, firstStep: Int) {
        // The message of a closure's error describes only the upgrade, so take the underlying error.
        let cause = error.code == .stepFailed ? error.underlying : nil
        self.init(
            migration: step.migration.id,
            step: MoltError.StepPosition(step),
            firstStep: firstStep + 1,
            code: error.code,
            reason: ErrorSummary.oneLine(cause.map { ErrorSummary.line(of: $0) } ?? error.underPolicy.message)
        )
        property = error.property
    }
}
