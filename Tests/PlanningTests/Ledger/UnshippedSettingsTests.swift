#if DEBUG
    import Foundation
    import Molt
    import TestSupport
    import Testing

    @Suite("Settings under a migration that has not shipped, with redoesUnshippedMigrations")
    struct UnshippedSettingsTests {
        private let scratch: ScratchSuite
        private var suite: Suite { scratch.suite }

        init() throws {
            scratch = try ScratchSuite(["theme": "dark"])
        }

        private let redoing = MoltConfiguration { $0.redoesUnshippedMigrations = true }

        private func migrations(_ newKey: String) -> MigrationRegistry {
            [Migration(to: 1, "rename", .renameSetting("theme", to: newKey, in: suite))]
        }

        @Test func `are put back with the cache when the migration was edited`() throws {
            let cache = try ScratchCache()
            let url = cache.url
            try CodableCache(at: url).close()
            for key in ["first", "second", "third"] {
                try CodableCache(at: url, migrations: migrations(key), configuration: redoing).close()
                try expect(scratch.values.filter { $0.key != "later" }, is: [key: "dark"])
                try suite.set(1, forKey: "later")
            }
            // What was set after the upgrade is in the copy of the replaced store.
            let aside = try #require(try CacheFile(at: url).filesAside().first)
            try CacheFile(at: url).restore(aside, suites: [suite])
            try CodableCache(at: url, migrations: migrations("second")).close()
            try scratch.expect(["second": "dark", "later": 1])
        }

        @Test func `are put back when the suite is a store of its own`() throws {
            for key in ["first", "second", "third"] {
                try suite.upgrade(with: migrations(key), configuration: redoing)
                try scratch.expect([key: "dark"], history: ["rename"])
            }
        }

        @Test(arguments: [false, true])
        func `are put back on an older branch`(hasCache: Bool) throws {
            let configuration = redoing
            let later = Migration(to: 2, "later", .removeSettings("first", in: suite)).olderReleases(may: .read)
            let cache = try ScratchCache()
            for registry in [migrations("first"), MigrationRegistry(migrations("first").migrations + [later])] {
                try open(registry, configuration, hasCache ? cache.url : nil)
            }
            try scratch.expect([:])
            try open(migrations("first"), configuration, hasCache ? cache.url : nil)
            try scratch.expect(["first": "dark"], history: ["rename"])
        }

        private func open(_ registry: MigrationRegistry, _ configuration: MoltConfiguration, _ url: URL?) throws {
            if let url {
                try CodableCache(at: url, migrations: registry, configuration: configuration).close()
            } else {
                try suite.upgrade(with: registry, configuration: configuration)
            }
        }

        @Test func `are never lost when there is no copy`() throws {
            try suite.upgrade(with: migrations("first"))
            MoltError.thrown { try suite.upgrade(with: migrations("second"), configuration: redoing) }?.expect(
                .migrationEdited
            )
            try scratch.expect(["first": "dark"])
        }
    }
#endif
