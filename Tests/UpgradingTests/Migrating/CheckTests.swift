import Foundation
import Molt
import Testing

@Suite("A check of a migration")
struct CheckTests {
    private let seen = Log<String>()

    private func store(_ version: Int = 0, _ ledger: [(String, Int)] = []) throws -> OldStore {
        let records = [
            StoredRecord("Alien", "john", #"{"name":"John"}"#), StoredRecord("Alien", "jane", #"{"name":"Jane"}"#),
        ]
        return try OldStore(records, version: version, ledger: ledger)
    }

    /// Notes the keys and contents of a type's records.
    private func noting(_ type: String) -> @Sendable (StoreSnapshot) throws -> Void {
        { [seen] store in
            var line = "\(try store.types) \(try store.count(ofType: type))"
            try store.enumerate(type) { line += " \($0.key) \(try $0.string("name"))" }
            seen.append(line)
        }
    }

    /// Steps that would be fused without the checks.
    private func migrations(_ check: @escaping @Sendable (StoreSnapshot) throws -> Void) -> MigrationRegistry {
        let renaming = Migration(to: 1, "person", .renameType("Alien", to: "Person"))
        let exclaiming = MigrationStep.transform("Person") { $0["name"] = .string(try $0.string("name") + "!") }
        return [
            renaming.check("people have names", noting("Person")).check("John is there", check),
            Migration(to: 2, "loud", exclaiming, .renameType("Person", to: "Human")),
        ]
    }

    @Test(.throughEveryEntryPoint) func `sees the store at its own version, and is a step of the report`() async throws
    {
        let john = Log<Record>()
        let migrations = migrations { store in
            #expect(try store.record(forKey: "nobody") == nil)
            if let record = try store.record(forKey: "john") { john.append(record) }
        }
        let store = try store()
        let report = try await store.upgrade(migrations)
        #expect(seen.all == [#"["Person"] 2 john John jane Jane"#])
        #expect(try john.all.map { try $0.string("name") } == ["John"])
        #expect(try store.snapshot().texts["jane"] == #"{"name":"Jane!"}"#)
        let steps = report.entries.map { $0.steps.map(\.summary) }
        #expect(steps[0].dropFirst() == ["check: people have names", "check: John is there"] && steps[1].count == 2)
        #expect(report.description.contains("check: John is there"))
    }

    @Test(.throughEveryEntryPoint) func `rolls the whole upgrade back when it throws`() async throws {
        let migrations = migrations { _ in throw Refusal(value: "secret") }
        let error = try await store().failure(migrations)
        error.expect(
            .checkFailed,
            migration: "person",
            step: 3,
            summary: "check: John is there",
            outcome: .rolledBack,
            refusal: "secret",
            says: #""John is there""#
        )
        #expect(!error.description.contains("secret"))
        // An error of a record is one of the check, too.
        let missing = try await store().failure(
            self.migrations { try $0.enumerate("Person") { _ = try $0.string("age") } }
        )
        missing.expect(.checkFailed, migration: "person", outcome: .rolledBack)
        #expect((missing.underlying as? MoltError)?.code == .propertyMissing)
    }

    @Test func `is listed by the plan and run by a dry run, which writes nothing`() throws {
        let store = try store()
        let before = try store.snapshot()
        let migrations = migrations { _ in throw Refusal() }
        let plan = try CacheFile(at: store.url).plan(migrations)
        #expect(plan.description.contains("- check: people have names\n       - check: John is there"))
        #expect(seen.count == 0)
        MoltError.thrown { try CacheFile(at: store.url).dryRunAndWait(migrations) }?.expect(.checkFailed)
        #expect(try store.snapshot() == before && seen.count == 1)
    }

    @Test func `runs on a new store only if records appear there`() throws {
        let bringing = MigrationStep.run("import", onFreshStore: true) {
            try $0.create("Alien", forKey: "new", ["name": "New"])
        }
        let check = noting("Alien")
        let without = try CodableCache(inMemory: [Migration(to: 1, "plain").check("names", check)])
        #expect(seen.count == 0 && without.report.entries.map(\.outcome) == [.createdAtVersion])
        let with = try CodableCache(inMemory: [Migration(to: 1, "import", bringing).check("names", check)])
        #expect(seen.all == [#"["Alien"] 1 new New"#] && with.report.entries.map(\.outcome) == [.ran])
        // Settings that were migrated on a new store still count as such.
        let notebook = try Notebook()
        let settings = try CodableCache(inMemory: [notebook.adding("line").check("names", check)])
        #expect(seen.count == 1 && settings.report.entries.map(\.outcome) == [.ran])
    }

    @Test func `can be added later: it is no edit, and does not run where the migration counts as applied`() throws {
        let old = try store()
        try CodableCache(at: old.url, migrations: [Migration(to: 1, "person")]).close()
        let checked = Migration(to: 1, "person").check("names", noting("Alien"))
        #expect(checked.fingerprint == Migration(to: 1, "person").fingerprint)
        let plan = try CacheFile(at: old.url).plan([checked])
        #expect(plan.edits.isEmpty && !plan.needsUpgrade)
        try CodableCache(at: old.url, migrations: [checked]).close()
        #expect(seen.count == 0)
    }

    @Test func `is passed over where no whole store is upgraded`() throws {
        let store = try store()
        let migrations = migrations { _ in throw Refusal() }
        let cache = try CodableCache(reading: store.url, migrations: migrations)
        #expect(try cache.count() == 2)
        let document = try DocumentUpgrade(migrations, from: 0)
            .upgrade(Data(#"{"name":"Eve"}"#.utf8), ofType: "Alien", writtenAt: 0)
        #expect(String(decoding: document.content, as: UTF8.self) == #"{"name":"Eve!"}"#)
        #expect(seen.count == 0)
    }

    @Test func `of a suite sees the settings as the steps leave them, and does not join the suite's ledger`() throws {
        let notebook = try Notebook(["old"])
        let other = try Notebook(["other"])
        let migration = notebook.adding("new").check("lines") { [seen] store in
            seen.append("\(Notebook.lines(try store.settings(in: notebook.suite)))")
            seen.append("\(Notebook.lines(try store.settings(in: other.suite)))")
        }
        let store = try store()
        let configuration = MoltConfiguration { $0.suites = [other.suite] }
        try CodableCache(at: store.url, migrations: [migration], configuration: configuration).close()
        #expect(seen.all == [#"["old", "new"]"#, #"["other"]"#])
        #expect(try notebook.suite.history().map(\.name) == ["new"] && other.suite.history().isEmpty)
    }

    @Test func `alone in a migration runs for a suite without a cache, and cannot read records there`() throws {
        let notebook = try Notebook(["old"])
        let checking = Migration(to: 2, "checked").check("lines") { [seen] store in
            seen.append("\(Notebook.lines(try store.settings(in: notebook.suite)))")
        }
        let records = Migration(to: 3, "records", .renameType("Alien", to: "Person")).check("no") { _ in
            throw Refusal()
        }
        let report = try notebook.suite.upgrade(with: [notebook.adding("new"), checking, records])
        #expect(seen.all == [#"["old", "new"]"#] && report.outcomes == "new ran, checked ran")
        let counting = Migration(to: 4, "count").check("people") { store in
            guard try store.count(ofType: "Person") > 0 else { throw Refusal() }
        }
        MoltError.thrown {
            try notebook.suite.upgrade(with: [notebook.adding("new"), checking, notebook.adding("x", to: 3), counting])
        }?
        .expect(.unsupported, migration: "count", outcome: .rolledBack, says: "without a cache")
        #expect(try notebook.lines == ["old", "new"] && seen.count == 1)
    }

    @Test func `that reads a suite which is unavailable defers the opening`() throws {
        let notebook = try Notebook(["old"])
        let migrations = migrations { _ = try $0.settings(in: notebook.suite) }
        let store = try store()
        let before = try store.snapshot()
        let configuration = MoltConfiguration { $0.suites = [notebook.suite] }
        notebook.whileClosed {
            MoltError.thrown { try CodableCache(at: store.url, migrations: migrations, configuration: configuration) }?
                .expect(.deferred, migration: "person", outcome: .rolledBack, says: "Open the store again later.")
        }
        #expect(try store.snapshot() == before)
        try CodableCache(at: store.url, migrations: migrations, configuration: configuration).close()
        #expect(seen.count == 2)
    }

    @Test func `cannot belong to a migration on read`() {
        let onRead = Migration(to: 1, "mail", .renameProperty("Person", "mail", to: "email")).onRead()
        let registry: MigrationRegistry = [onRead.check("names") { _ in }]
        #expect(registry.faults.count == 1 && registry.faults[0].contains("runs on read and has a check"))
        let writable: MigrationRegistry = [
            Migration(to: 1, "added").olderReleases(may: .write).check("names") { _ in }
        ]
        #expect(writable.faults.isEmpty)
    }
}
