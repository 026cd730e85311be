import Foundation
import Molt
import Testing

/// Conditions of steps with the other features of an upgrade.
@Suite struct `A step with a condition` {
    private static let records = [
        StoredRecord("Item", "ada", #"{"kind":"item","title":"A"}"#),
        StoredRecord("Item", "bob", #"{"kind":"ad","title":7}"#),
        StoredRecord("Item", "eve", #"{"kind":"item","title":"E","name":"N"}"#),
        StoredRecord("List", "all", #"{"items":[{"kind":"item","name":1},{"kind":"ad","name":2}]}"#),
    ]
    private static let inElements = MigrationStep.renameProperty("List", ["items", .each, "name"], to: "title")
        .where(["items", .each, "kind"], equals: "item")

    private static func rename(_ policy: ConflictPolicy<RecordValue> = .fail) -> MigrationStep {
        .renameProperty("Item", "title", to: "name", onConflict: policy).where("kind", equals: "item")
    }

    @Test(arguments: [EntryPoint.initializer, .inMemory])
    func `changes only the records and elements that fulfil it`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)
        let report = try await store.upgrade(Self.rename(.keep), Self.inElements)
        try store.snapshot().expect(
            #"Item ada {"kind":"item","name":"A"}"#,
            #"Item bob {"kind":"ad","title":7}"#,
            #"Item eve {"kind":"item","name":"N"}"#,
            #"List all {"items":[{"kind":"item","title":1},{"kind":"ad","name":2}]}"#
        )
        let steps = report.entries[0].steps
        #expect(steps.map(\.counts.changed) == [2, 1] && steps.map(\.counts.read) == [3, 1])
        #expect(
            steps[0].summary
                == #"rename Item.title to name, unless there is a value already, where Item.kind equals "item""#
        )
        #expect(report.losses.map(\.name) == ["Item.name (conflicts)"])
    }

    @Test func `does the same on read, in a backfill and in a document`() async throws {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "rename", Self.rename(.replace), Self.inElements).onRead()
        ]
        let expected = [
            #"{"kind":"item","name":"A"}"#, Self.records[1].text, #"{"kind":"item","name":"E"}"#,
            #"{"items":[{"kind":"item","title":1},{"kind":"ad","name":2}]}"#,
        ]
        let documents = try DocumentUpgrade(migrations)
        for (record, expected) in zip(Self.records, expected) {
            let document = try documents.upgrade(
                Data(record.content),
                ofType: record.type,
                writtenAt: 0,
                forKey: record.key
            )
            #expect(String(decoding: document.content, as: UTF8.self) == expected)
        }
        let store = try OldStore(Self.records)
        let configuration = MoltConfiguration { $0.runsBackfill = false }
        let cache = try CodableCache(at: store.url, migrations: migrations, configuration: configuration)
        #expect(try cache.value([String: String].self, forKey: "ada") == ["kind": "item", "name": "A"])
        cache.close()
        #expect(try store.snapshot().contents == Self.records.map(\.text))
        // A later migration takes what is left with it.
        let all = MigrationRegistry(migrations.migrations + [Migration(to: 2, "next", .run { _ in })])
        try await store.upgrade(all)
        #expect(try store.snapshot().contents == expected)
        let other = try OldStore(Self.records)
        let backfilled = try CodableCache(at: other.url, migrations: migrations, configuration: configuration)
        try await backfilled.finishBackfill()
        backfilled.close()
        #expect(try other.snapshot().contents == expected)
    }

    @Test func `stops or quarantines only records that fulfil it`() async throws {
        let step = MigrationStep.changeValue("Item", "title", to: .integer, ifMissing: .fail)
        let store = try OldStore(Self.records)
        let error = try await store.failure(step.where("kind", equals: "item"))
        error.expect(.typeMismatch, key: "ada", migration: "change")
        let report = try await store.upgrade(step.where("kind", equals: "item").onFailure(.quarantine(upTo: 2)))
        #expect(report.entries[0].counts.quarantined == 2)
        #expect(try store.snapshot().keys == ["bob", "all"])
        // Nobody fulfils it, so no property is missing.
        let missing = MigrationStep.removeProperty("Item", "fax", ifMissing: .fail).where("kind", equals: "fax")
        #expect(try await OldStore(Self.records).upgrade(missing).entries[0].counts.changed == 0)
    }

    @Test func `meets another value only where it holds`() async throws {
        let store = try OldStore(Self.records)
        let error = try await store.failure(Self.rename())
        error.expect(.propertyExists, key: "eve", migration: "change", says: "Say with `onConflict:`")
        let others = MigrationStep.renameProperty("Item", "title", to: "name").where("name", exists: false)
        try await store.upgrade(others)
        #expect(try store.snapshot()["eve"]?.text == Self.records[2].text)
        #expect(try store.snapshot()["bob"]?.text == #"{"kind":"ad","name":7}"#)
    }

    /// The steps before and after it are done in one pass.
    @Test func `sees what the steps before it have done, and is seen by the next`() async throws {
        let store = try OldStore(Self.records)
        let report = try await store.upgrade(
            .renameProperty("Item", "kind", to: "sort"),
            .mapValue("Item", "sort", ["ad": "advertisement"]).where("title", is: .number),
            .renameType("Item", to: "Entry"),
            .addProperty("Entry", "price", default: 0).where("sort", equals: "advertisement"),
            .transform("Entry") { $0.key += "!" }.where("price", exists: true)
        )
        try store.snapshot().expect(
            #"Entry ada {"sort":"item","title":"A"}"#,
            #"Entry bob! {"sort":"advertisement","title":7,"price":0}"#,
            #"Entry eve {"sort":"item","title":"E","name":"N"}"#,
            Self.records[3].line
        )
        #expect(report.entries[0].steps.map(\.counts.changed) == [3, 1, 0, 1, 1])
    }

    @Test func `shows samples of what it changed in a dry run`() async throws {
        let store = try OldStore(Self.records)
        let migrations: MigrationRegistry = [Migration(to: 1, "change", Self.rename(.keep), Self.inElements)]
        let report = try CacheFile(at: store.url).dryRunAndWait(migrations, samples: 5)
        let samples = report.entries[0].steps.map(\.samples)
        #expect(samples.map { $0.map(\.key) } == [["ada", "eve"], ["all"]])
        #expect(samples[0][0].after == ["kind": "item", "name": "A"])
        #expect(try store.snapshot().contents == Self.records.map(\.text))
    }

    @Test func `decides about closures, and about dropping records`() async throws {
        struct Item: Codable { var kind: String, title: String }
        let store = try OldStore(Self.records)
        try await store.upgrade(
            .transform("Item") { $0.drop() }.where("kind", equals: "ad"),
            .convert("Item", from: Item.self, to: Item.self) { Item(kind: $0.kind, title: $0.title + "!") }
                .where("name", exists: false),
            .mapValue("List", [], [:], otherwise: .remove).where("items", is: .string)
        )
        let snapshot = try store.snapshot()
        #expect(snapshot.keys == ["ada", "eve", "all"])
        #expect(try snapshot["ada"]?.decoded(as: Item.self).title == "A!")
        #expect(snapshot["eve"]?.text == Self.records[2].text)
    }

    @Test func `leaves to a shortcut what the steps that it replaces do`() async throws {
        let (first, second) = (
            Self.rename(.keep), MigrationStep.removeProperty("Item", "title").where("title", is: .number)
        )
        let migrations: MigrationRegistry = [
            Migration(to: 1, "rename", first), Migration(to: 2, "remove", second),
            Migration(to: 2, "both", replacing: ["rename", "remove"], first, second),
        ]
        let (store, other) = try (OldStore(Self.records), OldStore(Self.records))
        try await store.upgrade(MigrationRegistry(Array(migrations.migrations.prefix(2))))
        try await other.upgrade(migrations)
        #expect(try store.snapshot().contents == other.snapshot().contents)
        #expect(try store.snapshot()["bob"]?.text == #"{"kind":"ad"}"#)
    }
}
