#if os(Linux)
    import Foundation
    @testable import Molt
    import TestSupport
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
        private func error(_ body: () throws -> Void) -> MoltError? {
            let error = #expect(throws: MoltError.self) { try body() }
            return error?.underlying as? MoltError ?? error
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
                #expect(error?.message.contains("Set another one, or remove it.") == true)
                #expect(try Data(contentsOf: scratch.file) == bytes)
            }
            #expect(try primary.state(of: suite, cache: cache.url).version == 0)
            #expect(try suite.values() == ["a": 1, "list": [.date(infinite)]])
            try upgrade(primary, .renameKey("a", to: "b", in: suite), .removeKeys("list", in: suite))
            #expect(try scratch.values == ["b": 1])
        }

        @Test func `cannot take a ledger either, which a dry run tells`() throws {
            try scratch.writeFile(["a": 1, "date": .date(infinite)], .binary)
            let bytes = try Data(contentsOf: scratch.file)
            let migrations: MigrationRegistry = [
                Migration(to: 1, "nothing", .settings(in: scratch.suite) { _ in })
            ]
            #expect(error { _ = try scratch.suite.dryRun(of: migrations) }?.key == "date")
            #expect(error { _ = try scratch.suite.upgrade(with: migrations) }?.key == "date")
            #expect(error { try scratch.suite.set(2, forKey: "a") }?.key == "date")
            #expect(try Data(contentsOf: scratch.file) == bytes)
            #expect(try scratch.suite.value(forKey: "a") == 1)
        }

        #if CHILD_PROCESSES
            /// In a process of its own, because the library saves all suites of a process at once.
            @Test func `keeps its file if the app has not saved the date, or has saved the date there alone`() async {
                await #expect(processExitsWith: .success) {
                    let infinite = Date(timeIntervalSince1970: .infinity)
                    for primary in PrimaryStore.allCases {
                        let (scratch, cache) = (ScratchSuite(named: TestHome.newSuiteName()), try ScratchCache())
                        try scratch.writeFile(["a": 1])
                        let defaults = try scratch.defaults
                        let bytes = try Data(contentsOf: scratch.file)
                        let migrations: MigrationRegistry = [
                            Migration(to: 1, "change", .renameKey("a", to: "b", in: scratch.suite))
                        ]
                        defaults.set(["since": infinite], forKey: "dates")
                        #expect(throws: (any Error).self) {
                            try primary.upgrade(scratch.suite, cache: cache.url, with: migrations)
                        }
                        #expect(throws: MoltError.self) { try scratch.values }?.expect(.unreadable, key: "dates")
                        #expect(try Data(contentsOf: scratch.file) == bytes)
                        defaults.removeObject(forKey: "dates")
                        try primary.upgrade(scratch.suite, cache: cache.url, with: migrations)
                        #expect(try scratch.values == ["b": 1])
                    }
                    let scratch = ScratchSuite(named: TestHome.newSuiteName())
                    try scratch.writeFile(["a": 1, "date": .date(infinite)], .binary)
                    let bytes = try Data(contentsOf: scratch.file)
                    try scratch.defaults.set(2, forKey: "unsaved")
                    #expect(throws: MoltError.self) { try scratch.values }?.expect(key: "date")
                    #expect(try Data(contentsOf: scratch.file) == bytes)
                }
            }
        #endif

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
