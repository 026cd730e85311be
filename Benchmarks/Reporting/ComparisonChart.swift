import Foundation

/// The ways to upgrade every record as a chart of horizontal bars, made of a report.
package struct ComparisonChart {
    /// The chart, as the text of an SVG file.
    package let svg: String

    /// Which cases are shown, in this order, and what they are called.
    package static let bars: [Bar] =
        [
            Bar("One JSON file a key, load old, save new", "file-per-key-rename"),
            Bar("SQLite, decode and encode each row", "sqlite-decode-encode-rename"),
            Bar("SQLite's JSON functions, split", "sqlite-json-functions-split"),
            Bar("SQLite's JSON functions, rename", "sqlite-json-functions-rename"),
            Bar("A plain prepared UPDATE, bytes at hand", "sqlite-prepared-update"),
        ]
        + [
            Bar("renameProperty", "molt-rename", isMolt: true),
            Bar("addProperty", "molt-add", isMolt: true),
            Bar("removeProperty", "molt-remove", isMolt: true),
            Bar("transform: split in a closure", "molt-split", isMolt: true),
            Bar("five versions at once", "molt-five-versions", isMolt: true),
            Bar("run: enumerate, old and new", "molt-run-enumerate", isMolt: true),
            Bar("convert from type to type", "molt-convert", isMolt: true),
        ]

    /// A bar of the chart.
    package struct Bar: Sendable {
        /// What is done; short enough to stand left of the bar.
        package let label: String
        /// The case that does it.
        package let name: String
        /// Whether it is Molt that does it.
        package let isMolt: Bool

        fileprivate init(_ label: String, _ name: String, isMolt: Bool = false) {
            self.label = isMolt ? "Molt, \(label)" : label
            self.name = name
            self.isMolt = isMolt
        }
    }

    /// Draws a report.
    ///
    /// - Throws: ``BenchmarkArguments/UsageError`` when none of the cases to be shown was run.
    package init(_ report: BenchmarkReport) throws {
        let bars = Self.bars.compactMap { bar in
            report.results.first { $0.name == bar.name }.map { (bar: bar, result: $0) }
        }
        let most = bars.map(\.result.unitsPerSecond).max() ?? 0
        guard most > 0 else {
            throw BenchmarkArguments.UsageError(message: "The chart needs at least one of the cases that it shows.")
        }
        var drawing = Drawing(most: most)
        drawing.text("Upgrading every record of a store", at: Layout.margin, size: 18, isBold: true, advance: 24)
        drawing.text(Self.counts(bars.map(\.result)), at: Layout.margin, size: 12, color: Layout.quiet, advance: 18)
        drawing.advance(10)
        for (index, (bar, result)) in bars.enumerated() {
            // A little space between the others and Molt.
            if index > 0, bar.isMolt != bars[index - 1].bar.isMolt { drawing.advance(10) }
            drawing.bar(bar, result.unitsPerSecond)
        }
        drawing.advance(12)
        drawing.text(
            "Longer is faster. \(Self.circumstances(report))",
            at: Layout.margin,
            size: 11,
            color: Layout.quiet
        )
        drawing.text(report.machine.words, at: Layout.margin, size: 11, color: Layout.quiet)
        svg = drawing.finish(title: "Records a second of each way to upgrade every record of a store")
    }

    /// How many records of which size.
    private static func counts(_ results: [BenchmarkResult]) -> String {
        var groups: [(count: Int, size: RecordSize)] = []
        for result in results where !groups.contains(where: { $0 == (result.count, result.recordSize) }) {
            groups.append((result.count, result.recordSize))
        }
        guard let largest = groups.max(by: { $0.count < $1.count }) else { return "" }
        let counts = "\(FigureText.grouped(largest.count)) records of about \(largest.size.words)"
        let fewer = groups.filter { $0 != largest }.map { FigureText.grouped($0.count) }
        let exception = fewer.isEmpty ? "" : " (files: \(fewer.joined(separator: ", ")))"
        return "Records a second; \(counts)\(exception), from opening the store to closing it"
    }

    private static func circumstances(_ report: BenchmarkReport) -> String {
        let runs = report.settings.runs
        var words = "Median of \(runs) \(runs == 1 ? "run" : "runs"), \(day(report.machine.date))."
        if report.settings.isQuick { words += " Quick mode: too few records for figures to be quoted." }
        if !report.machine.isOptimized { words += " NOT OPTIMIZED: these figures say nothing." }
        return words
    }

    /// The day as 2026-11-22.
    private static func day(_ date: Date) -> String {
        date.formatted(.iso8601.year().month().day())
    }
}

/// Where things are, and how they look.
private enum Layout {
    static let width = 760
    static let margin = 20
    /// Where the bars begin.
    static let start = 320
    /// Where the longest bar ends: behind it is room for its figure.
    static let end = 672
    static let rowHeight = 24
    static let barHeight = 16
    static let background = "#ffffff"
    static let border = "#d0d7de"
    static let ink = "#1f2328"
    static let quiet = "#59636e"
    static let moltColor = "#d9480f"
    static let otherColor = "#8c959f"
}

/// The parts of an SVG, from top to bottom.
private struct Drawing {
    private let most: Double
    private var y = Layout.margin
    private var parts: [String] = []

    init(most: Double) {
        self.most = most
    }

    mutating func advance(_ height: Int) {
        y += height
    }

    /// A line of text, which may be broken into more where it is too long.
    mutating func text(
        _ text: String,
        at x: Int,
        size: Int,
        color: String = Layout.ink,
        isBold: Bool = false,
        advance height: Int = 16
    ) {
        // A letter is a little more than half as wide as it is high.
        let limit = (Layout.width - x - Layout.margin) * 100 / (size * 52)
        for line in Self.lines(of: text, limit: limit) {
            let weight = isBold ? #" font-weight="bold""# : ""
            parts.append(
                #"<text x="\#(x)" y="\#(y + size)" font-size="\#(size)"\#(weight) fill="\#(color)">"#
                    + "\(Self.escaped(line))</text>"
            )
            y += height
        }
    }

    mutating func bar(_ bar: ComparisonChart.Bar, _ rate: Double) {
        let width = max(1, (rate / most * Double(Layout.end - Layout.start) * 10).rounded() / 10)
        let top = y + (Layout.rowHeight - Layout.barHeight) / 2
        let base = y + Layout.rowHeight / 2 + 4
        let color = bar.isMolt ? Layout.moltColor : Layout.otherColor
        let weight = bar.isMolt ? #" font-weight="bold""# : ""
        parts += [
            #"<text x="\#(Layout.start - 8)" y="\#(base)" font-size="12" text-anchor="end" fill="\#(Layout.ink)">"#
                + "\(Self.escaped(bar.label))</text>",
            #"<rect x="\#(Layout.start)" y="\#(top)" width="\#(width)" height="\#(Layout.barHeight)" rx="2" "#
                + #"fill="\#(color)"/>"#,
            #"<text x="\#(Double(Layout.start) + width + 6)" y="\#(base)" font-size="12"\#(weight) "#
                + #"fill="\#(Layout.ink)">\#(FigureText.rate(rate))</text>"#,
        ]
        y += Layout.rowHeight
    }

    /// The whole file.
    func finish(title: String) -> String {
        let height = y + Layout.margin - 6
        let size = #"width="\#(Layout.width)" height="\#(height)""#
        return
            ([
                #"<?xml version="1.0" encoding="UTF-8"?>"#,
                #"<svg xmlns="http://www.w3.org/2000/svg" \#(size) viewBox="0 0 \#(Layout.width) \#(height)" role="img" "#
                    + #"font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">"#,
                "<title>\(Self.escaped(title))</title>",
                #"<rect x="0.5" y="0.5" width="\#(Layout.width - 1)" height="\#(height - 1)" rx="8" "#
                    + #"fill="\#(Layout.background)" stroke="\#(Layout.border)"/>"#,
            ] + parts + ["</svg>"])
            .joined(separator: "\n") + "\n"
    }

    private static func lines(of text: String, limit: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= limit {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            // XML has no way to write these.
            case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "?"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
