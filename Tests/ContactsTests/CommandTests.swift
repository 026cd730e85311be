#if CHILD_PROCESSES
    import Foundation
    import Molt
    import TestSupport
    import Testing
    import contacts

    @Suite struct `The contacts command` {
        private let scratch: ScratchDirectory

        init() throws {
            scratch = try ScratchDirectory()
        }

        @Test(arguments: Release.allCases)
        func `The store and the settings of each release are upgraded, checked and shown`(release: Release) async throws
        {
            let store = try release.store
            let before = try Data(contentsOf: store)

            let contacts = try await ContactsProcess.run("--from", "\(release.rawValue)")

            let plans = ["version 0 to 4, 10 of 10 migrations", "version 2 to 4, 8 of 10", "version 3 to 4, 6 of 10"]
            contacts.expect(
                says: plans[release.rawValue - 1],
                "> 4  defaults-v4-to-v5  (pending)",
                "100 %  15 of 15 records",
                "convert Call from CallV1 to CallV4",
                "Every value was checked: 20 records are as they should be.",
                #"favoriteGroups: ["work\/lab","club"]  →  ["work/lab", "club"]  (converted)"#,
                #"recentSearches: ["Ada","Plat  →  ["Ada","Plat  (not convertible)"#,
                #"not convertible: "recentSearches" of suite contacts."#
            )
            // A scratch store is shown by name, not by path: it is deleted afterwards.
            #expect(contacts.output.ranges(of: "contacts.molt (a scratch file)").count == 2)
            #expect(!contacts.output.contains("/contacts.molt"))
            #expect(try Data(contentsOf: store) == before)
            #expect(!FileManager.default.fileExists(atPath: store.path + "-wal"))
        }

        @Test func `A store with many people is written, upgraded and checked`() async throws {
            let people = TestRun.choose(300, long: 100_000)
            try await ContactsProcess.run("--records", "\(people)").expect(
                says: "A new store with \(people) people, written by the code of release 1.",
                "Every value was checked: "
            )
        }

        @Test func `A named file is upgraded in place, and only once`() async throws {
            let file = try scratch.store(of: .second)
            try await ContactsProcess.run("upgrade", file.path).expect(says: "\(file.path): version 2 to 4")
            try await ContactsProcess.run("plan", file.path).expect(says: "up to date at version 4")
            let cache = try CodableCache(at: file, migrations: migrations)
            defer { cache.close() }
            #expect(cache.report.isEmpty)
            try SampleData.check(cache, people: SampleData.namedPeople)
        }

        @Test(arguments: [[], ["--dry-run"]])
        func `A summary has the figures and none of the data`(arguments: [String]) async throws {
            let contacts = try await ContactsProcess(arguments + ["--summary"])
            contacts.expect(says: "A copy of the store that release 1 wrote.")
            #expect(contacts.output.contains("A dry run: nothing was written.") == !arguments.isEmpty)
            let line = try #require(contacts.output.split(separator: "\n").last)
            #expect(line.utf8.count <= 2048)
            let summary = try JSONDecoder().decode(MigrationSummary.self, from: Data(line.utf8))
            #expect(summary.outcome == .upgraded)
            #expect(summary.isDryRun == !arguments.isEmpty)
            let numbers = [summary.from, summary.to, summary.migrationCount, summary.migrations.count]
            #expect(numbers == [0, 4, 10, 10])
            #expect(summary.appVersion == "4.0")
            #expect(summary.settings["not convertible"] == 1)
            for word in ["Ada", "Lovelace", "Person", "recentSearches", "contacts.molt"] {
                #expect(!line.contains(word))
            }
        }

        @Test func `A wrong argument exits with status 64 and a message`() async throws {
            let mistakes: [(words: [String], message: String)] = [
                (["--wat"], "\"--wat\" is not an option of demo."),
                (["--from", "4"], "--from needs a number from 1 to 3, not \"4\"."),
                (["--records", "0"], "--records needs a number from 1 to 10000000, not \"0\"."),
            ]
            for (words, message) in mistakes {
                let contacts = try await ContactsProcess(words)
                contacts.expect(64, errors: "contacts: \(message) See contacts demo --help.\n")
                #expect(contacts.output.isEmpty)
            }
        }

        @Test func `Help names every command and option`() async throws {
            try await ContactsProcess.run("--help").expect(
                says: "  demo",
                "  plan [FILE]",
                "  documents",
                "  dry-run FILE",
                "  upgrade FILE",
                "  info FILE",
                "  salvage FROM TO"
            )
            try await ContactsProcess.run("demo", "--help").expect(
                says: "--from RELEASE",
                "--records N",
                "--dry-run",
                "--summary",
                "Release 1 had no migrations yet, so its stores have version 0"
            )
        }
    }
#endif
