internal import Foundation

/// The turn of a process to do work outside a store after the commit; one process has it at a time.
///
/// The lock is one that neither readers nor writers of the store need. Work that a crash or a kill has interrupted too
/// often is left to another build of the app.
struct WorkTurn: ~Copyable {
    private let store: StoreFile
    private let configuration: MoltConfiguration
    /// Nil for a store in memory.
    private let lock: FileLock?

    /// - Returns: Nil if another process has the turn.
    init?(at store: StoreFile, _ configuration: MoltConfiguration) throws {
        self.store = store
        self.configuration = configuration
        lock = store.isInMemory ? nil : try Self.lock(store.files.work)
        if lock == nil, !store.isInMemory { return nil }
    }

    /// - Returns: Nil if another holder has the lock.
    private static func lock(_ path: String) throws -> FileLock? {
        struct IsHeld: Error {}
        while true {
            do {
                let lock = try FileLock(path) { throw IsHeld() }
                if lock.isLock(on: path) { return lock }
            } catch is IsHeld {
                return nil
            }
        }
    }

    deinit {
        // Under the lock, so that it is not the file of the next process.
        if lock != nil { unlink(store.files.work) }
    }

    // MARK: Attempts

    /// The log of interrupted work; nil for a store in memory.
    private var attempts: AttemptLog? { store.isInMemory ? nil : AttemptLog(ofWorkIn: store.files) }

    /// The names of the work that was interrupted, and not done since.
    var unfinished: Set<String> { Set((attempts?.attempts() ?? []).compactMap(\.work)) }

    /// Notes that some work begins.
    ///
    /// - Parameters:
    ///   - name: What tells the work from other work.
    ///   - version: The version of its migration.
    /// - Returns: Why it is not tried, if it was interrupted too often; nil if it has begun.
    func begin(_ name: String, at version: Int) -> String? {
        guard let attempts else { return nil }
        let new = UpgradeAttempt(from: version, to: version, work: name, configuration)
        let count = attempts.attempts().count { $0.isRepeated(by: new) }
        let retries = configuration.retriesInterruptedUpgrades || configuration.redoesLastUpgrade
        if !retries, count >= configuration.hooks.attemptLimit {
            return "it was interrupted \(count) times, for example by a crash, so this build does not try it again"
        }
        attempts.begin(new)
        return nil
    }

    /// Notes that it has ended, with or without an error.
    func end(_ name: String) {
        attempts?.end(work: name)
    }
}
