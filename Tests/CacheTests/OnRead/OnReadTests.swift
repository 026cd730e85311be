import Foundation
import Molt
import TestSupport
import Testing

@Suite("A migration on read") struct OnReadTests {
    private static let records = [
        StoredRecord("Contact", "ada", #"{"name":"Ada King","born": 1815}"#),
        StoredRecord("Contact", "eve", #"{"name":"Eve","nickname":"E"}"#),
        StoredRecord("Contact", "new", #"{"firstName":"New","lastName":""}"#),
        StoredRecord("City", "rome", #"{"zipCode":100}"#),
        StoredRecord("Photo", "photo", data: [0, 1, 0xFF]),
    ]

    private static let migrations: MigrationRegistry = [
        Migration(
            to: 1,
            "names",
            .splitProperty("Contact", "name", into: ["firstName", "lastName"]),
            .addProperty("Contact", "tags", default: [])
        ).onRead()
    ]

    private struct Contact: Codable, Equatable, Sendable, RecordType {
        static let recordTypeName = "Contact"
        var firstName: String
        var lastName: String?
        var tags: [String]

        static let ada = Contact(firstName: "Ada", lastName: "King", tags: [])
    }

    /// A configuration whose cache does not run the backfill by itself.
    private static var still: MoltConfiguration { .init { $0.runsBackfill = false } }

    private let store: OldStore

    init() throws {
        store = try OldStore(Self.records)
    }

    private func open(
        _ migrations: MigrationRegistry = OnReadTests.migrations,
        _ configuration: MoltConfiguration = OnReadTests.still
    ) throws -> CodableCache {
        try CodableCache(at: store.url, migrations: migrations, configuration: configuration)
    }

    /// The store after the same migrations, run at the opening.
    private func eager(_ migrations: MigrationRegistry = OnReadTests.migrations) throws -> Snapshot {
        let store = try OldStore(Self.records)
        _ = try Migrator(migrations).migrate(StoreFile(at: store.url))
        return try store.snapshot()
    }

    /// Removes the records, stores one in the new form, and closes the cache.
    private func replaceAll(_ cache: CodableCache) throws {
        for key in Self.records.map(\.key) { try cache.remove(forKey: key) }
        try cache.set(Contact.ada, forKey: "ada")
        cache.close()
    }

    private func expectOutcomes(_ outcomes: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try store.snapshot().outcomes == outcomes, sourceLocation: sourceLocation)
    }

    private func expectText(_ text: String?, _ key: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try store.snapshot()[key]?.text == text, sourceLocation: sourceLocation)
    }

    // MARK: Opening and reading

    @Test func `is recorded at the opening, which changes no record`() throws {
        let id = MigrationID(name: "names", version: 1)
        let before = try store.snapshot()
        #expect(try CacheFile(at: store.url).dryRunAndWait(Self.migrations).counts.changed == 3)
        let cache = try open()
        #expect(cache.version == 1)
        #expect(cache.report.onRead == [id])
        #expect(cache.report.outcomes == "names onRead")
        #expect(cache.report.description.contains("on read"))
        cache.close()
        let after = try store.snapshot()
        #expect(after.records == before.records)
        #expect(after.version == 1 && after.outcomes == "names onRead")

        let plan = try CacheFile(at: store.url).plan(Self.migrations)
        #expect(!plan.needsUpgrade && plan.onRead == [id] && plan.completed == [id])
        #expect("\(plan)".contains("applied, on read"))
    }

    @Test(arguments: [true, false])
    func `upgrades a record for every way to read it, and writes nothing`(isOpenedAgain: Bool) async throws {
        let before = try store.snapshot().records
        if isOpenedAgain { try open().close() }
        let cache = try open()
        for _ in 0..<2 { try cache.expect(Contact.ada, forKey: "ada") }
        let entry = try #require(try cache.entry(Contact.self, forKey: "ada"))
        #expect(entry.value == .ada)
        #expect(entry.size == Array(#"{"firstName":"Ada","lastName":"King","born": 1815,"tags":[]}"#.utf8).count)
        let some = try cache.values(Contact.self, forKeys: ["eve", "none"])
        #expect(some == [Contact(firstName: "Eve", lastName: "", tags: []), nil])
        #expect(try cache.data(forKey: "photo") == Data([0, 1, 0xFF]))
        try cache.expect(City(zipCode: 100), forKey: "rome")
        let all = try cache.values(of: Contact.self).map { "\($0.key) \($0.value.firstName)" }
        #expect(all == ["ada Ada", "eve Eve", "new New"])

        #expect(try cache.keys() == Self.records.map(\.key))
        #expect(try cache.count(of: Contact.self) == 3)
        #expect(try cache.contains("ada"))
        cache.close()
        #expect(try store.snapshot().records == before)
    }

    @Test func `changes a record once for each read, also if its steps cannot be repeated`() throws {
        let doubling = MigrationStep.transform("City") { $0["zipCode"] = .int(try $0.int("zipCode") * 2) }
        let cache = try open([Migration(to: 1, "double", doubling).onRead()])
        var found: [City?] = [
            try cache.entry(City.self, forKey: "rome")?.value, try cache.value(City.self, forKey: "rome"),
        ]
        found += try cache.values(City.self, forKeys: ["rome"])
        found.append(try cache.values(of: City.self).first?.value)
        for _ in 0..<2 { try cache.backfillAndWait() }
        found.append(try cache.entry(City.self, forKey: "rome")?.value)
        let doubled: [City?] = Array(repeating: City(zipCode: 200), count: 5)
        #expect(found == doubled)
        try expectText(#"{"zipCode":200}"#, "rome")
    }

    @Test func `need not convert an expired record`() throws {
        let expired = StoredRecord("Contact", "old", #"{"name":1}"#, expiration: 1)
        let store = try OldStore([expired, Self.records[0]])
        let cache = try CodableCache(at: store.url, migrations: Self.migrations, configuration: Self.still)
        try cache.backfillAndWait()
        let after = try store.snapshot()
        #expect(after.keys == ["ada"] && after.outcomes == "names ran")
    }

    @Test func `is not put off in a new store`() throws {
        let directory = try ScratchDirectory()
        let cache = try CodableCache(at: directory.file(), migrations: Self.migrations)
        #expect(cache.report.outcomes == "names bornFresh" && cache.report.onRead.isEmpty)
    }

    @Test func `is recorded with the upgrade that another process made necessary`() throws {
        let later = Migration(to: 2, "initials", .copyProperty("Contact", "firstName", to: "initial")).onRead()
        let registry = MigrationRegistry(Self.migrations.migrations + [later]).allowingLateMigrations()
        let url = store.url
        // It records the second one, so the first one is late, and has steps to run.
        var configuration = MoltConfiguration()
        configuration.monitor = .afterPlanning {
            try CodableCache(at: url, migrations: [later], configuration: Self.still).close()
        }
        let migrator = Migrator(registry, configuration: configuration, mode: .opening)
        #expect(try migrator.migrate(StoreFile(at: url)).outcomes == "names ran, initials ran")
        #expect(try store.snapshot()["ada"]?.text.contains("firstName") == true)
        #expect(FileManager.default.fileExists(atPath: url.path + "-attempt") == false)
    }

    @Test func `does not keep a failed opening from syncing later commits`() throws {
        let store = StoreFile(at: store.url)
        #expect(throws: TestFailure.self) {
            try store.withWriteTransaction(until: nil, isSynced: false) { _ in
                throw TestFailure.expected
            } waiting: {
            }
        }
        let connection = try store.ready(busyMilliseconds: 0)
        #expect(try connection.integer("PRAGMA synchronous") == 1)
        #expect(try connection.integer("PRAGMA wal_autocheckpoint") == 1_000)
    }

    // MARK: The backfill

    @Test func `leaves what the same migration at the opening leaves, once the backfill is done`() async throws {
        let eager = try eager()
        let cache = try open()
        try await cache.finishBackfill()
        let after = try store.snapshot()
        #expect(after.records == eager.records && after.outcomes == "names ran")
        let counts = after.ledger[0].counts
        #expect(counts.changed == 3 && counts.read == eager.ledger[0].counts.read)
        try cache.expect(Contact.ada, forKey: "ada")
        try await cache.finishBackfill()
        cache.close()
        #expect(try open().report.onRead.isEmpty)
    }

    @Test func `tells no listener of records in their new form`() async throws {
        let cache = try open()
        let changes = cache.changes()
        try await cache.finishBackfill()
        try cache.set(City(zipCode: 1), forKey: "paris")
        #expect(await cache.close(thenAll: changes).map(\.key) == ["paris"])
    }

    @Test func `keeps the size that a limit counts`() throws {
        var configuration = Self.still
        configuration.sizeLimit = 100_000
        let cache = try open(Self.migrations, configuration)
        try cache.set(City(zipCode: 2), forKey: "oslo")
        try cache.backfillAndWait()
        let stored = try store.snapshot().records.map(\.content.count).reduce(0, +)
        #expect(try cache.contentSize() == stored)
    }

    // MARK: Other migrations

    private static let later = Migration(to: 2, "initials", .copyProperty("Contact", "firstName", to: "initial"))

    @Test func `runs with a later migration that is not on read`() throws {
        let both = MigrationRegistry(Self.migrations.migrations + [Self.later])
        let cache = try open()
        try cache.set(Contact(firstName: "Since", lastName: nil, tags: []), forKey: "since")
        cache.close()
        let plan = try CacheFile(at: store.url).plan(both)
        #expect(plan.pending.map(\.name) == ["names", "initials"])
        try open(both).close()
        try expectOutcomes("names ran, initials ran")
        let records = try store.snapshot().records
        #expect(try Array(records.dropLast()) == eager(both).records)
        try expectText(#"{"firstName":"Since","tags":[],"initial":"Since"}"#, "since")
    }

    @Test(arguments: [false, true])
    func `stays on read beside a later migration that works on other types`(isRecorded: Bool) throws {
        let notebook = try Notebook(["theme"])
        let others: [MigrationStep] = [
            .renameProperty("City", "zipCode", to: "zip"), .renameType("City", to: "Town"),
            .extractRecords("Town", ["mayor"], as: "Mayor", key: .property("id")),
            .moveToRecords(.setting("theme", in: notebook.suite), ofType: "Int"), .deleteType("Photo"),
        ]
        let all = MigrationRegistry(Self.migrations.migrations + [Migration(to: 2, "others", steps: others)])
        let before = try store.snapshot()
        if isRecorded { try open().close() }
        #expect(try CacheFile(at: store.url).plan(all).onRead.map(\.name) == ["names"])
        let cache = try open(all)
        #expect(cache.report.onRead.map(\.name) == ["names"])
        try cache.expect(Contact.ada, forKey: "ada")
        cache.close()
        try expectOutcomes("names onRead, others ran")
        let after = try store.snapshot()
        #expect(after["ada"] == before["ada"] && after["rome"]?.text == #"{"zip":100}"#)
        #expect(after.keys == ["ada", "eve", "new", "rome", "theme"])

        let last = try open(all)
        try last.backfillAndWait()
        last.close()
        try expectOutcomes("names ran, others ran")
        // The setting is moved only once.
        #expect(try store.snapshot().records.dropLast() == eager(all).records[...])
    }

    @Test(
        arguments: [
            .run { _ in }, .renameType("Contact", to: "Friend"), .renameType("City", to: "Contact"),
            .deleteType("Contact"), .removeProperty("Contact", "born"),
            .extractRecords("City", ["mayor"], as: "Contact", key: .property("id")),
            .extractRecords("Contact", ["city"], as: "City", key: .property("id")),
        ] as [MigrationStep],
        [false, true]
    )
    func `runs at once for a later migration that may work on its records, which plan and report name`(
        step: MigrationStep,
        isRecorded: Bool
    ) throws {
        if isRecorded { try open().close() }
        let later = Migration(to: 2, "later", step)
        let both = MigrationRegistry(Self.migrations.migrations + [later])
        let plan = try CacheFile(at: store.url).plan(both)
        #expect(plan.entries.map(\.neededBy) == [later.id, nil] && plan.onRead.isEmpty)
        #expect("\(plan)".contains("\(isRecorded ? "backfilled" : "pending"), now because of \(later.id)"))
        let cache = try open(both)
        #expect(cache.report.entries.map(\.neededBy) == [later.id, nil])
        #expect(cache.report.description.contains("migration \"names\" (version 1) ran at once because of"))
        cache.close()
        try expectOutcomes("names ran, later ran")
    }

    @Test func `runs at once for another one on read that runs at once, or for one of its own version`() throws {
        func change(_ type: String) -> MigrationStep { .addProperty(type, "new", default: 1) }
        let registry: MigrationRegistry = [
            Migration(to: 1, "contacts", change("Contact")).onRead(),
            Migration(to: 2, "both", change("Contact"), change("City")).onRead(),
            Migration(to: 3, "photos", change("Photo")).onRead(),
            Migration(to: 4, "cities", .removeProperty("City", "zipCode")),
            Migration(to: 4, "same", change("City")).onRead(),
            Migration(to: 5, "last", change("City")).onRead(),
        ]
        var plan = try CacheFile(at: store.url).plan(registry)
        #expect(plan.entries.map { $0.neededBy?.name } == ["both", "cities", nil, nil, "cities", nil])
        #expect(plan.onRead.map(\.name) == ["photos", "last"])

        // Two records may have the same key.
        let notebook = try Notebook(["contact"])
        let move = MigrationStep.moveToRecords(.setting("contact", in: notebook.suite), ofType: "Contact")
        plan = try CacheFile(at: store.url).plan(
            MigrationRegistry(Self.migrations.migrations + [Migration(to: 2, "later", move)])
        )
        #expect(plan.entries[0].neededBy?.name == "later")

        // What a late step brings in may get another type by steps that are applied already.
        var late: MigrationRegistry = [
            Migration(to: 1, "late", .extractRecords("Photo", ["city"], as: "Village", key: .property("id"))),
            Migration(to: 2, "towns", .renameType("Village", to: "Contact")),
            Migration(to: 3, "contacts", change("Contact")).onRead(),
        ]
        try open(MigrationRegistry(Array(late.migrations.dropFirst()))).close()
        late = late.allowingLateMigrations()
        plan = try CacheFile(at: store.url).plan(late)
        #expect(plan.entries.map { $0.neededBy?.name } == [nil, nil, "late"])
    }

    @Test(arguments: [false, true], [false, true])
    func `runs at once for a step that may need the key of a record that leaves it`(
        isQuarantined: Bool,
        isClosure: Bool
    ) throws {
        let keys: MigrationStep =
            isClosure
            ? .transform("City") { $0.key = try $0.string("name") } : .renameKeys("City", to: .property("name"))
        let registry = MigrationRegistry(Self.migrations.migrations + [Migration(to: 2, "keys", keys)])
        let migrations = isQuarantined ? registry.onFailure(.quarantine(upTo: .unlimited)) : registry
        let old = try OldStore([
            StoredRecord("Contact", "rome", #"{"name":7}"#), StoredRecord("City", "city", #"{"name":"rome"}"#),
        ])
        let plan = try CacheFile(at: old.url).plan(migrations)
        #expect(plan.entries[0].neededBy?.name == (isQuarantined ? "keys" : nil))
        guard isQuarantined else { return }
        let cache = try CodableCache(at: old.url, migrations: migrations, configuration: Self.still)
        #expect(try cache.typeName(forKey: "rome") == "City")
        #expect(try cache.quarantined().map(\.key) == ["rome"])
    }

    @Test func `stays on read beside another one on read, whose closure cannot change keys`() throws {
        let registry = MigrationRegistry([
            Migration(to: 1, "contacts", .transform("Contact") { _ in }).onRead(),
            Migration(to: 2, "cities", .transform("City") { _ in }).onRead(),
            Migration(to: 3, "zip", .removeProperty("City", "zipCode")),
        ]).onFailure(.quarantine(upTo: .unlimited))
        let plan = try CacheFile(at: store.url).plan(registry)
        #expect(plan.entries.map { $0.neededBy?.name } == [nil, "zip", nil])
    }

    @Test func `is recorded beside an upgrade that removes expired records first`() throws {
        let old = try OldStore(Self.records + [StoredRecord("City", "gone", "{}", expiration: 1)])
        let zip = MigrationStep.renameProperty("City", "zipCode", to: "zip", ifMissing: .fail)
        let registry = MigrationRegistry(Self.migrations.migrations + [Migration(to: 2, "zip", zip)])
        let cache = try CodableCache(at: old.url, migrations: registry, configuration: Self.still)
        #expect(cache.report.expiredCount == 1 && cache.report.outcomes == "names onRead, zip ran")
    }

    @Test func `of the version that the store has already runs at the opening`() throws {
        let first = Migration(to: 1, "first")
        try open([first]).close()
        let cache = try open([first, Migration(to: 1, "second", .removeProperty("Contact", "born")).onRead()])
        #expect(cache.report.onRead.isEmpty)
        try expectText(#"{"name":"Ada King"}"#, "ada")
    }

    @Test func `may lose its declaration: the next opening upgrades the records that wait`() throws {
        try open().close()
        let eagerly = MigrationRegistry(
            Self.migrations.migrations.map { Migration(to: $0.version, $0.name, steps: $0.steps) }
        )
        let cache = try open(eagerly)
        #expect(cache.report.applied == eagerly.migrations.map(\.id))
        #expect(try store.snapshot().records == eager(eagerly).records)
        try expectOutcomes("names ran")
        cache.close()
        #expect(try open().report.isEmpty)
    }

    /// Its records may have been backfilled, or have gone without the ledger knowing it.
    @Test(arguments: [false, true], [false, true])
    func `must stay in the registry only while a record waits`(isReplaced: Bool, isBackfilled: Bool) throws {
        let registry: MigrationRegistry =
            isReplaced
            ? [Migration(to: 2, "all", replacing: ["names"])]
            : MigrationRegistry([Migration(to: 2, "more")]).oldestVersion(1)
        try open().close()
        let waiting = MoltError.thrown { try open(registry) }
        waiting?.expect(.migrationMissing, migration: "names")
        #expect(waiting?.message.contains("replaces in the registry instead of it") == isReplaced)
        for other in [[Self.later], [Migration(to: 1, "names")]] as [MigrationRegistry] {
            MoltError.thrown { try open(other) }?.expect(.migrationMissing, migration: "names")
        }

        let cache = try open()
        if isBackfilled { try cache.backfillAndWait() } else { try replaceAll(cache) }
        cache.close()
        try expectOutcomes(isBackfilled ? "names ran" : "names onRead")
        try open(registry).close()
        let after = try store.snapshot()
        #expect(after.ledger.first { $0.name == "names" }?.outcome == .ran)
        let replaced = [#"{"firstName":"Ada","lastName":"King","tags":[]}"#]
        #expect(try after.contents == (isBackfilled ? eager().contents : replaced))
        #expect(try CacheFile(at: store.url).plan(registry).needsUpgrade == false)
    }

    @Test(arguments: [true, false])
    func `is no other migration of its name, even if no record is from before it`(isOnRead: Bool) throws {
        let both = MigrationRegistry(Self.migrations.migrations + [Migration(to: 2, "more").onRead()])
        try open(both).close()
        try replaceAll(open(both))
        let replacement = Migration(to: 3, "names", replacing: ["names", "more"], .removeProperty("Contact", "tags"))
        let moved = Migration(to: 5, "names", .removeProperty("Contact", "tags"))
        for other in isOnRead ? [replacement.onRead()] : [replacement, moved] {
            let registry = MigrationRegistry([other]).oldestVersion(2)
            MoltError.thrown { try open(registry) }?.expect(.migrationMissing, migration: "names")
        }
        try expectText(#"{"firstName":"Ada","lastName":"King","tags":[]}"#, "ada")
    }

    @Test func `does not keep an extension waiting that only the ledger is left of it`() throws {
        let cache = try open()
        for key in Self.records.map(\.key) { try cache.remove(forKey: key) }
        cache.close()
        var reader = Self.still
        reader.process = .helper(waiting: .zero)
        let none = MigrationRegistry([]).oldestVersion(1)
        try open(none, reader).close()
        try expectOutcomes("names onRead")
        let plan = try CacheFile(at: store.url).plan(none)
        #expect(plan.description.contains("the ledger has to be completed\n  > names"))
        try open(none).close()
        try expectOutcomes("names ran")
    }

    // MARK: Records that cannot be converted

    private static let failing = Migration(
        to: 1,
        "strict",
        .changeValue("Contact", "name", to: .integer),
        .addProperty("Contact", "tags", default: [])
    ).onRead()

    @Test func `A record that cannot be converted keeps its content, and reading it names it`() throws {
        let cache = try open([Self.failing])
        let error = MoltError.thrown { try cache.value(Contact.self, forKey: "ada") }
        error?.expect(.unreadableContent, key: "ada")
        let cause = try #require(error?.underlying as? MoltError)
        cause.expect(key: "ada", migration: "strict", step: 1)
        #expect("\(try #require(error))".contains("King") == false)

        MoltError.thrown { try cache.backfillAndWait() }?.expect(key: "ada")
        #expect(try store.snapshot()["ada"] == Self.records[0])
        try expectText(#"{"firstName":"New","lastName":"","tags":[]}"#, "new")
        try expectOutcomes("strict onRead")
    }

    @Test func `The monitor is told if the background could not upgrade all records`() throws {
        let failures = Log<String>()
        let isTold = DispatchSemaphore(value: 0)
        let monitor = MigrationMonitor { event in
            guard case .backfillFailed(let error) = event else { return }
            failures.append((error as? MoltError)?.key ?? "")
            isTold.signal()
        }
        let cache = try open([Self.failing], .init { $0.monitor = monitor })
        isTold.wait()
        #expect(failures.all == ["ada"])
        cache.close()
    }

    // MARK: What it cannot do

    @Test func `cannot change more than the content of records`() {
        let steps: [MigrationStep] = [
            .renameType("A", to: "B"), .deleteType("A"), .run("block") { _ in },
            .extractRecords("A", "x", as: "B", key: .derived),
        ]
        for step in steps {
            let faults = MigrationRegistry([Migration(to: 1, "a", step).onRead()]).faults
            #expect(faults.count == 1 && faults[0].contains("on read"), "\(step)")
        }
        #expect(Self.migrations.faults.isEmpty)
    }

    @Test(arguments: ["existence", "key", "type", "expiry"])
    func `fails for a record whose closure changes something else`(part: String) throws {
        let step = MigrationStep.transform("Contact") { record in
            guard record.key == "eve" else { return }
            switch part {
            case "existence": record.drop()
            case "key": record.key = "EVE"
            case "type": record.typeName = "Person"
            default: record.expiration = .distantFuture
            }
        }
        let migration = Migration(to: 1, "a", step).onRead()
        let cache = try open([migration])
        let error = MoltError.thrown { try cache.backfillAndWait() }
        error?.expect(says: "record's \(part)")
        #expect(error?.key?.lowercased() == "eve")
        cache.close()
        // The result must not depend on the time.
        MoltError.thrown { try eager([migration]) }
    }
}
