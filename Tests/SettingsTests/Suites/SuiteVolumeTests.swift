#if os(Linux)
    import Foundation
    import Molt
    import Testing
    import TestSupport

    /// Child processes mount over the suites' directory, in mount namespaces of their own.
    ///
    /// Mounting needs root's rights, so this runs only where they exist, for instance in a container.
    @Suite(.enabled(if: Mounts.areAllowed, "needs the right to mount"))
    struct `Suites on a read-only or full volume` {
        @Test func `A read-only volume stops an upgrade, or leaves its changes pending`() async {
            await #expect(processExitsWith: .success) {
                let home = try TestHome.directory
                // Outside the home directory, which is read-only below.
                let cache = try ScratchCache(in: FileManager.default.temporaryDirectory)
                let scratch = try ScratchSuite(["name": "n"])
                let rename = Migration(to: 1, "rename", .renameSetting("name", to: "title", in: scratch.suite))
                try #require(Mounts.remountReadOnly(home))
                var error = MoltError.thrown { try cache.upgrade([rename]) }
                error?.expect(.suiteNotWritable)
                #expect(error?.outcome == nil)
                try expect(CacheFile(at: cache.url).version(), is: nil)
                MoltError.thrown { try scratch.suite.upgrade(with: [rename]) }?.expect(.suiteNotWritable)
                try scratch.expect(["name": "n"])
                try #require(Mounts.unmount(home))

                error = MoltError.thrown {
                    try cache.upgrade([rename]) { point in
                        if point.kind == .beforeApply { try #require(Mounts.remountReadOnly(home)) }
                    }
                }
                error?.expect(.suiteNotWritable, suite: scratch.suite.attachedName, outcome: .committed)
                try StoreFile.state(at: cache.url).expect(version: 1, journal: [scratch.suite.attachedName])
                try scratch.expectFile(["name": "n"])
                try #require(Mounts.unmount(home))
                try cache.upgrade([rename])
                try scratch.expect(["title": "n"])
            }
        }

        @Test func `A read-only suite can be read, and attempts to write it are errors that say why`() async throws {
            let scratch = try ScratchSuite()
            try scratch.suite.write(set: ["a": 1])
            await #expect(processExitsWith: .success) { [name = scratch.name as String] in
                let scratch = ScratchSuite(named: name)
                try #require(Mounts.remountReadOnly(TestHome.directory))
                try scratch.expect(["a": 1])
                try expect(scratch.suite.value(forKey: "a"), is: 1)
                MoltError.thrown { try scratch.suite.checkWritable() }?.expect(.suiteNotWritable, says: "read-only")
                MoltError.thrown { try scratch.suite.write(set: ["a": 2]) }?.expect(
                    .suiteNotWritable,
                    says: "read-only"
                )
                MoltError.thrown { try ScratchSuite().suite.checkWritable() }?.expect(.suiteNotWritable)
                try scratch.defaults.set(2, forKey: "unsaved")
                MoltError.thrown { try scratch.suite.synchronize() }?.expect(.suiteNotWritable)
            }
            try scratch.expect(["a": 1])
        }

        @Test func `A full volume loses nothing, and the upgrade succeeds once there is room`() async {
            await #expect(processExitsWith: .success) {
                let home = try TestHome.directory
                let cache = try ScratchCache(in: FileManager.default.temporaryDirectory)
                try #require(Mounts.mountVolume(of: 1_024, on: home))
                let text = String(repeating: "x", count: 40_000)
                let scratch = try ScratchSuite(["name": .string(text), "small": 1])
                // The library writes in place, so only a larger suite needs more room.
                let registry: MigrationRegistry = [
                    Migration(to: 1, "rename", .renameSetting("name", to: "title", in: scratch.suite)),
                    Migration(
                        to: 2,
                        "add",
                        .changeSettings(in: scratch.suite) { try $0.set(.string(text), forKey: "more") }
                    ),
                ]
                let filler = home.appendingPathComponent("filler")
                #expect(FileManager.default.createFile(atPath: filler.path, contents: nil))
                let file = try FileHandle(forWritingTo: filler)
                while (try? file.write(contentsOf: Data(count: 4_096))) != nil {}
                try? file.close()

                // The cache is on another volume: its upgrade is committed, and the change of the suite is pending.
                let error = MoltError.thrown { try cache.upgrade(registry) }
                error?.expect(.suiteNotWritable, outcome: .committed, says: "Free some space")
                #expect(error.map { MoltError.isOutOfSpace($0) } == true)
                try StoreFile.state(at: cache.url).expect(version: 2, journal: [scratch.suite.attachedName])
                try FileManager.default.removeItem(at: filler)
                try cache.upgrade(registry)
                try scratch.expect(["title": .string(text), "small": 1, "more": .string(text)])
            }
        }
    }
#endif
