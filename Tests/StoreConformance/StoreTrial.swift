internal import Molt

/// Tests one behavior of a store, and collects its violations.
final class StoreTrial {
    private let make: () throws -> any MigrationStore
    private let reopen: ((any MigrationStore) throws -> any MigrationStore)?
    /// The violations, one per line.
    private(set) var findings: [String] = []

    /// Thrown by closures to roll a transaction back.
    struct Stop: Error, Equatable {
        var number = 1
    }

    /// The lock of a store is held although nothing else uses the store.
    struct Held: Error {}

    init(
        make: @escaping () throws -> any MigrationStore,
        reopen: ((any MigrationStore) throws -> any MigrationStore)?
    ) {
        self.make = make
        self.reopen = reopen
    }

    // MARK: Stores

    func store() throws -> any MigrationStore {
        try make()
    }

    func store(_ rows: [StoredRow]) throws -> any MigrationStore {
        let store = try store()
        try write(store) { transaction in
            for row in rows { try self.insert(row, transaction) }
        }
        return store
    }

    /// Makes a new store with four records of two types, with a gap in their ids.
    func people() throws -> any MigrationStore {
        try store(StoredRow.people)
    }

    /// Makes a second object for the data of a store.
    func reopened(_ store: any MigrationStore) throws -> any MigrationStore {
        guard let reopen else { throw ConformanceFailure(message: "The store cannot be opened again.") }
        return try reopen(store)
    }

    /// Runs one transaction, which must not have to wait for a lock.
    func write(_ store: any MigrationStore, _ body: (any MigrationTransaction) throws -> Void) throws {
        try store.withWriteTransaction(until: nil, body) { throw Held() }
    }

    /// Runs one transaction, and rolls it back.
    func writeAndUndo(_ store: any MigrationStore, _ body: (any MigrationTransaction) throws -> Void) throws {
        do {
            try write(store) { transaction in
                try body(transaction)
                throw Stop()
            }
            report("what the closure threw did not come out")
        } catch is Stop {}
    }

    /// Applies the changes in the journal, as a migrator would; a store may have added some itself.
    func settle(_ store: any MigrationStore) throws {
        try write(store) { transaction in
            let journal = try transaction.journal()
            for phase in AttachedPhase.allCases {
                for entry in journal {
                    for attached in store.attachments where attached.attachedName == entry.store {
                        try attached.apply(entry.changes, phase)
                    }
                }
            }
            try transaction.clearJournal()
        }
    }

    // MARK: Records

    func insert(_ row: StoredRow, _ transaction: any MigrationTransaction, version: Int = 0) throws {
        try transaction.requiredRecords.insert(row.record, id: row.id, version: version)
    }

    /// Reads all records in batches, type by type, and returns them in the order of their ids.
    func rows(_ transaction: any MigrationTransaction, capacity: Int = 100) throws -> [StoredRow] {
        try transaction.requiredRecords.typeNames()
            .flatMap { try rows(transaction, type: $0, capacity: capacity) }
            .sorted { $0.id < $1.id }
    }

    /// Reads all or some records of a type in batches.
    func rows(
        _ transaction: any MigrationTransaction,
        type: String,
        after: Int64 = 0,
        through: Int64 = .max,
        capacity: Int = 100
    ) throws -> [StoredRow] {
        let batch = RecordBatch(capacity: capacity)
        var rows: [StoredRow] = []
        var last = after
        repeat {
            try transaction.requiredRecords.read(into: batch, types: [type], after: last, through: through)
            for index in 0..<batch.count {
                rows.append(StoredRow(batch[index]))
                last = max(last, batch[index].id)
            }
            // Ends the loop for a store that returns the same records repeatedly.
        } while batch.count > 0 && rows.count < 100_000
        return rows
    }

    func rows(_ store: any MigrationStore) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try write(store) { rows = try self.rows($0) }
        return rows
    }

    // MARK: Findings

    func report(_ finding: String) {
        findings.append(finding)
    }

    /// Checks that a value is as expected.
    func expect<Value: Equatable>(_ what: String, _ found: @autoclosure () throws -> Value, is expected: Value) {
        do {
            let found = try found()
            if found != expected { report("\(what): expected \(text(expected)), found \(text(found))") }
        } catch {
            report("\(what): expected \(text(expected)), but it threw: \(error)")
        }
    }

    /// Checks that a closure fails with a code.
    @discardableResult
    func expectError(_ what: String, _ code: MoltError.Code, _ body: () throws -> Void) -> MoltError? {
        do {
            try body()
            report("\(what): expected an error with the code \(code), but nothing was thrown")
        } catch let error as MoltError where error.code == code {
            return error
        } catch {
            report("\(what): expected an error with the code \(code), but it threw: \(error)")
        }
        return nil
    }

    private func text(_ value: some Any) -> String {
        let text = String(describing: value)
        return text.count > 600 ? "\(text.prefix(600))…" : text
    }
}
