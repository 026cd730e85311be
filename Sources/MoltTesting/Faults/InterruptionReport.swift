public import Foundation

/// Where a test interrupted an upgrade, and what went wrong afterwards.
///
/// ```
/// 128 interruptions at 97 points, and nothing was lost
///   an error is thrown: before the steps (5), after the steps (5), reading a batch (10), …
///   writes fail from then on: writing a batch (6), writing the ledger (1), …
///   the disk is full: the file is full (15)
/// ```
/// ``StoreFixture/verifyInterruptions(through:configuration:limit:)`` returns it, or throws it if something went wrong.
public struct InterruptionReport: Error, Sendable {
    /// An upgrade that was interrupted.
    package struct Trial: Hashable, Sendable {
        /// What happened, in words.
        package var fault: String { kind.rawValue }
        /// Where it happened, with the type, the record or the suite concerned.
        package var point: String { faultPoint.description }
        /// What went wrong afterwards; nil if the store was as it should be.
        package let problem: String?
        package let kind: FaultSweep.Fault
        package let faultPoint: FaultPoint

        /// The interruption and its point in one line.
        fileprivate var text: String {
            switch kind {
            case .error: "an error thrown \(faultPoint.moment)"
            case .failingWrites: "writes failing from then on: \(faultPoint)"
            case .fullDisk: "a full disk: \(faultPoint)"
            case .kill: "the process killed \(faultPoint.moment)"
            }
        }
    }

    /// All interruptions, in order.
    package internal(set) var trials: [Trial] = []
    /// The problems of upgrades without an interruption; if upgrades differ by themselves, none is interrupted.
    package internal(set) var problems: [String] = []
    /// The number of points, including those that a limit left out.
    package internal(set) var available = 0

    /// The interruptions after which something was wrong.
    package var failures: [Trial] { trials.filter { $0.problem != nil } }
}

extension InterruptionReport: CustomStringConvertible, LocalizedError {
    /// The number of interruptions by fault and point, and each problem below the points at which it occurs.
    public var description: String {
        guard !trials.isEmpty else {
            return (["The upgrade does something that a failure would not undo. It was not interrupted."] + problems)
                .joined(separator: "\n\n")
        }
        let count = Set(trials.map(\.faultPoint)).count
        let points = count < available ? "\(count) of \(available) points" : "\(count) points"
        let faults = Self.grouped(trials, by: \.fault).map { fault, trials in
            let counts = Self.grouped(trials, by: \.faultPoint.name).map { "\($0) (\($1.count))" }
            return "  \(fault): \(counts.joined(separator: ", "))"
        }
        let end = failures.isEmpty && problems.isEmpty ? "and nothing was lost" : "\(failures.count) with a problem"
        let head = (["\(trials.count) interruptions at \(points), \(end)"] + faults).joined(separator: "\n")
        let failed = Self.grouped(failures, by: \.problem).map { problem, trials in
            (trials.map(\.text) + [Self.indented(problem ?? "")]).joined(separator: "\n")
        }
        return ([head] + failed + problems.map { "without a fault\n\(Self.indented($0))" }).joined(separator: "\n\n")
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// The trials with the same text, in the order in which the texts first occur.
    private static func grouped<Text: Hashable>(_ trials: [Trial], by text: (Trial) -> Text) -> [(Text, [Trial])] {
        var left = Dictionary(grouping: trials, by: text)
        return trials.map(text).compactMap { text in left.removeValue(forKey: text).map { (text, $0) } }
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }.joined(separator: "\n")
    }
}
