#if CHILD_PROCESSES
    import Foundation
    import Molt
    import TestSupport
    import Testing
    import contacts

    @Suite struct `A killed contacts command` {
        private let scratch: ScratchDirectory

        init() throws {
            scratch = try ScratchDirectory()
        }

        /// A kill, and Ctrl-C: when the upgrade begins, and when it has written to the log.
        @Test func `leaves the store old or upgraded, and the next run upgrades it`() async throws {
            let all = [(SIGKILL, "-wal"), (SIGINT, "-attempt"), (SIGKILL, "-attempt"), (SIGINT, "-wal")]
            let people = TestRun.choose(500, long: 40_000)
            let old = scratch.file("release-1.molt")
            let new = scratch.file("today.molt")
            try Release.first.write(people: people, to: old)
            try FileManager.default.copyItem(at: old, to: new)
            try CodableCache(at: new, migrations: migrations).close()
            let (before, after) = (try SQLite.records(in: old), try SQLite.records(in: new))

            for (signal, suffix) in all.prefix(TestRun.choose(2, long: 4)) {
                let file = scratch.file("contacts-\(signal)\(suffix).molt")
                try FileManager.default.copyItem(at: old, to: file)

                let written = file.path + suffix
                let interruption = ChildProcess.Interruption(signal: signal) {
                    ((try? FileManager.default.attributesOfItem(atPath: written)[.size] as? Int) ?? 0) > 0
                }
                _ = try await ContactsProcess(["upgrade", file.path], interruption: interruption)

                let plan = try CacheFile(at: file).plan(migrations)
                #expect(plan.from == 0 || plan.from == 4)
                let cache = try CodableCache(at: file, migrations: migrations.upTo(version: plan.from))
                cache.close()
                #expect(try SQLite.records(in: file) == (plan.from == 0 ? before : after))

                try await ContactsProcess.run("upgrade", file.path).expect()
                #expect(try SQLite.records(in: file) == after)
            }
        }
    }
#endif
