internal import Molt

/// A list of failures that merges equal failures of several upgrades.
struct FailureList {
    enum Occurrence: Hashable {
        /// An upgrade to a version by an entry point; nil for all entry points.
        case upgrade(to: Int, by: String?)
        case summary(String)
    }

    private struct Finding: Hashable {
        var kind: VerificationFailure.Kind
        var subject: String
        var message: String
    }

    private var findings: [Finding] = []
    private var occurrences: [Finding: [Occurrence]] = [:]

    var isEmpty: Bool { findings.isEmpty }

    mutating func add(
        _ kind: VerificationFailure.Kind,
        _ subject: String,
        _ message: String,
        at occurrence: Occurrence? = nil
    ) {
        let finding = Finding(kind: kind, subject: subject, message: message)
        if occurrences[finding] == nil { findings.append(finding) }
        occurrences[finding, default: []] += occurrence.map { [$0] } ?? []
    }

    /// Adds a failure for a migration that was edited after a store had applied it.
    ///
    /// - Parameter protection: Tells whether the version of the migration has shipped.
    mutating func add(_ edit: MigrationPlan.Edit, at path: String, _ protection: WriteProtection) {
        let version = edit.recordedVersion
        let advice =
            protection.hasShipped(version)
            ? "Undo the change, and add a new migration instead."
            : "If version \(version) has shipped, undo the change, and add a new migration instead. If it has not, write its "
                + "fixtures again: \(protection.commandToOverwrite(version))"
        add(
            .edited,
            "registry",
            "migration \(edit.migration) was edited after these stores had applied it: their ledger has the fingerprint "
                + "\(edit.recorded), and the registry \(edit.current). \(advice)",
            at: .summary(path)
        )
    }

    mutating func add(_ other: FailureList) {
        for finding in other.findings {
            if occurrences[finding] == nil { findings.append(finding) }
            occurrences[finding, default: []] += other.occurrences[finding] ?? []
        }
    }

    static func text(of error: any Error) -> String {
        guard let error = error as? TestingError else { return "The file cannot be read: \(error)" }
        return error.message + (error.underlying.map { "\n\($0)" } ?? "")
    }

    /// Whether there are only failures of these kinds.
    func isOnly(_ kinds: Set<VerificationFailure.Kind>) -> Bool {
        findings.allSatisfy { kinds.contains($0.kind) }
    }

    func isAbout(_ subject: String) -> Bool {
        findings.contains { $0.subject == subject }
    }

    func isAbout(_ kind: VerificationFailure.Kind, _ subject: String) -> Bool {
        findings.contains { $0.kind == kind && $0.subject == subject }
    }

    var failures: [VerificationFailure.Failure] {
        findings.map { finding in
            VerificationFailure.Failure(
                kind: finding.kind,
                subject: finding.subject,
                location: Self.summary(occurrences[finding] ?? []),
                message: finding.message
            )
        }
    }

    /// The occurrences in words; versions with the same entry points are grouped.
    private static func summary(_ occurrences: [Occurrence]) -> String {
        var summary: [String] = []
        var entries: [Int: [String]] = [:]
        var versions: [Int] = []
        for occurrence in occurrences {
            switch occurrence {
            case .summary(let text):
                if !summary.contains(text) { summary.append(text) }
            case .upgrade(let version, let entry):
                if entries[version] == nil { versions.append(version) }
                entries[version, default: []] += entry.map { [$0] } ?? []
            }
        }
        var groups: [(entries: [String], versions: [Int])] = []
        for version in versions {
            let names = entries[version] ?? []
            if let index = groups.firstIndex(where: { $0.entries == names }) {
                groups[index].versions.append(version)
            } else {
                groups.append((names, [version]))
            }
        }
        let others = summary.count - 5
        if others > 1 { summary = summary.prefix(5) + ["\(others) more"] }
        summary += groups.map { group in
            let label = group.versions.count == 1 ? "to version" : "to versions"
            let list = group.versions.map(String.init).joined(separator: ", ")
            return "\(label) \(list)" + (group.entries.isEmpty ? "" : " by " + group.entries.joined(separator: ", "))
        }
        return summary.joined(separator: "; ")
    }
}
