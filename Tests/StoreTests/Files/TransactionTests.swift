import Foundation
import Testing

// The rows that a transaction writes are tested without an upgrade around it.
@testable import Molt

/// What the migrator does to a store: records and their types, the ledger and the journal, errors.
@Suite struct `The store's transaction` {
    let scratch: ScratchDirectory
    let clock = Clock(1_000)

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func store(_ values: [(String, any Encodable & Sendable)] = []) throws -> StoreFile {
        let clock = clock
        let configuration = MoltConfiguration { $0.now = { clock.date } }
        let cache = try CodableCache(at: scratch.file(), configuration: configuration)
        try cache.batch { batch in
            for (key, value) in values { try batch.set(value, forKey: key) }
        }
        return StoreFile(at: scratch.file())
    }

    private func people() throws -> StoreFile {
        try store([("a", Person.john), ("b", Person.jane), ("c", City(zipCode: 1)), ("d", Person.john)])
    }

    private func keysAndTypes() throws -> [[String]] {
        try SQLite(scratch.file()).rows(
            "SELECT key, name FROM molt_record JOIN molt_type ON molt_type.id = type_id ORDER BY molt_record.id"
        )
    }

    /// The ids, keys and type names of all records, in the order of their ids.
    private func read(_ transaction: StoreTransaction) throws -> [String] {
        try transaction.typeNames().flatMap { try read(transaction, type: $0) }.sorted()
    }

    /// The ids, keys and type names of the records of all batches of a type.
    private func read(_ transaction: StoreTransaction, type: String, capacity: Int = 2) throws -> [String] {
        let batch = RecordBatch(capacity: capacity)
        var found: [String] = []
        var last: Int64 = 0
        repeat {
            try transaction.read(into: batch, types: [type], after: last, through: .max)
            for record in (0..<batch.count).map({ batch[$0] }) {
                found.append("\(record.id) \(record.key) \(record.typeName)")
                last = record.id
            }
        } while batch.count == batch.capacity
        return found
    }

    @Test func `Creation, version and ledger are committed together`() throws {
        let store = StoreFile(at: scratch.file())
        var counts = MigrationReport.Counts()
        (counts.read, counts.changed, counts.dropped, counts.created, counts.quarantined) = (1, 2, 3, 4, 5)
        var entry = LedgerEntry(
            name: "zebra",
            version: 7,
            outcome: .createdAtVersion,
            appliedAt: Date(timeIntervalSince1970: 5),
            moltVersion: "9.9"
        )
        entry.duration = 1.5
        entry.counts = counts
        entry.attachedCounts = ["b": 2, "a": 0, "ü \"": 3]
        entry.appVersion = "2.0 (é)"
        entry.fingerprint = "0123456789abcdef"
        entry.olderReleases = .read
        var other = LedgerEntry(name: "Müller's \"row\"", version: 1, appliedAt: Date(timeIntervalSince1970: 6))
        other.olderReleases = .write
        #expect(throws: TestFailure.self) {
            try store.commit { transaction throws in
                try transaction.addToLedger([entry], version: 7)
                throw TestFailure.expected
            }
        }
        #expect(try StoreFile.state(at: scratch.file()) == .fresh)
        try store.withWriteTransaction(until: nil) { transaction in
            try transaction.addToLedger([entry], version: 7)
            return false
        } waiting: {
        }
        #expect(try StoreFile.state(at: scratch.file()) == .fresh)
        try store.commit { transaction throws in
            #expect(try transaction.state() == .fresh)
            try transaction.addToLedger([entry], version: 7)
        }
        try store.commit { try $0.addToLedger([other], version: 7) }
        #expect(try store.state() == StoreState(version: 7, isFresh: false, ledger: [entry, other]))
        #expect(other.olderReleases == .write && entry.olderReleases == .read)
        #expect(try StoreFile.state(at: scratch.file()) == store.state())
        #expect(try SQLite(scratch.file()).text("PRAGMA journal_mode") == "wal")
    }

    @Test func `The journal keeps its entries in order and byte for byte, beside the version and the ledger`() throws {
        let store = StoreFile(at: scratch.file())
        let first = LedgerEntry(name: "first", version: 3, appliedAt: Date(timeIntervalSince1970: 6))
        let entries = [
            JournalEntry(store: "b", changes: [0, 255, 10, 0]), JournalEntry(store: "a", changes: []),
            JournalEntry(store: "ü", changes: Array(repeating: 7, count: 5_000)),
        ]
        try store.commit { transaction in
            try transaction.addToLedger([first], version: 3)
            try transaction.addToJournal(Array(entries[..<2]))
        }
        try store.commit { try $0.addToJournal([entries[2]]) }
        #expect(try store.state().journal == ["b", "a", "ü"])
        try store.commit { transaction in
            let journal = try transaction.journal()
            #expect(journal == entries)
            try transaction.clearJournal()
        }
        let expected = StoreState(version: 3, isFresh: false, ledger: [first])
        #expect(try store.state() == expected)
    }

    @Test func `A batch is filled with the records of its types, after one id and through another`() throws {
        let values: [(String, any Encodable & Sendable)] = (1...10).map { number in
            number % 3 == 0 ? ("\(number)", "\(number)") : ("\(number)", number)
        }
        try store(values).commit { transaction in
            let batch = RecordBatch(capacity: 4)
            func ids(_ types: String..., after: Int64 = 0, through: Int64 = .max) throws -> [Int64] {
                try transaction.read(into: batch, types: types, after: after, through: through)
                return (0..<batch.count).map { batch[$0].id }
            }
            let found = [
                try ids("Int"), try ids("Int", after: 5), try ids("Int", after: 10), try ids("String"),
                try ids("Unknown"), try ids("Unknown", "Int", "String", after: 1), try ids(),
                try ids("Int", through: 2), try ids("Int", through: 3), try ids("Int", after: 1, through: 2),
                try ids("Int", after: 2, through: 2),
            ]
            #expect(
                found == [[1, 2, 4, 5], [7, 8, 10], [], [3, 6, 9], [], [2, 3, 4, 5], [], [1, 2], [1, 2], [2], []]
            )
        }
    }

    @Test func `Counts, the names of types and the last id follow every change`() throws {
        let path = scratch.file().path
        try people().commit { transaction throws in
            func expect(_ counts: [Int], _ types: [String], _ last: Int64) throws {
                #expect(try ["Person", "City", "Robot", nil].map { try transaction.count(ofType: $0) } == counts)
                #expect(try transaction.typeNames() == types)
                #expect(try transaction.lastRecordID() == last)
            }
            try expect([3, 1, 0, 4], ["City", "Person"], 4)
            var record = try #require(try transaction.record(id: 1))
            record.key = "new"
            record.typeName = "Robot"
            try transaction.insert(record, id: 9, version: 1)
            try expect([3, 1, 1, 5], ["City", "Person", "Robot"], 9)
            #expect(try transaction.record(forKey: "new")?.decoded(as: Person.self) == .john)
            record.key = "b"
            MoltError.thrown { try transaction.insert(record, id: 10, version: 1) }?.expect(
                .keyExists,
                key: "b",
                store: path
            )
            try transaction.delete(id: 3)
            try transaction.delete(id: 99)
            try expect([3, 0, 1, 4], ["Person", "Robot"], 9)
            try transaction.renameType("Robot", to: "City")
            try transaction.renameType("City", to: "City")
            try transaction.renameType("Unknown", to: "Other")
            try expect([3, 1, 0, 4], ["City", "Person"], 9)
            let deleted = [try transaction.deleteType("Person"), try transaction.deleteType("Person")]
            #expect(deleted == [3, 0])
            try expect([0, 1, 0, 1], ["City"], 9)
        }
    }

    @Test func `A type with few records is read through the index, in the same order`() throws {
        let values: [(String, any Encodable & Sendable)] = (0..<100).map { number in
            number % 10 == 3 ? ("\(number)", City(zipCode: number)) : ("\(number)", number)
        }
        try store(values).commit { transaction throws in
            let expected = stride(from: 3, to: 100, by: 10).map { "\($0 + 1) \($0) City" }
            #expect(try read(transaction, type: "City", capacity: 3) == expected)
        }
    }

    /// The keys are those of the records that the error may name.
    @Test(
        arguments: [
            ([(1, "d")], ["a"], "d"), ([(1, "x"), (2, "x")], ["a"], "x"), ([(1, "b"), (2, "d")], ["b"], "d"),
            ([(2, "a"), (1, "c")], ["a"], "c"), ([(1, "a"), (2, "a")], ["a", "b"], "a"),
            ([(1, "x"), (2, "x"), (3, "d")], ["a"], "x"), ([(1, "d"), (2, "x"), (3, "x")], ["a"], "d"),
            ([(1, "y"), (2, "x"), (3, "x")], ["b"], "x"),
        ] as [([(Int64, String)], [String], String)]
    )
    func `A key that is taken is an error that names the first such record, and the round is undone`(
        moves: [(Int64, String)],
        keys: [String],
        newKey: String
    ) throws {
        try people().commit { transaction throws in
            let before = try read(transaction)
            try transaction.plan(.type("Robot"), for: 2)
            for (id, key) in moves { try transaction.plan(.key(key), for: id) }
            let error = MoltError.thrown {
                try transaction.applyPostponedChanges(round: 0)
            }
            error?.expect(.keyExists, says: "\"\(newKey)\"")
            #expect(keys.contains(error?.key ?? ""))
            #expect(try read(transaction) == before)
        }
    }

    @Test func `A record's own key, and a key for a record that is gone, are no conflict`() throws {
        try people().commit { transaction throws in
            try transaction.plan(.key("a"), for: 1)
            try transaction.plan(.key("b"), for: 99)
            try transaction.plan(.key("x"), for: 3)
            try transaction.plan(.key("x"), for: 98)
            try transaction.applyPostponedChanges(round: 0)
        }
        #expect(try keysAndTypes().map { $0[0] } == ["a", "b", "x", "d"])
    }

    @Test func `Of two deferred changes of a kind, the later one counts, and none is left for the next`() throws {
        let store = try people()
        try store.commit { transaction in
            for key in ["x", "y"] { try transaction.plan(.key(key), for: 1) }
            for type in ["X", "Y"] { try transaction.plan(.type(type), for: 2) }
            try transaction.applyPostponedChanges(round: 1)
            let before = try read(transaction)
            #expect(before == ["1 a Person", "2 b Person", "3 c City", "4 d Person"])
            try transaction.applyPostponedChanges(round: 0)
            try transaction.plan(.drop, for: 3)
        }
        try store.commit { try $0.applyPostponedChanges(round: 0) }
        #expect(try keysAndTypes() == [["y", "Person"], ["b", "Y"], ["c", "City"], ["d", "Person"]])
    }

    @Test func `Keys that differ only in their bytes can be rotated`() throws {
        let keys = ["", "a\0", "\u{E9}", "e\u{301}"]
        try people().commit { transaction throws in
            for (index, key) in keys.enumerated() { try transaction.plan(.key(key), for: Int64(index + 1)) }
            try transaction.applyPostponedChanges(round: 0)
            for (index, key) in (keys.dropFirst() + keys.prefix(1)).enumerated() {
                try transaction.plan(.key(key), for: Int64(index + 1), round: 1)
            }
            try transaction.applyPostponedChanges(round: 1)
        }
        let found = try SQLite(scratch.file()).rows("SELECT hex(key) FROM molt_record ORDER BY id")
        #expect(found == [["6100"], ["C3A9"], ["65CC81"], [""]])
        try expectIntegrity(of: scratch.file())
    }

    @Test func `A transaction with a failed change cannot be committed, even if the error was caught`() throws {
        let store = try people()
        try SQLite(scratch.file()).run("ALTER TABLE molt_record ADD COLUMN guard INTEGER CHECK (key <> 'z3')")
        let before = try keysAndTypes()
        var caught: [Bool] = []
        MoltError.thrown {
            try store.commit { transaction throws in
                for id in 1...4 as ClosedRange<Int64> { try transaction.plan(.key("z\(id)"), for: id) }
                caught.append((try? transaction.applyPostponedChanges(round: 0)) == nil)
                caught.append((try? transaction.delete(id: 4)) == nil)
            }
        }?.expect(.storeFailed)
        #expect(caught == [true, true])
        #expect(try keysAndTypes() == before)
    }

    @Test func `A record that is dropped or quarantined in a round neither holds a key nor takes one`() throws {
        let failure = MigrationReport.RecordFailure(
            migration: MigrationID(name: "one", version: 1),
            step: MoltError.StepPosition(number: 1, summary: "fail"),
            firstStep: 1,
            code: .stepFailed,
            reason: "Refusal"
        )
        let values = ["a", "b", "c", "d", "e"].enumerated().map { ($1, $0) }
        try store(values).commit { transaction throws in
            try transaction.plan(.quarantine(failure), for: 3)
            try transaction.plan(.drop, for: 4)
            // Each asks for a key that is taken, one of them for a key that another record gets.
            try transaction.plan(.key("b"), for: 4)
            try transaction.plan(.key("d"), for: 3)
            try transaction.plan(.key("d"), for: 1)
            try transaction.plan(.key("c"), for: 5)
            try transaction.applyPostponedChanges(round: 0)
        }
        #expect(try keysAndTypes().map { $0[0] } == ["d", "b", "c"])
        #expect(try SQLite(scratch.file()).rows("SELECT key FROM molt_quarantine") == [["c"]])
    }
}

extension StoreTransaction {
    fileprivate func plan(_ kind: PostponedChange.Kind, for id: Int64, round: Int = 0) throws {
        try postpone(PostponedChange(round: round, id: id, kind: kind))
    }
}
