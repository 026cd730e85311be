extension Patience {
    /// Creates one for the stores and suites of an upgrade, with the time of a configuration.
    ///
    /// - Parameter isCancellable: Whether cancellation ends the wait, and not only the deadline.
    convenience init(_ configuration: MoltConfiguration, isCancellable: Bool = true) {
        self.init(configuration.upgradeTimeout) {
            if isCancellable { try configuration.checkCancellation() } else { try configuration.checkDeadline() }
        } beginning: {
            configuration.monitor?.send(.waiting)
        }
    }

    /// Called repeatedly while another process or thread holds a store.
    ///
    /// - Throws: ``MoltError`` with the code `busy` after the timeout, `deadlinePassed` or `cancelled`.
    func wait(for store: StoreFile) throws { try wait(orThrow: held("the store", by: store.attempts?.holder())) }

    /// Called repeatedly while another store, in any process, has a suite's lock.
    ///
    /// - Throws: The same errors.
    func wait(for suite: Suite) throws { try wait(orThrow: held("\(suite)", by: nil)) }

    private func held(_ subject: String, by holder: UpgradeAttempt?) -> MoltError {
        let use = holder.map { ". It is being upgraded by \($0)" } ?? " and may be upgrading it"
        return MoltError(
            .busy,
            "Another process or thread has held \(subject) for more than \(timeout)\(use).",
            advice: "Try again, or set a longer timeout.",
            holder: holder
        )
    }
}
