import Molt

extension UpgradeReportPage {
    /// Records and settings before and after each step, with the differences marked.
    var samples: HTML {
        let steps = (report?.entries ?? []).flatMap { entry in
            entry.steps.filter { !$0.samples.isEmpty }.map { (migration: entry.migration, step: $0) }
        }
        guard !steps.isEmpty else { return HTML() }
        return HTML.section("samples", "Samples") {
            HTML(.p, .class("legend")) {
                "Records before (left) and after (right) a step. − removed, + added, ~ changed to →."
            }
            for (migration, step) in steps {
                HTML(.h3) {
                    EscapedText.cut(migration.name, to: 120)
                    if step.summary != migration.name { HTML(.span, .class("steps")) { ": \(step.summary)" } }
                }
                for sample in step.samples { article(for: sample) }
            }
        }
    }

    private func article(for sample: MigrationReport.Sample) -> HTML {
        HTML(.article, .class("sample")) {
            HTML(.header) {
                change(sample.key, sample.newKey)
                HTML(.span, .class("muted")) { change(sample.type, sample.newType) }
                if sample.before == nil { HTML(.span, .class("badge good")) { "+ created" } }
                if sample.after == nil { HTML(.span, .class("badge bad")) { "− deleted" } }
            }
            HTML(.table, .class("diff")) {
                HTML(.thead) {
                    HTML(.tr) {
                        HTML(.th, HTML.Attribute("scope", "col")) { "before" }
                        HTML(.th, HTML.Attribute("scope", "col")) { "after" }
                    }
                }
                HTML(.tbody) {
                    for row in LineDiff(before: sample.before, after: sample.after).rows { element(for: row) }
                }
            }
        }
    }

    private func change(_ old: String, _ new: String) -> HTML {
        HTML(.span) {
            HTML.code(EscapedText.cut(old, to: 120))
            if !ExactName.isSame(old, new) {
                " → "
                HTML.code(EscapedText.cut(new, to: 120))
            }
        }
    }

    private func element(for row: LineDiff.Row) -> HTML {
        switch row {
        case .same(let old, let new):
            HTML(.tr, .class("same")) {
                HTML(.td) { line(.div, " ", old, longest: 160) }
                HTML(.td, .class("twin")) { line(.div, " ", new, longest: 160) }
            }
        case .removed(let old):
            HTML(.tr, .class("removed")) {
                HTML(.td) { line(.del, "−", old) }
                HTML(.td, .class("void")) {}
            }
        case .added(let new):
            HTML(.tr, .class("added")) {
                HTML(.td, .class("void")) {}
                HTML(.td) { line(.ins, "+", new) }
            }
        case .changed(let old, let new):
            HTML(.tr, .class("changed")) {
                HTML(.td) { line(.del, "~", old, beside: new) }
                HTML(.td) { line(.ins, "→", new, beside: old) }
            }
        case .skipped(let count, let kind):
            HTML(.tr) {
                HTML(.td, .class("gap"), HTML.Attribute("colspan", "2")) {
                    "… \(DisplayText.grouped(count)) \(kind.rawValue) \(count == 1 ? "line" : "lines")"
                }
            }
        }
    }

    /// A line with its sign.
    ///
    /// - Parameter other: The line that it is compared with: a long line begins shortly before the difference.
    private func line(
        _ tag: HTML.Tag,
        _ sign: String,
        _ text: String,
        beside other: String = "",
        longest: Int = 300
    ) -> HTML {
        let shared = zip(text.unicodeScalars, other.unicodeScalars).prefix { $0 == $1 }.count
        return HTML(tag, .class("row")) {
            HTML(.span, .class("sign")) { sign }
            HTML(.code) {
                if shared > longest / 2 {
                    let start = String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(shared - 40)))
                    "… "
                    EscapedText.cut(start, to: longest)
                } else {
                    EscapedText.cut(text, to: longest)
                }
            }
        }
    }
}
