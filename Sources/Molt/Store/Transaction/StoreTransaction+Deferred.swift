/// The kinds of deferred changes, as stored in the table.
enum DeferredKind {
    static let drop: Int64 = 0
    static let type: Int64 = 1
    static let key: Int64 = 2
}

extension StoreTransaction {
    /// Saves a change of a record for the end of the pass; there may be a million, so stores keep them on disk.
    ///
    /// A record's quarantine keeps its content, key, type name, expiry and version at the stage; for a block, those of
    /// the record's ``original(id:)``, if it has one.
    func deferChange(_ change: DeferredChange) throws {
        try mapped { () throws(SQLiteError) in
            switch change.kind {
            case .drop: try deferChange(change, DeferredKind.drop, "")
            case .type(let name): try deferChange(change, DeferredKind.type, name)
            case .key(let key): try deferChange(change, DeferredKind.key, key)
            case .quarantine(let failure, let typeName): try deferQuarantine(change, failure, typeName)
            }
        }
    }

    private func deferChange(_ change: DeferredChange, _ kind: Int64, _ text: String) throws(SQLiteError) {
        if !hasDeferred { try makeDeferred() }
        let statement = try statements[.deferChange]
        try statement.bind(Int64(change.stage), at: 1)
        try statement.bind(kind, at: 2)
        try statement.bind(change.id, at: 3)
        try statement.bind(text, at: 4)
        try statement.run()
    }

    private func makeDeferred() throws(SQLiteError) {
        // A temporary table has a file of its own, so memory stays flat. The primary key lets the last change of a kind
        // win and orders each stage's changes by record.
        try connection.execute("CREATE TEMP TABLE \(FileFormat.deferredTable)")
        hasDeferred = true
    }

    /// Applies the changes of a stage; throws before changing anything when a key is taken.
    ///
    /// Collisions are found first, so that the statements may use FAIL, with which SQLite keeps no originals; a
    /// statement may change every record. After any other failure a stage may be half applied: the transaction must be
    /// rolled back, and takes no more calls.
    func applyDeferredChanges(stage: Int) throws {
        if hasQuarantine, !hasDeferred { try mapped { () throws(SQLiteError) in try makeDeferred() } }
        guard hasDeferred else { return }
        let collision = try mapped { () throws(SQLiteError) -> KeyMoves.Collision? in
            let hasKeys = try statements[.hasDeferredKeys]
            try hasKeys.bind(Int64(stage), at: 1)
            let moves = try hasKeys.first { $0.integer(0) != 0 } == true ? try keyMoves(stage: stage) : nil
            if let collision = moves?.collision { return collision }
            if hasQuarantine { try quarantine(stage) }
            try run(.applyDrops, stage)
            if let moves {
                // Parks keys under values that no record can have: they are not UTF-8, and a String always is.
                if moves.isChain { try run(.parkKeys, stage) }
                try run(.moveKeys, stage)
            }
            try run(.addDeferredTypes, stage)
            try run(.applyTypes, stage)
            try run(.forgetDeferred, stage)
            return nil
        }
        guard let collision else {
            forgetCounts()
            forgetTypes()
            return
        }
        let record = try record(id: collision.id)
        let key = record?.key ?? ""
        let type = record?.typeName ?? ""
        throw keyExists(
            collision.newKey,
            of: "The record \"\(key)\" of type \(type)",
            key: key,
            type: type
        )
    }

    private func run(_ query: TransactionQuery, _ stage: Int) throws(SQLiteError) {
        let statement = try statements[query]
        try statement.bind(Int64(stage), at: 1)
        try statement.run()
    }
}
