import Foundation
import MoltCache
import MoltTesting
import Testing

/// Random damage to a long log; `MOLT_LONG=1` does 100 of each kind.
@Suite struct `One damaged frame of the log costs its own page only` {
    private static let count: UInt64 = ProcessInfo.processInfo.environment["MOLT_LONG"] == nil ? 12 : 100

    @Test(arguments: LogDamage.allCases)
    func `Random damage`(damage: LogDamage) throws {
        let scratch = try ScratchDirectory()
        let store = try LoggedStore.shared.get()
        var totals = [0, 0, 0, 0, 0, 0]
        var unsaid = 0
        var wrong = 0
        for seed in 0..<Self.count {
            var random = SeededGenerator(seed: seed)
            var log = store.log
            damage.apply(to: &log, &random)
            let trial = try DamagedLogTrial(store, log: log, in: scratch)
            let counts = [trial.current, trial.old.count, trial.removed.count, trial.missing.count, trial.forged.count]
            totals = zip(totals, counts + [trial.report.staleCount]).map { $0 + $1 }
            if counts[1...].contains(where: { $0 > 0 }) {
                wrong += 1
                if trial.report.staleCount == 0 && trial.report.lostPageCount == 0 { unsaid += 1 }
                if trial.old.count + trial.removed.count > trial.report.staleCount || !trial.forged.isEmpty { print("UNDER", damage, seed, counts, trial.report.staleCount, trial.report.lostPageCount, trial.old, trial.removed, trial.forged) }
                if trial.missing.count > 0, ProcessInfo.processInfo.environment["MOLT_SHOW"] != nil { print("MISSING", damage, seed, trial.missing, trial.report) }
            }
        }
        print("\(damage): \(Self.count) logs of \(store.frameCount) frames: current, old, removed, missing, forged, stale \(totals); \(wrong) with any of these, \(unsaid) unsaid")
    }
}
