import Foundation
import Molt

extension UpgradeReportPage {
    /// The failure, what could not be converted, what is removed, and warnings, in this order.
    var attention: HTML {
        let findings = [failureFinding, unconvertible, unconvertibleSettings, losses, warnings].compactMap(\.self)
        return HTML.section("attention", "Needs your attention") {
            if findings.isEmpty {
                finding("good", "✓", "Nothing: all records can be converted, and no data is removed.") {}
            }
            for finding in findings { finding }
        }
    }

    private func finding(
        _ kind: String,
        _ sign: String,
        _ heading: String,
        @HTML.Builder content: () -> HTML
    ) -> HTML {
        HTML(.article, .class("finding \(kind)")) {
            HTML(.h3) {
                HTML(.span, .class("sign"), HTML.Attribute("aria-hidden", "true")) { sign }
                HTML(.span) { heading }
            }
            content()
        }
    }

    // MARK: The failure

    private var failureFinding: HTML? {
        let problems = plan?.problems ?? []
        guard failure != nil || !problems.isEmpty else { return nil }
        let error = failure as? MoltError
        let others = problems.filter { $0.message != error?.message }
        return finding("bad", "!", failure == nil ? "The store cannot be upgraded" : "The upgrade fails") {
            if let error {
                HTML(.p) { error.message }
                details(of: error)
            } else if let failure {
                HTML(.p) { ErrorSummary.line(of: failure) }
            }
            for problem in others { HTML(.p) { problem.message } }
        }
    }

    private func details(of error: MoltError) -> HTML {
        HTML(.dl) {
            row("code", error.code.rawValue)
            // The page names the store already.
            for detail in error.details where detail.label != "store" { row(detail.label, detail.text) }
            if let underlying = error.underlying { row("underlying", ErrorSummary.line(of: underlying)) }
        }
    }

    private func row(_ label: String, _ text: String) -> HTML {
        HTML.joined([HTML(.dt) { label }, HTML(.dd) { HTML.code(EscapedText.cut(text, to: 500)) }])
    }

    // MARK: Records that could not be converted

    private var unconvertible: HTML? {
        guard let report = report ?? tolerantReport else { return nil }
        let failed = report.entries.flatMap { entry in
            entry.steps.flatMap(\.failedRecords).map { (migration: entry.migration, record: $0) }
        }
        guard !failed.isEmpty else { return nil }
        let dropped = failed.count { $0.record.isDropped }
        // The list has only the first of many records, but the count includes all.
        let quarantined = report.counts.quarantined
        let heading = [
            quarantined == 0 ? nil : "\(DisplayText.records(quarantined)) would go into quarantine",
            dropped == 0 ? nil : "\(DisplayText.records(dropped)) would be dropped",
        ]
        let outcome = heading.compactMap(\.self).joined(separator: ", ")
        let text =
            failure == nil
            ? "\(outcome): not convertible" : "\(DisplayText.records(quarantined + dropped)) cannot be converted"
        return finding("bad", "!", text) {
            HTML(.ul) {
                HTML.first(20, of: groups(of: failed), note: { text in HTML(.li) { text } }) { group in
                    HTML(.li, .class("group")) { element(for: group) }
                }
                if quarantined + dropped > failed.count {
                    HTML(.li, .class("muted")) { "Only the first \(DisplayText.records(failed.count)) are listed." }
                }
            }
        }
    }

    private typealias Failed = (migration: MigrationID, record: MigrationReport.FailedRecord)

    /// The records with the same problem, in the order of the first one of each.
    private func groups(of failed: [Failed]) -> [[Failed]] {
        var indexes: [[String]: Int] = [:]
        var groups: [[Failed]] = []
        for item in failed {
            let record = item.record
            let problem = [
                item.migration.name, record.outcome.rawValue, record.property ?? "", record.reason, record.type,
            ]
            if let index = indexes[problem] {
                groups[index].append(item)
            } else {
                indexes[problem] = groups.count
                groups.append([item])
            }
        }
        return groups
    }

    private func element(for group: [Failed]) -> HTML {
        guard let (migration, record) = group.first else { return HTML() }
        return HTML(.div) {
            HTML(.p) {
                HTML(.strong) { EscapedText.cut(migration.name, to: 120) }
                " "
                HTML(.span, .class("badge bad")) {
                    "\(DisplayText.grouped(group.count)) \(failure == nil ? record.outcome.rawValue : "failed")"
                }
                " of type "
                HTML.code(EscapedText.cut(record.type, to: 120))
                if let property = record.property {
                    ", property "
                    HTML.code(EscapedText.cut(property, to: 120))
                }
            }
            HTML(.p) { record.reason }
            HTML(.ul, .class("keys")) {
                HTML.first(20, of: group, note: { text in HTML(.li) { text } }) { item in
                    HTML(.li) { HTML.code(EscapedText.cut(item.record.key, to: 120)) }
                }
            }
        }
    }

    private var unconvertibleSettings: HTML? {
        let outcomes: [MigrationReport.KeyOutcome.Outcome] = [.notConvertible, .unreadable, .notNamed]
        let keys = report?.keys.filter { outcomes.contains($0.outcome) } ?? []
        guard !keys.isEmpty else { return nil }
        let count =
            keys.count == 1 ? "1 setting or file is" : "\(DisplayText.grouped(keys.count)) settings or files are"
        return finding("bad", "!", "\(count) not converted, or only in part") {
            HTML(.ul) {
                HTML.first(20, of: keys, note: { text in HTML(.li) { text } }) { key in
                    HTML(.li) {
                        HTML.code(EscapedText.cut(key.key, to: 120))
                        " of \(key.store): \(key.outcome)"
                        if let reason = key.reason { "; \(reason)" }
                    }
                }
            }
        }
    }

    // MARK: Removed data

    private var losses: HTML? {
        let found: [(migration: MigrationID, loss: MigrationReport.DataLoss)]
        if let report {
            found = report.entries.flatMap { entry in entry.steps.flatMap(\.losses).map { (entry.migration, $0) } }
        } else {
            let entries = plan?.isFresh == false ? plan?.entries.filter(\.willRun) : nil
            found = entries?.flatMap { entry in entry.losses.map { (entry.migration, $0) } } ?? []
        }
        guard !found.isEmpty else { return nil }
        // A failed run has no counts.
        let hasCounts = found.contains { $0.loss.count != nil }
        let verb =
            switch (found.contains { !$0.loss.isReplacement }, found.contains { $0.loss.isReplacement }) {
            case (true, true): "removed or replaced"
            case (true, false): "removed"
            default: "replaced by conversions"
            }
        return finding("loss", "−", report == nil ? "Data would be \(verb)" : "Data is \(verb)") {
            table(["name", "what"] + (hasCounts ? ["records"] : []) + ["migration"], numbers: hasCounts ? [2] : []) {
                HTML.first(50, of: found, note: { note($0, columns: 4) }) { item in
                    HTML(.tr) {
                        rowHeading(item.loss.name)
                        HTML(.td) { Self.kind(of: item.loss) }
                        if hasCounts {
                            HTML(.td, .class("number"), .dataLabel("records")) {
                                item.loss.count.map(DisplayText.grouped) ?? "–"
                            }
                        }
                        cell(item.migration.name, "migration")
                    }
                }
            }
        }
    }

    private static func kind(of loss: MigrationReport.DataLoss) -> String {
        switch loss.kind {
        case .property: "property"
        case .values: "values, replaced by a conversion"
        case .converted: "property, replaced by a conversion"
        case .records: loss.count == nil ? "all records of a type" : "records of a type"
        case .merged: "records of a type, merged with others of the same key"
        case .conflicts: "one of two values at the same place"
        case .setting, .settings: "setting"
        }
    }

    // MARK: Warnings

    private var warnings: HTML? {
        var lines: [String] = []
        let names = report?.entries.flatMap { $0.steps.flatMap(\.unmatched) } ?? []
        for name in names.map(\.description) {
            let line = name.prefix(1).uppercased() + name.dropFirst() + (name.hasSuffix("?") ? "" : ".")
            if !lines.contains(line) { lines.append(line) }
        }
        for edit in plan?.editedMigrations ?? [] { lines.append("Edited after it was applied: \(edit).") }
        for store in plan?.journal ?? [] {
            lines.append("Changes to \(store) from an earlier upgrade have not been applied yet.")
        }
        // A report lists the settings that were not named with those that were not converted.
        for note in plan?.settingNotes ?? [] where report == nil || note.byteCount != nil {
            let line = note.description
            lines.append(line.prefix(1).uppercased() + line.dropFirst() + ".")
        }
        for entry in plan?.entries ?? [] where entry.isWorkPending {
            lines.append(
                "Work after the commit of migration \(entry.migration) still has to be done: \(entry.work ?? "")."
            )
        }
        for line in plan?.handovers ?? [] { lines.append("To be handed over: \(line).") }
        for deferral in report?.deferred ?? plan?.deferred ?? [] { lines.append("Migration \(deferral)") }
        if let count = report?.expiredCount, count > 0 {
            lines.append("\(DisplayText.records(count)) had expired and would be removed before the upgrade.")
        }
        if let move = report?.moveText {
            lines.append("The store would be \(move).")
        } else if let path = plan?.movesFrom {
            lines.append("The store would be moved from \(path).")
        }
        for path in report?.otherStores ?? plan?.otherStores ?? [] {
            let note = MigrationReport.note(onOtherStore: path)
            lines.append(note.prefix(1).uppercased() + note.dropFirst() + ".")
        }
        if plan?.needsErasure == true {
            lines.append("Records that were deleted before would be erased from the file.")
        }
        guard !lines.isEmpty else { return nil }
        return finding("note", "?", "Worth a look") {
            HTML(.ul) {
                HTML.first(30, of: lines, note: { text in HTML(.li) { text } }) { line in HTML(.li) { line } }
            }
        }
    }
}

// MARK: Tables

extension UpgradeReportPage {
    /// A table that is read row by row where it has no room; the first column has the rows' headings.
    func table(_ columns: [String], numbers: Set<Int> = [], @HTML.Builder rows: () -> HTML) -> HTML {
        HTML(.table, .class("stacked")) {
            HTML(.thead) {
                HTML(.tr) {
                    for (index, column) in columns.enumerated() {
                        HTML(.th, .class(numbers.contains(index) ? "number" : "text"), HTML.Attribute("scope", "col")) {
                            column
                        }
                    }
                }
            }
            HTML(.tbody) { rows() }
        }
    }

    func rowHeading(_ name: String) -> HTML {
        HTML(.th, HTML.Attribute("scope", "row")) { HTML.code(EscapedText.cut(name, to: 120)) }
    }

    /// A name; the label stands before it where rows are stacked.
    func cell(_ name: String, _ label: String) -> HTML {
        HTML(.td, .dataLabel(label)) { HTML.code(EscapedText.cut(name, to: 120)) }
    }

    func note(_ text: String, columns: Int) -> HTML {
        HTML(.tr) { HTML(.td, .class("muted"), HTML.Attribute("colspan", "\(columns)")) { text } }
    }
}
