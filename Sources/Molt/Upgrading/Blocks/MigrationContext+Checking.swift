extension MigrationContext {
    /// Runs a check on a view of the store as the steps have left it.
    func check(_ summary: String, _ body: (StoreView) throws -> Void) throws {
        let view = StoreView(at: version, StoreView.reading(runner.records), attachedWork, of: migration, configuration)
        defer { view.expire() }
        do {
            try body(view)
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
