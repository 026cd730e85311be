internal import CMoltSQLite

/// Stops the statements of a connection when a closure says so.
final class StatementStop {
    /// How many instructions of SQLite's machine lie between two questions; some ten thousand take a millisecond.
    private static let interval: Int32 = 4_000

    private let isOver: () -> Bool
    private let connection: Connection

    /// Asks the closure while statements run on the connection, until ``end()`` is called.
    init(on connection: Connection, when isOver: @escaping () -> Bool) {
        self.isOver = isOver
        self.connection = connection
        // Not retained: `end()` takes the handler away, and who made this one calls it.
        sqlite3_progress_handler(
            connection.handle,
            Self.interval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<StatementStop>.fromOpaque(context).takeUnretainedValue().isOver() ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Stops statements at a time.
    convenience init(on connection: Connection, at time: ContinuousClock.Instant) {
        self.init(on: connection) { ContinuousClock.now >= time }
    }

    /// Lets statements run as long as they take.
    func end() {
        sqlite3_progress_handler(connection.handle, 0, nil, nil)
    }
}
