internal import MoltCore

extension CacheTransaction {
    /// The kinds as the table has them.
    private enum Kind {
        static let drop: Int64 = 0
        static let type: Int64 = 1
        static let key: Int64 = 2
    }

    static let deferredTable = """
        molt_deferred(
            stage INTEGER, kind INTEGER, id INTEGER, text TEXT, PRIMARY KEY(stage, kind, id)
        ) WITHOUT ROWID
        """

    /// Has the changes that are deferred outlive the transaction, and finds those of earlier ones.
    func keepDeferredChanges() throws(SQLiteError) {
        guard !keepsDeferred else { return }
        keepsDeferred = true
        try connection.execute("CREATE TABLE IF NOT EXISTS main.\(Self.deferredTable)")
        try keepQuarantine()
        if hasDeferred {
            // Those of this transaction were deferred before it was known that they must be kept.
            try connection.execute(
                "INSERT OR REPLACE INTO main.molt_deferred SELECT * FROM temp.molt_deferred; DROP TABLE temp.molt_deferred"
            )
        }
        hasDeferred = true
    }

    func deferChange(_ change: DeferredChange) throws {
        try mapped { () throws(SQLiteError) in
            if !hasDeferred { try makeDeferred() }
            let kind: Int64
            let text: String
            switch change.kind {
            case .drop: (kind, text) = (Kind.drop, "")
            case .type(let name): (kind, text) = (Kind.type, name)
            case .key(let key): (kind, text) = (Kind.key, key)
            }
            let statement = try statements[.deferChange]
            try statement.bind(Int64(change.stage), at: 1)
            try statement.bind(kind, at: 2)
            try statement.bind(change.id, at: 3)
            try statement.bind(text, at: 4)
            try statement.run()
        }
    }

    private func makeDeferred() throws(SQLiteError) {
        // A temporary table is kept in a file of its own, so that memory stays flat. The primary key makes
        // the last change of a kind win, and gives each stage its changes in the order of the records.
        try connection.execute("CREATE TEMP TABLE \(Self.deferredTable)")
        hasDeferred = true
    }

    func applyDeferredChanges(stage: Int) throws {
        if hasQuarantine, !hasDeferred { try mapped { () throws(SQLiteError) in try makeDeferred() } }
        guard hasDeferred else { return }
        let collision = try mapped { () throws(SQLiteError) -> Collision? in
            try checkKeys()
            try connection.execute("SAVEPOINT deferred")
            do throws(SQLiteError) {
                if hasQuarantine { try quarantine(stage) }
                try applyDropsAndTypes(stage)
                if let collision = try applyKeys(stage) {
                    try connection.execute("ROLLBACK TO deferred; RELEASE deferred")
                    return collision
                }
                try run("DELETE FROM molt_deferred WHERE stage = ?1", stage)
                try connection.execute("RELEASE deferred")
                return nil
            } catch {
                // The whole transaction is given up; this only keeps it in order until then.
                try? connection.execute("ROLLBACK TO deferred; RELEASE deferred")
                throw error
            }
        }
        forgetTypes()
        guard let collision else { return }
        let record = try record(id: collision.id)
        let key = record?.key ?? ""
        let type = record?.typeName ?? ""
        throw keyExists(
            collision.newKey,
            of: "The record \"\(key)\" of type \(type)",
            recordKey: key,
            recordType: type
        )
    }

    // MARK: Parts

    /// A record that would get a key that is taken.
    private struct Collision {
        var id: Int64
        var newKey: String
    }

    private func applyDropsAndTypes(_ stage: Int) throws(SQLiteError) {
        try run(
            """
            DELETE FROM molt_record
            WHERE id IN (SELECT id FROM molt_deferred WHERE stage = ?1 AND kind = \(Kind.drop))
            """,
            stage
        )
        try run(
            """
            INSERT OR IGNORE INTO molt_type(name)
            SELECT DISTINCT text FROM molt_deferred WHERE stage = ?1 AND kind = \(Kind.type)
            """,
            stage
        )
        try run(
            """
            UPDATE molt_record SET type_id = molt_type.id
            FROM molt_deferred AS change JOIN molt_type ON molt_type.name = change.text
            WHERE change.stage = ?1 AND change.kind = \(Kind.type) AND change.id = molt_record.id
            """,
            stage
        )
    }

    private func applyKeys(_ stage: Int) throws(SQLiteError) -> Collision? {
        if try moveKeys(stage) { return nil }
        // Some record takes the key that another one of the stage gives up. All of them get a key first that no
        // record can have: it is not UTF-8, and a String always is.
        try run(
            """
            UPDATE molt_record SET key = CAST(x'FF' AS TEXT) || id
            WHERE id IN (SELECT id FROM molt_deferred WHERE stage = ?1 AND kind = \(Kind.key))
            """,
            stage
        )
        if try moveKeys(stage) { return nil }
        let search = try connection.prepare(
            """
            SELECT change.id, change.text
            FROM molt_deferred AS change JOIN molt_record ON molt_record.id = change.id
            WHERE change.stage = ?1 AND change.kind = \(Kind.key) AND (
                change.text IN (SELECT key FROM molt_record)
                OR change.text IN (
                    SELECT text FROM molt_deferred AS other JOIN molt_record ON molt_record.id = other.id
                    WHERE other.stage = ?1 AND other.kind = \(Kind.key) GROUP BY text HAVING count(*) > 1
                )
            )
            ORDER BY change.id LIMIT 1
            """
        )
        try search.bind(Int64(stage), at: 1)
        return try search.first { Collision(id: $0.integer(0), newKey: $0.text(1)) }
            ?? Collision(id: 0, newKey: "")
    }

    /// Gives the records of a stage their new keys.
    ///
    /// - Returns: False when two records would have had the same key; then nothing was changed.
    private func moveKeys(_ stage: Int) throws(SQLiteError) -> Bool {
        do throws(SQLiteError) {
            try run(
                """
                UPDATE molt_record SET key = change.text FROM molt_deferred AS change
                WHERE change.stage = ?1 AND change.kind = \(Kind.key) AND change.id = molt_record.id
                """,
                stage
            )
            return true
        } catch  where error.isConstraint {
            return false
        } catch {
            throw error
        }
    }

    private func run(_ sql: String, _ stage: Int) throws(SQLiteError) {
        let statement = try connection.prepare(sql)
        try statement.bind(Int64(stage), at: 1)
        try statement.run()
    }
}
