import MoltTesting
import Testing

@testable import Molt

@Suite("A fixture with a version and no ledger") struct LedgerlessFixtureTests {
    @Test func `is not upgraded, since its migrations would run again`() throws {
        let fixture = StoreFixture(schemaVersion: 1, records: [.init("a", "Person", .json(#"{"age":1}"#))])
        let migrations: MigrationRegistry = [
            Migration(to: 1, "first", .transform("Person") { $0["age"] = .int(try $0.int("age") + 1) }),
            Migration(to: 2, "second"),
        ]
        let error = #expect(throws: TestingError.self) { try fixture.migrated(through: migrations) }
        #expect(error?.code == .unsuitable)
        #expect(error?.message.contains(#""ledger": [{"name": "first", "version": 1}, …]"#) == true)
        // One whose version no migration of the registry leads to is upgraded.
        let later: MigrationRegistry = [Migration(to: 2, "second", .renameProperty("Person", "age", to: "years"))]
        #expect(try fixture.migrated(through: later).report.applied.map(\.name) == ["second"])
    }
}
