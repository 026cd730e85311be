#if DEBUG
    import Foundation
    @testable import Molt
    import TestSupport
    import Testing

    @Suite("Settings under a migration that has not shipped, with redoesUnshippedMigrations")
    struct UnshippedSettingsTests {
        private let scratch: ScratchSuite
        private var suite: Suite { scratch.suite }

        init() throws {
            scratch = try ScratchSuite(["theme": "dark"])
        }

        private func migrations(_ newKey: String) -> MigrationRegistry {
            [Migration(to: 1, "rename", .renameKey("theme", to: newKey, in: suite))]
        }

        @Test func `are put back with the cache when the migration was edited`() throws {
            let files = try ScratchDirectory()
            let url = files.file()
            try CodableCache(at: url).close()
            var configuration = CodableCache.Configuration()
            configuration.redoesUnshippedMigrations = true
            for key in ["first", "second", "third"] {
                try CodableCache(at: url, migrations: migrations(key), configuration: configuration).close()
                #expect(try scratch.values.filter { $0.key != "later" } == [key: "dark"])
                try suite.set(1, forKey: "later")
            }
            // What was set after the upgrade is in the copy of the replaced store.
            let aside = try #require(try CodableCache.filesAside(at: url).first)
            try CodableCache.restore(aside, at: url, attaching: [suite])
            try CodableCache(at: url, migrations: migrations("second"), configuration: CodableCache.Configuration())
                .close()
            #expect(try scratch.values == ["second": "dark", "later": 1])
        }

        @Test func `are put back when the suite is a store of its own`() throws {
            var configuration = MoltConfiguration()
            configuration.redoesUnshippedMigrations = true
            for key in ["first", "second", "third"] {
                try suite.upgrade(with: migrations(key), configuration: configuration)
                #expect(try scratch.values == [key: "dark"])
                #expect(try suite.history().map(\.name) == ["rename"])
            }
        }

        @Test func `are never lost when there is no copy`() throws {
            try suite.upgrade(with: migrations("first"))
            var configuration = MoltConfiguration()
            configuration.redoesUnshippedMigrations = true
            #expect(throws: MoltError.self) {
                try suite.upgrade(with: migrations("second"), configuration: configuration)
            }?.expect(.migrationEdited)
            #expect(try suite.value(forKey: "first") == "dark")
        }
    }
#endif
