import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Settings of an older form that are merged into a suite` {
    private let scratch: ScratchSuite
    private let group: ScratchSuite
    private let received = Log<String>()

    init() throws {
        scratch = try ScratchSuite(["name": "Ada Lovelace", "theme": "dark"])
        group = try ScratchSuite()
    }

    private var migrations: MigrationRegistry {
        [
            Migration(to: 1, "color", .renameSetting("theme", to: "color", in: scratch.suite)),
            Migration(
                to: 2,
                "seconds",
                .changeSettings(in: scratch.suite) { settings in
                    guard let period = try settings.value(forKey: "period")?.int else { return }
                    try settings.set(.int(period * 60), forKey: "period")
                }
            ),
            Migration(
                to: 3,
                "token",
                .handOverSettings("token", in: scratch.suite, to: "a list") { [received] in
                    received.append("\($0) \($1.string ?? "")")
                }
            ),
        ]
    }

    @discardableResult
    private func merge(
        _ values: [String: PropertyListValue],
        from version: Int,
        _ policy: ConflictPolicy<PropertyListValue> = .keep
    ) throws -> [String] {
        try scratch.suite.merge(values, from: version, with: migrations, onConflict: policy).map(\.description)
    }

    @Test func `go through the migrations after their version, and not through earlier ones`() throws {
        try scratch.suite.upgrade(with: migrations)
        try merge(["theme": "light", "period": 5], from: 0)
        try scratch.expect(["name": "Ada Lovelace", "color": "dark", "period": 300])
        try merge(["theme": "light", "period": 6], from: 1, .replace)
        try scratch.expect(["name": "Ada Lovelace", "color": "dark", "period": 360, "theme": "light"])
        try merge(["period": 7], from: 2, .replace)
        try merge(["period": 8], from: 3)
        try scratch.expect(["name": "Ada Lovelace", "color": "dark", "period": 7, "theme": "light"])
        #expect(try scratch.suite.upgrade(with: migrations).isEmpty)
        #expect(try scratch.history == ["color", "seconds", "token"])
    }

    @Test func `meet the suite's values by the policy, and the outcomes say how`() throws {
        try scratch.suite.upgrade(with: migrations)
        let values: [String: PropertyListValue] = ["theme": "light", "name": "Ada Lovelace", "new": 1]
        #expect(
            try merge(values, from: 0).map { $0.split(separator: ": ").last } == ["kept", "already current", "changed"]
        )
        try scratch.expect(["name": "Ada Lovelace", "color": "dark", "new": 1])
        let replaced = try scratch.suite.merge(values, from: 0, with: migrations, onConflict: .replace)
        #expect(replaced.map(\.outcome) == [.replaced, .alreadyCurrent, .alreadyCurrent])
        try scratch.expect(["name": "Ada Lovelace", "color": "light", "new": 1])
        try merge(["theme": "blue"], from: 0, .merge { value, other in value = [value, other] })
        try scratch.expect(["name": "Ada Lovelace", "color": ["light", "blue"], "new": 1])
        let before = try scratch.values
        MoltError.thrown { try merge(["theme": "green", "a": 1], from: 0, .fail) }?
            .expect(.keyExists, key: "color", suite: scratch.suite.attachedName, outcome: .unchanged)
        try scratch.expect(before)
    }

    @Test func `are handed over at once, and nothing is merged if that fails`() throws {
        try scratch.suite.upgrade(with: migrations)
        try merge(["token": "t", "new": 1], from: 1)
        #expect(received.all == ["token t"])
        try scratch.expect(["name": "Ada Lovelace", "color": "dark", "new": 1])
        let handsOver = Migration(
            to: 3,
            "token",
            .handOverSettings("token", in: scratch.suite, to: "nowhere") { _, _ in throw Refusal() }
        )
        let failing = MigrationRegistry(migrations.migrations.dropLast() + [handsOver])
        #expect(throws: Refusal.self) {
            try scratch.suite.merge(["token": "t", "newer": 1], from: 0, with: failing)
        }
        try scratch.expect(["name": "Ada Lovelace", "color": "dark", "new": 1])
    }

    @Test func `are merged in whole, and stored elsewhere last`() throws {
        let registry = MigrationRegistry(
            migrations.migrations + [
                .suiteToAppGroup(to: 4, from: scratch.suite, into: group.suite, keys: .only(["name"]))
            ]
        )
        try scratch.suite.upgrade(with: registry)
        let before = try [scratch.values, group.values]
        MoltError.thrown {
            try scratch.suite.merge(
                ["new": 1, "name": "Grace", "token": "t"],
                from: 0,
                with: registry,
                onConflict: .fail
            )
        }?
        .expect(.keyExists, key: "name")
        #expect(try [scratch.values, group.values] == before && received.count == 0)
        let tool = MoltConfiguration { $0.process = .tool }
        MoltError.thrown {
            try scratch.suite.merge(["token": "t"], from: 0, with: registry, configuration: tool)
        }?
        .expect(.unsupported, migration: "token")
    }

    @Test func `are merged beside a cache with blocks on records, and from the oldest version`() throws {
        let registry = MigrationRegistry(
            migrations.migrations + [Migration(to: 4, "records", .run { _ in })]
        ).oldestVersion(0)
        try ScratchCache().upgrade(registry)
        try scratch.suite.merge(["period": 1], from: 1, with: registry)
        try scratch.expect(["name": "Ada Lovelace", "color": "dark", "period": 60])
        let retired = MigrationRegistry(Array(migrations.migrations.dropFirst())).oldestVersion(1)
        try scratch.suite.merge(["period": 2], from: 1, with: retired, onConflict: .replace)
        try scratch.expect(["name": "Ada Lovelace", "color": "dark", "period": 120])
    }

    @Test func `that a migration moves go into the other suite`() throws {
        let registry = MigrationRegistry(
            migrations.migrations + [.suiteToAppGroup(to: 4, from: scratch.suite, into: group.suite)]
        )
        try scratch.suite.upgrade(with: registry)
        let outcomes = try scratch.suite.merge(
            ["period": 1, "theme": "light"],
            from: 0,
            with: registry,
            onConflict: .replace
        )
        try group.expect(["name": "Ada Lovelace", "color": "light", "period": 60])
        #expect(outcomes.contains { $0.store == group.suite.attachedName && $0.key == "period" })
    }

    @Test func `need a suite that is up to date, and a version that the registry has`() throws {
        MoltError.thrown { try merge(["a": 1], from: 0) }?
            .expect(.needsMigration, id: MigrationID(name: "color", version: 1), outcome: .unchanged)
        try scratch.expect(["name": "Ada Lovelace", "theme": "dark"], history: [])
        try scratch.suite.upgrade(with: migrations)
        MoltError.thrown { try merge(["a": 1], from: 4) }?.expect(.superseded, storeVersion: 4, registryVersion: 3)
        MoltError.thrown {
            let retired = MigrationRegistry(Array(migrations.migrations.dropFirst())).oldestVersion(1)
            try scratch.suite.merge(["a": 1], from: 0, with: retired)
        }?
        .expect(.tooOld, storeVersion: 0, registryVersion: 1)
        MoltError.thrown { try merge(["a": .date(Date(timeIntervalSince1970: .infinity))], from: 0) }?
            .expect(.cannotStore, key: "a")
        try scratch.expect(["name": "Ada Lovelace", "color": "dark"])
    }

    @Test func `wait for the changes of an unfinished upgrade, and for suites that cannot be read`() throws {
        try scratch.commit(migrations)
        MoltError.thrown { try merge(["a": 1], from: 3) }?.expect(.needsMigration, outcome: .unchanged)
        let registry = MigrationRegistry(
            migrations.migrations + [.suiteToAppGroup(to: 4, from: scratch.suite, into: group.suite)]
        )
        try scratch.suite.upgrade(with: registry)
        group.whileClosed {
            MoltError.thrown { try scratch.suite.merge(["a": 1], from: 0, with: registry) }?
                .expect(.deferred, suite: group.suite.attachedName, outcome: .unchanged)
        }
        #expect(try group.suite.value(forKey: "a") == nil)
    }

    @Test func `are refused by a suite that a newer release has upgraded`() throws {
        let newer = Migration(to: 4, "newer", .renameSetting("color", to: "paint", in: scratch.suite))
        try scratch.suite.upgrade(with: MigrationRegistry(migrations.migrations + [newer]))
        MoltError.thrown { try merge(["a": 1], from: 0) }?.expect(.superseded)
        try scratch.expect(["name": "Ada Lovelace", "paint": "dark"])
    }

    @Test func `bring no ledger with them`() throws {
        try scratch.suite.upgrade(with: migrations)
        try merge([Suite.ledgerKey: "{", "theme": "light", "new": 1], from: 0)
        try scratch.expect(
            ["name": "Ada Lovelace", "color": "dark", "new": 1],
            history: ["color", "seconds", "token"]
        )
    }

    @Test func `are handed over only if the others can be set`() throws {
        try scratch.suite.set(1, forKey: "cafe\u{301}")
        try scratch.suite.upgrade(with: migrations)
        let refused: [String: PropertyListValue] = [
            "caf\u{E9}": 2, "a": .date(Date(timeIntervalSince1970: .infinity)),
        ]
        for (key, value) in refused {
            MoltError.thrown { try merge(["token": "t", key: value], from: 0, .replace) }?
                .expect(.cannotStore, key: key)
        }
        let spoil = ConflictPolicy<PropertyListValue>.merge { value, _ in
            value = .date(Date(timeIntervalSince1970: .infinity))
        }
        MoltError.thrown { try merge(["token": "t", "theme": "light"], from: 0, spoil) }?
            .expect(.cannotStore, key: "color")
        #expect(received.count == 0)
    }

    @Test func `cannot become records`() throws {
        let registry = MigrationRegistry(
            migrations.migrations + [
                Migration(to: 4, "records", .moveToRecords(.setting("name", in: scratch.suite), ofType: "String"))
            ]
        )
        let cache = try ScratchCache()
        try cache.upgrade(registry)
        MoltError.thrown { try scratch.suite.merge(["name": "n"], from: 0, with: registry) }?
            .expect(.unsupported, migration: "records", says: "Import them with a cache.")
    }
}
