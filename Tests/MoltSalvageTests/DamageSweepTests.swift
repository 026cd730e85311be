import Foundation
import MoltSalvage
import MoltTesting
import Testing

@testable import Molt

/// Opens, reads, writes, upgrades and salvages a hundred damaged stores.
///
/// `MOLT_LONG=1` makes tens of thousands, and `MOLT_LONG=300` makes 300 of each kind.
///
/// To run a single one: `MOLT_DAMAGE=zeroPage:17 swift test --filter DamageSweep`.
@Suite struct `Sweep of damaged cache files` {
    /// The number of stores of each kind; with `MOLT_LONG=1`, as many as fit in a night.
    private static let count: UInt64 = {
        guard let long = ProcessInfo.processInfo.environment["MOLT_LONG"].map({ UInt64($0) ?? 1 }) else { return 3 }
        return long > 1 ? long : 1_500
    }()
    private static let single = ProcessInfo.processInfo.environment["MOLT_DAMAGE"]

    @Test(arguments: Damage.allCases)
    func `A damaged file never crashes the process, and every loss is reported`(damage: Damage) throws {
        let scratch = try ScratchDirectory()
        var seeds = Array(UInt64(0)..<Self.count)
        if let single = Self.single?.split(separator: ":"), single.count == 2 {
            seeds = single[0] == damage.rawValue ? [UInt64(single[1]) ?? 0] : []
        }
        var outcomes: [String: Int] = [:]
        var (saved, total) = (0, 0)
        var failures: [String] = []
        for seed in seeds {
            // After a crash, the file names the store that caused it.
            try? "\(damage.rawValue):\(seed)".write(to: scratch.file("trial"), atomically: false, encoding: .utf8)
            let trial = try DamageTrial(damage, seed: seed, in: scratch)
            failures += trial.failures
            saved += trial.saved
            total += trial.total
            outcomes.merge(trial.outcomes, uniquingKeysWith: +)
        }
        #expect(failures.isEmpty, "\(failures.count) failures, the first: \(failures.prefix(3))")
        if TestRun.isLong || Self.single != nil {
            print("\(damage): \(seeds.count) stores, \(saved) of \(total) records saved")
            for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) { print("    \(outcome) \(count)") }
        }
    }
}
