import Benchmarks
import Foundation
import Testing

@Suite
struct ComparisonTests {
    private let old = Reports.report([
        Reports.result("slow", 1, 1.1, 1.2),
        Reports.result("noisy", 1, 1.1, 1.2),
        Reports.result("lucky", 1, 1.1, 1.2),
        Reports.result("fast", 1, 1.1, 1.2),
        Reports.result("gone", 1),
    ])
    private let new = Reports.report([
        Reports.result("slow", 1.3, 1.4, 1.5),
        Reports.result("noisy", 1, 2, 2),
        Reports.result("lucky", 1.2, 1.21, 1.22),
        Reports.result("fast", 0.5, 0.5, 0.6),
        Reports.result("added", 1),
    ])

    @Test
    func `A case is slower when its median and its best run are, and not when only one of them is`() throws {
        let comparison = try ResultComparison(old, new, tolerance: 1.15)

        #expect(comparison.slower.map(\.name) == ["slow"])
        #expect(comparison.faster.map(\.name) == ["fast"])
        #expect(comparison.exitCode == 1)
        let change = try #require(comparison.slower.first)
        #expect(abs(change.medianRatio - 1.4 / 1.1) < 1e-9)
        #expect(abs(change.bestRatio - 1.3) < 1e-9)
        #expect(comparison.onlyInOld == ["gone"])
        #expect(comparison.onlyInNew == ["added"])
    }

    @Test
    func `The text names what is slower with its figures, and the cases of one file`() throws {
        let text = try ResultComparison(old, new, tolerance: 1.15).text

        #expect(text.hasPrefix("4 cases compared: 1 slower and 1 faster by more than 1.15 times"))
        #expect(text.contains("slow       1.100 µs  1.400 µs           1.27     1.000 µs  1.300 µs           1.30"))
        #expect(text.contains("Only in the old file: gone"))
        #expect(text.contains("Only in the new file: added"))
        #expect(!text.contains("noisy"))
    }

    @Test
    func `More is tolerated when more is allowed`() throws {
        let comparison = try ResultComparison(old, new, tolerance: 1.31)
        #expect(comparison.slower.isEmpty)
        #expect(comparison.exitCode == 0)
        #expect(try ResultComparison(old, old, tolerance: 1).exitCode == 0)
    }

    @Test
    func `Another machine is told in the first line`() throws {
        var machine = Reports.machine
        machine.processor = "Other"
        let text = try ResultComparison(old, Reports.report(new.results, machine: machine), tolerance: 1.15).text
        #expect(text.hasPrefix("Measured on different machines: Testix 7, "))
        #expect(text.prefix { $0 != "\n" }.contains("Other"))
        // Another day is the same machine.
        machine = Reports.machine
        machine.date = .now
        let later = try ResultComparison(old, Reports.report(new.results, machine: machine), tolerance: 1.15).text
        #expect(!later.contains("machines"))
    }

    private static let unlike: [(BenchmarkReport, String)] = [
        (Reports.report([Reports.result("slow", 1, count: 7)]), "slow is of 1 000 000 records"),
        (
            Reports.report([Reports.result("slow", 1, recordSize: .large)]),
            "slow is of 1 000 000 records of 200 bytes in the old one, of 1 000 000 records of 50 KB in the new one"
        ),
        (Reports.report([Reports.result("slow", 1)], isQuick: true), "only the new one was measured with --quick"),
        (
            Reports.report([Reports.result("slow", 1)], machine: unoptimized),
            "the new one was measured without optimization"
        ),
        (Reports.report([Reports.result("another", 1)]), "no case is in both"),
    ]

    private static var unoptimized: Machine {
        var machine = Reports.machine
        machine.isOptimized = false
        return machine
    }

    @Test(arguments: unlike)
    func `Runs that have not measured the same are refused`(new: BenchmarkReport, why: String) throws {
        let error = #expect(throws: BenchmarkArguments.UsageError.self) {
            try ResultComparison(old, new, tolerance: 1.15)
        }
        #expect(error?.message.hasPrefix("The two files cannot be compared: ") == true)
        #expect(error?.message.contains(why) == true)
    }

    @Test
    func `The command ends with 1 for a slower case, with 0 without one, and with 64 for unlike files`() throws {
        try Reports.withFile(old.json()) { old in
            try Reports.withFile(new.json()) { new in
                #expect(BenchmarkCommand.run(["Benchmarks", "--compare", old, new]) == 1)
                #expect(BenchmarkCommand.run(["Benchmarks", "--compare", old, new, "--tolerance", "1.5"]) == 0)
                #expect(BenchmarkCommand.run(["Benchmarks", "--compare", new, old, "--tolerance", "2.5"]) == 0)
            }
            try Reports.withFile(Self.unlike[0].0.json()) { unlike in
                #expect(BenchmarkCommand.run(["Benchmarks", "--compare", old, unlike]) == 64)
            }
            try Reports.withFile(Data("{}".utf8)) { other in
                #expect(BenchmarkCommand.run(["Benchmarks", "--compare", old, other]) == 64)
            }
            #expect(BenchmarkCommand.run(["Benchmarks", "--compare", old, old + ".missing"]) == 64)
        }
    }
}
