import Foundation

/// What the executable does with its arguments: measure everything, look at results, or be a child process.
package enum BenchmarkCommand {
    /// Exit code of a command that was called wrongly (`EX_USAGE` of sysexits.h).
    private static let usageExit: Int32 = 64

    /// Runs the command.
    ///
    /// - Parameter commandLine: The executable's path, then the arguments.
    /// - Returns: The exit code: 0; 1 when a case failed, a check did not hold, or a case got slower; 64 when an argument
    ///   is wrong, or the files that it names cannot be compared or drawn.
    package static func run(_ commandLine: [String]) -> Int32 {
        do {
            switch try BenchmarkMode(parsing: Array(commandLine.dropFirst())) {
            case .help:
                tell(BenchmarkArguments.help)
                return 0
            case .measure(let arguments):
                return try measure(arguments)
            case .chart(let json, let svg):
                try draw(BenchmarkReport(contentsOf: json), to: svg)
                return 0
            case .compare(let old, let new, let tolerance):
                let comparison = try ResultComparison(
                    BenchmarkReport(contentsOf: old),
                    BenchmarkReport(contentsOf: new),
                    tolerance: tolerance
                )
                tell(comparison.text)
                return comparison.exitCode
            case .childCase(let name, let context, let fixture):
                try BenchmarkChild.runCase(named: name, in: context, fixture: fixture)
                return 0
            case .childFixture(let name, let context):
                try BenchmarkChild.buildFixture(named: name, in: context)
                return 0
            }
        } catch let error as BenchmarkArguments.UsageError {
            report("\(error.message) See --help.")
            return usageExit
        } catch {
            report("\(error)")
            return 1
        }
    }

    private static func measure(_ arguments: BenchmarkArguments) throws -> Int32 {
        let cases = try arguments.selectedCases(from: BenchmarkCatalog.cases)
        let meanBytes = try People.checkedMeanBytes(of: Set(cases.map(\.recordSize)))
        let runner = BenchmarkRunner(cases: cases, arguments: arguments, meanBytes: meanBytes, log: report)
        let results = try runner.run()
        let benchmarkReport = BenchmarkReport(
            machine: Machine.current(),
            settings: BenchmarkReport.Settings(
                records: arguments.records,
                runs: arguments.runs,
                isQuick: arguments.isQuick
            ),
            results: results
        )
        let table = ResultTable(benchmarkReport).text
        // Standard output is for one of the two.
        if arguments.json == "-" { report(table) } else { tell(table) }
        if let target = arguments.json {
            let json = try benchmarkReport.json()
            if target == "-" {
                tell(String(decoding: json, as: UTF8.self))
            } else {
                try json.write(to: URL(fileURLWithPath: target), options: .atomic)
            }
        }
        if let svg = arguments.svg { try draw(benchmarkReport, to: svg) }
        guard arguments.isChecked else { return 0 }
        let check = BenchmarkCheck(benchmarkReport)
        report(check.text)
        return check.exitCode
    }

    private static func draw(_ benchmarkReport: BenchmarkReport, to file: String) throws {
        let chart = try ComparisonChart(benchmarkReport)
        try Data(chart.svg.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }

    /// Unlike `print`, in order with what is reported, also where both go to a file.
    private static func tell(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    private static func report(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
