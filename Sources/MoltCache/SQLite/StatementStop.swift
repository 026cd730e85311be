internal import CMoltSQLite

/// Interrupts the statements of a connection when a closure returns true.
final class StatementStop {
    /// The number of SQLite's virtual machine instructions between two calls; about ten thousand take 1 ms.
    private static let interval: Int32 = 4_000

    private let isOver: () -> Bool
    private let connection: Connection

    /// Calls the closure while statements run on the connection, until ``end()`` is called.
    init(on connection: Connection, when isOver: @escaping () -> Bool) {
        self.isOver = isOver
        self.connection = connection
        // Not retained: the creator calls `end()`, which removes the handler.
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

    convenience init(on connection: Connection, at time: ContinuousClock.Instant) {
        self.init(on: connection) { ContinuousClock.now >= time }
    }

    /// Removes the limit.
    func end() {
        sqlite3_progress_handler(connection.handle, 0, nil, nil)
    }
}
