internal import Foundation
internal import Molt

/// Upgrades of a store by a migrator, with and without records.
extension StoreBehavior {
    static var upgrades: [StoreBehavior] {
        [
            StoreBehavior("A new store is born at the version of the registry, and no block runs") { trial in
                let store = try trial.store()
                let report = try migrator([failing(to: 4)]).migrate(store)
                trial.expect("whether the report calls it fresh", report.isFresh, is: true)
                let state = try store.state()
                trial.expect("the version", state.version, is: 4)
                trial.expect("the outcomes in the ledger", state.ledger.map(\.outcome), is: [.bornFresh])
                trial.expect("the journal", state.journal, is: [])
            },
            StoreBehavior("A migration that fails is rolled back with those before it") { trial in
                let store = try trial.store()
                try trial.write(store) { try $0.record([], version: 1) }
                try trial.settle(store)
                let before = try store.state()
                let error = trial.expectError("the upgrade", .stepFailed) {
                    _ = try migrator([Migration(to: 2, "first"), failing(to: 3)]).migrate(store)
                }
                if let error {
                    trial.expect("the migration that it names", error.migration?.name, is: "failing")
                    trial.expect("whether it has what was thrown", error.underlying is StoreTrial.Stop, is: true)
                    trial.expect("the store that it names", error.store, is: store.storeName)
                }
                trial.expect("the state", try store.state(), is: before)
            },
            StoreBehavior("An upgrade is recorded, and a second one finds nothing to do") { trial in
                let store = try trial.store()
                try trial.write(store) { try $0.record([], version: 1) }
                try trial.settle(store)
                let migrations: MigrationRegistry = [
                    Migration(to: 2, "first"), Migration(to: 3, "second", .run { _ in }),
                ]
                _ = try migrator(migrations).migrate(store)
                let state = try store.state()
                trial.expect("the version", state.version, is: 3)
                trial.expect("the ledger", state.ledger.map(\.name), is: ["first", "second"])
                trial.expect("the outcomes", state.ledger.map(\.outcome), is: [.ran, .ran])
                let fingerprints = migrations.migrations.map { Optional($0.fingerprint) }
                trial.expect("the fingerprints", state.ledger.map(\.fingerprint), is: fingerprints)
                trial.expect("the journal", state.journal, is: [])
                let spy = SpyStore(store)
                trial.expect("what the second one ran", try migrator(migrations).migrate(spy).entries.isEmpty, is: true)
                trial.expect("how many transactions it took", spy.upgrades, is: 0)
                trial.expect("the state", try store.state(), is: state)
            },
            StoreBehavior("A store that a newer app has upgraded is refused, and stays as it is") { trial in
                let store = try trial.store()
                try trial.write(store) { try $0.record([entry("newer", .ran)], version: 9) }
                try trial.settle(store)
                let before = try store.state()
                let error = trial.expectError("the upgrade", .superseded) {
                    _ = try migrator([Migration(to: 2, "first")]).migrate(store)
                }
                if error != nil { trial.expect("the store's version in the error", error?.storeVersion, is: 9) }
                trial.expect("the state", try store.state(), is: before)
            },
            StoreBehavior("Steps of all kinds do to the records what they say", needs: .records) { trial in
                let store = try trial.store(oldRows)
                let report = try migrator(migrations).migrate(store)
                trial.expect("the records", try trial.rows(store).map(\.description), is: newRows)
                trial.expect("the version", try store.state().version, is: 4)
                trial.expect("how many records were dropped", report.entries.map(\.counts.dropped), is: [0, 1, 0, 1])
                trial.expect("how many were created", report.entries.map(\.counts.created), is: [0, 0, 0, 1])
            },
            StoreBehavior("One upgrade gives the same bytes as one for each version", needs: .records) { trial in
                let once = try trial.store(oldRows)
                _ = try migrator(migrations).migrate(once)
                let stepwise = try trial.store(oldRows)
                for version in 1...4 { _ = try migrator(migrations.upTo(version: version)).migrate(stepwise) }
                trial.expect("the records", try trial.rows(stepwise), is: try trial.rows(once))
                let names = try once.state().ledger.map(\.name)
                trial.expect("the ledger", try stepwise.state().ledger.map(\.name), is: names)
            },
            StoreBehavior("Records are as they were when a later migration fails", needs: .records) { trial in
                let store = try trial.store(oldRows)
                trial.expectError("the upgrade", .stepFailed) {
                    var registry = migrations
                    registry.register(failing(to: 5))
                    _ = try migrator(registry).migrate(store)
                }
                trial.expect("the records", try trial.rows(store), is: oldRows)
                trial.expect("the version", try store.state().version, is: 0)
                trial.expect("the ledger", try store.state().ledger, is: [])
            },
        ]
    }

    static var withoutRecords: [StoreBehavior] {
        [
            StoreBehavior("A store without records says so", needs: .noRecords) { trial in
                let store = try trial.store()
                try trial.write(store) { transaction in
                    trial.expect("that there are no records", transaction.records == nil, is: true)
                }
                trial.expect("the state", try store.state(), is: .fresh)
            },
            StoreBehavior("A store without records refuses to have one added", needs: .noRecords) { trial in
                let store = try trial.store()
                let step = MigrationStep.run(onFreshStore: true) { migration in
                    try migration.create("Person", forKey: "a", [:])
                }
                trial.expectError("a block that creates one", .unsupported) {
                    _ = try migrator([Migration(to: 1, "create", step)]).migrate(store)
                }
                trial.expect("the state", try store.state(), is: .fresh)
            },
        ]
    }

    // MARK: Helpers

    /// Makes a migrator that waits up to 10 seconds for a lock and rejects edited migrations.
    static func migrator(_ registry: MigrationRegistry, batchSize: Int? = nil) -> Migrator {
        var options = MigrationOptions(appVersion: "1", lockTimeout: .seconds(10), editedMigrations: .fail)
        options.batchSize = batchSize ?? options.batchSize
        return Migrator(registry, options: options)
    }

    private static func failing(to version: Int) -> Migration {
        Migration(to: version, "failing", .run { _ in throw StoreTrial.Stop() })
    }

    private struct OldCity: Codable {
        var zip: Int
    }

    private struct NewCity: Codable {
        var postcode: String
    }

    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "alien", .renameType("Alien", to: "Person"), .renameProperty("Person", "full", to: "name")),
        Migration(
            to: 2,
            "keys",
            .transform("Person") { person in
                if try person.string("name").isEmpty { person.drop() }
                person.key = "person/\(person.key)"
                person.expiration = nil
            }
        ),
        Migration(
            to: 3,
            "cities",
            .convert("City", from: OldCity.self, to: NewCity.self) { NewCity(postcode: "\($0.zip)") }
        ),
        Migration(
            to: 4,
            "notes",
            .run { migration in
                try migration.enumerate("Note") { old, new in
                    new["length"] = .int(try old.string("text").count)
                }
                try migration.create("Index", forKey: "index", ["notes": .int(try migration.count(ofType: "Note"))])
                try migration.delete("old")
            }
        ),
    ]

    private static let oldRows = [
        StoredRow(1, "ada", "Alien", #"{ "full" : "Ada", "n":1.0 }"#, expiration: 5),
        StoredRow(2, "berlin", "City", #"{"zip":10115}"#, expiration: 9),
        StoredRow(3, "none", "Alien", #"{"full":""}"#),
        StoredRow(4, "note", "Note", #"{"text":"abc"}"#),
        StoredRow(5, "old", "Other", "[ 1 ]"),
        StoredRow(6, "other", "Other", "[ 2 ]"),
        StoredRow(8, "bob", "Person", #"{"name":"Bob"}"#),
    ]

    private static let newRows = [
        #"1 Person "person/ada" { "name" : "Ada", "n":1.0 }"#,
        #"2 City "berlin" {"postcode":"10115"} expires at 9.0"#,
        #"4 Note "note" {"text":"abc","length":3}"#,
        #"6 Other "other" [ 2 ]"#,
        #"8 Person "person/bob" {"name":"Bob"}"#,
        #"9 Index "index" {"notes":1}"#,
    ]
}

/// Counts the write transactions of a store.
private final class SpyStore: MigrationStore {
    private let base: any MigrationStore
    private(set) var upgrades = 0

    init(_ base: any MigrationStore) {
        self.base = base
    }

    var storeName: String { base.storeName }
    var attachments: [any AttachedStore] { base.attachments }

    func state() throws -> StoreState { try base.state() }

    func withWriteTransaction(
        until deadline: ContinuousClock.Instant?,
        isSynced: Bool,
        _ body: (any MigrationTransaction) throws -> Void,
        waiting: () throws -> Void
    ) throws {
        upgrades += 1
        try base.withWriteTransaction(until: nil, isSynced: isSynced, body, waiting: waiting)
    }
}
