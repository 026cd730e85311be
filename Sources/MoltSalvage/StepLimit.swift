internal import CMoltSQLite
internal import MoltCache

/// Stops statements that go on for longer than a file of its size can make them: the trees of a damaged file need not end.
///
/// SQLite follows a tree 20 levels down; pages that name each other make far more ways through it than there are pages.
final class StepLimit {
    /// How many instructions of SQLite's machine lie between two looks.
    private static let interval: Int32 = 10_000

    private let limit: Int
    private var count = 0
    private let connection: Connection

    /// Limits what each statement on a connection may do until ``end()`` is called.
    ///
    /// - Parameter bytes: How large the file is. No row takes less than a few bytes, and none takes more than a few
    ///   hundred instructions.
    init(bytes: Int, on connection: Connection) {
        limit = 1_000 + bytes / 500
        self.connection = connection
        // Not retained: `end()` takes the handler away, and who made this one calls it.
        sqlite3_progress_handler(
            connection.handle,
            Self.interval,
            { context in
                guard let context else { return 0 }
                let limit = Unmanaged<StepLimit>.fromOpaque(context).takeUnretainedValue()
                limit.count += 1
                return limit.count > limit.limit ? 1 : 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        // A row that says it is longer than the file has its end nowhere, and memory is not reserved for it.
        sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, Int32(clamping: max(bytes, 1_000_000)))
    }

    /// Begins to count anew, for the next statement.
    func renew() {
        count = 0
    }

    /// Lets statements run as long as they take.
    func end() {
        sqlite3_progress_handler(connection.handle, 0, nil, nil)
    }
}
