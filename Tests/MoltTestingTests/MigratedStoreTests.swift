import Foundation
import Molt
import MoltTesting
import Testing

@Suite
struct MigratedStoreTests {
    @Test func `A fixture made in code is migrated and its values are read`() throws {
        struct Person: Codable, Equatable { var name: String }
        let settings = Molt.Suite.suite("group.example")
        let fixture = StoreFixture(
            schemaVersion: 0,
            records: [.init("john", "Alien", .json(#"{"fullName":"John"}"#))],
            suites: [settings: ["theme": "dark"]]
        )
        let migrations: MigrationRegistry = [
            Migration(to: 1, "alien", .renameType("Alien", to: "Person")),
            Migration(to: 2, "name", .renameProperty("Person", "fullName", to: "name")),
            Migration(to: 3, "style", .renameKey("theme", to: "style", in: settings)),
        ]

        let migrated = try fixture.migrated(through: migrations)

        #expect(try migrated.value(Person.self, forKey: "john") == Person(name: "John"))
        #expect(migrated.record(forKey: "john")?.typeName == "Person")
        #expect(migrated.setting("style", in: settings) == "dark")
        #expect(migrated.setting("theme", in: settings) == nil)
        #expect(migrated.fixture.schemaVersion == 3)
        #expect(migrated.fixture.ledger.map(\.fingerprint) == migrations.migrations.map(\.fingerprint))
        #expect(migrated.report.to == 3)
        #expect(try settings.values().isEmpty)
    }
}
