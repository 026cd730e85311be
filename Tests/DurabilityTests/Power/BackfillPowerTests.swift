import Foundation
import Molt
import TestSupport
import Testing

extension PowerLossTests {
    @Suite("Losses of power while the backfill of an upgrade on read is written")
    struct BackfillPowerTests {
        private let place = TestPlace()
        private let registry: MigrationRegistry = [
            Migration(to: 1, "name", .renameProperty("Alien", "fullName", to: "name")).onRead()
        ]

        private func open() throws -> CodableCache {
            var configuration = People.configuration
            configuration.runsBackfill = false
            configuration.hooks.batchSize = 16
            return try CodableCache(at: place.cache, migrations: registry, configuration: configuration)
        }

        /// - Parameter reusesLog: Whether SQLite begins the log anew at the opening, over frames of earlier commits.
        @Test(arguments: [false, true])
        func `Each record is old or new, and the next opening upgrades the others`(reusesLog: Bool) throws {
            defer { place.remove() }
            try People.prepare(place, count: TestRun.choose(160, long: 300), size: 400)
            let earlier = reusesLog ? try usedLog() : nil
            defer { earlier?.close() }
            let old = try StoreFile.contents(at: place.cache)
            let recording = try DiskRecording(place) {
                let cache = try open()
                try cache.set(Renamed(name: "set"), forKey: written)
                try cache.backfillAndWait()
                earlier?.close()
                // The log's pages move into the file.
                cache.close()
                DiskRecording.mark("closed")
            }
            let new = try StoreFile.contents(at: place.cache)
            #expect(new.ledger.map(\.outcome) == [.ran])
            #expect(zip(old.records, new.records).contains { $0 != $1 })

            let sweep = try PowerLossSweep(of: recording, limit: 20, seeds: 40)
            var partlyUpgraded = 0
            let count = try sweep.run { moment in
                let left = try StoreFile.contents(at: place.cache)
                guard left.records[0] == old.records[0] || !left.ledger.isEmpty else {
                    throw Broken("The app's write survived the opening that allowed it.")
                }
                let changed = try changedCount(left, old, new)
                if changed > 0, changed < new.ledger[0].counts.changed { partlyUpgraded += 1 }
                try check(left, changed, moment)
                let cache = try open()
                for record in new.records where record.typeName == "Alien" {
                    guard try cache.value(Renamed.self, forKey: record.key) != nil else { throw Broken("no value") }
                }
                try cache.set(Renamed(name: "set"), forKey: written)
                try cache.backfillAndWait()
                cache.close()
                guard try StoreFile.contents(at: place.cache).records == new.records else { throw Broken("not new") }
                try place.checkWhole()
            }
            TestRun.report("power, backfill: \(recording.operations.count) operations, \(count) losses")
            #expect(partlyUpgraded > 0)
        }

        private struct Renamed: Codable, RecordType {
            static let recordTypeName = "Alien"
            var name: String
        }

        /// The key of a record that the app writes once the cache is open.
        private let written = "person 0"

        /// Fills the log, and moves its pages into the file, while the connection keeps it.
        private func usedLog() throws -> Connection {
            let connection = try Connection(place.cache.path, mode: .readWrite)
            // Replayed alone, the first frames of the log would give a record an earlier value.
            for number in 0..<20 {
                try connection.execute(
                    """
                    UPDATE molt_record SET content = '{"name":"\(number)"}' WHERE key = 'person 9'
                    """
                )
            }
            try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            return connection
        }

        /// The number of records in their new form; the others are in their old one.
        private func changedCount(_ left: StoreContents, _ old: StoreContents, _ new: StoreContents) throws -> Int {
            guard left.records.count == old.records.count else { throw Broken("\(left.records.count) records") }
            var count = 0
            for (index, record) in left.records.enumerated() where record != old.records[index] && index > 0 {
                guard record == new.records[index] else { throw Broken("\(record.key) is neither old nor new.") }
                count += 1
            }
            return count
        }

        private func check(_ left: StoreContents, _ changed: Int, _ moment: PowerLossSweep.Moment) throws {
            switch left.ledger.first?.outcome {
            case nil:
                // Its commit is not synced, like that of any write of an app.
                guard moment.marks.isEmpty, changed == 0 else { throw Broken("The ledger lost the migration.") }
            case .onRead:
                guard !moment.marks.contains("closed"), left.ledger[0].counts.changed == changed else {
                    throw Broken("\(changed) records are new, and the ledger counts \(left.ledger[0].counts.changed).")
                }
            case .ran:
                guard left.ledger[0].counts.changed == changed else { throw Broken("Not all records are new.") }
            default:
                throw Broken("\(left.ledger)")
            }
        }
    }
}
