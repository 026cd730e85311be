extension MigrationContext {
    /// Runs a check on a snapshot of the store as the steps have left it.
    func check(_ summary: String, _ body: (StoreSnapshot) throws -> Void) throws {
        let snapshot = StoreSnapshot(
            at: version,
            StoreSnapshot.reading(runner.records),
            attachedWork,
            of: migration,
            configuration
        )
        defer { snapshot.expire() }
        do {
            try body(snapshot)
        } catch let error as MoltError where error.isOfOpening(runner.storeName) {
            throw error
        } catch {
            throw MoltError(
                .checkFailed,
                "The check \"\(summary)\" of the upgraded store failed; see the underlying error.",
                underlying: error
            )
        }
    }
}
