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
            migrations = migrations.allowingLateMigrations()
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
                    MigrationRegistry([shipped, next]).allowingLateMigrations(),
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

    @Test func `are not compared if they cannot meet`() async throws {
        let own = Suite("dev.molt.branches")
        let theme = MigrationStep.Settings.setting("theme", in: own)
        let apart: [(MigrationStep, MigrationStep)] = [
            (Self.activate, .mapValue("Person", "status", ["active": "done"])),
            (.renameType("Note", to: "Memo"), .convert("Person", from: Anything.self, to: Anything.self) { $0 }),
            (.renameSetting("theme", to: "look", in: own), .removeSettings(withPrefix: "draft.", in: own)),
            (.renameSetting("theme", to: "look", in: own), .renameSetting("theme", to: "look", in: .standard)),
            (.removeProperty(theme, "a"), Self.activate),
            (.changeSettings(in: own) { _ in }, .transform("Note") { _ in }),
        ]
        let together: [(MigrationStep, MigrationStep)] = [
            (Self.activate, .renameType("Note", to: "Memo")), (.renameType("Memo", to: "Note"), Self.activate),
            (Self.activate, .transform("Person") { $0.typeName = "Note" }), (Self.activate, .run { _ in }),
            (Self.activate, .renameKeys("Person", to: .lowercased)),
            (.removeSettings(withPrefix: "th", in: own), .removeProperty(theme, "a")),
            (.moveToRecords(theme, ofType: "Theme"), Self.activate), (.removeProperty(theme, "a"), .run { _ in }),
            (.renameSetting("look", to: "theme", in: own), .changeForm(theme, to: .native)),
        ]
        for (pairs, canMeet) in [(apart, false), (together, true)] {
            for (first, second) in pairs {
                let (first, second) = (Migration(to: 1, "first", first), Migration(to: 1, "second", second))
                #expect(first.canMeet(second) == canMeet, "\(first.steps), \(second.steps)")
                #expect(second.canMeet(first) == canMeet, "\(first.steps), \(second.steps)")
            }
        }
        let move = Migration.suiteToAppGroup(to: 1, from: own, into: Suite("group.dev.molt.branches"))
        #expect(move.canMeet(Migration(to: 1, "theme", .removeProperty(theme, "a"))))
        #expect(!move.canMeet(Migration(to: 1, "note", Self.activate)))
        let required = Migration(to: 1, "theme", .removeProperty(theme, "a")).requirement(orElse: "a reason") { _ in
            true
        }
        #expect(required.canMeet(Migration(to: 1, "note", Self.activate)))

        func upgrades(_ type: (Int) -> String) async throws -> Int {
            let migrations = (1...6).map { Migration(to: $0, "\($0)", .removeProperty(type($0), "fax")) }
            return try await Self.note().verifyUpgrades(
                through: MigrationRegistry(migrations).allowingLateMigrations(),
                types: [.type(Anything.self, named: "Note")]
            ).upgrades
        }
        let (all, none) = try await (upgrades { _ in "Note" }, upgrades { "Type \($0)" })
        #expect(all - none == 15)
    }

    @Test(arguments: 0..<UInt64(TestRun.choose(10, long: 500)))
    func `have the same result in either order if they cannot meet`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let suites = [Suite("dev.molt.branches"), Suite("group.dev.molt.branches")]
        func type() -> String { random.pick(["A", "B", "C"]) }
        func key() -> String { random.pick(["a", "b", "p.a", "p.b"]) }
        func place() -> MigrationStep.Settings {
            let suite = random.pick(suites)
            return random.oneIn(3) ? .settings(withPrefix: "p.", in: suite) : .setting(key(), in: suite)
        }
        func step() -> MigrationStep {
            switch random.below(12) {
            case 0: .renameType(type(), to: random.pick(["A", "B", "D"]))
            case 1: .deleteType(type())
            case 2: .transform(type()) { [type = type()] in $0.typeName = type }
            case 3: .renameKeys(type(), to: .lowercased, onConflict: .keep)
            case 4: .renameSetting(key(), to: key() + "2", in: random.pick(suites), onConflict: .replace)
            case 5:
                .copySettings(
                    withPrefix: "p.",
                    to: random.pick(["", "q."]),
                    in: random.pick(suites),
                    onConflict: .keep
                )
            case 6: .removeSettings(key(), in: random.pick(suites))
            case 7: .addProperty(place(), "n", default: 1)
            case 8: .renameProperty(place(), "n", to: "m", onConflict: .replace)
            case 9: .moveToRecords(.setting(key(), in: random.pick(suites)), ofType: type())
            case 10: .changeSettings(in: random.pick(suites)) { [key = key()] in try $0.removeValue(forKey: key) }
            default: random.oneIn(2) ? .addProperty(type(), "n", default: 2) : .renameProperty(type(), "n", to: "m")
            }
        }
        let values: [String: PropertyListValue] = [
            "a": #"{"n":1}"#, "b": #"{"m":2}"#, "p.a": #"{"n":3}"#, "p.b": #"{"n":4}"#,
        ]
        let store = StoreFixture(
            version: 0,
            records: zip(["a", "B", "c"], ["A", "B", "C"]).map { .init($0, $1, .json(#"{"n":5}"#)) },
            suites: [suites[0]: values, suites[1]: values]
        )
        var apart = 0
        for _ in 0..<8 {
            let first = Migration(to: 1, "first", steps: random.oneIn(2) ? [step()] : [step(), step()])
            func second(to version: Int) -> Migration { Migration(to: version, "second", steps: steps) }
            let steps = [step()]
            guard !first.canMeet(second(to: 1)) else { continue }
            apart += 1
            func result(_ registries: MigrationRegistry...) -> StoreFixture? {
                try? registries.reduce(store) { try $0.migrated(through: $1).fixture }
            }
            let late = MigrationRegistry([first, second(to: 2)]).allowingLateMigrations()
            for (expected, found) in [
                (result([first, second(to: 1)]), result([second(to: 1), first])),
                (result(late), result([second(to: 2)], late)),
            ] {
                #expect(expected?.data == found?.data, "\(first.steps); \(steps)")
            }
        }
        #expect(apart > 0)
    }

    private static func object(_ record: StoreFixture.Record) -> [String: String]? {
        try? JSONDecoder().decode([String: String].self, from: Data(record.content.bytes))
    }
}

extension StoreFixture {
    /// The records by their keys, and the settings.
    fileprivate var data: [String] {
        records.map { "\($0.key) \($0.typeName) \(String(decoding: $0.content.bytes, as: UTF8.self))" }.sorted()
            + sampledData.sorted()
    }

    private var sampledData: [String] {
        suites.flatMap { suite, values in values.map { "\(suite.attachedName) \($0.key) \($0.value)" } }
    }
}
