internal import CMoltSQLite
internal import Foundation

/// Interrupting statements: deadlines, lock timeouts, suspension.
extension Connection {
    /// The number of SQLite's virtual machine instructions between two checks; about ten thousand take 1 ms.
    private static let interval: Int32 = 4_000
    /// The longest wait between two tries to take a lock, in milliseconds.
    private static let longestPause: Int32 = 25

    /// Throws while the app has suspended its access to stores, unless the connection takes no locks.
    func checkAccess() throws(SQLiteError) {
        if takesLocks, StoreAccess.isSuspended { throw .suspended }
    }

    /// Interrupts statements that run at a time or after it; nil removes the limit.
    func interrupt(at time: ContinuousClock.Instant?) {
        isOver = time.map { time in { ContinuousClock.now >= time } }
    }

    private var mustStop: Bool {
        takesLocks && StoreAccess.isSuspended || isOver?() == true
    }

    /// Installs the progress and busy handlers, which decide whether a statement goes on.
    func installHandlers() {
        // Not retained: the connection outlives its handle.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            handle,
            Self.interval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().mustStop ? 1 : 0
            },
            context
        )
        sqlite3_busy_handler(
            handle,
            { context, count in
                guard let context else { return 0 }
                return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().waits(count) ? 1 : 0
            },
            context
        )
    }

    /// Waits a little for a lock; the pauses grow from 1 ms.
    ///
    /// - Parameter count: The number of pauses so far.
    /// - Returns: Whether to try again.
    private func waits(_ count: Int32) -> Bool {
        let growing = min(count, Self.longestPause)
        let waited = growing * (growing + 1) / 2 + (count - growing) * Self.longestPause
        let pause = min(count + 1, Self.longestPause, busyTimeout - waited)
        guard pause > 0, !(takesLocks && StoreAccess.isSuspended) else { return false }
        Thread.sleep(forTimeInterval: Double(pause) / 1_000)
        return true
    }
}
