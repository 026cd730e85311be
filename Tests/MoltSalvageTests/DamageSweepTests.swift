import Foundation
import MoltCache
import MoltSalvage
import MoltTesting
import Testing

/// A hundred damaged stores, or tens of thousands with `MOLT_LONG=1`; `MOLT_LONG=300` makes 300 of each kind.
///
/// One alone: `MOLT_DAMAGE=zeroPage:17 swift test --filter DamageSweep`.
@Suite struct `A damaged file never ends the process, and loses nothing in silence` {
    private static let isLong = ProcessInfo.processInfo.environment["MOLT_LONG"] != nil
    /// How many stores of each kind: with `MOLT_LONG=1` as many as a night has time for.
    private static let count: UInt64 = {
        guard let long = ProcessInfo.processInfo.environment["MOLT_LONG"].map({ UInt64($0) ?? 1 }) else { return 5 }
        return long > 1 ? long : 1_500
    }()
    private static let single = ProcessInfo.processInfo.environment["MOLT_DAMAGE"]

    @Test(arguments: Damage.allCases)
    func `Opened, read, written, upgraded and salvaged`(damage: Damage) throws {
        let scratch = try ScratchDirectory()
        var seeds = Array(UInt64(0)..<Self.count)
        if let single = Self.single?.split(separator: ":"), single.count == 2 {
            seeds = single[0] == damage.rawValue ? [UInt64(single[1]) ?? 0] : []
        }
        var outcomes: [String: Int] = [:]
        var (saved, total) = (0, 0)
        var failures: [String] = []
        for seed in seeds {
            // Found again after a crash: which one it was.
            try? "\(damage.rawValue):\(seed)".write(to: scratch.file("trial"), atomically: false, encoding: .utf8)
            let trial = try DamageTrial(damage, seed: seed, in: scratch)
            failures += trial.failures
            saved += trial.saved
            total += trial.total
            outcomes.merge(trial.outcomes, uniquingKeysWith: +)
        }
        #expect(failures.isEmpty, "\(failures.count) failures, the first: \(failures.prefix(3))")
        if Self.isLong || Self.single != nil {
            print("\(damage): \(seeds.count) stores, \(saved) of \(total) records saved")
            for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) { print("    \(outcome) \(count)") }
        }
    }
}
