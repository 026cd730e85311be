import Foundation
import Molt
import Testing

@Suite("A requirement of a migration")
struct RequirementTests {
    private static let waiting = "Uploads are still waiting; finish them first."
    private let evaluated = Log<String>()

    private func store() throws -> OldStore {
        try OldStore([StoredRecord("Upload", "a", #"{"n":1}"#), StoredRecord("Alien", "john", #"{"n":2}"#)])
    }

    private func migrations(uploads: Int = 0, aliens: Int = 0) -> MigrationRegistry {
        [
            Migration(to: 1, "person", .renameType("Alien", to: "Person")),
            Migration(to: 2, "uploads", .deleteType("Upload"))
                .requirement(orElse: Self.waiting) { [evaluated] store in
                    evaluated.append("\(try store.types)")
                    return try store.count(ofType: "Upload") == uploads
                },
            Migration(to: 3, "gone", .deleteType("Person"))
                .requirement(orElse: Self.waiting) { try $0.count(ofType: "Upload") == uploads }
                .requirement(orElse: "Aliens are still here.") { store in
                    guard try store.count(ofType: "Alien") == aliens else { throw Refusal() }
                    return true
                },
        ]
    }

    @Test(.throughEveryEntryPoint) func `stops the opening before anything is written, with all reasons`() async throws
    {
        let error = try await store().failure(migrations())
        error.expect(.requirementUnmet, migration: "uploads", outcome: .unchanged, refusal: "")
        #expect(error.problem == "\(Self.waiting) Aliens are still here.")
        // The store is still at the oldest version.
        #expect(evaluated.all == [#"["Alien", "Upload"]"#])
    }

    @Test func `comes before the backup and the attempt, and is part of a dry run`() throws {
        let store = try store()
        let before = try Data(contentsOf: store.url)
        let reached = Log<UpgradePoint>()
        let configuration = MoltConfiguration {
            $0.backup = BackupPolicy()
            $0.hooks.atPoint = { reached.append($0) }
        }
        for _ in 0..<2 {
            MoltError.thrown {
                try CodableCache(at: store.url, migrations: migrations(), configuration: configuration)
            }?
            .expect(.requirementUnmet)
        }
        MoltError.thrown { try CacheFile(at: store.url).dryRunAndWait(migrations(uploads: 1)) }?
            .expect(.requirementUnmet, says: "Aliens")
        #expect(try Data(contentsOf: store.url) == before)
        #expect(reached.all.isEmpty)
        try expectNames("cache.molt", in: store.directory)
    }

    @Test func `is listed by the plan, which does not evaluate it`() throws {
        let store = try store()
        let plan = try CacheFile(at: store.url).plan(migrations())
        #expect(plan.entries.map(\.requirements) == [[], [Self.waiting], [Self.waiting, "Aliens are still here."]])
        #expect(plan.description.contains("- requires a condition; otherwise: \(Self.waiting)"))
        #expect(plan.problems.isEmpty && evaluated.count == 0)
        let json = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
        #expect(json.contains("Aliens are still here."))
    }

    @Test(.throughEveryEntryPoint) func `lets the upgrade run if it holds, and never concerns a store again`()
        async throws
    {
        let store = try store()
        try await store.upgrade(migrations(uploads: 1, aliens: 1))
        #expect(try store.snapshot().version == 3 && evaluated.count == 1)
        try await store.upgrade(migrations(uploads: 5))
        #expect(evaluated.count == 1)
    }

    @Test func `does not concern a new store, nor one that is only read`() throws {
        try CodableCache(inMemory: migrations(uploads: 5)).close()
        let store = try store()
        let cache = try CodableCache(reading: store.url, migrations: migrations(uploads: 5))
        #expect(try cache.count() == 0)
        #expect(evaluated.count == 0)
    }

    @Test func `of a migration on read is evaluated by the opening that records it`() throws {
        let adding = Migration(to: 1, "m", .addProperty("Alien", "m", default: 1)).onRead()
        let registry: MigrationRegistry = [adding.requirement(orElse: "No.") { try $0.count(ofType: "Alien") == 0 }]
        let store = try store()
        MoltError.thrown { try CodableCache(at: store.url, migrations: registry) }?
            .expect(.requirementUnmet, outcome: .unchanged, says: "No.")
    }

    @Test func `reads no records of a suite that is upgraded without a cache`() throws {
        let codes = Log<MoltError.Code?>()
        let notebook = try Notebook(["waiting"])
        let migration = notebook.adding("done").requirement(orElse: Self.waiting) { store in
            codes.append(MoltError.thrown { try store.types }?.code)
            codes.append(MoltError.thrown { try store.record(forKey: "a") }?.code)
            codes.append(MoltError.thrown { try store.enumerate("Upload") { _ in } }?.code)
            return try store.count(ofType: "Upload") == 0
        }
        MoltError.thrown { try notebook.suite.upgrade(with: [migration]) }?
            .expect(.unsupported, migration: "done", outcome: .unchanged, says: "without a cache")
        #expect(codes.all == [.unsupported, .unsupported, .unsupported])
        #expect(try notebook.lines == ["waiting"] && notebook.suite.history().isEmpty)
    }

    @Test func `that reads a suite which is unavailable defers the opening`() async throws {
        let notebook = try Notebook(["waiting"])
        let reading = Migration(to: 2, "read", .deleteType("Upload")).requirement(orElse: "No.") { store in
            try Notebook.lines(store.settings(in: notebook.suite)) == ["waiting"]
        }
        let store = try store()
        let before = try store.snapshot()
        let foreign = try await store.failure([reading])
        foreign.expect(.requirementUnmet, outcome: .unchanged, says: "No.")
        let advice = (foreign.underlying as? MoltError)?.advice ?? ""
        #expect(advice == "Name it in a step of the registry, or add it to `MoltConfiguration.suites`.")
        let registry: MigrationRegistry = [reading]
        notebook.whileClosed {
            let configuration = MoltConfiguration { $0.suites = [notebook.suite] }
            MoltError.thrown { try CodableCache(at: store.url, migrations: registry, configuration: configuration) }?
                .expect(.deferred, migration: "read", outcome: .unchanged, says: "Open the store again later.")
        }
        #expect(try store.snapshot() == before)
        let configuration = MoltConfiguration { $0.suites = [notebook.suite] }
        try CodableCache(at: store.url, migrations: registry, configuration: configuration).close()
        #expect(try store.snapshot().version == 2)
    }

    @Test func `sees the settings of a suite that is upgraded without a cache`() throws {
        let notebook = try Notebook(["waiting"])
        let migration = notebook.adding("done").requirement(orElse: "Lines are waiting.") { store in
            try !Notebook.lines(store.settings(in: notebook.suite)).contains("waiting")
        }
        MoltError.thrown { try notebook.suite.upgrade(with: [migration]) }?
            .expect(.requirementUnmet, outcome: .unchanged, says: "Lines are waiting.")
        #expect(try notebook.lines == ["waiting"] && notebook.suite.history().isEmpty)
        try notebook.suite.update(remove: ["waiting"])
        try notebook.suite.upgrade(with: [migration])
        #expect(try notebook.lines == ["done"])
    }
}
