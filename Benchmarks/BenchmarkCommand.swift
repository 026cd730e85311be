import Foundation

/// What the executable does with its arguments: measure everything, or be one of the child processes.
enum BenchmarkCommand {
    /// Exit code of a command that was called wrongly (`EX_USAGE` of sysexits.h).
    private static let usageExit: Int32 = 64

    /// Runs the command.
    ///
    /// - Parameter commandLine: The executable's path, then the arguments.
    /// - Returns: The exit code: 0, 1 when a case failed, 64 when an argument is wrong.
    static func run(_ commandLine: [String]) -> Int32 {
        do {
            switch try BenchmarkArguments.Mode(parsing: Array(commandLine.dropFirst())) {
            case .help:
                print(BenchmarkArguments.help)
            case .measure(let arguments):
                try measure(arguments)
            case .childCase(let name, let context, let fixture):
                try BenchmarkChild.runCase(named: name, in: context, fixture: fixture)
            case .childFixture(let name, let context):
                try BenchmarkChild.buildFixture(named: name, in: context)
            }
            return 0
        } catch let error as BenchmarkArguments.UsageError {
            report("\(error.message) See --help.")
            return usageExit
        } catch {
            report("\(error)")
            return 1
        }
    }

    private static func measure(_ arguments: BenchmarkArguments) throws {
        let cases = try arguments.selectedCases(from: BenchmarkCatalog.cases)
        let meanRecordBytes = try People.checkedMeanBytes()
        let runner = BenchmarkRunner(cases: cases, arguments: arguments, log: report)
        let results = try runner.run()
        let benchmarkReport = BenchmarkReport(
            machine: Machine.current(),
            settings: BenchmarkReport.Settings(
                records: arguments.records,
                runs: arguments.runs,
                isQuick: arguments.isQuick,
                meanRecordBytes: meanRecordBytes
            ),
            results: results
        )
        let table = ResultTable(benchmarkReport).text
        guard let target = arguments.json else {
            print(table)
            return
        }
        let json = try benchmarkReport.json()
        if target == "-" {
            report(table)
            print(String(decoding: json, as: UTF8.self))
        } else {
            print(table)
            try json.write(to: URL(fileURLWithPath: target), options: .atomic)
        }
    }

    private static func report(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
