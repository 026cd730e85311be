/// Adds the migration, the step and the record to a step's error.
package enum StepErrors {
    /// An error of the pipeline keeps its code and gets a location; any other error is wrapped in a `MoltError`.
    static func error(
        _ error: any Error,
        _ migration: Migration,
        _ number: Int,
        _ record: Record? = nil,
        store: String
    ) -> MoltError {
        var named = named(error, store: store)
        guard named.code != .cancelled else { return named }
        named.migration = migration.id
        if migration.steps.indices.contains(number) {
            named.step = MoltError.StepPosition(number: number + 1, summary: migration.steps[number].description)
        }
        if let record {
            named.key = named.key ?? record.key
            named.type = named.type ?? record.typeName
        }
        return named
    }

    /// An error of this upgrade, unchanged; any other error is wrapped in a `MoltError`.
    static func named(_ error: any Error, store: String) -> MoltError {
        // A closure may open another store, whose errors are not those of this upgrade.
        if let error = error as? MoltError, error.migration == nil, error.store ?? store == store { return error }
        return MoltError(
            .stepFailed,
            "The step's closure threw an error; see the underlying error.",
            underlying: error
        )
    }
}
