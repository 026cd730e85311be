import FaultyDisk
import Foundation
import Molt
import TestSupport
import Testing

extension PowerLossTests {
    @Suite("Losses of power during backups and restores")
    struct BackupPowerTests {
        private static let records = TestRun.choose(120, long: 300)
        private let place = TestPlace()
        private let registry = MigrationRegistry(People.migrations)

        private var configuration: MoltConfiguration {
            var configuration = People.configuration
            configuration.backup = BackupPolicy()
            return configuration
        }

        private func upgrade() throws {
            try CodableCache(at: place.cache, migrations: registry, configuration: configuration).close()
        }

        private func contents() throws -> StoreContents? {
            try StoreContents.found(at: place.cache)?.timeless
        }

        private func report(_ name: String, _ recording: DiskRecording, _ count: Int, _ counts: [Int]) {
            TestRun.report("power, \(name): \(recording.operations.count) operations, \(count) losses, \(counts)")
        }

        @Test func `A backup before an upgrade is missing or complete, and the store is old or upgraded`() throws {
            defer { place.remove() }
            try People.prepare(place, count: Self.records)
            let before = try contents()
            let recording = try DiskRecording(place) {
                try upgrade()
                DiskRecording.mark("upgraded")
            }
            let after = try contents()
            let sweep = try PowerLossSweep(of: recording, limit: 10, seeds: 20)
            var counts = [0, 0, 0, 0]
            let count = try sweep.run { moment in
                let left = try contents()
                guard left == before || left == after else { throw Broken("It is neither old nor new.") }
                if !moment.marks.isEmpty, left != after { throw Broken("It was reported as done.") }
                let files = try place.paths().filter { $0.hasSuffix(".backup") }
                let backups = try CacheFile(at: place.cache).backups()
                guard files.count == backups.count else { throw Broken("A backup cannot be read.") }
                for backup in backups {
                    guard try StoreFile.contents(at: backup.url).timeless == before,
                        try StoreFile.damage(at: backup.url).isEmpty
                    else { throw Broken("A backup is not what was there.") }
                }
                // A store that was upgraded without its backup could not be restored.
                if left == after, backups.isEmpty { throw Broken("It is upgraded, and there is no backup.") }
                counts[(left == after ? 2 : 0) + (backups.isEmpty ? 0 : 1)] += 1
                try upgrade()
                guard try contents() == after else { throw Broken("It has come to another end.") }
                guard try !place.paths().contains(where: { $0.hasSuffix(".part") }) else {
                    throw Broken("A part is left.")
                }
                try place.checkWhole()
            }
            report("backup", recording, count, counts)
            #expect(counts[0] > 0 && counts[1] > 0 && counts[3] > 0, "\(counts)")
        }

        @Test func `A restored store is as it was before, or as in the backup`() throws {
            defer { place.remove() }
            try People.prepare(place, count: Self.records)
            let old = try contents()
            try upgrade()
            let backup = try #require(try CacheFile(at: place.cache).backups().first)
            let new = try contents()
            try sweepRestoring("restoring", backup, of: old) {
                let left = try contents()
                guard left == old || left == new else { throw Broken("It is neither old nor new.") }
                return left == old
            }
        }

        @Test func `A restore without an existing store leaves no store or the one of the backup`() throws {
            defer { place.remove() }
            try People.prepare(place, count: Self.records)
            let old = try contents()
            let backup = try CacheFile(at: place.cache).backUp()
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: place.cache.path + suffix)
            }
            try sweepRestoring("restoring nothing", backup, of: old) {
                let left = try contents()
                guard left == nil || left?.records.isEmpty == true || left == old else {
                    throw Broken("It is neither nothing nor all.")
                }
                return left == old
            }
        }

        @Test func `A log is never set aside without the damaged file that it belongs to`() throws {
            defer { place.remove() }
            try People.prepare(place, count: Self.records)
            let old = try contents()
            let backup = try CacheFile(at: place.cache).backUp()
            try Data(repeating: 3, count: 20_000).write(to: place.cache)
            try Data("log".utf8).write(to: URL(fileURLWithPath: place.cache.path + "-wal"))
            try sweepRestoring("restoring over damage", backup, of: old) {
                let paths = try place.paths()
                let logs = paths.filter { $0.hasSuffix(".damaged-wal") }
                guard logs.allSatisfy({ paths.contains(String($0.dropLast(4))) }) else {
                    throw Broken("A log is alone.")
                }
                return !logs.isEmpty
            }
        }

        /// Loses power at each operation of a restore; afterwards, another restore must succeed.
        ///
        /// - Parameters:
        ///   - old: The contents of the backup.
        ///   - look: Throws for an invalid state, and returns which of two valid ones was found; both must occur.
        private func sweepRestoring(
            _ name: String,
            _ backup: StoreBackup,
            of old: StoreContents?,
            look: () throws -> Bool
        ) throws {
            let recording = try DiskRecording(place) {
                try CacheFile(at: place.cache).restore(backup)
                DiskRecording.mark("restored")
            }
            var counts = [0, 0]
            let count = try PowerLossSweep(of: recording, limit: 8, seeds: 20).run { moment in
                counts[try look() ? 1 : 0] += 1
                if !moment.marks.isEmpty, try contents() != old { throw Broken("It was reported as done.") }
                try CacheFile(at: place.cache).restore(backup)
                guard try contents() == old else { throw Broken("It has come to another end.") }
                try place.checkWhole()
            }
            report(name, recording, count, counts)
            #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
        }

        #if os(Linux)
            /// Makes each call of a restore that writes fail in turn; the ordinary run takes every third and the last.
            ///
            /// - Parameters:
            ///   - restore: Restores the backup.
            ///   - check: Checks what is left, and returns whether the backup has replaced what was there.
            private func refuseEachCall(_ restore: () throws -> Void, check: (Int) throws -> Bool) throws -> [Int] {
                let kinds = RefusedCalls.bits(
                    molt_disk_create,
                    molt_disk_write,
                    molt_disk_truncate,
                    molt_disk_sync,
                    molt_disk_rename,
                    molt_disk_sync_directory
                )
                let calls = RefusedCalls(kinds, at: place)
                let image = try DiskImage(of: place)
                let count = try calls.count(restore)
                var counts = [0, 0]
                for number in 1...count where TestRun.isLong || number % 3 == 1 || number > count - 3 {
                    try image.restore(to: place)
                    calls.refuse(number...number) { _ = try? restore() }
                    counts[try check(number) ? 1 : 0] += 1
                }
                TestRun.report("refused calls, restoring: \(count) points, \(counts)")
                return counts
            }

            @Test func `A store that a backup replaces is kept aside, whichever call of the restore fails`() throws {
                defer { place.remove() }
                try People.prepare(place, count: Self.records)
                let backup = try CacheFile(at: place.cache).backUp()
                let old = try contents()
                try upgrade()
                let new = try contents()
                let counts = try refuseEachCall {
                    try CacheFile(at: place.cache).restore(backup)
                } check: { number in
                    let left = try contents()
                    #expect(left == old || left == new, "\(number)")
                    let kept = try CacheFile(at: place.cache).filesAside()
                    if left == old {
                        #expect(try kept.contains { try StoreFile.contents(at: $0.url).timeless == new }, "\(number)")
                    }
                    return left == old
                }
                #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
            }

            @Test func `Settings that a backup replaces are kept aside, whichever call of the restore fails`() throws {
                defer { place.remove() }
                try place.makeDirectory()
                let suite = place.old
                try suite.update(set: ["name": "old"])
                let backup = try suite.backUp()
                try suite.update(set: ["name": "new"])
                let counts = try refuseEachCall {
                    try suite.restore(backup)
                } check: { number in
                    // An upgrade without migrations finishes the pending changes.
                    try suite.upgrade(with: MigrationRegistry())
                    let isOld = try suite.value(forKey: "name") == "old"
                    if isOld {
                        let kept = try #require(try suite.filesAside().first, "\(number)")
                        try suite.restore(kept)
                        #expect(try suite.value(forKey: "name") == "new", "\(number)")
                    }
                    return isOld
                }
                #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
            }
        #endif

        @Test func `Restored settings are as they were before, or the next upgrade finishes the restore`() throws {
            defer { place.remove() }
            try place.makeDirectory()
            let suite = place.old
            let registry: MigrationRegistry = [
                Migration(to: 1, "change", .changeSettings(in: suite) { try $0.set("changed", forKey: "name") })
            ]
            try suite.update(set: ["name": "n", "blob": .string(String(repeating: "b", count: 3_000))])
            let old = try suite.values()
            var configuration = MoltConfiguration()
            configuration.backup = BackupPolicy()
            try suite.upgrade(with: registry, configuration: configuration)
            let new = try suite.values()
            let backup = try #require(try suite.backups().first)
            let recording = try DiskRecording(place) {
                try suite.restore(backup)
                DiskRecording.mark("restored")
            }
            let sweep = try PowerLossSweep(of: recording, limit: 18, seeds: 40)
            var counts = [0, 0, 0]
            let count = try sweep.run { moment in
                let state = try suite.upgradeState()
                let isCommitted = state.version == 0
                if !moment.marks.isEmpty, !isCommitted { throw Broken("It was reported as done.") }
                counts[isCommitted ? (state.journal.isEmpty ? 2 : 1) : 0] += 1
                // An upgrade without migrations finishes the pending changes.
                if isCommitted { try suite.upgrade(with: MigrationRegistry()) }
                guard try suite.values() == (isCommitted ? old : new) else {
                    throw Broken("The settings are neither old nor new.")
                }
                guard try suite.backups() == [backup] else { throw Broken("The backup is lost.") }
            }
            report("restoring settings", recording, count, counts)
            #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
        }
    }
}
