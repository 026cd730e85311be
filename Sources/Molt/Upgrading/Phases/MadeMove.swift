/// A move of the store's file to its place, which an opening has made before its upgrade.
final class MadeMove {
    let pending: PendingMove
    /// Whether it was a rename, which can be undone.
    private let isRenamed: Bool
    private let configuration: MoltConfiguration

    /// Moves the file, which nobody may have open.
    init(_ pending: PendingMove, _ configuration: MoltConfiguration) throws {
        var mover = StoreMove(from: pending.path, to: pending.newPath)
        // A cache that has the file open keeps it, so waiting long is of no use.
        let fileWait = Patience(configuration.accessTimeout, checking: configuration.checkCancellation)
        let lockWait = Patience(configuration.upgradeTimeout, checking: configuration.checkCancellation)
        mover.checking = configuration.checkCancellation
        mover.reach = { try configuration.reach(.moveStore, $0) }
        mover.waiting = { path in
            try fileWait.wait(
                orThrow: MoltError(
                    .busy,
                    "The file at \(path) is open in another process, or in another cache of this one, so the store "
                        + "cannot be moved.",
                    advice: "Close it there, and open the store again."
                )
            )
        }
        mover.locking = {
            try lockWait.wait(
                orThrow: MoltError(
                    .busy,
                    "Another process has been moving a store into the directory of \(pending.newPath) for more than "
                        + "\(lockWait.timeout).",
                    advice: "Try again, or set a longer timeout."
                )
            )
        }
        isRenamed = try mover.run()
        self.pending = pending
        self.configuration = configuration
    }

    /// Whether an upgrade was committed after the move, by whichever process; true also if that is unknown.
    func isUpgraded(_ store: StoreFile) -> Bool {
        guard let state = try? store.state() else { return true }
        return state.version != pending.state.version || state.ledger != pending.state.ledger
    }

    /// Moves the file back, for an earlier release that looks for it there.
    ///
    /// - Returns: False if that is not possible, as on another volume.
    func undo() -> Bool {
        guard isRenamed else { return false }
        var mover = StoreMove(from: pending.newPath, to: pending.path)
        let patience = Patience(configuration.accessTimeout)
        mover.waiting = { _ in try patience.wait(orThrow: SQLiteError.busy) }
        mover.locking = { try patience.wait(orThrow: SQLiteError.busy) }
        return (try? mover.run()) == true
    }

    /// An error after which the file is still at its new place, and says so.
    func stays(after error: any Error) -> any Error {
        guard var failure = error as? MoltError else { return error }
        failure.problem +=
            " The store was not upgraded, but its file was moved from \(pending.path) to \(pending.newPath)."
        failure.outcome = nil
        return failure
    }
}
