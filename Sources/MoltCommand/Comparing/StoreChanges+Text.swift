import Molt
import MoltTesting

extension StoreChanges {
    /// The numbers of records in one line.
    package var summary: String {
        "\(counts.added) added, \(counts.removed) removed, \(counts.changed) changed, \(counts.same) the same"
    }

    /// Prints the summary and the differences, with truncated values.
    func print(on terminal: Terminal) {
        terminal.say(terminal.bold(summary))
        for line in storeLines { terminal.say(line) }
        if !records.isEmpty { terminal.say("") }
        for record in records {
            for line in Self.lines(of: record) { terminal.say(line) }
        }
        if let omission { terminal.say("\n\(omission)") }
    }

    /// The differences that are not of records.
    private var storeLines: [String] {
        var lines: [String] = []
        if before.schemaVersion != after.schemaVersion {
            lines.append("schema version: \(before.schemaVersion) → \(after.schemaVersion)")
        }
        for migration in migrations {
            let name = "migration \(Shown.key(migration.name))"
            switch (migration.before, migration.after) {
            case (let before?, let after?): lines.append("\(name): \(before) → \(after)")
            case (let before?, nil): lines.append("\(name) (\(before)): only in the first store")
            case (nil, let after?): lines.append("\(name) (\(after)): only in the second store")
            case (nil, nil): break
            }
        }
        if counts.onlyVersion > 0 {
            lines.append("changed records in which only the version differs: \(counts.onlyVersion)")
        }
        if before.quarantined != after.quarantined {
            lines.append("records in quarantine: \(before.quarantined) → \(after.quarantined)")
        }
        return lines
    }

    private static func lines(of record: RecordChange) -> [String] {
        let title = "\(record.change.rawValue) \(Shown.key(record.key)) (\(ErrorSummary.oneLine(record.type)))"
        guard record.change == .changed else {
            return record.differences.map { "\(title): \(Shown.json($0.before ?? $0.after ?? ""))" }
        }
        return [title] + record.differences.map { "  \($0.label): \($0.text)" }
    }

    /// The line about the records beyond the limit; nil if all are listed.
    private var omission: String? {
        let omitted = omitted
        let parts = [(omitted.added, "added"), (omitted.removed, "removed"), (omitted.changed, "changed")]
            .filter { $0.0 > 0 }.map { "\($0.0) more \($0.1)" }
        return parts.isEmpty ? nil : "Not listed: \(parts.joined(separator: ", ")); --all lists all of them."
    }
}

extension ValueChange {
    /// The earlier and the later value in a line.
    fileprivate var text: String {
        let missing = aspect == .expiry ? "never" : "missing"
        let end = remark.map { "; \($0)" } ?? ""
        guard let before, let after else {
            return "\(before.map { Shown.json($0) } ?? missing) → \(after.map { Shown.json($0) } ?? missing)\(end)"
        }
        let shown = Shown.pair(before, after)
        return "\(shown.0) → \(shown.1)\(end)"
    }
}
