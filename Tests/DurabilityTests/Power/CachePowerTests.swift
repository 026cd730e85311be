import FaultyDisk
import Foundation
import Molt
import TestSupport
import Testing

/// The suites about losses of power; serialized, as only one recording can be made at a time.
@Suite("Losses of power", .serialized, .enabled(if: molt_disk_is_faulty(), "needs the calls of the C library"))
struct PowerLossTests {}

extension PowerLossTests {
    @Suite("Losses of power while a cache is in use")
    struct CachePowerTests {
        private let place = TestPlace()
        private let registry = MigrationRegistry(People.migrations)

        private struct Value: Codable {
            var text: String
        }

        /// Opens, upgrades, writes, checkpoints and closes.
        private func life(_ timeline: inout CacheTimeline) throws {
            let cache = try CodableCache(at: place.cache, migrations: registry, configuration: People.configuration)
            try timeline.reach("opened", isSafe: true)
            for number in 0..<3 {
                try cache.set(Value(text: "\(number)"), forKey: "value \(number % 2)")
                try timeline.reach("set \(number)", isSafe: false)
            }
            try cache.batch { batch in
                for number in 0..<200 { try batch.set(Value(text: "batch \(number)"), forKey: "batch \(number)") }
            }
            try timeline.reach("batch", isSafe: false)
            // Another process does this when it writes a lot of data.
            try SQLite(place.cache).run("PRAGMA wal_checkpoint(RESTART)")
            try timeline.reach("checkpoint", isSafe: true)
            try cache.set(Value(text: "after"), forKey: "value 0")
            try timeline.reach("set after the checkpoint", isSafe: false)
            cache.close()
            try timeline.reach("closed", isSafe: true)
        }

        private func report(_ name: String, _ recording: DiskRecording, _ count: Int, _ timeline: CacheTimeline) {
            let operations = recording.operations.count
            TestRun.report("power, \(name): \(operations) operations, \(count) losses, found \(timeline.found)")
        }

        @Test(arguments: [false, true])
        func `An upgrade is undone or complete, and complete once it was reported; a new store is missing or whole`(
            isFresh: Bool
        ) throws {
            defer { place.remove() }
            if !isFresh { try People.prepare(place, count: TestRun.choose(150, long: 300)) }
            var timeline = try CacheTimeline(place, registry)
            let recording = try DiskRecording(place) { try life(&timeline) }
            let sweep = try PowerLossSweep(of: recording, limit: 12, seeds: 40)
            let count = try sweep.run { try timeline.check($0) }
            report(isFresh ? "fresh" : "upgrade", recording, count, timeline)
            #expect(timeline.found[0] > 0 && timeline.found[1] > 0)
            #expect(timeline.found.count { $0 > 0 } > 4, "\(timeline.found)")
        }

        /// The upgrade exceeds what SQLite keeps in memory, so that much of it is in the log before the commit.
        @Test func `A large upgrade is undone or complete`() throws {
            defer { place.remove() }
            try People.prepare(place, count: TestRun.choose(650, long: 1_600), size: 9_000)
            var timeline = try CacheTimeline(place, registry)
            let recording = try DiskRecording(place) {
                let cache = try CodableCache(at: place.cache, migrations: registry, configuration: People.configuration)
                try timeline.reach("opened", isSafe: true)
                cache.close()
                try timeline.reach("closed", isSafe: true)
            }
            let all = recording.operations
            let marks = all.indices.filter { all[$0].name == "mark" }
            let commit = try #require(marks.first)
            #expect(commit > 1_000)
            let points = TestRun.choose([commit / 2], long: Array(stride(from: 0, to: all.count, by: 60)))
            let sweep = try PowerLossSweep(of: recording, at: Set(points + marks), seeds: 2)
            let count = try sweep.run { try timeline.check($0) }
            report("large", recording, count, timeline)
        }
    }
}
