/// The outcome of checking the new keys of a stage.
struct KeyMoves {
    /// A record whose new key is taken.
    struct Collision {
        var id: Int64
        var newKey: String
    }

    /// The record with the lowest id whose new key is taken; nil when there is none.
    var collision: Collision?
    /// Whether a record takes a key that another record gives up for a new one.
    var isChain = false
}

extension StoreTransaction {
    /// Checks the new keys of a stage before anything is changed.
    func keyMoves(stage: Int) throws(SQLiteError) -> KeyMoves {
        var moves = KeyMoves()
        // SQL for whether the record `change.id` is gone by the time the others get their keys.
        let isRemovedSQL = """
            (NOT EXISTS (SELECT 1 FROM molt_record WHERE id = change.id)
                OR EXISTS (
                    SELECT 1 FROM molt_deferred WHERE stage = ?1 AND kind = \(DeferredKind.drop) AND id = change.id
                )
                \(hasQuarantine ? "OR EXISTS (SELECT 1 FROM molt_failed WHERE stage = ?1 AND id = change.id)" : ""))
            """
        let taken = try firstTaken(stage, isRemovedSQL, isChain: &moves.isChain)
        let shared = try firstShared(stage, isRemovedSQL)
        moves.collision = [taken, shared].compactMap { $0 }.min { $0.id < $1.id }
        return moves
    }

    /// The first record whose new key belongs to a record that keeps it.
    private func firstTaken(
        _ stage: Int,
        _ isRemovedSQL: String,
        isChain: inout Bool
    ) throws(SQLiteError) -> KeyMoves.Collision? {
        let search = try statements[.heldKeys]
        try search.bind(Int64(stage), at: 1)
        defer { search.reset() }
        guard try search.step() else { return nil }
        let isRemovedInStage = try connection.prepare("SELECT \(isRemovedSQL) FROM (SELECT ?2 AS id) AS change")
        repeat {
            let holder = search.integer(2)
            if try isTrue(isRemovedInStage, stage, search.integer(0)) { continue }
            if try isTrue(isRemovedInStage, stage, holder) { continue }
            guard try isTrue(statements[.isMoving], stage, holder) else {
                return KeyMoves.Collision(id: search.integer(0), newKey: search.text(1))
            }
            isChain = true
        } while try search.step()
        return nil
    }

    /// The first record whose new key is also another record's new key.
    private func firstShared(_ stage: Int, _ isRemovedSQL: String) throws(SQLiteError) -> KeyMoves.Collision? {
        guard try isTrue(statements[.hasSharedKeys], stage) else { return nil }
        let first = try connection.prepare(
            """
            SELECT min(id), text FROM molt_deferred AS change
            WHERE stage = ?1 AND kind = \(DeferredKind.key) AND NOT \(isRemovedSQL)
            GROUP BY text HAVING count(*) > 1 ORDER BY 1 LIMIT 1
            """
        )
        try first.bind(Int64(stage), at: 1)
        return try first.first { KeyMoves.Collision(id: $0.integer(0), newKey: $0.text(1)) }
    }

    private func isTrue(_ question: Statement, _ stage: Int, _ id: Int64? = nil) throws(SQLiteError) -> Bool {
        try question.bind(Int64(stage), at: 1)
        if let id { try question.bind(id, at: 2) }
        return try question.first { $0.integer(0) != 0 } ?? false
    }
}
