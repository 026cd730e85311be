import Foundation
import Molt
import MoltTesting

/// A page about the differences between two stores.
struct StoreChangesPage {
    let changes: StoreChanges

    var page: HTMLPage {
        let names = [changes.before, changes.after].map { URL(filePath: $0.file).lastPathComponent }
        let head = HTML(.header) {
            HTML(.p, .class("kicker")) { "Differences between two stores" }
            HTML(.h1) {
                HTML.code(names[0])
                " → "
                HTML.code(names[1])
            }
            for side in [changes.before, changes.after] { HTML(.p, .class("muted")) { HTML.code(side.file) } }
            HTML(.p) { changes.isEmpty ? "The stores are equal." : "The stores differ." }
            facts
        }
        return HTMLPage(
            title: "\(names[0]) and \(names[1])",
            body: HTML.joined([head, store, records(.changed), records(.added), records(.removed)]),
            foot: HTML(.p) {
                changes.records.isEmpty
                    ? "This page shows no value of a record."
                    : "This page shows values of records. Treat it like the stores themselves."
            }
        )
    }

    private var facts: HTML {
        let counts = changes.counts
        let facts = [
            (counts.changed, "changed"), (counts.added, "added"), (counts.removed, "removed"),
            (counts.same, "the same"),
        ]
        return HTML(.dl, .class("facts")) {
            for (count, label) in facts {
                HTML(.div) {
                    HTML(.dt) { label }
                    HTML(.dd) { DisplayText.grouped(count) }
                }
            }
        }
    }

    // MARK: The store

    /// The differences that are not of records.
    private var store: HTML {
        var rows: [(name: String, before: String?, after: String?)] = []
        if changes.before.schemaVersion != changes.after.schemaVersion {
            rows.append(("schema version", "\(changes.before.schemaVersion)", "\(changes.after.schemaVersion)"))
        }
        rows += changes.migrations.map { ("migration \($0.name)", $0.before?.description, $0.after?.description) }
        if changes.before.quarantined != changes.after.quarantined {
            rows.append(("records in quarantine", "\(changes.before.quarantined)", "\(changes.after.quarantined)"))
        }
        guard !rows.isEmpty else { return HTML() }
        return HTML.section("store", "Version and migrations") {
            HTML(.article, .class("sample")) {
                table { for row in rows { line(row.name, row.before, row.after) } }
            }
        }
    }

    // MARK: Records

    private func records(_ change: RecordChange.Change) -> HTML {
        let records = changes.records.filter { $0.change == change }
        let plain = change == .changed ? changes.counts.onlyVersion : 0
        let omitted = self.omitted(change)
        guard !records.isEmpty || plain > 0 || omitted > 0 else { return HTML() }
        return HTML.section("records", "Records \(change.rawValue)") {
            if plain > 0 {
                HTML(.p) {
                    "Only the version differs in \(plain == 1 ? "1 record" : "\(DisplayText.grouped(plain)) records")."
                }
            }
            for record in records { article(record) }
            if omitted > 0 {
                HTML(.p, .class("muted")) { "Not listed: \(DisplayText.grouped(omitted)) more." }
            }
        }
    }

    private func omitted(_ change: RecordChange.Change) -> Int {
        switch change {
        case .added: changes.omitted.added
        case .removed: changes.omitted.removed
        case .changed: changes.omitted.changed
        }
    }

    private func article(_ record: RecordChange) -> HTML {
        HTML(.article, .class("sample")) {
            HTML(.header) {
                HTML.code(EscapedText.cut(record.key, to: 120))
                HTML(.span, .class("muted")) { EscapedText.cut(record.type, to: 120) }
                switch record.change {
                case .added: HTML(.span, .class("badge good")) { "+ added" }
                case .removed: HTML(.span, .class("badge bad")) { "− removed" }
                case .changed: HTML()
                }
            }
            table {
                for difference in record.differences {
                    line(difference.label, difference.before, difference.after, remark: difference.remark)
                }
            }
        }
    }

    private func table(@HTML.Builder rows: () -> HTML) -> HTML {
        HTML(.table, .class("changes stacked")) {
            HTML(.thead) {
                HTML(.tr) {
                    for name in ["part", "before", "after"] {
                        HTML(.th, HTML.Attribute("scope", "col")) { name }
                    }
                }
            }
            HTML(.tbody) { rows() }
        }
    }

    /// A part with its earlier and its later value; both begin shortly before their first difference.
    private func line(_ name: String, _ before: String?, _ after: String?, remark: String? = nil) -> HTML {
        var shown = (before.map { EscapedText.cut($0, to: 600) }, after.map { EscapedText.cut($0, to: 600) })
        if let before, let after, max(before.utf8.count, after.utf8.count) > 600 { shown = Shown.pair(before, after) }
        return HTML(.tr) {
            HTML(.th, HTML.Attribute("scope", "row")) {
                HTML.code(EscapedText.cut(name, to: 200))
                if let remark { HTML(.div, .class("steps")) { remark } }
            }
            value(shown.0, "−", "before")
            value(shown.1, "+", "after")
        }
    }

    private func value(_ text: String?, _ sign: String, _ label: String) -> HTML {
        guard let text else { return HTML(.td, .class("muted"), .dataLabel(label)) { "–" } }
        return HTML(.td, .class(label), .dataLabel(label)) {
            HTML(label == "before" ? .del : .ins) {
                HTML(.span, .class("sign")) { sign }
                HTML.code(text)
            }
        }
    }
}
