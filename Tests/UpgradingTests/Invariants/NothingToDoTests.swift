import Foundation
import Molt
import Testing

/// Invariants 5 and 6: an up-to-date store is not written to, and a fresh one runs no block.
@Suite("Opening an up-to-date or a fresh store")
struct NothingToDoTests {
    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "a", .transform("Person") { $0["a"] = 1 }), Migration(to: 1, "b"),
    ]

    private struct Look: Equatable {
        var bytes: Data
        var modified: Date?
        var logSize: Int

        init(_ url: URL) throws {
            let manager = FileManager.default
            bytes = try Data(contentsOf: url)
            modified = try manager.attributesOfItem(atPath: url.path)[.modificationDate] as? Date
            let log = try? manager.attributesOfItem(atPath: url.path + "-wal")[.size] as? Int
            logSize = log ?? 0
        }
    }

    @Test(.through(.initializer, .asyncOpen, .migrator))
    func `Opening an up-to-date store changes neither its bytes nor its date, and logs nothing`() async throws {
        let store = try OldStore([StoredRecord("Person", "p", "{}")])
        try await store.upgrade(Self.migrations)
        let before = try Look(store.url)

        let report = try await store.upgrade(Self.migrations)

        #expect(report.isEmpty && report.from == 1 && report.to == 1)
        #expect(try Look(store.url) == before)
        #expect(before.logSize == 0)
        // The last connection to close removes the files beside the store.
        try expectNames("cache.molt", in: store.directory)
    }

    @Test func `Reading a plan or a version writes nothing, and creates no file`() async throws {
        let store = try OldStore([StoredRecord("Person", "p", "{}")])
        let before = try Look(store.url)
        let missing = store.directory.file("none.molt")

        let plan = try CacheFile(at: store.url).plan(Self.migrations)
        let fresh = try CacheFile(at: missing).plan(Self.migrations)

        #expect(plan.pending.map(\.name) == ["a", "b"])
        #expect(try StoreFile.state(at: store.url).version == 0)
        #expect(try StoreFile.state(at: missing) == .fresh)
        #expect(fresh.isFresh && fresh.pending.isEmpty)
        #expect(fresh.entries.map(\.action) == Array(repeating: .record(.createdAtVersion), count: 2))
        #expect(try Look(store.url) == before)
        try expectNames("cache.molt", in: store.directory)
    }

    // MARK: Fresh stores

    private static func fresh(_ ran: Log<String>, importing isImporting: Bool = true) -> MigrationRegistry {
        [
            Migration(to: 1, "edits", .transform("Person") { _ in ran.append("edit") }, .deleteType("Person")),
            Migration(
                to: 2,
                "blocks",
                .run("change") { _ in ran.append("block") },
                .run("import", onFreshStore: true) { migration in
                    ran.append("import")
                    guard isImporting else { return }
                    try migration.create("Person", forKey: "imported", ["id": 1])
                },
                .run("tidy") { _ in ran.append("tidy") }
            ),
            Migration(to: 3, "last", .run { _ in ran.append("last") }, .renameProperty("Person", "id", to: "number")),
            Migration(to: 3, "no step"),
        ]
    }

    @Test(arguments: ["file", "memory", "async"])
    func `A fresh store is born at the registry's version, and runs the steps that import records and those after them`(
        kind: String
    ) async throws {
        let directory = try ScratchDirectory()
        let ran = Log<String>()
        let cache =
            switch kind {
            case "file": try CodableCache(at: directory.file(), migrations: Self.fresh(ran))
            case "async": try await CodableCache.open(at: directory.file(), migrations: Self.fresh(ran))
            default: try CodableCache(inMemory: Self.fresh(ran))
            }

        #expect(ran.all == ["import", "tidy", "last"])
        #expect(cache.report.isFresh && cache.version == 3)
        #expect(try cache.count() == 1)
        try cache.expect(["number": 1], forKey: "imported")
        let entries = cache.report.entries
        #expect(entries.map(\.steps.count) == [0, 2, 2, 0])
        #expect(entries[1].counts.created == 1 && entries[2].counts.changed == 1)
        let outcomes = "edits bornFresh, blocks bornFresh, last ran, no step ran"
        #expect(cache.report.outcomes == outcomes)
        cache.close()
        guard kind != "memory" else { return }
        let after = try Snapshot(of: directory.file())
        #expect(after.version == 3 && after.outcomes == outcomes && after["imported"]?.version == 3)
        #expect(try CodableCache(at: directory.file(), migrations: Self.fresh(ran)).report.isEmpty)
        #expect(ran.all == ["import", "tidy", "last"])
    }

    @Test func `A fresh store without imported records runs no other block`() throws {
        let directory = try ScratchDirectory()
        let ran = Log<String>()
        let events = Log<MigrationEvent>()
        let migrations = Self.fresh(ran, importing: false)
        let configuration = MoltConfiguration { $0.monitor = MigrationMonitor { events.append($0) } }

        let cache = try CodableCache(at: directory.file(), migrations: migrations, configuration: configuration)

        #expect(ran.all == ["import"])
        #expect(cache.version == 3)
        #expect(cache.report.outcomes == "edits bornFresh, blocks bornFresh, last bornFresh, no step bornFresh")
        #expect(cache.report.entries.map(\.steps.count) == [0, 1, 0, 0])
        #expect(events.all.last?.word == "finished")
    }

    @Test func `A failed import leaves no store behind`() throws {
        let directory = try ScratchDirectory()
        let importing = MigrationStep.run("import", onFreshStore: true) { migration in
            try migration.create("Person", forKey: "p", ["id": 1])
            throw Refusal(value: "no")
        }
        let registry = registry(.deleteType("Person"), importing)

        let error = MoltError.thrown {
            try CodableCache(at: directory.file(), migrations: registry)
        }
        error?.expect(.stepFailed, migration: "change")
        error?.expect(step: 2, summary: "import")
        #expect(try StoreFile.state(at: directory.file()).isFresh)
    }

    // MARK: Untouched records

    /// Invariant 7.
    @Test(.through(.migrator)) func `Records that no step touches stay byte for byte as they were`() async throws {
        let odd = [
            "\n{ \"b\" :\t1.0E+2 , \"a\": [ 1 ,2 ] , \"a\" : \"\\u0041\\/\" }\r\n",
            #"{"big":18446744073709551616,"real":0.1000000000000000055,"zero":-0.0,"":null,"\u0000":1}"#,
            #"[ 1, {"x" : {} } ]"#, " 12 ", #""text""#, "null", "", "no JSON at all {",
        ]
        let records =
            odd.enumerated().map { StoredRecord("Odd", "key \u{0}\($0.offset) e\u{301}", $0.element) }
            + odd.enumerated().prefix(2).map { StoredRecord("Person", "p\($0.offset)", $0.element) }
            + [StoredRecord("Data", "blob", data: [0, 34, 255]), StoredRecord("", "", "{}")]

        let after = try await OldStore(records).upgraded(
            .renameType("Odd", to: "Odder"),
            .renameProperty("Person", "missing", to: "other"),
            .removeProperty("Person", "gone"),
            .transform("Person") { person in _ = person["a"] },
            .run { try $0.enumerate("Person") { old, new in _ = (old["a"], new["big"]) } },
            .addProperty("Person", "added", default: true)
        )

        #expect(after.records.count == records.count)
        for (record, before) in zip(after.records, records) {
            #expect(record.key.utf8.elementsEqual(before.key.utf8))
            #expect(record.isData == before.isData)
            guard before.type == "Person" else {
                #expect(record.content == before.content && record.version == 0)
                continue
            }
            var expected = before.text
            if let end = expected.lastIndex(of: "}") { expected.insert(contentsOf: ",\"added\":true", at: end) }
            #expect(record.text.filter { $0 != " " } == expected.filter { $0 != " " })
        }
    }
}
