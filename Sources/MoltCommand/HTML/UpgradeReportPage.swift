import Foundation
import Molt

/// A page about a dry run: what needs attention, the versions with their migrations, counts, settings and samples.
///
/// Only samples show values, and only a dry run that was asked for them has any.
struct UpgradeReportPage {
    /// What the page says about the store beside the results of the dry run.
    struct Store {
        let path: String
        /// The version of the app that would upgrade the store; empty if it is unknown.
        let appVersion: String
        /// The migrations that the store has applied; empty if they cannot be read.
        let ledger: [LedgerEntry]
        /// The number of records; nil if they cannot be counted.
        let records: Int?
        /// The size of the file; nil if it is unknown.
        let byteCount: Int?

        init(_ store: StoreArgument, appVersion: String) {
            path = store.url.path
            self.appVersion = appVersion
            ledger = store.fixture?.ledger ?? (try? CacheFile(at: store.url).history()) ?? []
            records = store.fixture?.records.count ?? (try? CacheFile(at: store.url).recordCount())
            byteCount = try? store.url.resourceValues(forKeys: [.fileSizeKey]).fileSize
        }
    }

    let store: Store
    /// Nil if the plan could not be made; the error then says why.
    let plan: MigrationPlan?
    let result: Result<MigrationReport, any Error>
    /// For an upgrade that a record has stopped, the report of one that quarantines such records: it names all of them.
    let tolerantReport: MigrationReport?
    let date: Date

    var report: MigrationReport? { try? result.get() }

    var failure: (any Error)? {
        guard case .failure(let error) = result else { return nil }
        return error
    }

    /// The page.
    var page: HTMLPage {
        let body = HTML(.header) {
            HTML(.p, .class("kicker")) { "Dry run of an upgrade" }
            HTML(.h1) { HTML.code(name) }
            HTML(.p, .class("muted")) { HTML.code(store.path) }
            HTML(.p) { headline }
            facts
        }
        return HTMLPage(
            title: "\(name): dry run",
            body: HTML.joined([body, attention, versions, migrations, hooks, settings, samples]),
            foot: HTML(.p) { privacy }
        )
    }

    private var name: String { URL(filePath: store.path).lastPathComponent }

    private var headline: String {
        let versions: String
        switch (plan, report) {
        case (_, let report?) where report.isReadOnly:
            versions =
                "A newer release of the app has upgraded the store to version \(report.to), and it would be open for "
                + "reading only."
        case (_, let report?) where report.isUpToDate:
            versions = "The store is up to date at version \(report.to)."
        case (_, let report?) where report.from == report.to:
            versions = "The upgrade of the remaining records of version \(report.to) succeeds."
        case (_, let report?):
            versions =
                report.isNewInstallation
                ? "The store would be created at version \(report.to)."
                : "The upgrade from version \(report.from) to version \(report.to) succeeds."
        case (let plan?, nil) where plan.from < plan.to:
            versions = "The upgrade from version \(plan.from) to version \(plan.to) fails."
        default:
            versions = "The store cannot be upgraded."
        }
        return versions + " This was a dry run: the store is unchanged."
    }

    private var facts: HTML {
        var facts: [(String, String)] = []
        if let records = store.records { facts.append(("records in the store", DisplayText.grouped(records))) }
        if let plan {
            facts.append((plan.pending.count == 1 ? "migration to run" : "migrations to run", "\(plan.pending.count)"))
        }
        if let report {
            facts.append(("record changes", DisplayText.grouped(report.counts.changed)))
            facts.append(("duration", DisplayText.seconds(report.duration)))
        }
        if let byteCount = store.byteCount {
            facts.append(
                ("size before", byteCount.formatted(.byteCount(style: .file).locale(Locale(identifier: "en_US"))))
            )
        }
        if !store.appVersion.isEmpty { facts.append(("version of the app", store.appVersion)) }
        return HTML(.div) {
            HTML(.dl, .class("facts")) {
                for (label, value) in facts {
                    HTML(.div) {
                        HTML(.dt) { label }
                        HTML(.dd) { EscapedText.cut(value, to: 40) }
                    }
                }
            }
            HTML(.p, .class("date muted")) {
                "Run on "
                HTML(.time, HTML.Attribute("datetime", date.formatted(.iso8601))) { Self.text(of: date) }
            }
        }
    }

    private var privacy: String {
        let count = report?.samples.count ?? 0
        return count == 0
            ? "This page names keys and types, and shows no value of a record."
            : "This page shows values of records or settings in \(count == 1 ? "1 sample" : "\(count) samples"). "
                + "Treat it like the store itself."
    }

    /// A date in the same form everywhere, such as "2026-02-03 14:05 UTC".
    static func text(of date: Date) -> String {
        let text = date.formatted(
            .iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false)
        )
        return text.prefix(16) + " UTC"
    }
}

extension MigrationReport {
    /// The samples of all steps.
    var samples: [MigrationReport.Sample] { entries.flatMap { $0.steps.flatMap(\.samples) } }
}

extension HTML {
    static func joined(_ parts: [HTML]) -> HTML { Builder.buildArray(parts) }

    /// A section with a heading.
    static func section(_ name: String, _ heading: String, @Builder content: () -> HTML) -> HTML {
        HTML(.section, .class(name), .label(heading)) {
            HTML(.h2) { heading }
            content()
        }
    }

    /// The first elements, and a note about the others.
    static func first<Element>(
        _ count: Int,
        of elements: [Element],
        total: Int? = nil,
        note: (String) -> HTML,
        _ content: (Element) -> HTML
    ) -> HTML {
        var html = joined(elements.prefix(count).map(content))
        let left = (total ?? elements.count) - min(count, elements.count)
        if left > 0 { html += note("and \(DisplayText.grouped(left)) more") }
        return html
    }
}
