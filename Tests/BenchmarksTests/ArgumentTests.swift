import Benchmarks
import Foundation
import Testing

@Suite
struct `Arguments of the benchmarks` {
    @Test
    func `The default is five runs of a million records, and quick mode does fewer`() throws {
        let full = try BenchmarkArguments(parsing: [])
        #expect((full.records, full.runs, full.isQuick, full.isChecked) == (1_000_000, 5, false, false))
        let quick = try BenchmarkArguments(parsing: ["--quick", "--check", "--only", "rename", "--only", "split"])
        #expect((quick.records, quick.runs, quick.isQuick, quick.isChecked) == (10_000, 3, true, true))
        #expect(quick.only == ["rename", "split"])
        let own = try BenchmarkArguments(parsing: ["--records", "50", "--quick", "--runs", "1", "--json", "a.json"])
        #expect((own.records, own.runs, own.json) == (50, 1, "a.json"))
        let drawn = try BenchmarkArguments(parsing: ["--from", "a.json", "--svg", "chart.svg", "-h"])
        #expect((drawn.from, drawn.svg, drawn.wantsHelp) == ("a.json", "chart.svg", true))
    }

    @Test(arguments: [
        (["--wat"], #""--wat" is not an option."#),
        (["--records"], "--records needs a value."),
        (["--from", "--quick"], "--from needs a value."),
        (["--records", "0"], #"--records needs an integer above zero, not "0"."#),
        (["--runs", "many"], #"--runs needs an integer above zero, not "many"."#),
        (["--json", "/no/such/folder/x"], #"There is no folder "/no/such/folder"."#),
        (["--svg", "/no/such/folder/x"], #"There is no folder "/no/such/folder"."#),
    ])
    func `An invalid argument is named in the error`(words: [String], message: String) {
        let error = #expect(throws: BenchmarkArguments.UsageError.self) { try BenchmarkArguments(parsing: words) }
        #expect(error?.message == message)
        #expect(BenchmarkCommand.run(words) == 64)
    }

    @Test
    func `An unknown case is an error before anything is measured`() {
        #expect(BenchmarkCommand.run(["--only", "no-such-case"]) == 64)
    }

    @Test
    func `Case names are unique, and ratios and the chart refer only to existing cases`() {
        let names = BenchmarkCatalog.cases.map(\.name)
        #expect(Set(names).count == names.count)
        let mentioned =
            BenchmarkCatalog.cases.flatMap(\.ratios).compactMap(\.baseline) + ComparisonChart.bars.map(\.name)
        #expect(Set(mentioned).subtracting(names) == [])
        #expect(BenchmarkArguments.help.contains("  molt-rename\n"))
    }

    @Test
    func `Records have about 200 bytes, and equal the output of the encoder`() throws {
        let bytes = (1...200).reduce(0) { $0 + People.content($1 * 97).count }
        #expect((190...210).contains(bytes / 200))
        #expect(try People.content(1000) == People.encodedContent(1000))
    }
}
