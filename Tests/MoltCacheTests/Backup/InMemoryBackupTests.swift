import Testing

@testable import Molt

@Suite("The backup policy of a store in memory") struct InMemoryBackupTests {
    @Test func `has no effect, since nothing outlives the process`() throws {
        let store = StoreFile(inMemoryWith: [])
        let person = StoreContents.StoredRecord(
            key: "ada",
            typeName: "Person",
            content: Array(#"{"mail":"a"}"#.utf8),
            version: 0
        )
        try StoreContents(version: 0, records: [person]).write(to: store)
        var configuration = MoltConfiguration()
        configuration.backup = BackupPolicy()

        let migrations = registry(.renameProperty("Person", "mail", to: "email"))
        let report = try Migrator(migrations, configuration: configuration).migrate(store)

        #expect(report.applied == [MigrationID(name: "change", version: 1)])
        #expect(report.counts.changed == 1)
    }
}
