internal import MoltCore

/// The kinds of changes as the table has them.
enum DeferredKind {
    static let drop: Int64 = 0
    static let type: Int64 = 1
    static let key: Int64 = 2
}

extension CacheTransaction {
    func deferChange(_ change: DeferredChange) throws {
        try mapped { () throws(SQLiteError) in
            if !hasDeferred { try makeDeferred() }
            let kind: Int64
            let text: String
            switch change.kind {
            case .drop: (kind, text) = (DeferredKind.drop, "")
            case .type(let name): (kind, text) = (DeferredKind.type, name)
            case .key(let key): (kind, text) = (DeferredKind.key, key)
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
        try connection.execute("CREATE TEMP TABLE \(FileFormat.deferredTable)")
        hasDeferred = true
    }

    /// Applies the changes of a stage, or throws with all as it was before when a key is taken.
    ///
    /// That is found out before anything is changed, so that SQLite need not keep what a statement has changed, which all
    /// records may be part of: with FAIL it does not. Any other failure may leave a part done: the transaction must be
    /// given up, and takes no more calls.
    func applyDeferredChanges(stage: Int) throws {
        if hasQuarantine, !hasDeferred { try mapped { () throws(SQLiteError) in try makeDeferred() } }
        guard hasDeferred else { return }
        let collision = try mapped { () throws(SQLiteError) -> KeyMoves.Collision? in
            try finishCheck()
            let hasKeys = try statements[.hasDeferredKeys]
            try hasKeys.bind(Int64(stage), at: 1)
            let moves = try hasKeys.first { $0.integer(0) != 0 } == true ? try keyMoves(stage: stage) : nil
            if let collision = moves?.collision { return collision }
            if hasQuarantine { try quarantine(stage) }
            try run(.applyDrops, stage)
            if let moves {
                // Keys first that no record can have: they are not UTF-8, and a String always is.
                if moves.isChain { try run(.parkKeys, stage) }
                try run(.moveKeys, stage)
            }
            try run(.addDeferredTypes, stage)
            try run(.applyTypes, stage)
            try run(.forgetDeferred, stage)
            return nil
        }
        guard let collision else { return forgetTypes() }
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

    private func run(_ query: TransactionQuery, _ stage: Int) throws(SQLiteError) {
        let statement = try statements[query]
        try statement.bind(Int64(stage), at: 1)
        try statement.run()
    }
}
