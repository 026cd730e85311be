import Molt

extension UpgradeReportPage {
    /// A table with the counts and the time of each migration; for a failed run, the steps that it should have done.
    var migrations: HTML {
        if let entries = report?.entries.filter({ $0.outcome == .ran || !$0.steps.isEmpty }), !entries.isEmpty {
            return HTML.section("counts", "Migrations") { countTable(entries) }
        }
        let pending = plan?.entries.filter(\.willRun) ?? []
        guard report == nil, !pending.isEmpty else { return HTML() }
        return HTML.section("counts", "Migrations to run") {
            table(["migration", "steps"]) {
                for entry in pending {
                    HTML(.tr) {
                        HTML(.th, HTML.Attribute("scope", "row")) { title(of: entry.migration) }
                        HTML(.td) {
                            HTML(.ul) { for step in entry.steps { HTML(.li) { step } } }
                        }
                    }
                }
            }
        }
    }

    /// The conditions under which the pending migrations run, and what they do after the commit.
    var hooks: HTML {
        let pending = plan?.isFresh == false ? plan?.entries.filter(\.willRun) ?? [] : []
        let rows = pending.flatMap { entry in
            entry.requirements.map { (entry.migration, "before", "A condition, or else: \($0)") }
                + [entry.work].compactMap(\.self).map { (entry.migration, "after the commit", $0) }
        }
        guard !rows.isEmpty else { return HTML() }
        return HTML.section("hooks", "Before and after the upgrade") {
            table(["migration", "when", "what"]) {
                for (migration, time, text) in rows {
                    HTML(.tr) {
                        HTML(.th, HTML.Attribute("scope", "row")) { title(of: migration) }
                        HTML(.td, .dataLabel("when")) { time }
                        HTML(.td, .dataLabel("what")) { text }
                    }
                }
            }
        }
    }

    private typealias Column = (name: String, count: KeyPath<MigrationReport.Counts, Int>)

    private func countTable(_ entries: [MigrationReport.Entry]) -> HTML {
        let all: [Column] = [
            ("read", \.read), ("changed", \.changed), ("dropped", \.dropped), ("handed over", \.handedOver),
            ("created", \.created), ("quarantined", \.quarantined),
        ]
        // A column of zeros says nothing.
        let columns = all.enumerated().filter { index, column in
            index < 2 || entries.contains { $0.counts[keyPath: column.count] > 0 }
        }
        .map(\.element)
        let longest = entries.map(\.duration).max() ?? 0
        // The table scrolls where it has no room, also with the keyboard.
        return HTML(
            .div,
            .class("scroll"),
            HTML.Attribute("tabindex", "0"),
            HTML.Attribute("role", "group"),
            .label("Migrations")
        ) {
            HTML(.table, .class("migrations")) {
                HTML(.thead) {
                    HTML(.tr) {
                        heading("migration", "text")
                        for column in columns { heading(column.name, "number") }
                        heading("≈ time", "time number")
                    }
                }
                HTML(.tbody) { for entry in entries { rows(for: entry, columns, longest: longest) } }
            }
        }
    }

    private func heading(_ name: String, _ kind: String) -> HTML {
        HTML(.th, .class(kind), HTML.Attribute("scope", "col")) { name }
    }

    private func rows(for entry: MigrationReport.Entry, _ columns: [Column], longest: Double) -> HTML {
        var html = HTML(.tr) {
            HTML(.th, HTML.Attribute("scope", "row")) {
                title(of: entry.migration)
                // A single step needs no row of its own.
                if let step = entry.steps.first, entry.steps.count == 1, step.summary != entry.migration.name {
                    HTML(.div, .class("steps")) { step.summary }
                }
            }
            cells(entry.counts, columns)
            HTML(.td, .class("number time")) {
                DisplayText.seconds(entry.duration)
                // The ratio of times that are shown as 0 says nothing.
                if longest >= 0.001 { bar(entry.duration / longest) }
            }
        }
        for step in entry.steps where entry.steps.count > 1 {
            html += HTML(.tr, .class("step")) {
                HTML(.th, HTML.Attribute("scope", "row")) { step.summary }
                cells(step.counts, columns)
                HTML(.td) {}
            }
        }
        return html
    }

    private func title(of migration: MigrationID) -> HTML {
        HTML(.span) {
            EscapedText.cut(migration.name, to: 120)
            "\u{A0}"
            HTML(.span, .class("badge"), .label("version \(migration.version)")) { "\(migration.version)" }
        }
    }

    /// The counts, or dashes when no record was read, as in a type rename.
    private func cells(_ counts: MigrationReport.Counts, _ columns: [Column]) -> HTML {
        HTML.joined(
            columns.map { column in
                HTML(.td, .class("number")) {
                    counts.isZero ? "–" : DisplayText.grouped(counts[keyPath: column.count])
                }
            }
        )
    }

    /// A bar of a length between 0 and 1.
    private func bar(_ length: Double) -> HTML {
        HTML(
            .svg,
            .class("bar"),
            HTML.Attribute("viewBox", "0 0 100 4"),
            HTML.Attribute("preserveAspectRatio", "none"),
            HTML.Attribute("aria-hidden", "true")
        ) {
            HTML(.rect, HTML.Attribute("width", "\(Int((length * 100).rounded()))"), HTML.Attribute("height", "4"))
        }
    }

    // MARK: Settings

    /// The outcome for each key of a suite, or for each file, that the migrations worked on.
    var settings: HTML {
        let steps = (report?.entries ?? []).flatMap { entry in
            entry.steps.filter { !$0.keys.isEmpty }.map { (migration: entry.migration, step: $0) }
        }
        guard !steps.isEmpty else { return HTML() }
        return HTML.section("settings", "Settings and files") {
            for (migration, step) in steps {
                HTML(.h3) {
                    EscapedText.cut(migration.name, to: 120)
                    if step.summary != migration.name { HTML(.span, .class("steps")) { ": \(step.summary)" } }
                }
                let hasReasons = step.keys.contains { $0.reason != nil }
                table(["key", "store", "outcome"] + (hasReasons ? ["reason"] : [])) {
                    HTML.first(100, of: step.keys, note: { note($0, columns: 4) }) { row(for: $0, hasReasons) }
                }
            }
        }
    }

    private func row(for key: MigrationReport.KeyOutcome, _ hasReasons: Bool) -> HTML {
        HTML(.tr) {
            rowHeading(key.key)
            cell(key.store, "store")
            HTML(.td) { HTML(.span, .class("badge \(Self.kind(of: key.outcome))")) { key.outcome.description } }
            if hasReasons { HTML(.td) { key.reason ?? "" } }
        }
    }

    private static func kind(of outcome: MigrationReport.KeyOutcome.Outcome) -> String {
        switch outcome {
        case .notConvertible, .unreadable, .notNamed: "bad"
        case .removed, .expired, .replaced: "loss"
        case .absent, .alreadyCurrent, .kept: "plain"
        default: "good"
        }
    }
}
