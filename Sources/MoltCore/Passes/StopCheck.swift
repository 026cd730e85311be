internal import Synchronization

/// Says between two records whether the steps must stop there; asked by all threads of a pass.
final class StopCheck: Sendable {
    /// How many records go through steps of Molt's own between two looks.
    ///
    /// They take less than a microsecond each, of which a look at the clock and at the monitor would be a good part. A
    /// closure of the app may take any time, so with one of these it is looked before each record.
    static let distance = 16

    private let options: MigrationOptions
    private let isGivenUp = Atomic(false)

    init(_ options: MigrationOptions) {
        self.options = options
    }

    /// Has the other threads stop, because the pass has failed already.
    func giveUp() {
        isGivenUp.store(true, ordering: .relaxed)
    }

    /// Why the steps must stop; nil when they may go on.
    func reason() -> (any Error)? {
        if isGivenUp.load(ordering: .relaxed) { return CancellationError() }
        do {
            try options.checkCancellation()
            return nil
        } catch {
            return error
        }
    }
}
