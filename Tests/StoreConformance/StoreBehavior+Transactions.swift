internal import Dispatch
internal import Foundation
internal import Molt

/// Atomicity, order and visibility of transactions.
extension StoreBehavior {
    static var transactions: [StoreBehavior] {
        [
            StoreBehavior("What the closure throws comes out, and nothing of the transaction is kept") { trial in
                let store = try trial.store()
                try trial.writeAndUndo(store, change)
                trial.expect("the state of a new store", try store.state(), is: .fresh)
                try trial.write(store) { try $0.record([entries[0]], version: 2) }
                try trial.settle(store)
                let before = try store.state()
                try trial.writeAndUndo(store, change)
                trial.expect("the state", try store.state(), is: before)
                try trial.write(store) { transaction in
                    let state = try transaction.state()
                    trial.expect("the version in the next transaction", state.version, is: before.version)
                    trial.expect("the ledger there", state.ledger.map(\.name), is: before.ledger.map(\.name))
                    trial.expect("the journal there", try transaction.journal(), is: [])
                }
            },
            StoreBehavior("A transaction that was undone has changed no record", needs: .records) { trial in
                let store = try trial.people()
                try trial.writeAndUndo(store) { transaction in
                    try transaction.requiredRecords.delete(id: 1)
                    try transaction.requiredRecords.renameType("Person", to: "Human")
                    _ = try transaction.requiredRecords.deleteType("City")
                    try transaction.requiredRecords.write(expiration: nil, id: 2)
                    try write("{}", 2, transaction)
                    try trial.insert(StoredRow(8, "new", "New"), transaction)
                    try transaction.requiredRecords.deferChange(DeferredChange(stage: 0, id: 7, kind: .key("other")))
                    try transaction.requiredRecords.applyDeferredChanges(stage: 0)
                }
                trial.expect("the records", try trial.rows(store), is: StoredRow.people)
                try trial.write(store) { transaction in
                    trial.expect("the count", try transaction.requiredRecords.count(ofType: nil), is: 4)
                    trial.expect("the types", try transaction.requiredRecords.typeNames(), is: ["City", "Person"])
                }
            },
            StoreBehavior("A transaction is refused after its end") { trial in
                let store = try trial.store()
                var escaped: [any MigrationTransaction] = []
                try trial.write(store) { escaped.append($0) }
                try trial.writeAndUndo(store) { escaped.append($0) }
                for transaction in escaped {
                    trial.expectError("state", .contextExpired) { _ = try transaction.state() }
                    trial.expectError("record", .contextExpired) { try transaction.record([], version: 1) }
                    trial.expectError("journal", .contextExpired) { _ = try transaction.journal() }
                    trial.expectError("clearJournal", .contextExpired) { try transaction.clearJournal() }
                    trial.expectError("addToJournal", .contextExpired) {
                        try transaction.addToJournal([JournalEntry(store: "conformance.a", changes: [])])
                    }
                }
                trial.expect("the version", try store.state().version, is: 0)
            },
            StoreBehavior("Records are refused after the transaction's end", needs: .records) { trial in
                let store = try trial.people()
                var escaped: (any MigrationTransaction)?
                try trial.write(store) { escaped = $0 }
                guard let transaction = escaped else { return trial.report("the closure was not called") }
                let calls: [(String, () throws -> Void)] = [
                    ("typeNames", { _ = try transaction.requiredRecords.typeNames() }),
                    ("count", { _ = try transaction.requiredRecords.count(ofType: nil) }),
                    ("read", { _ = try trial.rows(transaction, type: "Person") }),
                    ("record(id:)", { _ = try transaction.requiredRecords.record(id: 1) }),
                    ("record(forKey:)", { _ = try transaction.requiredRecords.record(forKey: "a") }),
                    ("write", { try write("{}", 1, transaction) }),
                    ("insert", { try trial.insert(StoredRow(9, "new", "New"), transaction) }),
                    ("delete", { try transaction.requiredRecords.delete(id: 1) }),
                    ("renameType", { try transaction.requiredRecords.renameType("Person", to: "Human") }),
                    ("deleteType", { _ = try transaction.requiredRecords.deleteType("Person") }),
                    (
                        "deferChange",
                        { try transaction.requiredRecords.deferChange(DeferredChange(stage: 0, id: 1, kind: .drop)) }
                    ),
                    ("keepOriginal", { try transaction.requiredRecords.keepOriginal(id: 1) }),
                ]
                for (name, call) in calls { trial.expectError(name, .contextExpired, call) }
                trial.expect("the records", try trial.rows(store), is: StoredRow.people)
            },
            StoreBehavior("A transaction that changes nothing leaves all as it was") { trial in
                let store = try trial.store()
                try trial.write(store) { try $0.record([entries[0]], version: 2) }
                try trial.settle(store)
                let before = try store.state()
                try trial.write(store) { _ in }
                trial.expect("the state", try store.state(), is: before)
            },
        ]
    }

    static var sharing: [StoreBehavior] {
        [
            StoreBehavior("Another opening of the store sees what was committed", needs: .reopening) { trial in
                let store = try trial.store()
                trial.expect("a new store", try trial.reopened(store).state(), is: .fresh)
                try trial.write(store, change)
                let state = try store.state()
                trial.expect("the state", try trial.reopened(store).state(), is: state)
                trial.expect("the version", state.version, is: 8)
                try trial.settle(trial.reopened(store))
                trial.expect("the journal when another has done it", try store.state().journal, is: [])
            },
            StoreBehavior("Another opening of the store sees its records", needs: .records, .reopening) { trial in
                let store = try trial.people()
                trial.expect("the records", try trial.rows(trial.reopened(store)), is: StoredRow.people)
                try trial.write(trial.reopened(store)) { try $0.requiredRecords.delete(id: 1) }
                trial.expect("what another has deleted", try trial.rows(store), is: StoredRow.people.without(1))
            },
            StoreBehavior("Until the commit others see the old store, and do not wait for it", needs: .reopening) {
                trial in
                let store = try trial.store()
                try trial.write(store) { try $0.record([entries[0]], version: 2) }
                try trial.settle(store)
                let other = try trial.reopened(store)
                let before = try store.state()
                try trial.write(store) { transaction in
                    try change(transaction)
                    trial.expect("the state meanwhile", try other.state(), is: before)
                }
                trial.expect("the version afterwards", try other.state().version, is: 8)
            },
            StoreBehavior("While another holds the store, `waiting` is called, and can give up", needs: .reopening) {
                trial in
                let store = try trial.store()
                try trial.write(store) { try $0.record([], version: 1) }
                try trial.settle(store)
                let other = try trial.reopened(store)
                try trial.write(store) { _ in
                    var waits = 0
                    do {
                        try other.withWriteTransaction(until: nil) { _ in
                            trial.report("the closure was called though another holds the store")
                        } waiting: {
                            waits += 1
                            if waits == 3 { throw Stop(number: 3) }
                        }
                        trial.report("nothing was thrown")
                    } catch let stop as Stop {
                        trial.expect("what was thrown", stop, is: Stop(number: 3))
                    }
                    trial.expect("how often `waiting` was called", waits, is: 3)
                }
                try trial.write(other) { try $0.record([], version: 2) }
                trial.expect("the version that the other wrote later", try store.state().version, is: 2)
            },
            StoreBehavior("When the other lets go, the store goes on with what that has written", needs: .reopening) {
                trial in
                let store = try trial.store()
                try trial.write(store) { try $0.record([], version: 1) }
                try trial.settle(store)
                // Used only on the other thread until it is done.
                nonisolated(unsafe) let other = try trial.reopened(store)
                let isHeld = DispatchSemaphore(value: 0)
                let letGo = DispatchSemaphore(value: 0)
                let isDone = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    // A failure would show in the version that is checked below.
                    try? other.withWriteTransaction(until: nil) { transaction in
                        try transaction.record([], version: 5)
                        isHeld.signal()
                        _ = letGo.wait(timeout: .now() + 10)
                    } waiting: {
                    }
                    isDone.signal()
                }
                guard isHeld.wait(timeout: .now() + 10) == .success else {
                    return trial.report("it never got the store")
                }
                var waits = 0
                var version: Int?
                defer {
                    letGo.signal()
                    _ = isDone.wait(timeout: .now() + 20)
                }
                try store.withWriteTransaction(until: nil) { transaction in
                    version = try transaction.state().version
                } waiting: {
                    waits += 1
                    if waits == 1 { letGo.signal() }
                    if waits > 1_000_000 { throw Stop() }
                }
                if waits == 0 { trial.report("`waiting` was not called") }
                trial.expect("the version in the transaction", version, is: 5)
            },
        ]
    }

    private typealias Stop = StoreTrial.Stop

    /// Makes one change of each kind that every store supports.
    private static func change(_ transaction: any MigrationTransaction) throws {
        try transaction.record([entry("undone", .ran)], version: 8)
        try transaction.addToJournal([JournalEntry(store: "conformance.undone", changes: [1])])
    }

    static func write(
        _ content: String,
        _ id: Int64,
        _ transaction: any MigrationTransaction,
        isData: Bool = false
    ) throws {
        let bytes = Array(content.utf8)
        let row = RecordContents.Row(id: id, version: 1, isData: isData, buffer: 0, range: bytes.indices)
        try transaction.requiredRecords.write(RecordContents(rows: [row], buffers: [bytes]))
    }
}
