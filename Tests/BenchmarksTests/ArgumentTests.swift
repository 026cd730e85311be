import Benchmarks
import Foundation
import Testing

@Suite
struct ArgumentTests {
    private func measured(_ words: String...) throws -> BenchmarkArguments {
        guard case .measure(let arguments) = try BenchmarkMode(parsing: words) else {
            throw CocoaError(.featureUnsupported)
        }
        return arguments
    }

    @Test
    func `A run is of a million records and of five rounds, a quick one of less`() throws {
        let arguments = try measured()
        #expect(
            (arguments.records, arguments.runs, arguments.isQuick, arguments.isChecked) == (1_000_000, 5, false, false)
        )
        let quick = try measured("--quick", "--check", "--only", "rename", "--only", "split")
        #expect((quick.records, quick.runs, quick.isQuick, quick.isChecked) == (10_000, 3, true, true))
        #expect(quick.only == ["rename", "split"])
        let own = try measured("--records", "5000", "--quick", "--runs", "1", "--json", "-", "--svg", "chart.svg")
        #expect((own.records, own.runs, own.json, own.svg) == (5000, 1, "-", "chart.svg"))
    }

    @Test
    func `Results are drawn and compared without a run`() throws {
        guard case .chart("a.json", "b.svg") = try BenchmarkMode(parsing: ["--svg", "b.svg", "--chart", "a.json"])
        else {
            Issue.record("no chart")
            return
        }
        guard case .compare("a", "b", 1.15) = try BenchmarkMode(parsing: ["--compare", "a", "b"]) else {
            Issue.record("no comparison")
            return
        }
        guard case .compare("a", "b", 2) = try BenchmarkMode(parsing: ["--compare", "a", "b", "--tolerance", "2"])
        else {
            Issue.record("no tolerance")
            return
        }
        guard case .help = try BenchmarkMode(parsing: ["--quick", "-h"]) else {
            Issue.record("no help")
            return
        }
    }

    @Test(arguments: [
        (["--wat"], #""--wat" is not an option."#),
        (["--records"], "--records needs a value."),
        (["--records", "0"], #"--records needs a whole number above zero, not "0"."#),
        (["--runs", "many"], #"--runs needs a whole number above zero, not "many"."#),
        (["--json", "/no/such/folder/x"], #"There is no folder "/no/such/folder" for the JSON."#),
        (["--svg", "/no/such/folder/x"], #"There is no folder "/no/such/folder" for the chart."#),
        (["--chart", "a.json"], "--chart needs --svg, the file to draw."),
        (["--compare", "a.json"], "--compare needs two files."),
        (["--compare", "a.json", "--quick"], "--compare needs two files."),
        (["--compare", "a", "b", "--tolerance", "0.9"], #"--tolerance needs a number of at least 1, not "0.9"."#),
        (["--tolerance", "2"], "--tolerance is for --compare."),
        (["--child-case", "x"], "A child process needs --records and --directory."),
        (["--record-size", "3KB"], #"--record-size needs one of 200B, 2KB, 50KB, not "3KB"."#),
    ])
    func `What is wrong with an argument`(words: [String], message: String) {
        let error = #expect(throws: BenchmarkArguments.UsageError.self) { try BenchmarkMode(parsing: words) }
        #expect(error?.message == message)
        #expect(BenchmarkCommand.run(["Benchmarks"] + words) == 64)
    }

    @Test
    func `A case that is not there is an error, before anything is measured`() {
        #expect(BenchmarkCommand.run(["Benchmarks", "--only", "no-such-case"]) == 64)
    }

    @Test
    func `Every name of a comparison and of a rate is that of a case`() {
        #expect(BenchmarkCatalog.unknownNames == [])
        #expect(BenchmarkCatalog.repeatedNames == [])
        #expect(BenchmarkArguments.help.contains("  molt-rename\n"))
    }
}
