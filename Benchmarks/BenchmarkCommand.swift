import Foundation

/// All cases, in the order of the table.
enum BenchmarkCatalog {
    /// The cases: the alternatives first, then Molt.
    static let cases: [BenchmarkCase] =
        PeerCases.all + UpgradeCases.all + OpenCases.all + CacheCases.all + OnReadCases.all + DocumentCases.all
        + ThreadCases.all + SettingsCases.all + ExportCases.all + TableCases.all + DroppedKeyCases.all

    /// Checks that ratios and the chart name existing cases, and that records written by hand equal encoded ones.
    static func check() throws {
        let names = cases.map(\.name)
        let mentioned = cases.flatMap(\.ratios).compactMap(\.baseline) + ComparisonChart.bars.map(\.name)
        guard Set(names).count == names.count, Set(mentioned).isSubset(of: names) else {
            throw BenchmarkError("Two cases have one name, or a ratio or the chart names a case that does not exist.")
        }
        guard try People.content(1000) == People.encoder().encode(People.person(1000)) else {
            throw BenchmarkError("The records that are written by hand differ from those of the encoder.")
        }
    }
}

/// The executable, which measures, shows results, or runs as a child process.
enum BenchmarkCommand {
    /// Returns the exit code: 0; 1 when a case failed or a ratio is outside its limit; 64 (`EX_USAGE` of sysexits.h)
    /// when an argument or a file that it names is invalid.
    static func run(_ words: [String]) -> Int32 {
        do {
            if words.first == BenchmarkArguments.childOption, words.count == 2 {
                try JSONDecoder().decode(BenchmarkChild.self, from: Data(words[1].utf8)).perform()
                return 0
            }
            let arguments = try BenchmarkArguments(parsing: words)
            if arguments.wantsHelp {
                print(BenchmarkArguments.help)
                return 0
            }
            return try show(arguments.from.map(BenchmarkReport.init(contentsOf:)) ?? measure(arguments), arguments)
        } catch let error as BenchmarkArguments.UsageError {
            log("\(error.message) See --help.")
            return 64
        } catch {
            log("\(error)")
            return 1
        }
    }

    private static func measure(_ arguments: BenchmarkArguments) throws -> BenchmarkReport {
        try BenchmarkCatalog.check()
        let cases = try arguments.selectedCases()
        let results = try BenchmarkRunner(cases: cases, arguments: arguments, log: log).run()
        return BenchmarkReport(
            machine: .current(),
            settings: .init(records: arguments.records, runs: arguments.runs, isQuick: arguments.isQuick),
            results: results,
            cases: cases
        )
    }

    private static func show(_ report: BenchmarkReport, _ arguments: BenchmarkArguments) throws -> Int32 {
        let table = ResultTable(report)
        print(table.text)
        if let json = arguments.json {
            try report.json().write(to: URL(fileURLWithPath: json), options: .atomic)
        }
        if let svg = arguments.svg {
            try Data(ComparisonChart(report).svg.utf8).write(to: URL(fileURLWithPath: svg), options: .atomic)
        }
        guard arguments.isChecked else { return 0 }
        for failure in table.failures { log(failure) }
        log(table.failures.isEmpty ? "All ratios are within their limits." : "Ratios are beyond their limits.")
        return table.failures.isEmpty ? 0 : 1
    }

    private static func log(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
