internal import Foundation
internal import Molt

/// The schema version, the ledger and the journal.
extension StoreBehavior {
    static var ledger: [StoreBehavior] {
        [
            StoreBehavior("A new store is fresh: it has no version, no ledger and no journal") { trial in
                let store = try trial.store()
                trial.expect("the state", try store.state(), is: .fresh)
                trial.expect("the state when it is asked for again", try store.state(), is: .fresh)
                try trial.write(store) { transaction in
                    trial.expect("the state in the first transaction", try transaction.state(), is: .fresh)
                }
            },
            StoreBehavior("A store that something was recorded in is not fresh") { trial in
                let store = try trial.store()
                try trial.write(store) { try $0.record([], version: 0) }
                trial.expect("whether it is fresh", try store.state().isFresh, is: false)
                try trial.write(store) { transaction in
                    trial.expect("whether it is in the next transaction", try transaction.state().isFresh, is: false)
                }
            },
            StoreBehavior("Ledger rows come back with all their fields, in their order") { trial in
                let store = try trial.store()
                try trial.write(store) { transaction in
                    try transaction.record(Array(entries[..<2]), version: 3)
                    try transaction.record(Array(entries[2...]), version: 4)
                    compare(entries, try transaction.state().ledger, "in the transaction, ", trial)
                }
                compare(entries, try store.state().ledger, "", trial)
                try trial.settle(store)
                compare(entries, try store.state().ledger, "when the journal is done, ", trial)
            },
            StoreBehavior("Ledger rows of a later transaction are added to those that are there") { trial in
                let store = try trial.store()
                for entry in entries { try trial.write(store) { try $0.record([entry], version: entry.version) } }
                trial.expect("the names", try store.state().ledger.map(\.name), is: entries.map(\.name))
            },
            StoreBehavior("The version is the one that was recorded last, with ledger rows or without") { trial in
                let store = try trial.store()
                try trial.write(store) { try $0.record([entries[0]], version: 5) }
                trial.expect("the version", try store.state().version, is: 5)
                try trial.write(store) { transaction in
                    try transaction.record([], version: 9)
                    trial.expect("the version in the transaction", try transaction.state().version, is: 9)
                }
                trial.expect("the later version", try store.state().version, is: 9)
                trial.expect("the ledger", try store.state().ledger.map(\.name), is: [entries[0].name])
            },
            StoreBehavior("The ledger row of a deferred migration is replaced, and no other") { trial in
                let store = try trial.store()
                let deferred = entry("late", .deferred)
                try trial.write(store) { try $0.record([deferred, entry("other", .ran)], version: 1) }
                try trial.write(store) { try $0.record([entry("late", .ran)], version: 1) }
                let found = try store.state().ledger.sorted { $0.name < $1.name }
                trial.expect("the names", found.map(\.name), is: ["late", "other"])
                trial.expect("the outcomes", found.map(\.outcome), is: [.ran, .ran])
            },
        ]
    }

    static var journal: [StoreBehavior] {
        [
            StoreBehavior("The journal keeps what is added to it, in its order") { trial in
                let store = try trial.store()
                let added = [
                    JournalEntry(store: "conformance.b", changes: [0, 255, 10, 0]),
                    JournalEntry(store: "conformance.a", changes: []),
                    JournalEntry(store: "conformance.ü", changes: Array(repeating: 7, count: 5_000)),
                ]
                try trial.write(store) { transaction in
                    try transaction.addToJournal(Array(added[..<2]))
                    trial.expect("the journal", try foreign(transaction.journal(), store), is: Array(added[..<2]))
                    try transaction.addToJournal([])
                }
                try trial.write(store) { try $0.addToJournal([added[2]]) }
                try trial.write(store) { transaction in
                    trial.expect("the journal later", try foreign(transaction.journal(), store), is: added)
                    let names = try transaction.state().journal.filter { $0.hasPrefix("conformance.") }
                    trial.expect("the names in the transaction's state", names, is: added.map(\.store))
                }
                let names = try store.state().journal.filter { $0.hasPrefix("conformance.") }
                trial.expect("the names in the state", names, is: added.map(\.store))
            },
            StoreBehavior("The journal changes neither version nor ledger") { trial in
                let store = try trial.store()
                try trial.write(store) { try $0.record([entries[0]], version: 3) }
                try trial.write(store) { try $0.addToJournal([JournalEntry(store: "conformance.a", changes: [1])]) }
                trial.expect("the version", try store.state().version, is: 3)
                trial.expect("the ledger", try store.state().ledger.map(\.name), is: [entries[0].name])
            },
            StoreBehavior("A journal that was cleared is empty, and the ledger stays") { trial in
                let store = try trial.store()
                try trial.write(store) { transaction in
                    try transaction.record([entries[0]], version: 3)
                    try transaction.addToJournal([JournalEntry(store: "conformance.a", changes: [1])])
                }
                try trial.settle(store)
                trial.expect("the names in the state", try store.state().journal, is: [])
                try trial.write(store) { trial.expect("the journal", try $0.journal(), is: []) }
                trial.expect("the version", try store.state().version, is: 3)
                trial.expect("the ledger", try store.state().ledger.map(\.name), is: [entries[0].name])
            },
        ]
    }

    // MARK: Helpers

    /// Makes a ledger row of a migration to version 1.
    static func entry(_ name: String, _ outcome: LedgerEntry.Outcome) -> LedgerEntry {
        LedgerEntry(name: name, version: 1, outcome: outcome, appliedAt: Date(timeIntervalSince1970: 1_000))
    }

    /// Ledger rows with all fields.
    static var entries: [LedgerEntry] {
        var counts = RecordCounts()
        counts.read = 1
        counts.changed = 2
        counts.dropped = 3
        counts.created = 4
        counts.quarantined = 5
        let full = LedgerEntry(
            name: "zebra",
            version: 1,
            outcome: .ran,
            appliedAt: Date(timeIntervalSince1970: 1_700_000_000),
            duration: 1.5,
            counts: counts,
            attachedCounts: ["b": 2, "a": 0, "ü \"": 3],
            appVersion: "2.0 (é)",
            moltVersion: "9.9",
            fingerprint: "0123456789abcdef",
            isReadableByOlderReleases: true
        )
        return [full, entry("alien", .bornFresh), entry("Müller's \"row\"", .replaced), entry("last", .deferred)]
    }

    /// Compares ledgers field by field, so that each finding names its field.
    private static func compare(
        _ expected: [LedgerEntry],
        _ found: [LedgerEntry],
        _ place: String,
        _ trial: StoreTrial
    ) {
        trial.expect("\(place)the names", found.map(\.name), is: expected.map(\.name))
        for (found, expected) in zip(found, expected) where found.name == expected.name {
            let what = "\(place)of \(expected.name), "
            trial.expect("\(what)version", found.version, is: expected.version)
            trial.expect("\(what)outcome", found.outcome, is: expected.outcome)
            trial.expect("\(what)appliedAt", found.appliedAt, is: expected.appliedAt)
            trial.expect("\(what)duration", found.duration, is: expected.duration)
            trial.expect("\(what)counts", found.counts, is: expected.counts)
            trial.expect("\(what)attachedCounts", found.attachedCounts, is: expected.attachedCounts)
            trial.expect("\(what)appVersion", found.appVersion, is: expected.appVersion)
            trial.expect("\(what)moltVersion", found.moltVersion, is: expected.moltVersion)
            trial.expect("\(what)fingerprint", found.fingerprint, is: expected.fingerprint)
            trial.expect(
                "\(what)isReadableByOlderReleases",
                found.isReadableByOlderReleases,
                is: expected.isReadableByOlderReleases
            )
        }
    }

    /// The journal entries that the store did not add itself.
    private static func foreign(_ journal: [JournalEntry], _ store: any MigrationStore) -> [JournalEntry] {
        let own = store.attachments.map(\.attachedName)
        return journal.filter { !own.contains($0.store) }
    }
}
