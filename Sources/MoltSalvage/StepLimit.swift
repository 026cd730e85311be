internal import CMoltSQLite
internal import MoltCache

/// Stops statements that run longer than the file's size explains: the trees of a damaged file may be endless.
///
/// SQLite follows a tree down 20 levels, and pages that refer to each other give far more paths than there are pages.
final class StepLimit {
    /// The number of SQLite's virtual machine instructions between two checks.
    private static let interval: Int32 = 10_000

    private let limit: Int
    private var count = 0
    private let connection: Connection

    /// Limits each statement on a connection until ``end()`` is called.
    ///
    /// - Parameter bytes: The size of the file. No row takes less than a few bytes, or more than a few hundred
    ///   instructions.
    init(bytes: Int, on connection: Connection) {
        limit = 1_000 + bytes / 500
        self.connection = connection
        // Not retained: the owner calls `end()`, which removes the handler.
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
        // A row cannot be longer than the file; no memory is reserved for one that claims to be.
        sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, Int32(clamping: max(bytes, 1_000_000)))
    }

    /// Restarts the count, for the next statement.
    func renew() {
        count = 0
    }

    func end() {
        sqlite3_progress_handler(connection.handle, 0, nil, nil)
    }
}
