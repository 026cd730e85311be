internal import MoltCore

/// The differences between the reports of a dry run and of an upgrade, apart from durations.
struct ReportDifference {
    private(set) var lines: [String] = []

    init(_ dry: MigrationReport, _ real: MigrationReport) {
        if (dry.from, dry.to) != (real.from, real.to) {
            add("the versions", "\(dry.from) to \(dry.to)", "\(real.from) to \(real.to)")
        }
        let names = (dry.entries.map(\.migration.description), real.entries.map(\.migration.description))
        guard names.0 == names.1 else {
            add("the migrations", names.0.joined(separator: ", "), names.1.joined(separator: ", "))
            return
        }
        if dry.deferred != real.deferred {
            add("what waits", Self.summary(dry.deferred), Self.summary(real.deferred))
        }
        for (left, right) in zip(dry.entries, real.entries) {
            if left.outcome != right.outcome {
                add("\(left.migration): outcome", left.outcome.rawValue, right.outcome.rawValue)
            }
            if left.counts != right.counts {
                add("\(left.migration): counts", summary(left.counts), summary(right.counts))
            }
            guard left.steps.map(\.summary) == right.steps.map(\.summary) else {
                add("\(left.migration): steps", "\(left.steps.count)", "\(right.steps.count)")
                continue
            }
            for (step, other) in zip(left.steps, right.steps) where step != other {
                let place = "\(left.migration), \(step.summary)"
                if step.counts != other.counts { add("\(place): counts", summary(step.counts), summary(other.counts)) }
                for (key, otherKey) in zip(step.keys, other.keys) where key != otherKey {
                    add("\(place): \(Shown.key(key.key))", key.outcome.rawValue, otherKey.outcome.rawValue)
                }
                if step.failedRecords != other.failedRecords {
                    add("\(place): failed records", summary(step.failedRecords), summary(other.failedRecords))
                }
                if step.keys.count != other.keys.count {
                    add("\(place): keys", String(step.keys.count), String(other.keys.count))
                }
            }
        }
    }

    private mutating func add(_ place: String, _ dry: String, _ real: String) {
        lines.append("\(place): the dry run \(dry), the upgrade \(real)")
    }

    private static func summary(_ deferred: [MigrationReport.Deferral]) -> String {
        deferred.isEmpty ? "nothing" : deferred.map(\.migration.description).joined(separator: ", ")
    }

    private func summary(_ records: [MigrationReport.FailedRecord]) -> String {
        records.isEmpty ? "none" : records.map { Shown.key($0.key) }.joined(separator: ", ")
    }

    private func summary(_ counts: RecordCounts) -> String {
        "read \(counts.read), changed \(counts.changed), dropped \(counts.dropped), created \(counts.created), "
            + "quarantined \(counts.quarantined)"
    }
}

enum UpgradeText {
    static func of(_ error: any Error) -> String {
        guard var error = error as? MigrationError else { return withoutCopies(String(describing: error)) }
        error.store = nil
        var text = error.description
        // The errors of the app's own closures may be shown, because fixtures contain no user data.
        if let underlying = error.underlying, !(underlying is any DescribedError) { text += "\n\(underlying)" }
        return withoutCopies(text)
    }

    /// A text without the names of temporary copies, which differ in each run.
    static func withoutCopies(_ text: String) -> String {
        text.replacing(/molt-testing\.[0-9]+\.[0-9A-F-]{36}/, with: "copy")
    }
}
