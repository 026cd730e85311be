import Foundation
import MoltCore

extension UpgradeReportPage {
    /// The failure, what could not be converted, what is removed, and warnings, in this order.
    var attention: HTML {
        let findings = [failureFinding, unconvertible, unconvertibleSettings, losses, warnings].compactMap(\.self)
        return HTML.section("attention", "Needs your attention") {
            if findings.isEmpty {
                finding("good", "✓", nil) { HTML(.p) { "Nothing: everything was converted, and no data is removed." } }
            }
            for finding in findings { finding }
        }
    }

    private func finding(
        _ kind: String,
        _ sign: String,
        _ heading: String?,
        @HTML.Builder content: () -> HTML
    ) -> HTML {
        HTML(.article, .class("finding \(kind)")) {
            if let heading {
                HTML(.h3) {
                    HTML(.span, .class("sign"), HTML.Attribute("aria-hidden", "true")) { sign }
                    HTML(.span) { heading }
                }
            }
            content()
        }
    }

    // MARK: The failure

    private var failureFinding: HTML? {
        let problems = plan?.problems ?? []
        guard failure != nil || !problems.isEmpty else { return nil }
        let text = (failure as? any DescribedError)?.errorText
        let others = problems.filter { $0.message != text?.message }
        return finding("bad", "!", failure == nil ? "The store cannot be upgraded" : "The upgrade fails") {
            if let text {
                HTML(.p) { text.message }
                details(of: text)
            } else if let failure {
                HTML(.p) { ErrorSummary.line(of: failure) }
            }
            for problem in others { HTML(.p) { problem.message } }
        }
    }

    private func details(of text: ErrorText) -> HTML {
        HTML(.dl) {
            row("code", text.code)
            // The page names the store already.
            for detail in text.details where detail.label != "store" { row(detail.label, detail.text) }
            if let underlying = text.underlying { row("underlying", ErrorSummary.line(of: underlying)) }
        }
    }

    private func row(_ label: String, _ text: String) -> HTML {
        HTML(.div, .class("pair")) {
            HTML(.dt) { label }
            HTML(.dd) { HTML.code(EscapedText.cut(text, to: 500)) }
        }
    }

    // MARK: What could not be converted

    private var unconvertible: HTML? {
        guard let report else { return nil }
        let failed = report.entries.flatMap { entry in
            entry.steps.flatMap(\.failedRecords).map { (migration: entry.migration, record: $0) }
        }
        guard !failed.isEmpty else { return nil }
        let dropped = failed.count { $0.record.outcome == .dropped }
        // The list has only the first of many records, but the count includes all.
        let quarantined = report.counts.quarantined
        let heading = [
            quarantined == 0 ? nil : "\(MigrationReport.records(quarantined)) would go to quarantine",
            dropped == 0 ? nil : "\(MigrationReport.records(dropped)) would be deleted",
        ]
        let text = heading.compactMap(\.self).joined(separator: ", ")
        return finding("bad", "!", "\(text): not convertible") {
            table(["record", "type", "migration", "outcome", "reason"]) {
                HTML.first(20, of: failed, total: quarantined + dropped, note: { note($0, columns: 5) }) { failed in
                    let record = failed.record
                    return HTML(.tr) {
                        HTML(.th, HTML.Attribute("scope", "row")) { HTML.code(EscapedText.cut(record.key, to: 120)) }
                        cell(record.type)
                        cell(failed.migration.name)
                        HTML(.td) { HTML(.span, .class("badge bad")) { record.outcome.rawValue } }
                        HTML(.td) {
                            if let property = record.property {
                                HTML.code(EscapedText.cut(property, to: 120))
                                ": "
                            }
                            record.reason
                        }
                    }
                }
            }
        }
    }

    private var unconvertibleSettings: HTML? {
        let outcomes: [KeyOutcome.Outcome] = [.notConvertible, .unreadable, .salvaged]
        let keys = report?.keys.filter { outcomes.contains($0.outcome) } ?? []
        guard !keys.isEmpty else { return nil }
        let count =
            keys.count == 1 ? "1 setting or file is" : "\(MigrationReport.grouped(keys.count)) settings or files are"
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

    // MARK: What is removed

    private var losses: HTML? {
        let found: [(migration: MigrationID, loss: DataLoss)]
        if let report {
            found = report.entries.flatMap { entry in entry.steps.flatMap(\.losses).map { (entry.migration, $0) } }
        } else {
            let entries = plan?.isFresh == false ? plan?.entries.filter(\.willRun) : nil
            found = entries?.flatMap { entry in entry.losses.map { (entry.migration, $0) } } ?? []
        }
        guard !found.isEmpty else { return nil }
        return finding("loss", "−", report == nil ? "The migrations remove data" : "Data is removed") {
            table(["what", "name", "records", "migration"], numbers: [2]) {
                HTML.first(50, of: found, note: { note($0, columns: 4) }) { item in
                    HTML(.tr) {
                        HTML(.th, HTML.Attribute("scope", "row")) { Self.kind(of: item.loss) }
                        cell(item.loss.name)
                        HTML(.td, .class("number")) { item.loss.count.map(MigrationReport.grouped) ?? "–" }
                        cell(item.migration.name)
                    }
                }
            }
        }
    }

    private static func kind(of loss: DataLoss) -> String {
        switch loss.kind {
        case .property: "property"
        case .values: "possibly some values"
        case .records: loss.count == nil ? "all records of a type" : "records of a type"
        case .setting: "setting"
        }
    }

    // MARK: Warnings

    private var warnings: HTML? {
        var lines: [String] = []
        for name in (report?.entries ?? []).flatMap({ $0.steps.flatMap(\.unmatchedNames) })
            + (plan?.unmatchedNames ?? [])
        {
            let line = "\(name)".prefix(1).uppercased() + "\(name)".dropFirst() + "."
            if !lines.contains(line) { lines.append(line) }
        }
        for edit in plan?.edits ?? [] { lines.append("Edited after it was applied: \(edit).") }
        for store in plan?.journal ?? [] {
            lines.append("Changes of a committed upgrade have not been applied to \(store) yet.")
        }
        for deferral in report?.deferred ?? plan?.deferred ?? [] { lines.append("Migration \(deferral)") }
        if let count = report?.expiredCount, count > 0 {
            lines.append("\(MigrationReport.records(count)) had expired and would be removed before the upgrade.")
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

    func cell(_ name: String) -> HTML {
        HTML(.td) { HTML.code(EscapedText.cut(name, to: 120)) }
    }

    func note(_ text: String, columns: Int) -> HTML {
        HTML(.tr) { HTML(.td, .class("muted"), HTML.Attribute("colspan", "\(columns)")) { text } }
    }
}
