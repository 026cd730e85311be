#if os(Linux)
    import Foundation
    import Generators
    import Molt
    import TestSupport
    import Testing

    @Suite struct `A kill while a store's file is moved` {
        private static let rename = [
            "before the file is moved", "before the file is renamed", "after the file was renamed",
        ]
        private static let copy = [
            "before the file is moved", "before the file is renamed", "before the old file is sealed",
            "before the copy gets its name", "before the old file is removed",
        ]

        @Test(arguments: [(false, rename), (true, copy)])
        func `The store is at one place, and the next opening finishes the move`(isCopied: Bool, points: [String])
            async throws
        {
            for point in points {
                let scratch = try ScratchDirectory()
                // On Linux, shared memory is a volume of its own.
                let away = isCopied ? try ScratchDirectory(in: URL(fileURLWithPath: "/dev/shm")) : scratch
                let places = Places(old: scratch.file("old.molt"), new: away.file("new.molt"))
                let cache = try CodableCache(at: places.old)
                for number in 0..<200 { try cache.set("text \(number)", forKey: "\(number)") }
                cache.close()
                // The old store has a log, and another one has left its files at the new place.
                await #expect(processExitsWith: .signal(SIGKILL), "\(point)") { [places = places as Places] in
                    let writer = try CodableCache(at: places.old)
                    for number in 200..<300 { try writer.set("text \(number)", forKey: "\(number)") }
                    for suffix in ["-wal", "-shm"] {
                        try Data().write(to: URL(fileURLWithPath: places.new.path + suffix))
                    }
                    raise(SIGKILL)
                }
                #expect(FileManager.default.fileExists(atPath: places.old.path + "-wal"))
                await #expect(processExitsWith: .signal(SIGKILL), "\(point)") {
                    [places = places as Places, point = point as String] in
                    var configuration = MoltConfiguration()
                    configuration.hooks.atPoint = { if $0 == UpgradePoint(.moveStore, point) { raise(SIGKILL) } }
                    _ = try CodableCache(at: places.new, migrations: places.registry, configuration: configuration)
                }
                // A release that opens the old place finds all records, none of the file, or a refusal.
                if let state = try? StoreFile.state(at: places.old), !state.isFresh, state.laterLayout == nil {
                    #expect(!FileManager.default.fileExists(atPath: places.new.path), "\(point)")
                }
                let next = try CodableCache(at: places.new, migrations: places.registry)
                #expect(try next.keys().count == 300, "\(point)")
                next.close()
                #expect(!FileManager.default.fileExists(atPath: places.old.path), "\(point)")
                #expect(try StoreFile.damage(at: places.new).isEmpty)
                let left = try scratch.names() + (isCopied ? away.names() : [])
                #expect(left == ["new.molt"], "\(point)")
            }
        }

        /// Child processes move the file, too: each is killed at a random instant.
        @Test func `At any instant, all records are at exactly one place`() async throws {
            var random = SeededGenerator(seed: 44)
            for isCopied in [false, true] {
                for _ in 0..<TestRun.choose(3, long: 200) {
                    let scratch = try ScratchDirectory()
                    let away = isCopied ? try ScratchDirectory(in: URL(fileURLWithPath: "/dev/shm")) : scratch
                    let places = Places(old: scratch.file("old.molt"), new: away.file("new.molt"))
                    let cache = try CodableCache(at: places.old)
                    for number in 0..<300 { try cache.set("text \(number)", forKey: "\(number)") }
                    cache.close()
                    let delay = UInt32.random(in: 0...8_000, using: &random)
                    await #expect(processExitsWith: .signal(SIGKILL), "\(delay) µs") {
                        [places = places as Places, delay = delay as UInt32] in
                        Thread.detachNewThread {
                            usleep(delay)
                            raise(SIGKILL)
                        }
                        try CodableCache(at: places.new, migrations: places.registry).close()
                        pause()
                    }
                    let next = try CodableCache(at: places.new, migrations: places.registry)
                    #expect(try next.keys().count == 300, "\(delay) µs")
                    next.close()
                    #expect(!FileManager.default.fileExists(atPath: places.old.path), "\(delay) µs")
                }
            }
        }

        private struct Places: Codable {
            var old: URL
            var new: URL

            var registry: MigrationRegistry {
                MigrationRegistry([Migration(to: 1, "one")]).storeMove(from: old, to: new)
            }
        }
    }
#endif
