import Foundation
import Molt

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
                HTML(.figcaption, .class("legend")) {
                    for text in ["✓ applied", "→ runs", "… waits, or is not run", "! fails"] { HTML(.span) { text } }
                }
            }
        }
    }

    /// A version and the migrations that lead to it.
    private struct Leg {
        var version: Int
        var stations: [Station] = []
        /// The first version of several that are shown as one.
        var firstVersion: Int?
    }

    /// A migration on the line.
    private struct Station {
        enum Kind: String {
            case applied
            case runs
            case fails
            case waits

            var sign: String {
                switch self {
                case .applied: "✓"
                case .runs: "→"
                case .fails: "!"
                case .waits: "…"
                }
            }
        }

        let migration: MigrationID
        let kind: Kind
        let status: String
    }

    /// One leg for each version; a long past is a single one.
    private func legs(of plan: MigrationPlan) -> [Leg] {
        let known = Set(plan.entries.map(\.migration.name))
        // Retired migrations, parts of later ones, and those of a newer release.
        let others = store.ledger.filter { !known.contains($0.name) && $0.outcome.isApplied }
        let stations = others.map { row in
            let id = MigrationID(name: row.name, version: row.version)
            let whole = plan.entries.first { $0.replaces.contains(row.name) }?.migration
            let remark = whole.map { "replaced by \($0)" } ?? "not in the registry"
            return Station(migration: id, kind: .applied, status: "\(applied(row)), \(remark)")
        }
        let byVersion = Dictionary(grouping: stations + plan.entries.map(station), by: \.migration.version)
        let numbers = Set([0, plan.from, plan.to] + byVersion.keys).sorted()
        let legs = numbers.map { Leg(version: $0, stations: byVersion[$0] ?? []) }
        let past = legs.dropFirst().prefix { leg in
            leg.version <= plan.from && !leg.stations.isEmpty && leg.stations.allSatisfy { $0.kind == .applied }
        }
        guard past.count > 4, let first = past.first, let last = past.last else { return legs }
        let joined = Leg(version: last.version, stations: past.flatMap(\.stations), firstVersion: first.version)
        return [legs[0], joined] + legs[past.endIndex...]
    }

    private func station(for entry: MigrationPlan.Entry) -> Station {
        let row = store.ledger.first { $0.name == entry.migration.name }
        let kind: Station.Kind
        let status: String
        if (failure as? MoltError)?.migration == entry.migration {
            (kind, status) = (.fails, "fails")
        } else if entry.willRun, failure != nil {
            // The failure has undone what ran before it.
            (kind, status) = (.waits, "not run")
        } else if entry.willRun {
            (kind, status) = (.runs, effect(of: entry.migration) ?? "runs")
        } else if entry.isApplied || entry.status == .notNeeded {
            let replacement =
                entry.replacement.map { "replaced by \($0.name)" }
                ?? (entry.status == .baseline ? "applied, by baseline" : nil)
            (kind, status) = (.applied, row.map(applied) ?? replacement ?? "applied")
        } else {
            (kind, status) = (.waits, Self.reason(of: entry))
        }
        let changes = kind == .applied ? [] : row.map(corrections) ?? []
        return Station(migration: entry.migration, kind: kind, status: ([status] + changes).joined(separator: "; "))
    }

    private func applied(_ row: LedgerEntry) -> String {
        let app = row.appVersion.isEmpty ? "" : ", by \(EscapedText.cut(row.appVersion, to: 40))"
        let ran = "applied \(Self.text(of: row.appliedAt).prefix(10))\(app)"
        let corrections = corrections(row)
        // The corrections say when a row was marked.
        let isMarked = row.outcome == .marked && !corrections.isEmpty
        return ((isMarked ? [] : [ran]) + corrections).joined(separator: "; ")
    }

    /// What was changed in a row by hand, and why.
    private func corrections(_ row: LedgerEntry) -> [String] {
        row.corrections.map { EscapedText.cut($0.description, to: 160) }
    }

    /// The counts that are not 0, without the records that were only read.
    private func effect(of migration: MigrationID) -> String? {
        guard let counts = report?.entries.first(where: { $0.migration == migration })?.counts else { return nil }
        let numbers = [
            (counts.changed, "changed"), (counts.dropped, "dropped"), (counts.handedOver, "handed over"),
            (counts.created, "created"), (counts.quarantined, "quarantined"),
        ]
        let text = numbers.filter { $0.0 > 0 }.map { "\(DisplayText.grouped($0.0)) \($0.1)" }
        return text.isEmpty ? nil : text.joined(separator: ", ")
    }

    /// Why a migration that is not applied does not run.
    private static func reason(of entry: MigrationPlan.Entry) -> String {
        switch entry.action {
        case .record(.createdAtVersion): "new store, skipped"
        case .runIfRecordsArrive: "new store, runs if records are imported"
        case .wait: "waits"
        default: entry.status == .late ? "late" : "not run"
        }
    }

    // MARK: Markup

    private func element(for leg: Leg, _ plan: MigrationPlan) -> HTML {
        var classes = ["leg"]
        if leg.version == 0 { classes.append("start") }
        if leg.version > plan.from || plan.isFresh { classes.append(failure == nil ? "ahead" : "unreached") }
        if leg.version == plan.from, !plan.isFresh { classes.append("now") }
        if leg.version == plan.to { classes.append("goal") }
        if leg.stations.contains(where: { $0.kind == .fails }) { classes.append("failed") }
        return HTML(.li, .class(classes.joined(separator: " "))) {
            if leg.version > 0 {
                HTML(.div, .class("track"))
                stations(of: leg)
            }
            HTML(.div, .class("stop")) {
                HTML(.span, .class("dot"), .label("version \(leg.version)")) { "\(leg.version)" }
                if let label = label(of: leg.version, plan) { HTML(.small) { label } }
            }
        }
    }

    private func label(of version: Int, _ plan: MigrationPlan) -> String? {
        if version == plan.from { return plan.isFresh ? nil : "now" }
        guard version == plan.to else { return nil }
        return failure == nil ? "after" : "not reached"
    }

    private func stations(of leg: Leg) -> HTML {
        let list = HTML(.ul) { for station in leg.stations { element(for: station) } }
        return HTML(.div, .class("stations")) {
            if let first = leg.firstVersion {
                HTML(.details) {
                    HTML(.summary) {
                        "✓ \(leg.stations.count) migrations applied (versions \(first) to \(leg.version))"
                    }
                    list
                }
            } else {
                list
            }
        }
    }

    private func element(for station: Station) -> HTML {
        HTML(.li, .class(station.kind.rawValue)) {
            HTML(.span, .class("sign"), HTML.Attribute("aria-hidden", "true")) { station.kind.sign }
            HTML(.span) {
                HTML(.strong) { EscapedText.cut(station.migration.name, to: 120) }
                HTML(.small) { station.status }
            }
        }
    }
}
