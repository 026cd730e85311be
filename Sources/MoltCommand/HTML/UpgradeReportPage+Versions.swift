import Foundation
import MoltCore

extension UpgradeReportPage {
    /// The versions as stops on a line from left to right, with the migrations between them.
    var versions: HTML {
        guard let plan else { return HTML() }
        let legs = legs(of: plan)
        return HTML.section("versions", "Versions") {
            HTML(.figure, .label("The versions from \(legs.first?.version ?? 0) to \(legs.last?.version ?? 0)")) {
                HTML(.ol, .class("line")) {
                    for leg in legs { element(for: leg, plan) }
                }
                HTML(.figcaption, .class("legend")) { "✓ applied   → will run   … waits or is not run   ! fails" }
            }
        }
    }

    /// A version and the migrations that lead to it.
    private struct Leg {
        var version: Int
        var entries: [MigrationPlan.Entry] = []
        /// The first version of several that are shown as one.
        var firstVersion: Int?
    }

    /// One leg for each version; a long past is a single one.
    private func legs(of plan: MigrationPlan) -> [Leg] {
        let byVersion = Dictionary(grouping: plan.entries, by: \.migration.version)
        let numbers = Set([0, plan.from, plan.to] + byVersion.keys).sorted()
        let legs = numbers.map { Leg(version: $0, entries: byVersion[$0] ?? []) }
        let past = legs.dropFirst().prefix { $0.version <= plan.from && $0.entries.allSatisfy(\.isApplied) }
        guard past.count > 4, let first = past.first, let last = past.last else { return legs }
        let joined = Leg(version: last.version, entries: past.flatMap(\.entries), firstVersion: first.version)
        return [legs[0], joined] + legs[(past.endIndex)...]
    }

    private func element(for leg: Leg, _ plan: MigrationPlan) -> HTML {
        var classes = ["leg"]
        if leg.version == 0 { classes.append("start") }
        if leg.version > plan.from || plan.isFresh { classes.append("ahead") }
        if leg.version == plan.from, !plan.isFresh { classes.append("now") }
        if leg.version == plan.to { classes.append("goal") }
        if leg.entries.contains(where: isFailing) { classes.append("failed") }
        return HTML(.li, .class(classes.joined(separator: " "))) {
            if leg.version > 0 {
                HTML(.div, .class("track")) {}
                passengers(of: leg)
            }
            HTML(.div, .class("stop")) {
                HTML(.span, .class("dot"), .label("version \(leg.version)")) { "\(leg.version)" }
                if let label = label(of: leg.version, plan) { HTML(.small) { label } }
            }
        }
    }

    private func label(of version: Int, _ plan: MigrationPlan) -> String? {
        if version == plan.from, version == plan.to { return "up to date" }
        if version == plan.from { return plan.isFresh ? nil : "now" }
        guard version == plan.to else { return nil }
        return failure == nil ? "after" : "not reached"
    }

    private func passengers(of leg: Leg) -> HTML {
        let list = HTML(.ul) { for entry in leg.entries { item(for: entry) } }
        return HTML(.div, .class("passengers")) {
            if let first = leg.firstVersion {
                HTML(.details) {
                    HTML(.summary) {
                        "✓ \(leg.entries.count) migrations applied, to versions \(first) to \(leg.version)"
                    }
                    list
                }
            } else {
                list
            }
        }
    }

    private func item(for entry: MigrationPlan.Entry) -> HTML {
        let (kind, sign) = look(of: entry)
        return HTML(.li, .class(kind)) {
            HTML(.span, .class("sign"), HTML.Attribute("aria-hidden", "true")) { sign }
            HTML(.span) {
                HTML(.strong) { EscapedText.cut(entry.migration.name, to: 120) }
                HTML(.small) { status(of: entry) }
            }
        }
    }

    private func isFailing(_ entry: MigrationPlan.Entry) -> Bool {
        (failure as? MigrationError)?.migration == entry.migration
    }

    private func look(of entry: MigrationPlan.Entry) -> (kind: String, sign: String) {
        if isFailing(entry) { return ("fails", "!") }
        if entry.willRun { return ("runs", "→") }
        return entry.isApplied ? ("applied", "✓") : ("waits", "…")
    }

    private func status(of entry: MigrationPlan.Entry) -> String {
        if isFailing(entry) { return "fails" }
        if entry.willRun, let done = report?.entries.first(where: { $0.migration == entry.migration }) {
            return done.counts.isZero ? "will run" : "will run: \(done.counts)"
        }
        if let row = store.ledger.first(where: { $0.name == entry.migration.name }), entry.isApplied {
            let app = row.appVersion.isEmpty ? "" : ", by \(EscapedText.cut(row.appVersion, to: 40))"
            return "applied \(Self.text(of: row.appliedAt).prefix(10))\(app)"
        }
        return switch entry.status {
        case .pending: entry.willRun ? "will run" : "is not run"
        case .applied: "applied"
        case .onRead: "applied, on read"
        case .replaced: "applied, as the migrations that it replaces"
        case .late: entry.willRun ? "late, will run" : "late"
        case .skippedFresh: entry.willRun ? "new store, imports data" : "new store, skipped"
        case .afterImport: "new store, runs if records are imported"
        case .deferred: "waits"
        }
    }
}
