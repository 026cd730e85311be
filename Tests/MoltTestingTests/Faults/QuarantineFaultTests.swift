import Molt
import MoltTesting
import Testing

@Suite struct `Faults while records are quarantined` {
    @Test func `All records that fail are quarantined, and the report names them`() throws {
        let migrated = try QuarantineScenario.fixture.migrated(through: QuarantineScenario.migrations)
        #expect(migrated.report.failedRecords.map(\.key) == ["p2+", "p5+", "n1", "p4+", "p7+"])
        #expect(migrated.fixture.records.map(\.key) == ["p1+", "p3+", "n2", "p6+", "n3"])
        #expect(migrated.report.counts.quarantined == 5)
    }

    @Test func `All entry points, and upgrades at once or version by version, yield the same result`() async throws {
        struct Content: Codable { var n: Int }
        try await QuarantineScenario.fixture.verifyUpgrades(
            through: QuarantineScenario.migrations,
            types: [.type(Content.self, named: "Human"), .type(Content.self, named: "Note")]
        )
    }
}

/// Records that fail in transforms and in a block, after changes of their keys.
enum QuarantineScenario {
    struct Failure: Error {}

    static var fixture: StoreFixture {
        let people = (1...7).map { StoreFixture.Record("p\($0)", "Person", .json(#"{"n":\#($0)}"#)) }
        let notes = (1...3).map { StoreFixture.Record("n\($0)", "Note", .json(#"{ "n":\#($0) }"#)) }
        return StoreFixture(
            version: 0,
            records: [people[0], people[1], notes[0], people[2], people[3], notes[1], people[4], people[5], notes[2]]
                + [people[6]]
        )
    }

    static let migrations: MigrationRegistry = [
        Migration(to: 1, "keys", .transform("Person") { $0.key += "+" }),
        Migration(
            to: 2,
            "fail",
            .transform("Person") { person in
                if try person.value("n", as: Int.self) % 3 == 2 { throw Failure() }
                person["long"] = .string(String(repeating: "x", count: 500))
            }.onFailure(.quarantine(upTo: .unlimited)),
            .renameType("Person", to: "Human"),
            .removeProperty("Note", "m", ifMissing: .skip)
        ),
        Migration(
            to: 3,
            "block",
            .run("visit") { migration in
                try migration.enumerate("Note") { old, new in
                    new["seen"] = true
                    if old.key == "n1" { throw Failure() }
                }
                try migration.enumerate("Human") { old, new in
                    new["seen"] = true
                    if old.key == "p4+" || old.key == "p7+" { throw Failure() }
                }
            }.onFailure(.quarantine(upTo: .unlimited))
        ),
    ]
}
