extension MoltError {
    /// Creates the error for what a step has thrown, with its location: no other function of an upgrade adds that.
    ///
    /// An error of this upgrade keeps its code. Any other one becomes the underlying error, also one of Molt: a closure
    /// may open another store.
    ///
    /// - Parameters:
    ///   - number: The number of the step, from 0.
    ///   - key: The key of the record, unless the error names one.
    ///   - type: The type of the record, unless the error names one.
    ///   - store: The name of the store; nil for a document.
    init(
        _ error: any Error,
        in migration: Migration,
        step number: Int,
        key: String? = nil,
        type: String? = nil,
        store: String?
    ) {
        if let error = error as? MoltError, error.isOwn(of: migration, store) {
            self = error
        } else {
            self.init(.stepFailed, "The step's closure threw an error; see the underlying error.", underlying: error)
        }
        self.store = store
        guard code != .cancelled else { return }
        self.migration = migration.id
        if migration.steps.indices.contains(number) {
            step = StepPosition(number: number + 1, summary: migration.steps[number].description)
        }
        self.key = self.key ?? key
        self.type = self.type ?? type
    }

    /// Whether the error has no location yet, or the one of this migration.
    private func isOwn(of migration: Migration, _ store: String?) -> Bool {
        if let found = self.migration { return found == migration.id && self.store == store }
        return self.store == nil || self.store == store
    }
}
