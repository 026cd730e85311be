import Foundation
import KillSweep
import Molt
import MoltPlatform
import MoltTesting
import TestSupport
import Testing

/// Cases that GRDB's tests of migrations do not cover, each tested with MoltTesting on a real file.
///
/// Two more are tested in MoltCacheTests: the bound on memory in `MemoryTests`, and progress and timing in `EventTests`
/// and `LedgerTests`.
@Suite("Cases that GRDB does not test")
struct GRDBGapTests {
    private static let shipped: MigrationRegistry = [
        Migration(to: 1, "rename", .renameType("Alien", to: "Person")),
        Migration(to: 2, "split", .transform("Person") { try split(&$0) }),
        Migration(to: 3, "favorites", .addProperty("Person", "isFavorite", default: false)),
    ]

    private static let fixture = StoreFixture(
        schemaVersion: 0,
        records: (1...20).map { .init("\($0)", "Alien", .json(#"{"fullName":"Ada Lovelace \#($0)"}"#)) }
    )

    private struct Person: Codable, Equatable {
        var firstName: String
        var lastName: String
        var isFavorite: Bool
    }

    /// The same migrations, with work in the middle of the upgrade.
    private static func shipped(_ work: @escaping @Sendable () -> Void) -> MigrationRegistry {
        let held = Migration(
            to: 2,
            "split",
            .transform("Person") { person in
                work()
                try Self.split(&person)
            }
        )
        return [shipped.migrations[0], held, shipped.migrations[2]]
    }

    /// A file with which one process signals another.
    private struct Sign {
        let path: String

        init(_ path: String) {
            self.path = path
        }

        func give() {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }

        /// Waits for at most half a minute.
        func await(orExitWith status: Int32) {
            for _ in 0..<3000 {
                if access(path, F_OK) == 0 { return }
                usleep(10_000)
            }
            exit(status)
        }
    }

    private static func split(_ person: inout Record) throws {
        let parts = try person.remove("fullName", as: String.self).split(separator: " ", maxSplits: 1)
        person["firstName"] = .string(String(parts[0]))
        person["lastName"] = .string(String(parts[1]))
    }

    #if CHILD_PROCESSES
        @Test func `A process that is killed during a migration loses nothing`() async throws {
            let sweep = FaultSweep(of: Self.fixture, through: Self.shipped, limit: 8)
            let report = try await sweep.killing { (kill: KillPoint) in
                await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in try kill.run(through: Self.shipped) }
            }
            #expect(report.trials.count == 8)
        }
    #endif

    #if CHILD_PROCESSES
        @Test func `Only one of two concurrent processes runs the migrations`() async throws {
            let store = try TemporaryStore(Self.fixture)
            @Sendable func child(_ path: String, isFirst: Bool) async {
                await #expect(processExitsWith: .success) { [path = path as String, isFirst = isFirst as Bool] in
                    let (inside, waiting) = (Sign(path + ".inside"), Sign(path + ".waiting"))
                    var configuration = CodableCache.Configuration()
                    var migrations = Self.shipped
                    if isFirst {
                        // It stays in the middle of its upgrade until the other process waits for it.
                        migrations = Self.shipped {
                            inside.give()
                            waiting.await(orExitWith: 3)
                        }
                    } else {
                        inside.await(orExitWith: 4)
                        configuration.monitor = MigrationMonitor { event in
                            if case .waiting = event { waiting.give() }
                        }
                    }
                    let cache = try CodableCache(
                        at: URL(filePath: path),
                        migrations: migrations,
                        configuration: configuration
                    )
                    guard try cache.count(of: Person.self) == 20 else { exit(2) }
                    guard cache.report.entries.isEmpty != isFirst else { exit(5) }
                }
            }

            async let first: Void = child(store.url.path, isFirst: true)
            async let second: Void = child(store.url.path, isFirst: false)
            _ = await (first, second)

            let after = try store.contents()
            #expect(after.ledger.map(\.name) == Self.shipped.names)
            #expect(after.records == (try Self.fixture.migrated(through: Self.shipped).fixture.records))
        }
    #endif

    @Test func `A migration on a full disk loses nothing`() async throws {
        let records = (1...60).map { number in
            StoreFixture.Record(
                "\(number)",
                "Alien",
                .json(#"{"fullName":"Ada \#(String(repeating: "x", count: 200))"}"#)
            )
        }
        let longer: MigrationRegistry = [
            Migration(
                to: 1,
                "longer",
                .addProperty("Alien", "notes", default: .string(.init(repeating: "y", count: 400)))
            )
        ]
        let report = try await FaultSweep(of: StoreFixture(schemaVersion: 0, records: records), through: longer)
            .run([.fullDisk])
        #expect(report.trials.count > 5)
    }

    @Test func `An unknown migration with a version below a known one is refused`() async throws {
        let other: MigrationRegistry = [
            Self.shipped.migrations[0],
            Migration(to: 2, "of another branch", .addProperty("Person", "x", default: 1)),
            Migration(to: 3, "favorites", .addProperty("Person", "isFavorite", default: false)),
        ]
        let store = try TemporaryStore(Self.fixture)
        _ = try await store.upgrade(through: other, by: .open)
        let before = try store.contents()

        let error = await #expect(throws: MigrationError.self) {
            try await store.upgrade(through: Self.shipped, by: .open)
        }

        #expect(error?.code == .migrationMissing)
        #expect(error?.message.contains("\"of another branch\"") == true)
        #expect(try store.contents() == before)
    }

    @Test func `An edit of the closure of a shipped migration is detected`() async throws {
        let scratch = try ScratchDirectory()
        defer { withExtendedLifetime(scratch) {} }
        let recording = FixtureCatalog(scratch.url, recording: .missing)
        for version in 0...3 {
            let fixture = try Self.fixture.migrated(through: Self.shipped, upTo: version).fixture
            try recording.keep(fixture, named: "people", migrations: Self.shipped)
        }
        await #expect(throws: MatrixFailure.self) {
            try await recording.verify(Self.shipped, types: [.type(Person.self)])
        }
        let catalog = FixtureCatalog(scratch.url, recording: .never)
        try await catalog.verify(Self.shipped, types: [.type(Person.self)])
        // The closure changes, but its revision does not.
        let swapped = Migration(
            to: 2,
            "split",
            .transform("Person") { person in
                let parts = try person.remove("fullName", as: String.self).split(separator: " ", maxSplits: 1)
                person["firstName"] = .string(String(parts[1]))
                person["lastName"] = .string(String(parts[0]))
            }
        )
        let edited: MigrationRegistry = [Self.shipped.migrations[0], swapped, Self.shipped.migrations[2]]

        let failure = await #expect(throws: MatrixFailure.self) {
            try await catalog.verify(edited, types: [.type(Person.self)])
        }

        #expect(failure?.failures.contains { $0.kind == .golden && $0.subject == "0-people.json" } == true)
        #expect(failure?.description.contains(#""1".firstName: expected "Ada", found "Lovelace 1""#) == true)
        // The revision changes, too: the fingerprints in the ledgers reveal the edit.
        let revised = Migration(to: 2, "split", .transform("Person", revision: 2) { try Self.split(&$0) })
        let declared: MigrationRegistry = [Self.shipped.migrations[0], revised, Self.shipped.migrations[2]]
        let other = await #expect(throws: MatrixFailure.self) {
            try await catalog.verify(declared, types: [.type(Person.self)])
        }
        #expect(other?.failures.map(\.kind) == [.edited])
    }

    @Test func `An older app refuses the store of a newer one`() async throws {
        let store = try TemporaryStore(Self.fixture)
        _ = try await store.upgrade(through: Self.shipped, by: .open)
        let before = try store.contents()
        for version in 0...2 {
            let error = await #expect(throws: MigrationError.self) {
                try await store.upgrade(through: Self.shipped.upTo(version: version), by: .open)
            }
            #expect(error?.code == .superseded)
            #expect(error?.storeVersion == 3)
            #expect(error?.registryVersion == version)
        }
        #expect(try store.contents() == before)
    }

    @Test func `Upgrades from each old version yield the same records`() async throws {
        let report = try await Self.fixture.verifyUpgrades(through: Self.shipped, types: [.type(Person.self)])
        #expect(report.rows.first?.targets == [1, 2, 3])
        let newest = try Self.fixture.migrated(through: Self.shipped)
        for version in 0...2 {
            let old = try Self.fixture.migrated(through: Self.shipped, upTo: version)
            let migrated = try old.fixture.migrated(through: Self.shipped)
            #expect(migrated.fixture.records == newest.fixture.records)
        }
        let last = Person(firstName: "Ada", lastName: "Lovelace 20", isFavorite: false)
        #expect(try newest.value(Person.self, forKey: "20") == last)
    }

    @Test func `A change of a Codable type without a migration is detected`() async throws {
        enum Before { struct Note: Codable { var text: String } }
        enum After {
            struct Note: Codable {
                var text: String
                var isDone: Bool
            }
        }
        let store = try TemporaryStore(StoreFixture(schemaVersion: 0))
        var configuration = CodableCache.Configuration()
        configuration.drift = .fail
        let first = try store.open(migrations: [], configuration: configuration)
        try first.set(Before.Note(text: "a"), forKey: "1")
        first.close()

        let second = try store.open(migrations: [], configuration: configuration)
        let error = #expect(throws: MigrationError.self) {
            try second.set(After.Note(text: "b", isDone: false), forKey: "2")
        }

        #expect(error?.code == .schemaDrift)
        #expect(error?.message.contains("Property 'Note.isDone' has been added.") == true)
        second.close()
    }
}
