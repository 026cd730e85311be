import Foundation
import Generators
import Molt
import MoltTesting
import TestSupport
import Testing

/// Migrations of two branches of an app's code, which are merged: stores have been through either one alone.
@Suite struct `Migrations of two branches` {
    private static func note(_ json: String = #"{"status":"open"}"#) -> StoreFixture {
        StoreFixture(version: 0, records: [.init("a", "Note", .json(json))])
    }

    private func failure(_ store: StoreFixture, through migrations: MigrationRegistry) async -> VerificationFailure? {
        await Releases.failure {
            try await store.verifyUpgrades(through: migrations, types: [.type(Anything.self, named: "Note")])
        }
    }

    private struct Anything: Codable {
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) throws {}
    }

    private static let activate = MigrationStep.mapValue("Note", "status", ["open": "active"])
    private static let finish = MigrationStep.mapValue("Note", "status", ["active": "done"])

    @Test(arguments: [1, 2])
    func `are a failure if their order makes a difference`(second: Int) async throws {
        var migrations = MigrationRegistry([
            Migration(to: 1, "activate", Self.activate), Migration(to: second, "finish", Self.finish),
        ])
        if second > 1 {
            // The stores of the second branch are refused.
            #expect(await failure(Self.note(), through: migrations) == nil)
            migrations = migrations.lateMigrations()
        }
        try #require(await failure(Self.note(), through: migrations)).expect(
            only: .path,
            says: "the migrations \"activate\" (version 1) and \"finish\" (version \(second)) in either order",
            #""a".status: expected "done", found "active""#,
            second == 1 ? "make them one migration." : "the order makes no difference."
        )
    }

    @Test func `are a failure if a setting stays behind`() async throws {
        let (own, group) = (Suite("dev.molt.branches"), Suite("group.dev.molt.branches"))
        let store = StoreFixture(primary: .suite(own), version: 0, suites: [own: ["theme": "dark"]])
        let rename = Migration(to: 1, "rename", .renameSetting("theme", to: "appearance", in: own))
        let move = Migration.suiteToAppGroup(to: 1, from: own, into: group)
        for store in [store, StoreFixture(version: 0, records: Self.note().records, suites: store.suites)] {
            try #require(await failure(store, through: [rename, move])).expect(
                only: .path,
                says: "\"appearance\": missing, expected \"dark\"",
                "\"theme\": unexpected, found \"dark\""
            )
        }
    }

    @Test func `may depend on what has shipped before`() async throws {
        let directory = try CatalogDirectory(keeping: [Self.note()])
        let shipped = Migration(to: 1, "state", .renameProperty("Note", "status", to: "state"))
        let next = Migration(to: 2, "map", .mapValue("Note", "state", ["open": "active"]))
        func verified() async -> VerificationFailure? {
            await Releases.failure {
                try await directory.catalog(recording: .missing).verify(
                    MigrationRegistry([shipped, next]).lateMigrations(),
                    types: [.type(Anything.self, named: "Note")],
                    versions: []
                )
            }
        }
        try #require(await verified()).expect(.path, says: "\"state\" (version 1) and \"map\" (version 2)", "seal")
        try directory.catalog(recording: .missing).keep(
            try Self.note().migrated(through: [shipped]).fixture,
            named: "later"
        )
        try directory.seal(1, [shipped])
        #expect(await verified()?.kinds == [.recorded])
    }

    @Test func `may need each other, and may have shipped`() async throws {
        let dependent = Migration(
            to: 1,
            "needs the other",
            .transform("Note") { note in
                guard try note.value("status", as: String.self) == "active" else { throw CocoaError(.formatting) }
                note["status"] = "done"
            }
        )
        let activate = Migration(to: 1, "activate", Self.activate)
        #expect(await failure(Self.note(), through: [activate, dependent]) == nil)

        let directory = try CatalogDirectory(keeping: [Self.note()])
        let both: MigrationRegistry = [activate, Migration(to: 1, "finish", Self.finish)]
        func verified() async -> VerificationFailure? {
            await Releases.failure {
                try await directory.catalog(recording: .missing)
                    .verify(both, types: [.type(Anything.self, named: "Note")], versions: [])
            }
        }
        try #require(await verified()).expect(.path, says: "\"activate\" (version 1) and \"finish\" (version 1)")
        try directory.catalog(recording: .missing).keep(try Self.note().migrated(through: both).fixture, named: "later")
        try directory.seal(1, both)
        #expect(await verified()?.kinds == [.recorded])
    }

    @Test(arguments: 0..<UInt64(TestRun.choose(20, long: 500)))
    func `are named if and only if both orders differ`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let names = ["a", "b", "c"]
        func step() -> MigrationStep {
            let (path, other) = (PropertyPath(random.pick(names)), random.pick(names + ["d"]))
            return switch random.below(5) {
            case 0: .renameProperty("Note", path, to: other == path.description ? "d" : other, onConflict: .replace)
            case 1: .addProperty("Note", PropertyPath(other), default: .string("\(random.below(3))"))
            case 2: .removeProperty("Note", path)
            case 3:
                .copyProperty(
                    "Note",
                    path,
                    to: PropertyPath(other == path.description ? "d" : other),
                    onConflict: .keep
                )
            default: .mapValue("Note", path, [.string("\(random.below(3))"): .string("\(random.below(3))")])
            }
        }
        // Of those, both orders succeed.
        let (first, second) = (Migration(to: 1, "first", step()), Migration(to: 1, "second", step()))
        let content = "{" + names.map { #""\#($0)":"\#(random.below(3))""# }.joined(separator: ",") + "}"
        let store = Self.note(content)
        guard let inOrder = try? store.migrated(through: [first, second]).fixture.records,
            let reversed = try? store.migrated(through: [second, first]).fixture.records
        else { return }
        let failure = await failure(store, through: [first, second])
        let found = failure?.messages(.path).contains { $0.contains("stores of two branches") } ?? false
        let same = zip(inOrder, reversed).allSatisfy { Self.object($0) == Self.object($1) }
        #expect(found == !same, "\(first.description); \(second.description); \(content)")
    }

    private static func object(_ record: StoreFixture.Record) -> [String: String]? {
        try? JSONDecoder().decode([String: String].self, from: Data(record.content.bytes))
    }
}
