/// Names the migration, the step and the record in what a step threw.
enum StepFailure {
    /// An error of the pipeline keeps its code and gets its place; anything else becomes the underlying error of one.
    static func error(
        _ error: any Error,
        _ migration: Migration,
        _ number: Int,
        _ record: Record? = nil
    ) -> MigrationError {
        var named: MigrationError
        if let error = error as? MigrationError {
            named = error
        } else {
            named = MigrationError(
                .stepFailed,
                "The step's closure threw an error; the upgrade was rolled back. See the underlying error.",
                underlying: error
            )
        }
        guard named.code != .cancelled else { return named }
        if let record {
            named.recordKey = named.recordKey ?? record.key
            named.recordType = named.recordType ?? record.typeName
        }
        named.migration = named.migration ?? migration.id
        if named.step == nil, migration.steps.indices.contains(number) {
            named.step = MigrationError.StepPosition(number: number + 1, words: migration.steps[number].description)
        }
        if let record {
            named.recordKey = named.recordKey ?? record.key
            named.recordType = named.recordType ?? record.typeName
        }
        return named
    }
}
