internal import Molt

/// Reading records by id, key and type.
extension StoreBehavior {
    static var reading: [StoreBehavior] {
        [
            StoreBehavior("Records are read in the order of their ids", needs: .records) { trial in
                let rows = [1, 2, 3, 7, 12, 300].map { StoredRow($0, "\(1_000 - $0)", "T", "\($0)") }
                let store = try trial.store(rows)
                try trial.write(store) { transaction in
                    trial.expect("the records", try trial.rows(transaction), is: rows)
                    trial.expect("the records, one at a time", try trial.rows(transaction, capacity: 1), is: rows)
                }
            },
            StoreBehavior("A batch is emptied, filled up, and holds fewer only at the end", needs: .records) { trial in
                let rows = (1...10).map { StoredRow($0, "\($0)", $0 % 3 == 0 ? "A" : "B") }
                try trial.write(trial.store(rows)) { transaction in
                    let batch = RecordBatch(capacity: 4)
                    func next(_ types: String..., after: Int64) throws -> [Int64] {
                        try transaction.requiredRecords.read(into: batch, types: types, after: after, through: .max)
                        return (0..<batch.count).map { batch[$0].id }
                    }
                    trial.expect("the first batch", try next("B", after: 0), is: [1, 2, 4, 5])
                    trial.expect("the second and last", try next("B", after: 5), is: [7, 8, 10])
                    trial.expect("after the last", try next("B", after: 10), is: [])
                    trial.expect("of another type", try next("A", after: 0), is: [3, 6, 9])
                    trial.expect("of an unknown type", try next("C", after: 0), is: [])
                    let mixed = try next("C", "B", "A", after: 1)
                    trial.expect("of two types and an unknown one", mixed, is: [2, 3, 4, 5])
                    trial.expect("of no type", try next(after: 0), is: [])
                }
            },
            StoreBehavior("Reading keeps to its bounds: after one id, through another", needs: .records) { trial in
                try trial.write(trial.people()) { transaction in
                    func ids(_ after: Int64, _ through: Int64) throws -> [Int64] {
                        try trial.rows(transaction, type: "Person", after: after, through: through, capacity: 2)
                            .map(\.id)
                    }
                    trial.expect("after 1", try ids(1, .max), is: [2, 7])
                    trial.expect("through 2", try ids(0, 2), is: [1, 2])
                    trial.expect("through 6, where there is none", try ids(1, 6), is: [2])
                    trial.expect("through 7", try ids(0, 7), is: [1, 2, 7])
                    trial.expect("after 1 through 2", try ids(1, 2), is: [2])
                    trial.expect("after 2 through 2", try ids(2, 2), is: [])
                }
            },
            StoreBehavior("Many records are read whole, also of a type that has few of them", needs: .records) {
                trial in
                let rows = (1...800).map { StoredRow($0, "\($0)", $0 % 100 == 3 ? "Few" : "Many", "[\($0)]") }
                try trial.write(trial.store(rows)) { transaction in
                    let all = try trial.rows(transaction, capacity: 64)
                    trial.expect("how many there are", all.count, is: 800)
                    trial.expect("whether they are as they were written", all == rows, is: true)
                    let few = try trial.rows(transaction, type: "Few", capacity: 3).map(\.id)
                    trial.expect("those of the small type", few, is: rows.filter { $0.type == "Few" }.map(\.id))
                }
            },
            StoreBehavior("Records are counted, by type and all", needs: .records) { trial in
                try trial.write(trial.people()) { transaction in
                    func counts() throws -> [Int] {
                        try ["Person", "City", "Alien", nil].map { try transaction.requiredRecords.count(ofType: $0) }
                    }
                    trial.expect("persons, cities, unknown ones, all", try counts(), is: [3, 1, 0, 4])
                    try transaction.requiredRecords.delete(id: 1)
                    trial.expect("when one was deleted", try counts(), is: [2, 1, 0, 3])
                    try trial.insert(StoredRow(8, "x", "City"), transaction)
                    trial.expect("when one was added", try counts(), is: [2, 2, 0, 4])
                    try transaction.requiredRecords.renameType("City", to: "Alien")
                    trial.expect("when a type was renamed", try counts(), is: [2, 0, 2, 4])
                }
            },
            StoreBehavior("Type names are sorted, and are those of types with records", needs: .records) { trial in
                let rows = ["b", "Zebra", "a", "Alien", "b"].enumerated()
                    .map { StoredRow(Int64($0 + 1), "\($0)", $1) }
                try trial.write(trial.store(rows)) { transaction in
                    trial.expect(
                        "the names",
                        try transaction.requiredRecords.typeNames(),
                        is: ["Alien", "Zebra", "a", "b"]
                    )
                    try transaction.requiredRecords.delete(id: 2)
                    try transaction.requiredRecords.delete(id: 1)
                    trial.expect(
                        "when one has no record any more",
                        try transaction.requiredRecords.typeNames(),
                        is: ["Alien", "a", "b"]
                    )
                    try transaction.requiredRecords.delete(id: 5)
                    _ = try transaction.requiredRecords.deleteType("a")
                    trial.expect("when three have none", try transaction.requiredRecords.typeNames(), is: ["Alien"])
                }
            },
            StoreBehavior("The last id is the greatest one, and 0 without records", needs: .records) { trial in
                let store = try trial.store()
                try trial.write(store) { trial.expect("in a new store", try $0.requiredRecords.lastRecordID(), is: 0) }
                try trial.write(trial.people()) { transaction in
                    trial.expect("with a gap", try transaction.requiredRecords.lastRecordID(), is: 7)
                    try transaction.requiredRecords.delete(id: 2)
                    trial.expect("when another was deleted", try transaction.requiredRecords.lastRecordID(), is: 7)
                    try trial.insert(StoredRow(9, "x", "City"), transaction)
                    trial.expect("when one was added", try transaction.requiredRecords.lastRecordID(), is: 9)
                }
            },
            StoreBehavior("A record keeps its id, whatever becomes of it and of others", needs: .records) { trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    try transaction.requiredRecords.delete(id: 2)
                    try transaction.requiredRecords.renameType("City", to: "Town")
                    try transaction.requiredRecords.deferChange(DeferredChange(stage: 0, id: 1, kind: .key("z")))
                    try transaction.requiredRecords.applyDeferredChanges(stage: 0)
                    try trial.insert(StoredRow(8, "new", "Person"), transaction)
                    trial.expect("a deleted one", try transaction.requiredRecords.record(id: 2) == nil, is: true)
                }
                let expected = ["1 Person z", "3 Town c", "7 Person d", "8 Person new"]
                trial.expect("the records", try trial.rows(store).names, is: expected)
                try trial.write(store) { transaction in
                    trial.expect("by id", try transaction.requiredRecords.record(id: 8)?.key, is: "new")
                    trial.expect("by key", try transaction.requiredRecords.record(forKey: "new")?.id, is: 8)
                    trial.expect("the last id", try transaction.requiredRecords.lastRecordID(), is: 8)
                }
            },
            StoreBehavior("A record is found by its id and by its key, and others are not", needs: .records) { trial in
                try trial.write(trial.people()) { transaction in
                    for row in StoredRow.people {
                        let byID = try transaction.requiredRecords.record(id: row.id).map { StoredRow($0) }
                        trial.expect("by the id \(row.id)", byID, is: row)
                        let key = String(decoding: row.key, as: UTF8.self)
                        let byKey = try transaction.requiredRecords.record(forKey: key).map { StoredRow($0) }
                        trial.expect("by the key \(key)", byKey, is: row)
                    }
                    trial.expect("an unknown id", try transaction.requiredRecords.record(id: 5) == nil, is: true)
                    for key in ["e", "A", "", "a ", "a\0"] {
                        trial.expect(
                            "the key \"\(key)\"",
                            try transaction.requiredRecords.record(forKey: key) == nil,
                            is: true
                        )
                    }
                }
            },
            StoreBehavior("Keys are told apart by their bytes", needs: .records) { trial in
                let keys = [
                    "\u{E9}", "e\u{301}", "e", "E", "k", "\u{212A}", "a", "a ", " a", "ß", "ss", "\"", "'", "\\", "a/b",
                    "%",
                    "😀", "👩‍👩‍👧", "שלום", "line\nbreak", String(repeating: "long", count: 300),
                ]
                let rows = keys.enumerated().map { StoredRow(Int64($0 + 1), $1, "T", "\($0)") }
                let store = try trial.store(rows)
                trial.expect("the records", try trial.rows(store), is: rows)
                try trial.write(store) { transaction in
                    for (row, key) in zip(rows, keys) {
                        let found = try transaction.requiredRecords.record(forKey: key).map { StoredRow($0) }
                        trial.expect("the key \(key.debugDescription)", found, is: row)
                    }
                }
            },
        ]
    }
}
