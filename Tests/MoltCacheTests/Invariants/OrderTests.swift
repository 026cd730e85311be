import Foundation
import Testing

@testable import Molt

/// Invariant 3: migrations run by version, then by registration order, and faults are reported before any write.
@Suite("The order of migrations")
struct OrderTests {
    private static let records = [StoredRecord("Person", "p", #"{"trace":""}"#)]

    private static func trace(_ name: String, to version: Int, inBlock: Bool) -> Migration {
        let append: @Sendable (inout Record) throws -> Void = { record in
            record["trace"] = .string(try record.string("trace") + name)
        }
        guard inBlock else { return Migration(to: version, name, .transform("Person", append)) }
        return Migration(to: version, name, .run { try $0.enumerate("Person") { _, new in try append(&new) } })
    }

    @Test(.throughEveryEntryPoint, arguments: [[], [0], [1, 3], [0, 1, 2, 3, 4]])
    func `Migrations run by version, then by registration order, as steps or as blocks`(blocks: [Int]) async throws {
        let store = try OldStore(Self.records)
        let places = [("a", 1), ("b", 1), ("c", 2), ("d", 7), ("e", 7)]

        let report = try await store.upgrade(
            MigrationRegistry(
                places.enumerated().map { index, place in
                    Self.trace(place.0, to: place.1, inBlock: blocks.contains(index))
                }
            )
        )

        #expect(try store.snapshot()["p"]?.text == #"{"trace":"abcde"}"#)
        #expect(report.entries.map(\.migration.name) == ["a", "b", "c", "d", "e"])
        #expect(try store.snapshot().ledger.map(\.name) == ["a", "b", "c", "d", "e"])
    }

    @Test(.throughEveryEntryPoint)
    func `Migrations that share the store's version are distinguished by their names`() async throws {
        let store = try OldStore(Self.records, version: 2, ledger: [("a", 2)])

        try await store.upgrade([
            Self.trace("a", to: 2, inBlock: false), Self.trace("b", to: 2, inBlock: false),
        ])

        #expect(try store.snapshot()["p"]?.text == #"{"trace":"b"}"#)
        #expect(try store.snapshot().version == 2)
    }

    @Test func `A registry with faults creates no file, and reports all faults at once`() throws {
        let directory = try ScratchDirectory()
        let faulty: MigrationRegistry = [Migration(to: 2, "a"), Migration(to: 1, "a"), Migration(to: 0, "")]

        let error = #expect(throws: MoltError.self) {
            try CodableCache(at: directory.file(), migrations: faulty)
        }

        #expect(error?.code == .invalidRegistry)
        #expect(error?.message.split(separator: "\n- ").count == 1 + faulty.faults.count)
        #expect(error?.store == directory.file().path)
        #expect(try directory.names().isEmpty)
    }

    @Test func `A registry with faults writes nothing to an existing store`() async throws {
        let store = try OldStore(Self.records)
        let bytes = try Data(contentsOf: store.url)

        _ = try await store.failure([Migration(to: 2, "a"), Migration(to: 1, "b")])

        #expect(try Data(contentsOf: store.url) == bytes)
    }

    @Test func `A store older than the retired migrations is refused unchanged, and a later one is upgraded`()
        async throws
    {
        let registry = MigrationRegistry([Self.trace("d", to: 4, inBlock: false)], oldestSupportedVersion: 3)
        let old = try OldStore(Self.records, version: 2, ledger: [("a", 1), ("b", 2)])
        let bytes = try Data(contentsOf: old.url)

        try await old.failure(registry).expect(.tooOld, storeVersion: 2, registryVersion: 3)
        #expect(try Data(contentsOf: old.url) == bytes)
        let later = try OldStore(Self.records, version: 3, ledger: [("a", 1), ("c", 3)])
        #expect(try await later.upgrade(registry).entries.map(\.migration.name) == ["d"])
        #expect(try await later.upgrade(registry).isEmpty)
    }

    @Test func `A fresh store is born at the version of the retired migrations`() throws {
        let directory = try ScratchDirectory()
        let registry = MigrationRegistry([], oldestSupportedVersion: 3)

        try CodableCache(at: directory.file(), migrations: registry).close()

        #expect(try StoreFile.state(at: directory.file()).version == 3)
        #expect(try CodableCache(at: directory.file(), migrations: registry).report.isEmpty)
    }
}
