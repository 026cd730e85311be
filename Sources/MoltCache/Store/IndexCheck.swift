internal import CMoltSQLite
internal import Dispatch

/// Compares the indexes of the records with the table on another thread, during an upgrade.
///
/// Its own connection sees the records as they were when the upgrade began, like ``SnapshotReader``.
final class IndexCheck {
    private let connection: Connection
    private let work = DispatchGroup()
    private let outcome: Outcome
    private var isOver = false

    /// Written by the other thread before `wait` returns, and read afterwards.
    private final class Outcome: @unchecked Sendable {
        var failure: SQLiteError?
    }

    /// Starts the comparison; nil when the file cannot be opened a second time.
    init?(path: String, deadline: ContinuousClock.Instant?) {
        // On failure, the caller compares on its own thread.
        guard let connection = try? Connection(path, mode: .readOnly),
            (try? connection.execute("PRAGMA cache_size = -1000; BEGIN")) != nil,
            (try? connection.integer("PRAGMA user_version")) != nil
        else { return nil }
        self.connection = connection
        connection.interrupt(at: deadline)
        let outcome = Outcome()
        self.outcome = outcome
        // The connection belongs to the other thread until `wait` returns.
        nonisolated(unsafe) let used = connection
        DispatchQueue(label: "molt.indexes", qos: .userInitiated).async(group: work) {
            do throws(SQLiteError) {
                try RecordDigest(on: used).compare()
            } catch {
                outcome.failure = error
            }
        }
    }

    deinit {
        guard !isOver else { return }
        // Repeated, because an interrupt between two statements has no effect.
        repeat { sqlite3_interrupt(connection.handle) } while work.wait(timeout: .now() + 0.01) == .timedOut
        end()
    }

    /// Waits for the end and closes the connection.
    ///
    /// - Throws: ``SQLiteError`` for damage when an index does not agree with the table, or SQLite's own.
    func finish() throws(SQLiteError) {
        if !isOver { end() }
        if let failure = outcome.failure { throw failure }
    }

    private func end() {
        isOver = true
        work.wait()
        connection.close()
    }
}
