internal import Foundation

extension MigrationReport: CustomStringConvertible {
    /// A table, followed by records that failed, unmatched names, outcomes for keys, deferred migrations, work
    /// after the commit, and seeds.
    ///
    /// Records and keys that could not be converted are shown by name, without values.
    public var description: String {
        let waiting = deferred.map { "waits: \($0.migration): \($0.reason)" }
        let expired =
            switch expiredCount {
            case 0: [String]()
            case 1: ["expired: 1 record was removed before the upgrade"]
            default: ["expired: \(DisplayText.grouped(expiredCount)) records were removed before the upgrade"]
            }
        let onRead =
            entries.compactMap { entry in
                entry.neededBy.map { "on read: migration \(entry.migration) ran at once because of migration \($0)" }
            } + onRead.map { "on read: records go through migration \($0) when they are read" }
        let moved = moveText.map { [ErrorSummary.oneLine("\(isDryRun ? "would be " : "")\($0)")] } ?? []
        let others = otherStores.map { ErrorSummary.oneLine("old place: \(Self.note(onOtherStore: $0))") }
        let notes = notes.map { ErrorSummary.oneLine("note: \($0)") }
        let erased = erasure.map { [ErrorSummary.oneLine("\($0)")] } ?? []
        let space = space.flatMap { $0.isNotable ? ["disk space: \($0)"] : nil } ?? []
        let work = work.map { "after the commit: \($0)" } + seeds.map { "seed \($0)" }
        let lines =
            [table] + moved + others + notes + onRead + expired + failureLines + nameLines + lossLines + erased
            + keyLines
            + waiting + work + space + sampleLines
        return lines.joined(separator: "\n")
    }

    /// The old place, and what is still there, in one line; nil if the file was not moved.
    package var moveText: String? {
        guard let movedFrom else { return nil }
        let names = copiesLeftBehind.map(\.url.lastPathComponent).joined(separator: ", ")
        return "moved from \(movedFrom)" + (names.isEmpty ? "" : ", where its copies are still: \(names)")
    }

    package var headline: String {
        let waiting =
            switch deferred.count {
            case 0: ""
            case 1: ", 1 migration waits"
            default: ", \(deferred.count) migrations wait"
            }
        let left = pendingWork.isEmpty || isDryRun ? "" : ", with work still to be done"
        let (head, opening) = isDryRun ? ("dry run: \(store)", "would be open") : (store, "open")
        if isReadOnly {
            return "\(head): \(opening) for reading only, at version \(to)"
        }
        if isNewer {
            return "\(head): \(opening) for reading and writing, at version \(to) of a newer release"
        }
        if isUpToDate { return "\(head): up to date at version \(to)\(waiting)\(left)" }
        return isNewInstallation
            ? "\(head): created at version \(to)\(waiting)\(left)"
            : "\(head): \(from == to ? "at version \(to)," : "version \(from) to \(to)") in "
                + "\(DisplayText.seconds(duration))\(waiting)\(left)"
    }

    private var table: String {
        if isReadOnly || isUpToDate { return headline }
        let ran = entries.filter { $0.outcome == .ran || !$0.steps.isEmpty }
        // For migrations of settings only, the lines about keys say more than a table of dashes.
        let hasTable = ran.contains { entry in !entry.counts.isZero || !entry.steps.contains { !$0.keys.isEmpty } }
        guard hasTable else { return headline }
        let all: [(name: String, count: KeyPath<Counts, Int>)] = [
            ("read", \.read), ("changed", \.changed), ("dropped", \.dropped), ("created", \.created),
            ("handed over", \.handedOver), ("quarantined", \.quarantined),
        ]
        // The last two are seldom of use.
        let columns = all.enumerated().filter { $0.offset < 4 || counts[keyPath: $0.element.count] > 0 }.map(\.element)
        // The times of fused migrations are shares, and only approximate.
        var rows = [["version", "migration"] + columns.map(\.name) + ["≈ time"]]
        // Dashes stand for a migration that has read no record, as in a type rename.
        func cells(_ counts: Counts) -> [String] {
            columns.map { counts.isZero ? "–" : DisplayText.grouped(counts[keyPath: $0.count]) }
        }
        for entry in ran {
            rows.append(
                [String(entry.migration.version), entry.migration.name] + cells(entry.counts)
                    + [DisplayText.seconds(entry.duration)]
            )
            // A single step would repeat the migration's row.
            for step in entry.steps where entry.steps.count > 1 {
                rows.append(["", "  " + step.summary] + cells(step.counts) + [""])
            }
        }
        return headline + "\n" + TextTable(rows: rows, leftAlignedColumns: [1]).description
    }

    private var failureLines: [String] {
        let shown = 20
        var lines: [String] = []
        for entry in entries {
            let failed = entry.steps.flatMap(\.failedRecords)
            guard !failed.isEmpty else { continue }
            let outcomes = Dictionary(grouping: failed, by: \.outcome).ordered { $0.key.rawValue > $1.key.rawValue }
            // The list has only the first of many records, but the count includes all.
            let quarantined = entry.counts.quarantined
            let counts = outcomes.map { outcome, records in
                let count = outcome == .quarantined ? quarantined : records.count
                return "\(DisplayText.grouped(count)) \(outcome.rawValue)"
            }
            lines.append("\(entry.migration.name): \(counts.joined(separator: ", ")), not convertible")
            for record in failed.prefix(shown) {
                lines.append("  \(record)")
            }
            let more = (failed.contains { $0.outcome == .dropped } ? failed.count : quarantined) - shown
            if more > 0 { lines.append("  and \(DisplayText.grouped(more)) more") }
        }
        return lines
    }

    private var nameLines: [String] {
        entries.flatMap { entry in
            entry.steps.flatMap(\.unmatchedNames).map { ErrorSummary.oneLine("\(entry.migration.name): \($0)") }
        }
    }

    private var lossLines: [String] {
        entries.flatMap { entry in
            entry.steps.flatMap(\.losses)
                .summaries(removing: "removed", replacing: "replaced by a conversion:")
                .map { ErrorSummary.oneLine("\(entry.migration.name): \($0)") }
        }
    }

    /// The records before and after each step, if the dry run was asked for them.
    private var sampleLines: [String] {
        entries.flatMap { entry in
            entry.steps.filter { !$0.samples.isEmpty }.flatMap { step -> [String] in
                let samples = step.samples.map { sample in
                    sample.description.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
                }
                return ["", Self.title(of: step, in: entry)] + samples
            }
        }
    }

    /// The migration's name, and what the step does if that is not the name, as for a block without a label.
    private static func title(of step: Step, in entry: Entry) -> String {
        let name = entry.migration.name
        return step.summary == name ? name : "\(name): \(step.summary)"
    }

    /// The first names, in quotes.
    private static func list(_ names: [String]) -> String {
        let shown = 10
        let first = names.prefix(shown).map { "\"\(ErrorSummary.oneLine($0))\"" }.joined(separator: ", ")
        return names.count > shown ? "\(first) and \(names.count - shown) more" : first
    }

    /// For each migration that worked on keys, the number of keys per outcome, and the keys with problems.
    private var keyLines: [String] {
        var lines: [String] = []
        for entry in entries {
            let keys = entry.keys
            guard !keys.isEmpty else { continue }
            let counts = Dictionary(grouping: keys, by: \.outcome).mapValues(\.count)
                .ordered { ($0.value, $1.key.description) > ($1.value, $0.key.description) }
                .map { "\(DisplayText.grouped($0.value)) \($0.key)" }
            lines.append("\(entry.migration.name): \(counts.joined(separator: ", "))")
            for key in keys
            where [.notConvertible, .unreadable, .notNamed].contains(key.outcome)
                || key.outcome == .absent && key.reason != nil
            {
                // A dictionary's keys are part of the value, and must not be logged.
                let isPlain = key.place?.utf8.allSatisfy { "[]0123456789".utf8.contains($0) } == true
                let location = isPlain ? key.place.map { " at \($0)" } ?? "" : ""
                let reason = location + (key.reason.map { ": \($0)" } ?? "")
                lines.append("  \(key.outcome): \"\(ErrorSummary.oneLine(key.key))\" of \(key.store)\(reason)")
            }
            let absent = keys.filter { $0.outcome == .absent && $0.reason == nil }
            for (store, keys) in Dictionary(grouping: absent, by: \.store).sortedByKey {
                lines.append("  absent: \(Self.list(keys.map(\.key))) of \(store)")
            }
        }
        return lines
    }
}

extension MigrationReport.Entry {
    /// The outcome for each key, in order: what the steps of the migration have done to it together.
    fileprivate var keys: [MigrationReport.KeyOutcome] {
        var merged: [MigrationReport.KeyOutcome] = []
        var indices: [[String]: Int] = [:]
        for key in steps.flatMap(\.keys) {
            guard let index = indices[[key.store, key.key]] else {
                indices[[key.store, key.key]] = merged.count
                merged.append(key)
                continue
            }
            // A step that names other values does not undo what an earlier one has done.
            let isNews =
                ![.alreadyCurrent, .absent].contains(key.outcome) && merged[index].outcome != .notConvertible
                && (key.outcome, merged[index].outcome) != (.kept, .changed)
            if isNews { merged[index] = key }
        }
        return merged
    }
}
