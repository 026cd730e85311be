import Foundation
import MoltCache
import MoltCore
import Testing

@Suite("A migration that commits in batches")
struct CommittingInBatchesTests {
    /// Records of three types, with gaps in their ids, and some that wait to be deleted, renamed and rekeyed.
    private static let records: [StoredRecord] = (0..<40).map { number in
        switch number % 4 {
        case 0, 1: StoredRecord("Person", "p\(number)", #"{"fullName":"Ada \#(number)","age":\#(number)}"#)
        case 2:
            StoredRecord("Note", "n\(number)", #"{"text":"\#(number)"}"#, expiration: Double(4_000_000_000 + number))
        default: StoredRecord("Draft", "d\(number)", data: [UInt8(number), 0xFF])
        }
    }

    private static func configuration(_ batchSize: Int) -> CodableCache.Configuration {
        var configuration = CodableCache.Configuration()
        configuration.batchSize = batchSize
        return configuration
    }

    /// Steps that touch everything a record has: two keys are swapped across batches, types change, records go.
    private static let steps: [MigrationStep] = [
        .transform("Person") { person in
            let number = try person.int("age")
            person["firstName"] = .string(try person.remove("fullName", as: String.self))
            if number % 5 == 0 { person.drop() }
            if number == 1 { person.key = "p37" }
            if number == 37 { person.key = "p1" }
            if number % 4 == 1, number > 20 { person.typeName = "Note" }
        },
        .transform("Note") { note in
            note["seen"] = true
            if !note.key.hasPrefix("p") { note.expiration = nil }
        },
        .renameType("Note", to: "Memo"),
        .deleteType("Draft"),
        .addProperty("Memo", "pinned", default: false),
    ]

    private static func registry(_ size: Int?) -> MigrationRegistry {
        let middle = Migration(to: 2, "middle", steps: steps)
        return [
            Migration(to: 1, "before", .renameProperty("Person", "age", to: "years")),
            Migration(to: 1, "back", .renameProperty("Person", "years", to: "age")),
            size.map { middle.committingInBatches(of: $0) } ?? middle,
            Migration(to: 2, "beside", .addProperty("Memo", "color", default: "red")),
            Migration(to: 3, "after", .run { try $0.create("Memo", forKey: "new", ["a": 1]) }),
        ]
    }

    @Test(arguments: [1, 2, 3, 7, 10, 39, 40, 1_000], [1, 4, 512])
    func `gives what one transaction gives, byte for byte`(commitSize: Int, batchSize: Int) async throws {
        let whole = try OldStore(Self.records)
        let expected = try await whole.upgraded(Self.registry(nil))
        let wholeReport = try CodableCache.dryRun(at: whole.url, migrations: Self.registry(nil))
        #expect(wholeReport.isEmpty)

        let old = try OldStore(Self.records)
        var configuration = Self.configuration(batchSize)
        let commits = Log<String>()
        configuration.atPoint = { if $0.kind == .afterCommit { commits.append($0.subject) } }
        let report = try await old.upgrade(Self.registry(commitSize), configuration)

        let found = try old.snapshot()
        #expect(found.records == expected.records)
        #expect(found.version == 3)
        #expect(found.ledger.map(\.name) == expected.ledger.map(\.name))
        #expect(found.ledger.map(\.counts) == expected.ledger.map(\.counts))
        #expect(found.ledger.map(\.fingerprint) == expected.ledger.map(\.fingerprint))
        #expect(report.entries.map(\.migration.name) == ["before", "back", "middle", "beside", "after"])
        #expect(report.from == 0)
        #expect(report.to == 3)
        let batches = commits.all.filter { $0.hasPrefix("of a batch") }.count
        #expect(commits.count == batches + 1)
        // Those before it, its batches, and those behind it.
        // No step looks at the ten drafts; their batches stand between two other commits.
        #expect(batches == 30 / commitSize + 2)
        #expect(try SQLite(old.url).text("SELECT count(*) FROM sqlite_schema WHERE name = 'molt_deferred'") == "0")
        #expect(try CacheStore.state(at: old.url).unfinished == nil)
    }

    @Test func `counts its steps as one transaction does`() async throws {
        let whole = try await OldStore(Self.records).upgrade(Self.registry(nil))
        let parts = try await OldStore(Self.records).upgrade(Self.registry(3), Self.configuration(2))
        #expect(parts.entries.map(\.counts) == whole.entries.map(\.counts))
        #expect(parts.entries.map { $0.steps.map(\.counts) } == whole.entries.map { $0.steps.map(\.counts) })
    }

    /// Stops the upgrade of a store at the n-th record of a step, and gives the error.
    private func stop(_ old: OldStore, at number: Int, _ size: Int) async throws -> MigrationError {
        let seen = Log<String>()
        let registry = Self.numbering(size) { key in
            seen.append(key)
            if seen.count == number { throw Refusal() }
        }
        let error = await #expect(throws: MigrationError.self) {
            try await old.upgrade(registry, Self.configuration(1))
        }
        return try #require(error)
    }

    private static func numbering(
        _ size: Int?,
        revision: Int = 1,
        _ body: @escaping @Sendable (String) throws -> Void = { _ in }
    ) -> MigrationRegistry {
        let step = MigrationStep.transform("Person", revision: revision) { person in
            try body(person.key)
            person["number"] = 1
        }
        let migration = Migration(to: 2, "number", step)
        return [
            Migration(to: 1, "first", .renameProperty("Person", "age", to: "years")),
            size.map { migration.committingInBatches(of: $0) } ?? migration,
        ]
    }

    @Test func `keeps what it has committed when it fails, and goes on from there`() async throws {
        let old = try OldStore(Self.records)
        let whole = try OldStore(Self.records)
        let expected = try await whole.upgraded(Self.numbering(nil))
        let error = try await stop(old, at: 11, 4)
        #expect(error.code == .stepFailed)
        #expect(error.message.contains("goes on from there"))

        let state = try CacheStore.state(at: old.url)
        #expect(state.version == 2)
        #expect(state.ledger.map(\.name) == ["first"])
        #expect(state.unfinished?.migration == MigrationID(name: "number", version: 2))
        #expect(state.unfinished?.counts.read == 8)
        #expect(state.unfinished?.total == 20)
        let plan = try MigrationPlan(forFileAt: old.url, migrations: Self.numbering(4))
        #expect(plan.description.contains("\"number\" (version 2) is half done: 8 of 20 records"))
        #expect(plan.pending.map(\.name) == ["number"])

        let rest = Log<String>()
        let report = try await old.upgrade(Self.numbering(4) { rest.append($0) }, Self.configuration(1))
        #expect(rest.count == 12)
        #expect(report.entries.map(\.counts.changed) == [20])
        #expect(try old.snapshot().records == expected.records)
        #expect(try old.snapshot().ledger.map(\.counts) == expected.ledger.map(\.counts))
    }

    @Test func `lets nobody read before it is complete`() async throws {
        let old = try OldStore(Self.records)
        let first = MigrationRegistry(Array(Self.numbering(4).migrations.prefix(1)))
        let reader = try CodableCache(at: old.url, migrations: first)
        // Of the same version as what comes, but without it.
        _ = try reader.count()
        _ = try await stop(old, at: 11, 4)

        let seen = #expect(throws: MigrationError.self) { try reader.count() }
        #expect(seen?.code == .storeChanged)
        let older = #expect(throws: MigrationError.self) { try CodableCache(at: old.url, migrations: first) }
        #expect(older?.code == .superseded)
        var configuration = CodableCache.Configuration()
        configuration.duty = .others()
        let widget = #expect(throws: MigrationError.self) {
            try CodableCache(at: old.url, migrations: Self.numbering(4), configuration: configuration)
        }
        #expect(widget?.code == .needsMigration)
        // Who knows the name, but not that it commits in batches, would begin anew.
        let whole = #expect(throws: MigrationError.self) {
            try CodableCache(at: old.url, migrations: Self.numbering(nil))
        }
        #expect(whole?.code == .migrationEdited)
        #expect(whole?.message.contains("half done") == true)
        #expect(try CacheStore.state(at: old.url).unfinished?.counts.read == 8)
    }

    @Test func `is noticed by who has the store open at its own version`() async throws {
        let old = try OldStore(Self.records)
        let beside = Migration(to: 1, "beside")
        let reader = try CodableCache(at: old.url, migrations: [beside])
        #expect(try reader.count() == 40)
        let seen = Log<String>()
        let step = MigrationStep.transform("Person") { person in
            seen.append(person.key)
            if seen.count == 9 { throw Refusal() }
            person["number"] = 1
        }
        let registry: MigrationRegistry = [beside, Migration(to: 1, "batched", step).committingInBatches(of: 2)]
        await #expect(throws: MigrationError.self) { try await old.upgrade(registry, Self.configuration(1)) }
        #expect(try CacheStore.state(at: old.url).version == 1)
        let error = #expect(throws: MigrationError.self) { try reader.value(Person.self, forKey: "p0") }
        #expect(error?.code == .storeChanged)
    }

    @Test func `stops between batches when it is cancelled or its time is over`() async throws {
        let old = try OldStore(Self.records)
        let monitor = MigrationMonitor()
        let registry = Self.numbering(2) { key in
            if key == "p8" { monitor.progress.cancel() }
        }
        var configuration = Self.configuration(1)
        configuration.monitor = monitor
        let error = await #expect(throws: MigrationError.self) { try await old.upgrade(registry, configuration) }
        #expect(error?.code == .cancelled)
        #expect(error?.message.contains("goes on from there") == true)
        let done = try #require(try CacheStore.state(at: old.url).unfinished?.counts.read)
        #expect(done == 4)

        configuration.monitor = nil
        configuration.deadline = .now - .seconds(1)
        let late = await #expect(throws: MigrationError.self) {
            try await old.upgrade(Self.numbering(2), configuration)
        }
        #expect(late?.code == .deadlinePassed)
        #expect(try CacheStore.state(at: old.url).unfinished?.counts.read == 4)
        configuration.deadline = nil
        #expect(try await old.upgrade(Self.numbering(2), configuration).to == 2)
    }

    @Test(arguments: [false, true])
    func `goes on before a migration that came to stand before it`(isBatched: Bool) async throws {
        let old = try OldStore(Self.records)
        _ = try await stop(old, at: 11, 4)
        func registry(_ size: Int?) -> MigrationRegistry {
            var migrations = Self.numbering(size).migrations
            let other = Migration(
                to: 2,
                "other",
                .transform("Person") { person in
                    person["number"] = .number(RecordNumber(try person.int("number") + 1))
                    if person.key == "p4" { person.drop() }
                }
            )
            migrations.insert(isBatched ? other.committingInBatches(of: 3) : other, at: 1)
            return MigrationRegistry(migrations)
        }
        let report = try await old.upgrade(registry(4), Self.configuration(1))
        #expect(report.entries.map(\.migration.name) == ["number", "other"])
        #expect(report.entries.map(\.counts.read) == [20, 20])
        let people = try old.snapshot().records.filter { $0.type == "Person" }
        #expect(people.count == 19)
        #expect(people.allSatisfy { $0.text.contains(#""number":2"#) })
    }

    @Test func `is upgraded by two openers who take turns`() async throws {
        let old = try OldStore(Self.records)
        let whole = try OldStore(Self.records)
        let expected = try await whole.upgraded(Self.numbering(nil))
        let url = old.url
        let errors = Log<any Error>()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var configuration = Self.configuration(1)
                    // Who is at work is not taken for who was cut off.
                    configuration.attemptLimit = 1
                    do {
                        try CodableCache(at: url, migrations: Self.numbering(1), configuration: configuration).close()
                    } catch {
                        errors.append(error)
                    }
                }
            }
        }
        #expect(errors.all.isEmpty)
        #expect(try old.snapshot().records == expected.records)
        #expect(try old.snapshot().ledger.map(\.counts) == expected.ledger.map(\.counts))
    }

    @Test func `stops at a deadline that passes in a later batch`() async throws {
        let old = try OldStore(Self.records)
        var configuration = Self.configuration(1)
        let deadline = ContinuousClock.now + .milliseconds(200)
        configuration.deadline = deadline
        let registry = Self.numbering(2) { key in
            while key == "p8", ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.002) }
        }
        let error = await #expect(throws: MigrationError.self) { try await old.upgrade(registry, configuration) }
        #expect(error?.code == .deadlinePassed)
        #expect(error?.message.contains("goes on from there") == true)
        #expect(try CacheStore.state(at: old.url).unfinished?.counts.read == 4)
        #expect(try await old.upgrade(Self.numbering(2)).to == 2)
    }

    @Test func `does not have settings changed twice when it is cut off behind them`() async throws {
        let old = try OldStore(Self.records)
        let notebook = Notebook(url: old.directory.file("notes"))
        func registry(fails: Bool) -> MigrationRegistry {
            [
                Migration(to: 1, "note", .notes(notebook) { try $0.pages(notebook).add("one") }),
                Migration(
                    to: 2,
                    "batched",
                    .transform("Person") { person in if fails, person.key == "p8" { throw Refusal() } }
                ).committingInBatches(of: 2),
            ]
        }
        await #expect(throws: MigrationError.self) { try await old.upgrade(registry(fails: true)) }
        #expect(try notebook.lines == ["one"])
        #expect(try CacheStore.state(at: old.url).journal.isEmpty)
        // What the user takes back in the meantime stays so.
        try notebook.write([])
        try await old.upgrade(registry(fails: false))
        #expect(try notebook.lines.isEmpty)
    }

    @Test func `must stay as it is until it is complete`() async throws {
        let old = try OldStore(Self.records)
        _ = try await stop(old, at: 11, 4)
        var configuration = Self.configuration(1)
        // Also where no other edit stops anybody: each half would go through another migration.
        for policy in [MismatchPolicy.fail, .report] {
            configuration.editedMigrations = policy
            let error = await #expect(throws: MigrationError.self) {
                try await old.upgrade(Self.numbering(4, revision: 2), configuration)
            }
            #expect(error?.code == .migrationEdited)
            #expect(error?.migration?.name == "number")
        }
        configuration.editedMigrations = .ignore
        #expect(try await old.upgrade(Self.numbering(4, revision: 2), configuration).to == 2)
    }

    @Test func `goes through a new store as all others do`() async throws {
        let scratch = try ScratchDirectory()
        let cache = try CodableCache(at: scratch.file(), migrations: Self.numbering(1))
        #expect(cache.report.isFresh)
        #expect(cache.report.entries.map(\.outcome) == [.bornFresh, .bornFresh])
    }

    @Test func `is one of many, each with its own end`() async throws {
        let old = try OldStore(Self.records)
        let whole = try OldStore(Self.records)
        func registry(_ size: Int?) -> MigrationRegistry {
            MigrationRegistry(
                (1...4).map { version in
                    let step = MigrationStep.transform("Person") { $0["v\(version)"] = .number(RecordNumber(version)) }
                    let migration = Migration(to: version, "to \(version)", step)
                    return size.map { version % 2 == 0 ? migration.committingInBatches(of: $0) : migration }
                        ?? migration
                }
            )
        }
        let expected = try await whole.upgraded(registry(nil))
        try await old.upgrade(registry(3), Self.configuration(2))
        #expect(try old.snapshot().records == expected.records)
        #expect(try old.snapshot().ledger.map(\.name) == ["to 1", "to 2", "to 3", "to 4"])
    }

    @Test func `has those before it change settings before it begins`() async throws {
        let old = try OldStore(Self.records)
        let notebook = Notebook(url: old.directory.file("notes"))
        let lines = Log<[String]>()
        let registry: MigrationRegistry = [
            Migration(to: 1, "note", .notes(notebook) { try $0.pages(notebook).add("one") }),
            Migration(
                to: 2,
                "batched",
                .transform("Person") { _ in lines.append(try notebook.lines) }
            ).committingInBatches(of: 10),
            Migration(to: 3, "last", .notes(notebook) { try $0.pages(notebook).add("two") }),
        ]
        try await old.upgrade(registry)
        #expect(Set(lines.all) == [["one"]])
        #expect(try notebook.lines == ["one", "two"])
    }

    @Test func `cannot be about the whole store`() {
        let registry: MigrationRegistry = [
            Migration(to: 1, "block", .removeProperty("A", "x"), .run { _ in }).committingInBatches(),
            Migration(to: 2, "none", .addProperty("C", "x", default: 1)).committingInBatches(of: 0),
        ]
        #expect(registry.faults.count == 2)
        #expect(registry.faults[0].contains("step 2"))
        #expect(registry.faults[0].contains("\"block\""))
        #expect(registry.faults[1].contains("at least 1"))
    }

    @Test func `has the same fingerprint as one that does not`() {
        let migration = Migration(to: 1, "a", .renameType("A", to: "B"))
        #expect(migration.committingInBatches().fingerprint == migration.fingerprint)
        #expect(migration.readableByOlderReleases().fingerprint == migration.fingerprint)
    }
}
