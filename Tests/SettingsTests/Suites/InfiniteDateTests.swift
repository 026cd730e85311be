#if os(Linux)
    import Foundation
    import Molt
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
        private func cause<Result>(_ body: () throws -> Result) -> MoltError? {
            let error = MoltError.thrown(by: body)
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
            let suite = scratch.suite
            for _ in 0..<2 {
                try scratch.expectUnchanged {
                    let error = cause { try upgrade(primary, .renameSetting("a", to: "b", in: suite)) }
                    error?.expect(.cannotStore, key: "list", says: "Set another one, or remove it.")
                    #expect(error?.valuePath == ValuePath([.index(0)]))
                }
            }
            try primary.state(of: suite, cache: cache.url).expect(version: 0)
            try scratch.expect(["a": 1, "list": [.date(infinite)]])
            try upgrade(primary, .renameSetting("a", to: "b", in: suite), .removeSettings("list", in: suite))
            try scratch.expect(["b": 1])
        }

        @Test func `cannot take a ledger either, which a dry run tells`() throws {
            try scratch.writeFile(["a": 1, "date": .date(infinite)], .binary)
            let suite = scratch.suite
            let migrations: MigrationRegistry = [Migration(to: 1, "nothing", .changeSettings(in: suite) { _ in })]
            try scratch.expectUnchanged {
                cause { try suite.dryRun(migrations) }?.expect(key: "date")
                cause { try suite.upgrade(with: migrations) }?.expect(key: "date")
                cause { try suite.set(2, forKey: "a") }?.expect(key: "date")
            }
            try expect(suite.value(forKey: "a"), is: 1)
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
                        let migrations: MigrationRegistry = [
                            Migration(to: 1, "change", .renameSetting("a", to: "b", in: scratch.suite))
                        ]
                        try scratch.expectUnchanged {
                            defaults.set(["since": infinite], forKey: "dates")
                            MoltError.thrown { try primary.upgrade(scratch.suite, cache: cache.url, with: migrations) }
                            MoltError.thrown { try scratch.values }?.expect(.settingUnreadable, key: "dates")
                        }
                        defaults.removeObject(forKey: "dates")
                        try primary.upgrade(scratch.suite, cache: cache.url, with: migrations)
                        try scratch.expect(["b": 1])
                    }
                    let scratch = ScratchSuite(named: TestHome.newSuiteName())
                    try scratch.writeFile(["a": 1, "date": .date(infinite)], .binary)
                    try scratch.expectUnchanged {
                        try scratch.defaults.set(2, forKey: "unsaved")
                        MoltError.thrown { try scratch.values }?.expect(key: "date")
                    }
                }
            }
        #endif

        @Test func `is named if the app has saved it, which has made the file unreadable`() throws {
            let defaults = try scratch.defaults
            defaults.set(infinite, forKey: "date")
            defaults.synchronize()
            try scratch.expectUnchanged {
                let error = cause { try upgrade(.suite, .removeSettings("date", in: scratch.suite)) }
                error?.expect(.settingUnreadable, key: "date")
            }
        }
    }
#endif
