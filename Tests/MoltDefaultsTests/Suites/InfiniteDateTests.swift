#if os(Linux)
    import Foundation
    import MoltCore
    import MoltDefaults
    import Testing

    /// The library writes such a date, with all other settings, into a file that it cannot read.
    @Suite struct `A suite with an infinite date` {
        private let infinite = Date(timeIntervalSince1970: .infinity)
        private let scratch: ScratchSuite
        private let cache: ScratchCache

        init() throws {
            scratch = try ScratchSuite(["a": 1])
            cache = try ScratchCache()
        }

        /// The error about the date, as the app catches it or inside another one.
        private func error(_ body: () throws -> Void) -> DefaultsError? {
            let error = #expect(throws: (any Error).self) { try body() }
            return error as? DefaultsError ?? (error as? MigrationError)?.underlying as? DefaultsError
        }

        private func upgrade(_ primary: PrimaryStore, _ steps: MigrationStep...) throws {
            try primary.upgrade(scratch.suite, cache: cache.url, with: [Migration(to: 1, "change", steps: steps)])
        }

        @Test(arguments: PrimaryStore.allCases)
        func `is not changed by an upgrade, which fails before its commit and names the key`(
            primary: PrimaryStore
        ) throws {
            try scratch.writeFile(["a": 1, "list": [.date(infinite)]], .binary)
            let bytes = try Data(contentsOf: scratch.file)
            let suite = scratch.suite
            for _ in 0..<2 {
                let error = error { try upgrade(primary, .renameKey("a", to: "b", in: suite)) }
                #expect(error?.code == .cannotStore)
                #expect(error?.key == "list")
                #expect(error?.place == ValuePlace([.index(0)]))
                #expect(error?.message.hasSuffix("Set another one, or remove it.") == true)
                #expect(try Data(contentsOf: scratch.file) == bytes)
            }
            #expect(try primary.state(of: suite, cache: cache.url).version == 0)
            #expect(try suite.values() == ["a": 1, "list": [.date(infinite)]])
            try upgrade(primary, .renameKey("a", to: "b", in: suite), .removeKeys("list", in: suite))
            #expect(try scratch.settings == ["b": 1])
        }

        @Test func `cannot take a ledger either, which a dry run tells`() throws {
            try scratch.writeFile(["a": 1, "date": .date(infinite)], .binary)
            let bytes = try Data(contentsOf: scratch.file)
            let migrations: MigrationRegistry = [Migration(to: 1, "nothing")]
            #expect(error { _ = try scratch.suite.dryRun(of: migrations) }?.key == "date")
            #expect(error { _ = try scratch.suite.upgrade(with: migrations) }?.key == "date")
            #expect(error { try scratch.suite.set(2, forKey: "a") }?.key == "date")
            #expect(try Data(contentsOf: scratch.file) == bytes)
            #expect(try scratch.suite.value(forKey: "a") == 1)
        }

        @Test func `is named if the app has saved it, which has made the file unreadable`() throws {
            let defaults = try scratch.defaults
            defaults.set(infinite, forKey: "date")
            defaults.synchronize()
            let bytes = try Data(contentsOf: scratch.file)
            let error = error { try upgrade(.suite, .removeKeys("date", in: scratch.suite)) }
            #expect(error?.code == .unreadable)
            #expect(error?.key == "date")
            #expect(try Data(contentsOf: scratch.file) == bytes)
        }
    }
#endif
