internal import Molt

/// Changes deferred to the end of a pass, and records as they were before it.
extension StoreBehavior {
    static var deferring: [StoreBehavior] {
        [
            StoreBehavior("A deferred change is made at its stage, and only then", needs: .records) { trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    try transaction.requiredRecords.applyDeferredChanges(stage: 0)
                    try put(1, 7, .drop, transaction)
                    try put(0, 1, .key("z"), transaction)
                    try put(0, 2, .type("Robot"), transaction)
                    try put(0, 3, .type("Person"), transaction)
                    trial.expect("the records before", try trial.rows(transaction), is: StoredRow.people)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 0)
                    let first = ["1 Person z", "2 Robot b", "3 Person c", "7 Person d"]
                    trial.expect("the records after the first stage", try trial.rows(transaction).names, is: first)
                    trial.expect("the types", try transaction.requiredRecords.typeNames(), is: ["Person", "Robot"])
                    trial.expect("the count", try transaction.requiredRecords.count(ofType: "Person"), is: 3)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 1)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 1)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 0)
                }
                trial.expect("the records", try trial.rows(store).names, is: ["1 Person z", "2 Robot b", "3 Person c"])
                let content = try trial.rows(store).first?.content
                trial.expect("the content of a moved record", content, is: StoredRow.people[0].content)
            },
            StoreBehavior("Keys are swapped, turned round, and taken over from dropped records", needs: .records) {
                trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    try put(0, 1, .key("b"), transaction)
                    try put(0, 2, .key("a"), transaction)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 0)
                    trial.expect("swapped", try trial.rows(transaction).map(\.key), is: keys("b", "a", "c", "d"))
                    try put(1, 1, .key("a"), transaction)
                    try put(1, 2, .key("c"), transaction)
                    try put(1, 3, .key("b"), transaction)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 1)
                    trial.expect("turned round", try trial.rows(transaction).map(\.key), is: keys("a", "c", "b", "d"))
                    try put(2, 7, .drop, transaction)
                    try put(2, 1, .key("d"), transaction)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 2)
                    try put(3, 1, .key("d"), transaction)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 3)
                }
                trial.expect("taken over", try trial.rows(store).names, is: ["1 Person d", "2 Person c", "3 City b"])
                try trial.write(store) { trial.expect("by key", try $0.requiredRecords.record(forKey: "d")?.id, is: 1) }
            },
            StoreBehavior("A deferred key that is taken is refused, and its stage changes nothing", needs: .records) {
                trial in
                for moves in [[(1, "d")], [(1, "x"), (2, "x")], [(1, "b"), (2, "d")]] as [[(Int64, String)]] {
                    let store = try trial.people()
                    try trial.writeAndUndo(store) { transaction in
                        try put(0, 3, .type("Town"), transaction)
                        for (id, key) in moves { try put(0, id, .key(key), transaction) }
                        let error = trial.expectError("the keys \(moves)", .keyExists) {
                            try transaction.requiredRecords.applyDeferredChanges(stage: 0)
                        }
                        if let error, !moves.contains(where: { error.message.contains("\"\($0.1)\"") }) {
                            trial.report("the message does not name the key: \(error.message)")
                        }
                        trial.expect("the records", try trial.rows(transaction), is: StoredRow.people)
                    }
                }
            },
            StoreBehavior("Of two deferred changes of a kind, the later one counts", needs: .records) { trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    try put(0, 1, .key("x"), transaction)
                    try put(0, 1, .key("y"), transaction)
                    try put(0, 2, .type("X"), transaction)
                    try put(0, 2, .type("Y"), transaction)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 0)
                }
                trial.expect("the records", Array(try trial.rows(store).names.prefix(2)), is: ["1 Person y", "2 Y b"])
            },
            StoreBehavior(
                "A record goes into quarantine before its stage, or the store says that it has none",
                needs: .records
            ) { trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    do {
                        try put(1, 2, .quarantine(Self.failure), transaction)
                    } catch let error as MoltError where error.code == .unsupported {
                        trial.expect("the records", try trial.rows(transaction), is: StoredRow.people)
                        return
                    }
                    try put(0, 2, .key("z"), transaction)
                    try put(1, 1, .key("z"), transaction)
                    trial.expect("the records before", try trial.rows(transaction), is: StoredRow.people)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 0)
                    let before = ["1 Person a", "2 Person z", "3 City c", "7 Person d"]
                    trial.expect("the records before its stage", try trial.rows(transaction).names, is: before)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 1)
                    let after = ["1 Person z", "3 City c", "7 Person d"]
                    trial.expect("the records after its stage", try trial.rows(transaction).names, is: after)
                    trial.expect("the count", try transaction.requiredRecords.count(ofType: "Person"), is: 2)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 1)
                }
            },
            StoreBehavior("Nothing that was deferred is left for the next transaction", needs: .records) { trial in
                let store = try trial.people()
                try trial.write(store) { try put(0, 1, .drop, $0) }
                try trial.writeAndUndo(store) { try put(0, 2, .drop, $0) }
                try trial.write(store) { transaction in
                    try put(0, 7, .drop, transaction)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 0)
                }
                trial.expect("the records", try trial.rows(store), is: StoredRow.people.without(7))
            },
        ]
    }

    static var originals: [StoreBehavior] {
        [
            StoreBehavior("An original is the record as it was when it was first kept", needs: .records) { trial in
                try trial.write(trial.people()) { transaction in
                    func original(_ id: Int64) throws -> StoredRow? {
                        try transaction.requiredRecords.original(id: id).map { StoredRow($0) }
                    }
                    trial.expect("one that was not kept", try original(1), is: nil)
                    try transaction.requiredRecords.keepOriginal(id: 3)
                    try transaction.requiredRecords.keepOriginals(ofType: "Person")
                    try write("[]", 1, transaction)
                    try transaction.requiredRecords.write(expiration: nil, id: 2)
                    try put(0, 7, .key("z"), transaction)
                    try transaction.requiredRecords.applyDeferredChanges(stage: 0)
                    try transaction.requiredRecords.renameType("Person", to: "Human")
                    try transaction.requiredRecords.delete(id: 3)
                    try transaction.requiredRecords.keepOriginals(ofType: "Human")
                    try transaction.requiredRecords.keepOriginal(id: 1)
                    try transaction.requiredRecords.keepOriginal(id: 99)
                    for row in StoredRow.people { trial.expect("of \(row.id)", try original(row.id), is: row) }
                    try trial.insert(StoredRow(8, "new", "Human"), transaction)
                    trial.expect("of a new record", try original(8), is: nil)
                    try transaction.requiredRecords.forgetOriginals()
                    trial.expect("one that was forgotten", try original(1), is: nil)
                    try transaction.requiredRecords.keepOriginal(id: 1)
                    trial.expect("one that was kept again", try original(1)?.type, is: "Human")
                }
            },
            StoreBehavior("No original is left for the next transaction", needs: .records) { trial in
                let store = try trial.people()
                try trial.write(store) { try $0.requiredRecords.keepOriginal(id: 1) }
                try trial.writeAndUndo(store) { try $0.requiredRecords.keepOriginals(ofType: "City") }
                try trial.write(store) { transaction in
                    for id in [1, 3] as [Int64] {
                        trial.expect("of \(id)", try transaction.requiredRecords.original(id: id) == nil, is: true)
                    }
                }
            },
        ]
    }

    /// The reason for a quarantine.
    static var failure: RecordFailure {
        RecordFailure(
            migration: MigrationID(name: "conformance", version: 1),
            step: MoltError.StepPosition(number: 1, summary: "fail"),
            firstStep: 1,
            code: .stepFailed,
            reason: "For a trial."
        )
    }

    static func put(
        _ stage: Int,
        _ id: Int64,
        _ kind: DeferredChange.Kind,
        _ transaction: any MigrationTransaction
    ) throws {
        try transaction.requiredRecords.deferChange(DeferredChange(stage: stage, id: id, kind: kind))
    }

    private static func keys(_ keys: String...) -> [[UInt8]] {
        keys.map { Array($0.utf8) }
    }
}
