public import Foundation

/// All points at which an upgrade does not keep its promise: whole or not at all.
public struct FaultFailure: Error, Sendable {
    /// One point, and what is wrong there.
    public struct Broken: Hashable, Sendable {
        /// What happened there; nil when something is wrong without a fault.
        public let trial: FaultSummary.Trial?
        /// What is wrong; it may have several lines.
        public let problem: String
    }

    /// What is wrong, in the order in which it was tried.
    public let broken: [Broken]
    /// All that was tried.
    public let summary: FaultSummary
}

extension FaultFailure: CustomStringConvertible, LocalizedError {
    /// Every point with what is wrong there; points with the same problem stand together.
    public var description: String {
        var problems: [String] = []
        var places: [String: [String]] = [:]
        for broken in broken {
            if places[broken.problem] == nil { problems.append(broken.problem) }
            places[broken.problem, default: []].append(
                broken.trial.map { "\($0.fault), \($0.entryPoint): \($0.point)" } ?? "without a fault"
            )
        }
        let points = Set(broken.compactMap(\.trial)).count
        let head =
            summary.trials.isEmpty
            ? "The upgrade does something that a failure would not undo. No fault was tried."
            : "The upgrade does not keep its promise at \(points) of \(summary.trials.count) faults that were tried."
        return ([head] + problems.map { "\((places[$0] ?? []).joined(separator: "\n"))\n\(indented($0))" })
            .joined(separator: "\n\n")
    }

    private func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }.joined(separator: "\n")
    }

    /// As ``description``.
    public var errorDescription: String? { description }
}
