public import Foundation

/// The points and faults that a ``FaultSweep`` has tried.
///
/// ```
/// 92 points: 10 steps, 10 batches, 21 records, 23 writes, 4 commits, 9 changes to attached stores, 15 full disks
/// faults: something throws (29), a write fails once (27), …
/// ```
public struct FaultSummary: Sendable, CustomStringConvertible {
    package struct Trial: Hashable, Sendable {
        /// The fault; nil for a kill of the process.
        package let fault: FaultSweep.Fault?
        package let point: FaultPoint

        package init(fault: FaultSweep.Fault?, point: FaultPoint) {
            self.fault = fault
            self.point = point
        }

        fileprivate var faultName: String { fault?.description ?? "the process is killed" }
    }

    package var trials: [Trial] = []
    /// The number of points, including those that were left out.
    public package(set) var available = 0

    package init() {}

    /// The number of points at which a fault was tried.
    public var count: Int {
        points.count
    }

    package func count(of area: FaultPoint.Area) -> Int {
        points.count { $0.area == area }
    }

    /// The number of trials of a fault.
    public func count(of fault: FaultSweep.Fault) -> Int {
        trials.count { $0.fault == fault }
    }

    private var points: Set<FaultPoint> {
        Set(trials.map(\.point))
    }

    /// The numbers of points by area, and of trials by fault.
    public var description: String {
        let areas = FaultPoint.Area.allCases.filter { count(of: $0) > 0 }.map { "\(count(of: $0)) \($0.rawValue)" }
        let points = count < available ? "\(count) of \(available) points" : "\(count) points"
        var faults: [(name: String, count: Int)] = []
        for name in trials.map(\.faultName) {
            if let index = faults.firstIndex(where: { $0.name == name }) {
                faults[index].count += 1
            } else {
                faults.append((name, 1))
            }
        }
        return """
            \(points): \(areas.joined(separator: ", "))
            faults: \(faults.map { "\($0.name) (\($0.count))" }.joined(separator: ", "))
            """
    }
}

/// The error for upgrades that faults leave incomplete, with all points concerned.
public struct FaultFailure: Error, Sendable {
    package struct Broken: Hashable, Sendable {
        /// The fault; nil for a problem without one.
        package let trial: FaultSummary.Trial?
        package let problem: String

        package init(trial: FaultSummary.Trial?, problem: String) {
            self.trial = trial
            self.problem = problem
        }
    }

    /// The problems, in the order they were found.
    package let broken: [Broken]
    /// All that was tried.
    public let summary: FaultSummary

    package init(broken: [Broken], summary: FaultSummary) {
        self.broken = broken
        self.summary = summary
    }
}

extension FaultFailure: CustomStringConvertible, LocalizedError {
    /// The problems, each below the points at which it occurs.
    public var description: String {
        var problems: [String] = []
        var places: [String: [String]] = [:]
        for broken in broken {
            if places[broken.problem] == nil { problems.append(broken.problem) }
            places[broken.problem, default: []].append(
                broken.trial.map { "\($0.faultName): \($0.point)" } ?? "without a fault"
            )
        }
        let points = Set(broken.compactMap(\.trial)).count
        let head =
            summary.trials.isEmpty
            ? "The upgrade does something that a failure would not undo. No fault was tried."
            : "The upgrade failed its checks at \(points) of \(summary.trials.count) faults."
        return ([head] + problems.map { "\((places[$0] ?? []).joined(separator: "\n"))\n\(indented($0))" })
            .joined(separator: "\n\n")
    }

    private func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }.joined(separator: "\n")
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
