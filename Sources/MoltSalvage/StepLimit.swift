internal import CMoltSQLite
internal import Molt

/// Stops statements that run longer than the file's size explains: the trees of a damaged file may be endless.
///
/// SQLite follows a tree down 20 levels, and pages that refer to each other give far more paths than there are pages.
final class StepLimit {
    private let limit: Int
    private var count = 0

    /// Limits each statement on a connection as long as this object exists.
    ///
    /// - Parameter bytes: The size of the file. No row takes less than a few bytes, or more than a few hundred
    ///   instructions; a connection checks once in 4 000 instructions.
    init(bytes: Int, on connection: Connection) {
        limit = 2_500 + bytes / 200
        connection.isOver = { [weak self] in
            guard let self else { return false }
            count += 1
            return count > limit
        }
        // A row cannot be longer than the file; no memory is reserved for one that claims to be.
        sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, Int32(clamping: max(bytes, 1_000_000)))
    }

    /// Restarts the count, for the next statement.
    func renew() {
        count = 0
    }
}
