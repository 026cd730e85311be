import Foundation
import Generators
import Molt
import MoltSalvage
import TestSupport
import Testing

@Suite struct `Losses from a damaged write-ahead log` {
    let scratch: ScratchDirectory
    let store: LoggedStore

    init() throws {
        scratch = try ScratchDirectory()
        store = try LoggedStore.shared.get()
    }

    /// The number of damaged logs of each kind.
    private static let count: UInt64 = TestRun.choose(3, long: 300)

    @Test(arguments: LogDamage.allCases)
    func `The report counts every record that random damage loses or reverts`(damage: LogDamage) throws {
        var (current, wrong, missing, stale) = (0, 0, 0, 0)
        for seed in 0..<Self.count {
            var random = SeededGenerator(seed: seed)
            var log = store.log
            damage.apply(to: &log, &random)
            let trial = try DamagedLogTrial(store, log: log, in: scratch)
            expectCounted(trial, "\(damage) with seed \(seed)")
            current += trial.current
            wrong += trial.wrong.count
            missing += trial.missing.count
            stale += trial.report.staleCount
        }
        #expect(current > store.last.count * Int(Self.count) * 98 / 100)
        if TestRun.isLong {
            print(
                "\(damage): \(Self.count) logs, \(current) current, \(wrong) old, \(missing) missing, \(stale) counted"
            )
        }
    }

    /// Expects that the report counts every record that is not as it was last written.
    private func expectCounted(_ trial: DamagedLogTrial, _ what: Comment) {
        let report = trial.report
        #expect(trial.forged.isEmpty, what)
        #expect(trial.wrong.count <= report.staleCount, what)
        if !trial.missing.isEmpty { #expect(report.lostPageCount > 0, what) }
        if !trial.wrong.isEmpty || !trial.missing.isEmpty { #expect(!report.isWhole, what) }
    }

    private func damaged(_ frame: Int, _ offsets: [Int]) -> [UInt8] {
        var log = store.log
        for offset in offsets { log[LoggedStore.headerSize + frame * LoggedStore.frameSize + offset] ^= 4 }
        return log
    }

    @Test func `A damaged page in a frame loses only the newest state of that page`() throws {
        for frame in stride(from: 3, to: store.frameCount, by: TestRun.choose(61, long: 11)) {
            let trial = try DamagedLogTrial(store, log: damaged(frame, [24 + 500]), in: scratch)
            expectCounted(trial, "frame \(frame)")
            trial.report.expect(isWhole: false, assumes: "log")
            #expect(trial.report.lostPageCount <= 1)
            // A page of 1 024 bytes holds no more records or keys.
            #expect(trial.wrong.count + trial.missing.count <= 40, "frame \(frame)")
            #expect(trial.report.staleCount <= 40, "frame \(frame)")
        }
    }

    @Test func `A damaged checksum or salt loses no data`() throws {
        // The ordinary run damages one of these bytes of a frame.
        let offsets = [9, 13, 18, 22]
        for frame in stride(from: 0, to: store.frameCount - 1, by: TestRun.choose(53, long: 23)) {
            for offset in TestRun.choose([offsets[frame % 4]], long: offsets) {
                let trial = try DamagedLogTrial(store, log: damaged(frame, [offset]), in: scratch)
                #expect(trial.current == store.last.count, "frame \(frame), byte \(offset)")
                trial.report.expect(isWhole: false, stale: 0, lostPages: 0)
            }
        }
    }

    @Test func `A damaged header loses at most the page of the first frame`() throws {
        var logs = [0, 1, 9, 10, 17, 26].map { offset in
            var log = store.log
            log[offset] ^= 1
            return log
        }
        // The second one has other salts in its first frame, which count only in a frame with a valid checksum.
        for log in [store.log, damaged(0, [9])] {
            logs.append([UInt8](repeating: 0, count: LoggedStore.headerSize) + log.dropFirst(LoggedStore.headerSize))
        }
        for (index, log) in logs.enumerated() {
            let trial = try DamagedLogTrial(store, log: log, in: scratch)
            // Without a header, the checksum that the first frame continues from is unknown.
            let isGone = index >= logs.count - 2
            if isGone { expectCounted(trial, "no header") } else { #expect(trial.current == store.last.count) }
            #expect(trial.report.lostPageCount <= (isGone ? 1 : 0))
            trial.report.expect(isWhole: false)
            #expect(trial.report.assumptions.contains { $0.contains("log") && $0.contains("beginning") })
        }
    }

    @Test func `Every record counts as possibly stale if nothing of the log can be read`() throws {
        let log = store.log.map { _ in UInt8(0xA5) }
        let trial = try DamagedLogTrial(store, log: log, in: scratch)
        #expect(!trial.wrong.isEmpty)
        trial.report.expect(stale: trial.report.savedCount)
        #expect(trial.report.lostPageCount >= store.frameCount)
        #expect(
            "\(trial.report)".contains("\(trial.report.savedCount) of them may be outdated, or may have been deleted")
        )
    }

    // MARK: Transactions

    @Test func `A transaction whose commit frame is damaged is discarded as a whole`() throws {
        let url = scratch.file("two.molt")
        let saved = scratch.file("two-saved.molt")
        let cache = try CodableCache(at: url)
        let text = String(repeating: "a", count: 3_000)
        try cache.setAll((0..<40).map { (key: "key \($0)", value: "old \($0) \(text)") })
        cache.close()
        let again = try CodableCache(at: url)
        try again.setAll((0..<40).map { (key: "key \($0)", value: "new \($0) \(text)") })
        var log = Array(try Data(contentsOf: URL(fileURLWithPath: url.path + "-wal")))
        let file = Array(try Data(contentsOf: url))
        again.close()
        log[log.count - 100] ^= 1
        try DamagedStore(file: file, log: log).write(to: url)
        let report = try CacheFile(at: url).salvage(to: saved)
        let values = try CodableCache(at: saved).values(of: String.self)
        #expect(values.count == 40 && values.allSatisfy { $0.value.hasPrefix("old") })
        // Whether it was committed is unknown.
        report.expect(stale: 40)
        #expect(report.lostPageCount > 5)
    }

    @Test func `An uncommitted transaction is ignored, and is not reported as a loss`() throws {
        let frames = LoggedStore.frameSize
        // The last transaction has more than one frame.
        let log = Array(store.log.dropLast(frames))
        let trial = try DamagedLogTrial(store, log: log, in: scratch)
        trial.report.expect(isWhole: true)
        #expect(trial.forged.isEmpty)
    }

    @Test func `A page that was checkpointed before its frame was damaged is not lost`() throws {
        let url = scratch.file("moved.molt")
        try DamagedStore(file: store.file, log: store.log).write(to: url)
        let reader = try SQLite(url)
        try reader.run("PRAGMA wal_checkpoint(PASSIVE)")
        let moved = LoggedStore(store, file: Array(try Data(contentsOf: url)))
        #expect(moved.file != store.file)
        for frame in stride(from: 3, to: store.frameCount, by: TestRun.choose(97, long: 37)) {
            let trial = try DamagedLogTrial(moved, log: damaged(frame, [24 + 500, 24 + 501]), in: scratch)
            expectCounted(trial, "frame \(frame)")
        }
        // The newest state of the last page is in the file, too.
        let last = try DamagedLogTrial(moved, log: damaged(store.frameCount - 1, [24 + 500]), in: scratch)
        #expect(last.current == store.last.count)
        last.report.expect(lostPages: 0)
    }

    // MARK: Upgrades

    @Test func `A store whose upgrade is still in the log never runs its migrations twice`() throws {
        let sound = try SoundStore.shared.get()
        let url = scratch.file("upgraded.molt")
        let saved = scratch.file("upgraded-saved.molt")
        try DamagedStore(file: sound.file).write(to: url)
        let cache = try CodableCache(at: url, migrations: SoundStore.migrations)
        let upgraded = DamagedStore(
            file: Array(try Data(contentsOf: url)),
            log: Array(try Data(contentsOf: URL(fileURLWithPath: url.path + "-wal")))
        )
        let last = Dictionary(uniqueKeysWithValues: try cache.contents().records.map { ($0.key, $0.content) })
        cache.close()
        let log = try #require(upgraded.log)
        let count = (log.count - LoggedStore.headerSize) / LoggedStore.frameSize
        for frame in stride(from: 0, to: count - 1, by: TestRun.choose(7, long: 1)) {
            var damaged = upgraded
            damaged.log?[LoggedStore.headerSize + frame * LoggedStore.frameSize + 24 + 900] ^= 1
            try damaged.write(to: url)
            try? FileManager.default.removeItem(at: saved)
            let report = try CacheFile(at: url).salvage(SoundStore.migrations, to: saved)
            #expect(report.version == 3, "frame \(frame)")
            let cache = try CodableCache(at: saved, migrations: SoundStore.migrations)
            defer { cache.close() }
            #expect(cache.report.isEmpty, "frame \(frame)")
            let records = try cache.contents().records
            #expect(records.count { last[$0.key] != $0.content } <= report.staleCount, "frame \(frame)")
        }
    }
}
