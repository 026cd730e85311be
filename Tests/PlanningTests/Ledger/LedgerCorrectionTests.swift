import Foundation
import Molt
import Testing

@Suite struct `A ledger that is corrected by hand` {
    private static let records = [StoredRecord("Person", "p", #"{"trace":""}"#)]
    private static let all = MigrationRegistry([trace("a", to: 1), trace("b", to: 2), trace("c", to: 3)])

    /// A migration that adds its name to the record.
    private static func trace(_ name: String, to version: Int, revision: Int = 1) -> Migration {
        let step = MigrationStep.transform("Person", revision: revision) { record in
            record["trace"] = .string(try record.string("trace") + name)
        }
        return Migration(to: version, name, step)
    }

    @discardableResult
    private func correct(
        _ change: LedgerChange,
        of url: URL,
        _ registry: MigrationRegistry = all,
        reason: String = "ticket 311"
    ) throws -> LedgerEntry {
        try CacheFile(at: url).correctLedger(
            change,
            migrations: registry,
            reason: reason,
            configuration: MoltConfiguration {
                $0.appVersion = "2.1"
                $0.timeout = .zero
                $0.now = { Date(timeIntervalSince1970: 1_000) }
            }
        )
    }

    private func expectCorrected(_ store: OldStore, _ name: String, _ kinds: LedgerCorrection.Kind...) throws {
        let row = try #require(try store.snapshot().ledger.first { $0.name == name })
        let expected = kinds.map {
            LedgerCorrection($0, reason: "ticket 311", date: Date(timeIntervalSince1970: 1_000), appVersion: "2.1")
        }
        let corrections = row.corrections.map { correction in
            var correction = correction
            correction.versionBefore = nil
            return correction
        }
        #expect(corrections == expected)
        #expect(try CacheFile(at: store.url).verifyAndWait().isEmpty)
    }

    @Test func `A mark that is taken back lowers the version by as much as it has raised it`() async throws {
        let store = try OldStore(Self.records)
        func version() throws -> Int { try StoreFile.state(at: store.url).version }
        for name in ["a", "b"] { try correct(.markApplied(name), of: store.url) }
        #expect(try version() == 2)
        try correct(.markPending("b"), of: store.url)
        #expect(try version() == 1)
        // An older build, which knows only the first, may open the store again.
        try await store.upgrade(Self.all.upTo(version: 1))
        try correct(.markPending("a"), of: store.url)
        #expect(try version() == 0)
        // A migration that ran stays at its version, as do the records that it has changed.
        try await store.upgrade(Self.all)
        try correct(.markPending("c"), of: store.url)
        #expect(try version() == 3)
        #expect(try store.snapshot().contents == [#"{"trace":"abc"}"#])
    }

    @Test func `A mark that is taken back leaves the version of migrations that have run since`() async throws {
        let store = try OldStore(Self.records)
        func version() throws -> Int { try StoreFile.state(at: store.url).version }
        try await store.upgrade(Self.all.upTo(version: 1))
        try correct(.markApplied("b"), of: store.url)
        #expect(try version() == 2)
        // An accepted edit after the mark changes nothing about the version.
        let edited = MigrationRegistry([Self.trace("a", to: 1), Self.trace("b", to: 2, revision: 2)])
        try correct(.acceptEdit("b"), of: store.url, edited)
        try correct(.markPending("b"), of: store.url, edited)
        #expect(try version() == 1)

        try correct(.markApplied("b"), of: store.url)
        try await store.upgrade(Self.all)
        try correct(.markPending("b"), of: store.url)
        #expect(try version() == 3)
        #expect(try await store.upgrade(Self.all).outcomes == "b ran")
        #expect(try store.snapshot().contents == [#"{"trace":"acb"}"#])
    }

    // MARK: Marking as applied

    // "skipExecutingMigrations essentially allows you to mimic a migration being executed", such as that of a hotfix:
    // https://documentation.red-gate.com/fd/skip-executing-migrations-224919747.html
    @Test(arguments: [("a", 1, "bc"), ("b", 0, "ac"), ("c", 0, "ab")])
    func `Flyway skipExecutingMigrations: a migration that is marked as applied does not run, and the others do`(
        name: String,
        version: Int,
        trace: String
    ) async throws {
        let store = try OldStore(Self.records)
        let generation = "SELECT value FROM molt_meta WHERE name = 'generation'"
        let before = try SQLite(store.url).text(generation)
        let row = try correct(.markApplied(name), of: store.url)
        #expect(row.outcome == .marked && row.fingerprint == Self.all.migrations.first { $0.name == name }?.fingerprint)
        try expectCorrected(store, name, .markedApplied)
        let marked = try store.snapshot()
        #expect(marked.version == version && marked.records == Self.records)
        #expect(try SQLite(store.url).text(generation) != before)

        #expect(try await store.upgrade(Self.all).entries.map(\.migration.name) == trace.map { String($0) })
        let after = try store.snapshot()
        #expect(after.version == 3 && after.contents == [#"{"trace":"\#(trace)"}"#])
        try expectCorrected(store, name, .markedApplied)
        #expect(try await store.upgrade(Self.all).isEmpty)
    }

    @Test func `A late migration that is marked as applied does not keep the store from being opened`() async throws {
        let store = try OldStore(Self.records, version: 3, ledger: [("a", 1), ("c", 3)])
        try await store.failure(Self.all).expect(.lateMigration, says: "`mark-applied`")
        try correct(.markApplied("b"), of: store.url)
        #expect(try await store.upgrade(Self.all).isEmpty)
        #expect(try store.snapshot().version == 3)
        #expect(try store.snapshot().contents == Self.records.map(\.text))
    }

    @Test func `An export without the migrations keeps a mark that is ahead of the store's version`() throws {
        let store = try OldStore(Self.records)
        try correct(.markApplied("c"), of: store.url)
        let (export, new) = (store.directory.file("export"), store.directory.file("new"))
        _ = try CacheFile(at: store.url).exportAndWait(to: export, only: .all)
        let cache = try CodableCache(at: new, migrations: Self.all)
        try cache.importAndWait(from: export)
        cache.close()
        #expect(try Snapshot(of: new).contents == [#"{"trace":"ab"}"#])
    }

    // MARK: Marking as pending

    @Test(arguments: [("b", "abcb"), ("c", "abcc")])
    func `A migration that is marked as pending runs again, on records of the store's version`(
        name: String,
        trace: String
    ) async throws {
        let store = try OldStore(Self.records)
        try await store.upgrade(Self.all)
        let row = try correct(.markPending(name), of: store.url)
        #expect(row.outcome == .unmarked && row.counts.isZero)
        #expect(try store.snapshot().version == 3)
        // A tool without the migrations does not export such records as if they were upgraded.
        MoltError.thrown { try CacheFile(at: store.url).exportAndWait(to: store.directory.file("export"), only: .all) }?
            .expect(.needsMigration, id: MigrationID(name: name, version: row.version), says: "was marked as pending")

        #expect(try await store.upgrade(Self.all).outcomes == "\(name) ran")
        let after = try store.snapshot()
        #expect(after.contents == [#"{"trace":"\#(trace)"}"#])
        #expect(after.records.map(\.version) == [3] && after.version == 3)
        #expect(after.outcomes == "a ran, b ran, c ran")
        #expect(after.ledger.map(\.counts.changed) == [1, 1, 1])
        try expectCorrected(store, name, .markedPending)
        #expect(try await store.upgrade(Self.all).isEmpty)
    }

    @Test func `A mark is taken back by the opposite one, and the row keeps both`() async throws {
        let store = try OldStore(Self.records)
        let shipped = try await store.upgraded(Self.all)
        try correct(.markPending("b"), of: store.url)
        try correct(.markApplied("b"), of: store.url)
        #expect(try await store.upgrade(Self.all).isEmpty)
        #expect(try store.snapshot().records == shipped.records)
        try expectCorrected(store, "b", .markedPending, .markedApplied)
    }

    // MARK: Accepting an edit

    // "Realign the checksums, descriptions and types of the applied migrations with the ones of the available
    // migrations": https://flywaydb.org/documentation/commandline/repair
    @Test func `Flyway repair: the fingerprint of an edited or moved migration becomes today's`() async throws {
        let later = Self.trace("x", to: 3)
        let cases: [(edited: Migration, version: Int)] = [
            (Self.trace("b", to: 2, revision: 2), 2),
            // Within the store's version, the row moves with the migration.
            (Self.trace("b", to: 1), 1),
            // Above it, the row stays, so that the migration before it is not late.
            (Self.trace("b", to: 4), 2),
        ]
        for (edited, version) in cases {
            let store = try OldStore(Self.records)
            try await store.upgrade(MigrationRegistry([Self.trace("a", to: 1), Self.trace("b", to: 2)]))
            let registry = MigrationRegistry(
                [Self.trace("a", to: 1), edited, later].sorted { $0.version < $1.version }
            )
            let plan = try CacheFile(at: store.url).plan(registry)
            #expect(plan.description.contains("`accept-edit \"b\"`"))
            let strict = MoltConfiguration { $0.mismatches = .fail }
            MoltError.thrown { try CodableCache(at: store.url, migrations: registry, configuration: strict) }?
                .expect(.migrationEdited, says: "`accept-edit`")
            try correct(.acceptEdit("b"), of: store.url, registry)
            try expectCorrected(store, "b", .acceptedEdit)
            #expect(try CacheFile(at: store.url).plan(registry).edits.isEmpty)
            #expect(try store.snapshot().ledger.first { $0.name == "b" }?.version == version)
            #expect(try await store.upgrade(registry, strict).outcomes == "x ran")
            #expect(try store.snapshot().contents == [#"{"trace":"abx"}"#])
        }
    }

    // MARK: Rows that no migration of the app has

    // Repair also removes failed migrations from Flyway's history. A missing one becomes "Deleted ... marked as deleted
    // by repair": https://documentation.red-gate.com/fd/flyway-schema-history-table-273973417.html
    @Test func `Flyway repair: a failed migration leaves no row, and that of a missing one can be marked`() async throws
    {
        let store = try OldStore(Self.records)
        let failing = Migration(to: 2, "b", .run { _ in throw TestFailure.expected })
        _ = try await store.failure(MigrationRegistry([Self.trace("a", to: 1), failing]))
        #expect(try store.snapshot().ledger.isEmpty)

        try await store.upgrade(MigrationRegistry([Self.trace("a", to: 1), Self.trace("x", to: 1)]))
        let registry = MigrationRegistry([Self.trace("a", to: 1), Self.trace("b", to: 2)])
        try await store.failure(registry).expect(.migrationMissing, says: "\"x\"")
        _ = try CacheFile(at: store.url).correctLedger(.markPending("x"), reason: "Of another branch.")
        #expect(try await store.upgrade(registry).outcomes == "b ran")
        #expect(try store.snapshot().outcomes == "a ran, x unmarked, b ran")
        #expect(try store.snapshot().contents == [#"{"trace":"axb"}"#])
    }

    // MARK: Refusals

    @Test func `A correction that the ledger does not allow is refused, and writes nothing`() throws {
        let replacing = MigrationRegistry([
            Migration(to: 2, "ab", replacing: ["a", "b"]), Self.trace("c", to: 3), Self.trace("d", to: 4),
        ])
        let onRead = MigrationRegistry([Self.trace("b", to: 2).onRead()])
        let retired = MigrationRegistry([Self.trace("d", to: 5)]).oldestVersion(4)
        let cases: [(LedgerChange, MigrationRegistry, reason: String, MoltError.Code, says: String)] = [
            (.markPending("c"), Self.all, " \n", .notCorrected, "needs a reason"),
            (.markPending("none"), Self.all, "r", .unknownMigration, "There are: a, b, c."),
            (.markApplied("a"), Self.all, "r", .notCorrected, "already counts as applied"),
            (.markPending("d"), replacing, "r", .notCorrected, "is not applied"),
            (.acceptEdit("a"), Self.all, "r", .notCorrected, "There is no edit"),
            (.acceptEdit("d"), replacing, "r", .notCorrected, "There is no edit"),
            (.markPending("a"), replacing, "r", .notCorrected, "was replaced by \"ab\""),
            (
                .markPending("ab"), replacing, "r", .notCorrected,
                "replaces migrations that the store has applied one by one"
            ),
            (.markPending("a"), Self.all.upTo(version: 2), "r", .superseded, "version 3"),
            (
                .markPending("a"), MigrationRegistry([Self.trace("a", to: 1), Self.trace("c", to: 3)]), "r",
                .migrationMissing, "\"b\""
            ),
            (.markApplied("d"), retired, "r", .tooOld, "is 4"),
            (.markPending("b"), onRead, "r", .notCorrected, "still has to upgrade records"),
        ]
        let stored = try OldStore(Self.records, version: 3, ledger: [("a", 1), ("b", 2), ("c", 3)])
        let reading = try OldStore(Self.records)
        try CodableCache(at: reading.url, migrations: onRead, configuration: .init { $0.runsBackfill = false }).close()
        for (change, registry, reason, code, words) in cases {
            let store = change == .markPending("b") ? reading : stored
            let (bytes, names) = (try Data(contentsOf: store.url), try store.directory.names())
            MoltError.thrown { try correct(change, of: store.url, registry, reason: reason) }?
                .expect(code, store: store.url.path, outcome: .unchanged, says: words)
            #expect(try Data(contentsOf: store.url) == bytes, "\(change)")
            #expect(try store.directory.names() == names, "\(change)")
        }
        let missing = stored.directory.file("none")
        MoltError.thrown { try correct(.markApplied("a"), of: missing) }?.expect(.fileMissing, store: missing.path)
        try StoreFile(at: stored.url).commit { try $0.addToJournal([JournalEntry(store: "standard", changes: [])]) }
        MoltError.thrown { try correct(.markPending("c"), of: stored.url) }?
            .expect(.journalPending, outcome: .unchanged, says: "standard", "Open the store first")
        try expectNames("cache.molt", in: stored.directory)
    }

    @Test func `A store that is open in any process is refused, and one that is only closed is not`() async throws {
        let store = try OldStore(Self.records)
        let caches = [
            try CodableCache(at: store.url, migrations: Self.all),
            try CodableCache(reading: store.url, migrations: Self.all),
        ]
        let before = try store.snapshot()
        for cache in caches {
            MoltError.thrown { try correct(.markPending("c"), of: store.url) }?
                .expect(.busy, store: store.url.path, outcome: .unchanged, says: "Close it everywhere")
            #if CHILD_PROCESSES
                await #expect(processExitsWith: .success) { [url = store.url as URL] in
                    MoltError.thrown {
                        try CacheFile(at: url).correctLedger(
                            .markPending("c"),
                            migrations: [Migration(to: 1, "a"), Migration(to: 2, "b"), Migration(to: 3, "c")],
                            reason: "r",
                            configuration: MoltConfiguration { $0.timeout = .zero }
                        )
                    }?.expect(.busy)
                }
            #endif
            #expect(try store.snapshot() == before)
            cache.close()
        }
        try correct(.markPending("c"), of: store.url)
        // The lock is gone with the correction.
        #expect(try await store.upgrade(Self.all).outcomes == "c ran")
    }
}
