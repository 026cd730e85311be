/// Looks at the new keys that the records of a stage are to get, before anything is changed.
struct KeyMoves {
    /// A record that would get a key that is taken.
    struct Collision {
        var id: Int64
        var newKey: String
    }

    /// The first record, by its id, that would get a key that is taken; nil when each can have its new one.
    private(set) var collision: Collision?
    /// Whether a record takes the key that another one gives up for a new one.
    private(set) var isChain = false

    private let connection: Connection
    private let stage: Int64
    /// As SQL, whether the record with the id `change.id` is not there when keys are moved.
    private let isGoing: String
    /// The changes of keys, in SQL.
    private let changes = """
        FROM molt_deferred AS change WHERE change.stage = ?1 AND change.kind = \(DeferredKind.key)
        """

    /// Looks at a stage.
    ///
    /// - Parameter hasQuarantine: Whether records may be set aside.
    init(_ stage: Int, hasQuarantine: Bool, on connection: Connection) throws(SQLiteError) {
        self.connection = connection
        self.stage = Int64(stage)
        isGoing = """
            (NOT EXISTS (SELECT 1 FROM molt_record WHERE id = change.id)
                OR EXISTS (
                    SELECT 1 FROM molt_deferred WHERE stage = ?1 AND kind = \(DeferredKind.drop) AND id = change.id
                )
                \(hasQuarantine ? "OR EXISTS (SELECT 1 FROM molt_failed WHERE stage = ?1 AND id = change.id)" : ""))
            """
        let taken = try findTaken()
        let shared = try findShared()
        collision = [taken, shared].compactMap { $0 }.min { $0.id < $1.id }
    }

    /// The first record that would get a key that a record has which keeps it.
    private mutating func findTaken() throws(SQLiteError) -> Collision? {
        // In this order, so that the new keys are looked up, and not the records.
        let search = try connection.prepare(
            """
            SELECT change.id, change.text, other.id
            FROM molt_deferred AS change CROSS JOIN molt_record AS other ON other.key = change.text
            WHERE change.stage = ?1 AND change.kind = \(DeferredKind.key) AND other.id <> change.id
                AND NOT \(isGoing)
            ORDER BY change.id
            """
        )
        let going = try connection.prepare("SELECT \(isGoing) FROM (SELECT ?2 AS id) AS change")
        let moving = try connection.prepare("SELECT EXISTS (SELECT 1 \(changes) AND change.id = ?2)")
        try search.bind(stage, at: 1)
        defer { search.reset() }
        while try search.step() {
            let holder = search.integer(2)
            if try isTrue(going, holder) { continue }
            guard try isTrue(moving, holder) else { return Collision(id: search.integer(0), newKey: search.text(1)) }
            isChain = true
        }
        return nil
    }

    /// The first record that would get a key that another one would get, too.
    private func findShared() throws(SQLiteError) -> Collision? {
        let search = try connection.prepare("SELECT EXISTS (SELECT 1 \(changes) GROUP BY text HAVING count(*) > 1)")
        guard try isTrue(search) else { return nil }
        let first = try connection.prepare(
            "SELECT min(id), text \(changes) AND NOT \(isGoing) GROUP BY text HAVING count(*) > 1 ORDER BY 1 LIMIT 1"
        )
        try first.bind(stage, at: 1)
        return try first.first { Collision(id: $0.integer(0), newKey: $0.text(1)) }
    }

    private func isTrue(_ question: Statement, _ id: Int64? = nil) throws(SQLiteError) -> Bool {
        try question.bind(stage, at: 1)
        if let id { try question.bind(id, at: 2) }
        return try question.first { $0.integer(0) != 0 } ?? false
    }
}
