#if CHILD_PROCESSES
    import Foundation
    import Molt
    import TestSupport
    import Testing
    import contacts

    @Suite
    struct `A killed contacts command` {
        @Test
        func `leaves the store old or upgraded, and the next run upgrades it`() async throws {
            let people = TestRun.choose(500, long: 40_000)
            let scratch = try ScratchDirectory()
            defer { scratch.remove() }
            let old = scratch.file("release-1.molt")
            let new = scratch.file("today.molt")
            try Release.first.write(people: people, to: old)
            try FileManager.default.copyItem(at: old, to: new)
            try CodableCache(at: new, migrations: migrations).close()
            let (before, after) = (try StoredRow.all(in: old), try StoredRow.all(in: new))

            // Killed at the beginning of the plan, and of the progress.
            for words in ["contacts.molt", " %  "] {
                let directory = try ScratchDirectory()
                defer { directory.remove() }
                let file = directory.file("contacts.molt")
                try FileManager.default.copyItem(at: old, to: file)

                _ = try await ContactsProcess.run(["--store", file.path], killedAt: words)

                let plan = try MigrationPlan(forFileAt: file, migrations: migrations)
                #expect(plan.from == 0 || plan.from == 4)
                let cache = try CodableCache(at: file, migrations: migrations.upTo(version: plan.from))
                cache.close()
                #expect(try StoredRow.all(in: file) == (plan.from == 0 ? before : after))

                let second = try await ContactsProcess.run(["--store", file.path])
                #expect(second.status == 0)
                #expect(try StoredRow.all(in: file) == after)
            }
        }
    }
#endif
