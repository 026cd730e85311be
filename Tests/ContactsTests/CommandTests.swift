#if CHILD_PROCESSES
    import Foundation
    @testable import Molt
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

            #expect(contacts.status == 0)
            #expect(contacts.errors.isEmpty)
            let plans = ["version 0 to 4, 10 of 10 migrations", "version 2 to 4, 8 of 10", "version 3 to 4, 6 of 10"]
            #expect(contacts.output.contains(plans[release.rawValue - 1]))
            #expect(contacts.output.contains("> 4  defaults-v4-to-v5  (pending)"))
            #expect(contacts.output.contains("100 %  15 of 15 records"))
            #expect(contacts.output.contains("convert Call from CallV1 to CallV4"))
            #expect(contacts.output.contains("Every value was checked: 20 records are as they should be."))
            #expect(
                contacts.output.contains(#"favoriteGroups: ["work\/lab","club"]  →  ["work/lab", "club"]  (converted)"#)
            )
            #expect(contacts.output.contains(#"recentSearches: ["Ada","Plat  →  ["Ada","Plat  (not convertible)"#))
            #expect(contacts.output.contains(#"not convertible: "recentSearches" of suite contacts."#))
            // A scratch store is shown by name, not by path: it is deleted afterwards.
            #expect(contacts.output.count(of: "contacts.molt (a scratch file)") == 2)
            #expect(!contacts.output.contains("/contacts.molt"))
            #expect(contacts.leftovers.isEmpty)
            #expect(try Data(contentsOf: store) == before)
            #expect(!FileManager.default.fileExists(atPath: store.path + "-wal"))
        }

        @Test func `A store with many people is written, upgraded and checked`() async throws {
            let people = TestRun.choose(300, long: 100_000)
            let contacts = try await ContactsProcess.run("--records", "\(people)")

            #expect(contacts.status == 0)
            #expect(contacts.output.contains("A new store with \(people) people, written by the code of release 1."))
            #expect(contacts.output.contains("Every value was checked: "))
            #expect(contacts.leftovers.isEmpty)
        }

        @Test func `A named file is upgraded in place, and only once`() async throws {
            let file = try scratch.store(of: .second)

            let first = try await ContactsProcess.run("upgrade", file.path)
            let second = try await ContactsProcess.run("plan", file.path)

            #expect(first.status == 0)
            #expect(first.output.contains("\(file.path): version 2 to 4"))
            #expect(second.status == 0)
            #expect(second.output.contains("up to date at version 4"))
            #expect(first.leftovers.isEmpty)
            let cache = try CodableCache(at: file, migrations: migrations)
            defer { cache.close() }
            #expect(cache.report.isEmpty)
            try SampleData.check(cache, people: SampleData.namedPeople)
        }

        @Test(arguments: [[], ["--dry-run"]])
        func `A summary has the figures and none of the data`(arguments: [String]) async throws {
            let contacts = try await ContactsProcess.run(arguments + ["--summary"])

            #expect(contacts.status == 0)
            #expect(contacts.leftovers.isEmpty)
            #expect(contacts.output.contains("A copy of the store that release 1 wrote."))
            #expect(contacts.output.contains("A dry run: nothing was written.") == !arguments.isEmpty)
            let line = try #require(contacts.output.split(separator: "\n").last)
            #expect(line.utf8.count <= 2048)
            let summary = try JSONDecoder().decode(MigrationSummary.self, from: Data(line.utf8))
            #expect(summary.outcome == .upgraded)
            #expect(summary.isDryRun == !arguments.isEmpty)
            #expect(summary.from == 0)
            #expect(summary.to == 4)
            #expect(summary.appVersion == "4.0")
            #expect(summary.migrationCount == 10)
            #expect(summary.migrations.count == 10)
            #expect(summary.settings["not convertible"] == 1)
            for word in ["Ada", "Lovelace", "Person", "recentSearches", "contacts.molt"] {
                #expect(!line.contains(word))
            }
        }

        @Test func `A wrong argument exits with status 64 and a message`() async throws {
            for (words, message) in [
                ("--wat", "\"--wat\" is not an option of demo. See contacts demo --help."),
                ("--from 4", "--from needs a number from 1 to 3, not \"4\". See contacts demo --help."),
                ("--records 0", "--records needs a number from 1 to 10000000, not \"0\". See contacts demo --help."),
            ] {
                let contacts = try await ContactsProcess.run(words.split(separator: " ").map(String.init))

                #expect(contacts.status == 64)
                #expect(contacts.output.isEmpty)
                #expect(contacts.errors == "contacts: \(message)\n")
                #expect(contacts.leftovers.isEmpty)
            }
        }

        @Test func `Help names every command and option`() async throws {
            let contacts = try await ContactsProcess.run("--help")
            #expect(contacts.status == 0)
            for command in ["demo", "plan FILE", "dry-run FILE", "upgrade FILE", "info FILE", "salvage FROM TO"] {
                #expect(contacts.output.contains("  \(command)"))
            }
            let demo = try await ContactsProcess.run("demo", "--help")
            for option in ["--from RELEASE", "--records N", "--dry-run", "--summary"] {
                #expect(demo.output.contains(option))
            }
            #expect(demo.output.contains("Release 1 had no migrations yet, so its stores have version 0"))
        }
    }

    extension String {
        /// The number of occurrences of a string.
        fileprivate func count(of text: String) -> Int {
            components(separatedBy: text).count - 1
        }
    }
#endif
