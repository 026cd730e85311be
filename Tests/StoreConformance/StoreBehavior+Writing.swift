internal import Foundation
internal import Molt

/// Changing, adding and deleting records, and their types.
extension StoreBehavior {
    static var writing: [StoreBehavior] {
        [
            StoreBehavior("Content is kept byte for byte, as text or as data", needs: .records) { trial in
                let texts = [
                    "{}", " { \"b\" : 1.0e+2 ,\n\"a\":18446744073709551616, \"a\":-0.10 } ",
                    #"{"a":"\u0041\/\u00e9é\n"}"#,
                    "[1,2]", "null", "true", "\"text\"", "0", #"{"big":"\#(String(repeating: "x", count: 70_000))"}"#,
                ]
                var rows = texts.enumerated().map { StoredRow(Int64($0 + 1), "\($0)", "T", $1) }
                for bytes in [[], [0], [0xFF, 0, 0xFE], Array("{}".utf8), [UInt8](repeating: 9, count: 100_000)] {
                    var row = StoredRow(Int64(rows.count + 1), "\(rows.count)", "T")
                    row.content = bytes
                    row.isData = true
                    rows.append(row)
                }
                trial.expect("the records", try trial.rows(trial.store(rows)), is: rows)
            },
            StoreBehavior("Writing changes the content of one record, and nothing else", needs: .records) { trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    try write(" {\"x\" :1}", 2, transaction)
                    try write("raw", 3, transaction, isData: true)
                    try write("", 7, transaction, isData: true)
                }
                var expected = StoredRow.people.changing(2) { $0.content = Array(" {\"x\" :1}".utf8) }
                    .changing(3) { ($0.content, $0.isData) = (Array("raw".utf8), true) }
                    .changing(7) { ($0.content, $0.isData) = ([], true) }
                trial.expect("the records", try trial.rows(store), is: expected)
                try trial.write(store) { try write("[]", 3, $0) }
                expected = expected.changing(3) { ($0.content, $0.isData) = (Array("[]".utf8), false) }
                trial.expect("data that became text", try trial.rows(store), is: expected)
            },
            StoreBehavior("Many contents are written at once as one at a time", needs: .records) { trial in
                let rows = (1...40).map { StoredRow($0 * ($0 > 30 ? 100 : 1), "\($0)", "T", "\"old\"") }
                let store = try trial.store(rows)
                let changed = rows.filter { $0.id % 3 != 0 }
                var contents = RecordContents(rows: [], buffers: [Array("xx".utf8), []])
                for row in changed {
                    let bytes = Array("[\(row.id)]".utf8)
                    let buffer = Int(row.id % 2)
                    let start = contents.buffers[buffer].count
                    contents.buffers[buffer] += bytes
                    let range = start..<(start + bytes.count)
                    contents.rows.append(
                        .init(id: row.id, version: 2, isData: row.id == 7, buffer: buffer, range: range)
                    )
                }
                try trial.write(store) { transaction in
                    try transaction.requiredRecords.write(contents)
                    try transaction.requiredRecords.write(RecordContents(rows: [], buffers: []))
                    try transaction.requiredRecords.write(
                        RecordContents(rows: Array(contents.rows.prefix(2)), buffers: contents.buffers)
                    )
                }
                let expected = rows.map { row in
                    guard row.id % 3 != 0 else { return row }
                    var row = row
                    row.content = Array("[\(row.id)]".utf8)
                    row.isData = row.id == 7
                    return row
                }
                trial.expect("the records", try trial.rows(store), is: expected)
            },
            StoreBehavior("An expiry is set, changed and taken away", needs: .records) { trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    try transaction.requiredRecords.write(expiration: 12.5, id: 1)
                    try transaction.requiredRecords.write(expiration: nil, id: 2)
                    try transaction.requiredRecords.write(expiration: 0, id: 3)
                    try transaction.requiredRecords.write(expiration: nil, id: 7)
                }
                let expected = StoredRow.people.changing(1) { $0.expiration = 12.5 }
                    .changing(2) { $0.expiration = nil }.changing(3) { $0.expiration = 0 }
                trial.expect("the records", try trial.rows(store), is: expected)
            },
            StoreBehavior("A record is added with all that it has", needs: .records) { trial in
                let store = try trial.people()
                var data = StoredRow(9, "raw", "Photo", expiration: 77)
                (data.content, data.isData) = ([1, 0, 2], true)
                let added = [StoredRow(8, "new", "Robot", " [1 ]", expiration: 5.5), data]
                try trial.write(store) { transaction in
                    for row in added { try trial.insert(row, transaction, version: 3) }
                    trial.expect(
                        "the types",
                        try transaction.requiredRecords.typeNames(),
                        is: ["City", "Person", "Photo", "Robot"]
                    )
                }
                trial.expect("the records", try trial.rows(store), is: StoredRow.people + added)
            },
            StoreBehavior("A key that another record has is refused, and nothing changes", needs: .records) { trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    let error = trial.expectError("inserting it", .keyExists) {
                        try trial.insert(StoredRow(8, "c", "New", "[]"), transaction)
                    }
                    if error != nil { trial.expect("the key of the error", error?.key, is: "c") }
                    trial.expect("the records then", try trial.rows(transaction), is: StoredRow.people)
                    // A refused change does not make the transaction fail.
                    try trial.insert(StoredRow(8, "e", "City"), transaction)
                    try transaction.requiredRecords.delete(id: 3)
                    try trial.insert(StoredRow(9, "c", "City"), transaction)
                }
                let expected = StoredRow.people.without(3) + [StoredRow(8, "e", "City"), StoredRow(9, "c", "City")]
                trial.expect("the records", try trial.rows(store), is: expected)
            },
            StoreBehavior("A deleted record is gone, and deleting none does nothing", needs: .records) { trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    try transaction.requiredRecords.delete(id: 2)
                    try transaction.requiredRecords.delete(id: 2)
                    try transaction.requiredRecords.delete(id: 99)
                    trial.expect("by id", try transaction.requiredRecords.record(id: 2) == nil, is: true)
                    trial.expect("by key", try transaction.requiredRecords.record(forKey: "b") == nil, is: true)
                }
                trial.expect("the records", try trial.rows(store), is: StoredRow.people.without(2))
            },
        ]
    }

    static var types: [StoreBehavior] {
        [
            StoreBehavior("A type is renamed for all its records", needs: .records) { trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    _ = try trial.rows(transaction)
                    try transaction.requiredRecords.renameType("Person", to: "Human")
                    let found = try trial.rows(transaction, type: "Human").map(\.id)
                    trial.expect("those of the new name", found, is: [1, 2, 7])
                    trial.expect("those of the old name", try trial.rows(transaction, type: "Person"), is: [])
                    trial.expect("the types", try transaction.requiredRecords.typeNames(), is: ["City", "Human"])
                    // The old name is free for others.
                    try trial.insert(StoredRow(8, "x", "Person"), transaction)
                }
                let expected = StoredRow.people.map { row in
                    var row = row
                    row.type = row.type == "Person" ? "Human" : row.type
                    return row
                }
                trial.expect("the records", try trial.rows(store), is: expected + [StoredRow(8, "x", "Person")])
            },
            StoreBehavior("A type that is renamed onto another is merged with it", needs: .records) { trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    _ = try trial.rows(transaction)
                    try transaction.requiredRecords.renameType("City", to: "Person")
                    trial.expect("the types", try transaction.requiredRecords.typeNames(), is: ["Person"])
                    trial.expect("the count", try transaction.requiredRecords.count(ofType: "Person"), is: 4)
                }
                trial.expect(
                    "the records",
                    try trial.rows(store),
                    is: StoredRow.people.changing(3) { $0.type = "Person" }
                )
            },
            StoreBehavior("Renaming a type that is not there, or to its own name, does nothing", needs: .records) {
                trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    try transaction.requiredRecords.renameType("Alien", to: "Person")
                    try transaction.requiredRecords.renameType("Alien", to: "Robot")
                    try transaction.requiredRecords.renameType("City", to: "City")
                    trial.expect("the types", try transaction.requiredRecords.typeNames(), is: ["City", "Person"])
                }
                trial.expect("the records", try trial.rows(store), is: StoredRow.people)
            },
            StoreBehavior("Deleting a type deletes its records, and says how many there were", needs: .records) {
                trial in
                let store = try trial.people()
                try trial.write(store) { transaction in
                    trial.expect("how many", try transaction.requiredRecords.deleteType("Person"), is: 3)
                    trial.expect(
                        "how many the second time",
                        try transaction.requiredRecords.deleteType("Person"),
                        is: 0
                    )
                    trial.expect(
                        "how many of an unknown type",
                        try transaction.requiredRecords.deleteType("Alien"),
                        is: 0
                    )
                    trial.expect("the types", try transaction.requiredRecords.typeNames(), is: ["City"])
                }
                trial.expect("the records", try trial.rows(store), is: StoredRow.people.without(1, 2, 7))
            },
        ]
    }
}
