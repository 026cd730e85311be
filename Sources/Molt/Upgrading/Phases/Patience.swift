/// Waits for a store or suites that another process or thread holds, until the configuration's time is over.
final class Patience {
    private let configuration: MoltConfiguration
    private let isCancellable: Bool
    private var end: Instant?

    /// - Parameter isCancellable: Whether cancellation ends the wait, and not only the deadline.
    init(_ configuration: MoltConfiguration, isCancellable: Bool = true) {
        self.configuration = configuration
        self.isCancellable = isCancellable
    }

    /// Called repeatedly while another process or thread holds a store.
    ///
    /// - Throws: ``MoltError`` with the code `busy` after the timeout, `deadlinePassed` or `cancelled`.
    func wait(for store: StoreFile) throws { try wait(for: "the store", heldBy: store.holder) }

    /// Called repeatedly while another store, in any process, has a suite's lock.
    ///
    /// - Throws: The same errors.
    func wait(for suite: Suite) throws { try wait(for: "\(suite)", heldBy: nil) }

    private func wait(for subject: @autoclosure () -> String, heldBy holder: @autoclosure () -> UpgradeAttempt?) throws
    {
        if isCancellable { try configuration.checkCancellation() } else { try configuration.checkDeadline() }
        let timeout = configuration.upgradeTimeout
        guard let end else {
            end = .now + timeout
            configuration.monitor?.send(.waiting)
            return
        }
        guard .now >= end else { return }
        let holder = holder()
        let use = holder.map { ". It is being upgraded by \($0)" } ?? " and may be upgrading it"
        throw MoltError(
            .busy,
            "Another process or thread has held \(subject()) for more than \(timeout)\(use).",
            advice: "Try again, or set a longer timeout.",
            holder: holder
        )
    }
}
