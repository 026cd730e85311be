#if os(Linux)
    import Foundation
    import Molt
    import MoltCache
    import MoltCore
    import Testing
    import TestSupport

    extension `A full disk` {
        /// The volume has room for a third of the log that one transaction would need.
        @Test(.enabled(if: Mounts.areAllowed))
        func `is large enough for an upgrade in batches that one transaction has no room for`() async throws {
            await #expect(processExitsWith: .success) {
                guard let room = try Room(.volume, TestPlace()) else { return }
                defer { room.place.remove() }
                try People.prepare(room.place, count: 3_000, size: 1_000)
                let rename = Migration(to: 1, "rename", .renameProperty("Alien", "note", to: "memo"))
                try room.limit(more: 1_000_000)
                let error = #expect(throws: MigrationError.self) {
                    try CodableCache(at: room.place.cache, migrations: [rename]).close()
                }
                #expect(error?.code == .storeFailed)
                #expect(try CacheStore.state(at: room.place.cache).version == 0)

                let cache = try CodableCache(
                    at: room.place.cache,
                    migrations: [rename.committingInBatches(of: 200)]
                )
                #expect(cache.report.counts.changed == 2_700)
                cache.close()
                #expect(try CacheStore.damage(at: room.place.cache).isEmpty)
                #expect(try CacheStore.state(at: room.place.cache).unfinished == nil)
            }
        }
    }
#endif
