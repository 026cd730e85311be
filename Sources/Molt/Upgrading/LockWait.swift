/// A wait of limited duration for the write lock of a store.
struct LockWait {
    private let configuration: MoltConfiguration
    private let isCancellable: Bool
    private let attempt: AttemptNote
    private var deadline: ContinuousClock.Instant?
    private var timeout: Duration { configuration.upgradeTimeout }

    init(configuration: MoltConfiguration, attempt: AttemptNote, isCancellable: Bool = true) {
        self.configuration = configuration
        self.attempt = attempt
        self.isCancellable = isCancellable
    }

    /// Called repeatedly while another process holds the store.
    ///
    /// - Throws: ``MoltError`` with the code `busy` after the timeout, `deadlinePassed` or `cancelled`.
    mutating func wait() throws {
        if isCancellable { try configuration.checkCancellation() }
        let now = ContinuousClock.now
        guard let deadline else {
            deadline = now + timeout
            configuration.monitor?.send(.waiting)
            return
        }
        guard now >= deadline else { return }
        let holder = attempt.holder
        let use = holder.map { ". It is being upgraded by \($0)" } ?? " and may be upgrading it"
        throw MoltError(
            .busy,
            "Another process or thread has held the store for more than \(timeout)\(use).",
            advice: "Try again, or set a longer timeout.",
            holder: holder
        )
    }
}
