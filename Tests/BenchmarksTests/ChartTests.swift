import Benchmarks
import Foundation
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite
struct `Chart of the benchmarks` {
    /// A result for each bar, with a distinct rate: 100 000 a second, 110 000, and so on.
    private let report = Reports.report(
        ComparisonChart.bars.enumerated().map { index, bar in
            Reports.result(bar.name, 1 / Double(10 + index), count: 10_000)
        }
    )

    @Test
    func `The chart is well-formed XML with the machine, the date and the rate of each case`() throws {
        let chart = try ComparisonChart(report)
        let drawing = try Drawing(chart.svg)

        for (index, bar) in ComparisonChart.bars.enumerated() {
            #expect(drawing.texts.contains(bar.label))
            #expect(bar.label.count <= 40)
            #expect(drawing.texts.contains("\(100 + index * 10) 000"))
        }
        let text = drawing.texts.joined(separator: " ")
        #expect(text.contains("Testix 7"))
        #expect(text.contains("Fast & Cheap <8> \"CPU\", 2 cores, Swift 6.3, SQLite 3.40.1"))
        #expect(text.contains("Median of 3 runs, 2026-11-18."))
        #expect(text.contains("10 000 records of about 200 bytes"))
        #expect(!text.contains("Quick mode"))
        // The background and one bar per case.
        #expect(drawing.widths.count == ComparisonChart.bars.count + 1)
        #expect(drawing.widths == drawing.widths.prefix(1) + drawing.widths.dropFirst().sorted())
        #expect(drawing.fills.count > 2)
    }

    @Test
    func `The lengths of bars are proportional to the rates, and no bar exceeds the width of the chart`() throws {
        let report = Reports.report([
            Reports.result("sqlite-prepared-update", 2), Reports.result("molt-rename", 1),
        ])
        let drawing = try Drawing(ComparisonChart(report).svg)
        #expect(drawing.widths.count == 3)
        #expect(drawing.widths[2] == drawing.widths[1] * 2)
        #expect(drawing.widths.allSatisfy { $0 < 760 })
        #expect(drawing.ends.allSatisfy { $0 <= 760 })
    }

    @Test
    func `The chart names quick mode and cases with fewer records`() throws {
        let report = Reports.report(
            [Reports.result("file-per-key-rename", 5, count: 10_000), Reports.result("molt-rename", 1)],
            isQuick: true
        )
        let text = try Drawing(ComparisonChart(report).svg).texts.joined(separator: " ")
        #expect(text.contains("1 000 000 records of about 200 bytes (files: 10 000)"))
        #expect(text.contains("Quick mode"))
    }

    @Test
    func `A report without any of the cases of the chart cannot be drawn`() {
        #expect(throws: BenchmarkArguments.UsageError.self) {
            try ComparisonChart(Reports.report([Reports.result("record-parse-200b", 1)]))
        }
    }

    @Test
    func `The command draws a chart from a file of results`() throws {
        try Reports.withFile(report.json()) { json in
            let svg = json + ".svg"
            defer { try? FileManager.default.removeItem(atPath: svg) }
            #expect(BenchmarkCommand.run(["--from", json, "--svg", svg]) == 0)
            let drawn = try String(contentsOfFile: svg, encoding: .utf8)
            #expect(try drawn == ComparisonChart(report).svg)
            #expect(BenchmarkCommand.run(["--from", svg]) == 64)
            #expect(BenchmarkCommand.run(["--from", json + ".missing"]) == 64)
        }
    }

    @Test
    func `The published chart matches the published results`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Benchmarks/Results").standardizedFileURL
        let report = try BenchmarkReport(contentsOf: folder.appending(path: "results.json").path)
        #expect(
            try ComparisonChart(report).svg
                == String(contentsOf: folder.appending(path: "comparison.svg"), encoding: .utf8)
        )
    }
}

/// The elements that an XML parser finds in an SVG.
private final class Drawing: NSObject, XMLParserDelegate {
    private(set) var texts: [String] = []
    private(set) var widths: [Double] = []
    private(set) var ends: [Double] = []
    private(set) var fills: Set<String> = []
    private var text: String?

    init(_ svg: String) throws {
        super.init()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
    }

    func parser(
        _: XMLParser,
        didStartElement name: String,
        namespaceURI _: String?,
        qualifiedName _: String?,
        attributes: [String: String] = [:]
    ) {
        if name == "text" { text = "" }
        if name == "rect", let width = attributes["width"].flatMap(Double.init) {
            widths.append(width)
            ends.append(width + (attributes["x"].flatMap(Double.init) ?? 0))
        }
        if let fill = attributes["fill"] { fills.insert(fill) }
    }

    func parser(_: XMLParser, foundCharacters characters: String) {
        text?.append(characters)
    }

    func parser(
        _: XMLParser,
        didEndElement name: String,
        namespaceURI _: String?,
        qualifiedName _: String?
    ) {
        guard name == "text", let text else { return }
        texts.append(text)
        self.text = nil
    }
}
