import Foundation

/// A horizontal bar chart of the ways to upgrade every record of a store.
struct ComparisonChart {
    let svg: String

    struct Bar: Sendable {
        let label: String
        /// The name of the case.
        let name: String

        fileprivate var isMolt: Bool { name.hasPrefix("molt-") }
    }

    static let bars = [
        Bar(label: "One JSON file a key, load old, save new", name: "file-per-key-rename"),
        Bar(label: "SQLite, decode and encode each row", name: "sqlite-decode-encode-rename"),
        Bar(label: "SQLite's JSON functions, split", name: "sqlite-json-functions-split"),
        Bar(label: "SQLite's JSON functions, rename", name: "sqlite-json-functions-rename"),
        Bar(label: "A plain prepared UPDATE, bytes at hand", name: "sqlite-prepared-update"),
        Bar(label: "Molt, renameProperty", name: "molt-rename"),
        Bar(label: "Molt, addProperty", name: "molt-add"),
        Bar(label: "Molt, removeProperty", name: "molt-remove"),
        Bar(label: "Molt, transform: split in a closure", name: "molt-split-closure"),
        Bar(label: "Molt, five versions at once", name: "molt-five-versions"),
        Bar(label: "Molt, run: enumerate, old and new", name: "molt-run-enumerate"),
        Bar(label: "Molt, convert from type to type", name: "molt-convert"),
    ]

    private static let width = 760
    /// The left end of all bars, and the right end of the longest, which leaves room for its figure.
    private static let barStart = 320
    private static let barEnd = 672
    private static let ink = "#1f2328"
    private static let quiet = "#59636e"

    /// Draws a report.
    ///
    /// - Throws: ``BenchmarkArguments/UsageError`` when the report has none of the chart's cases.
    init(_ report: BenchmarkReport) throws {
        let rows = Self.bars.compactMap { bar in
            report.results.first { $0.name == bar.name }.map { (bar: bar, result: $0) }
        }
        guard let most = rows.map(\.result.unitsPerSecond).max(), most > 0 else {
            throw BenchmarkArguments.UsageError(message: "The chart needs at least one of the cases that it shows.")
        }
        var parts = [
            Self.text("Upgrading every record of a store", y: 38, size: 18, isBold: true, color: Self.ink),
            Self.text(Self.subtitle(rows.map(\.result)), y: 56, size: 12),
        ]
        var top = 72
        for (index, (bar, result)) in rows.enumerated() {
            // A gap between the alternatives and Molt.
            if index > 0, bar.isMolt != rows[index - 1].bar.isMolt { top += 10 }
            parts += Self.drawing(of: bar, result.unitsPerSecond, longest: most, top: top)
            top += 24
        }
        parts += [
            Self.text("Longer is faster. \(Self.circumstances(report))", y: top + 23, size: 11),
            Self.text(report.machine.words, y: top + 39, size: 11),
        ]
        let height = top + 58
        svg =
            ([
                #"<?xml version="1.0" encoding="UTF-8"?>"#,
                #"<svg xmlns="http://www.w3.org/2000/svg" width="\#(Self.width)" height="\#(height)" "#
                    + #"viewBox="0 0 \#(Self.width) \#(height)" role="img" "#
                    + #"font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">"#,
                "<title>Records a second of each way to upgrade every record of a store</title>",
                #"<rect x="0.5" y="0.5" width="\#(Self.width - 1)" height="\#(height - 1)" rx="8" "#
                    + ##"fill="#ffffff" stroke="#d0d7de"/>"##,
            ] + parts + ["</svg>"])
            .joined(separator: "\n") + "\n"
    }

    private static func drawing(of bar: Bar, _ rate: Double, longest: Double, top: Int) -> [String] {
        let length = max(1, (rate / longest * Double(barEnd - barStart) * 10).rounded() / 10)
        let color = bar.isMolt ? "#d9480f" : "#8c959f"
        return [
            text(bar.label, x: Double(barStart - 8), y: top + 16, size: 12, color: ink, anchor: "end"),
            #"<rect x="\#(barStart)" y="\#(top + 4)" width="\#(length)" height="16" rx="2" fill="\#(color)"/>"#,
            text(
                Figures.rate(rate),
                x: Double(barStart) + length + 6,
                y: top + 16,
                size: 12,
                isBold: bar.isMolt,
                color: ink
            ),
        ]
    }

    private static func text(
        _ text: String,
        x: Double = 20,
        y: Int,
        size: Int,
        isBold: Bool = false,
        color: String = quiet,
        anchor: String = "start"
    ) -> String {
        #"<text x="\#(x)" y="\#(y)" font-size="\#(size)" font-weight="\#(isBold ? "bold" : "normal")" "#
            + #"text-anchor="\#(anchor)" fill="\#(color)">\#(escaped(text))</text>"#
    }

    private static func subtitle(_ results: [BenchmarkResult]) -> String {
        let counts = Set(results.map(\.count)).sorted(by: >)
        let fewer = counts.dropFirst().map(Figures.grouped).joined(separator: ", ")
        return "Records a second; \(Figures.grouped(counts.first ?? 0)) records of about 200 bytes"
            + (fewer.isEmpty ? "" : " (files: \(fewer))") + ", from opening the store to closing it"
    }

    private static func circumstances(_ report: BenchmarkReport) -> String {
        let runs = report.settings.runs
        let day = report.machine.date.formatted(.iso8601.year().month().day())
        return "Median of \(runs) \(runs == 1 ? "run" : "runs"), \(day)."
            + (report.settings.isQuick ? " Quick mode: too few records for figures to be quoted." : "")
            + (report.machine.isOptimized ? "" : " NOT OPTIMIZED: these figures are worthless.")
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
