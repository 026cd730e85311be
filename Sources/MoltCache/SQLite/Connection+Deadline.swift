internal import CMoltSQLite

/// Stops statements when the time is over.
final class StatementDeadline {
    /// How many instructions of SQLite's machine lie between two looks at the clock; some ten thousand take a millisecond.
    private static let interval: Int32 = 4_000

    private let time: ContinuousClock.Instant
    private let connection: Connection

    /// Stops what runs on a connection at a time, until ``end()`` is called.
    init(_ time: ContinuousClock.Instant, on connection: Connection) {
        self.time = time
        self.connection = connection
        // Not retained: `end()` takes the handler away, and who made this one calls it.
        sqlite3_progress_handler(
            connection.handle,
            Self.interval,
            { context in
                guard let context else { return 0 }
                let deadline = Unmanaged<StatementDeadline>.fromOpaque(context).takeUnretainedValue()
                return ContinuousClock.now >= deadline.time ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Lets statements run as long as they take.
    func end() {
        sqlite3_progress_handler(connection.handle, 0, nil, nil)
    }
}
