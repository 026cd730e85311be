import Foundation

/// The arguments of `swift run -c release Benchmarks`.
struct BenchmarkArguments: Sendable {
    /// The number of records in the large cases.
    var records: Int
    /// The number of runs of each case; the reported figure is the median.
    var runs: Int
    /// Whether to use the small counts, for CI.
    var isQuick = false
    /// Whether to fail when a ratio is outside its limit, which holds on a busy machine, too.
    var isChecked = false
    /// Substrings of the names of the cases to run; empty for all cases.
    var only: [String] = []
    /// The JSON results to show instead of measuring.
    var from: String?
    /// The path for the JSON output; nil for none.
    var json: String?
    /// The path for the chart; nil for none.
    var svg: String?
    var wantsHelp = false

    /// A wrong argument.
    struct UsageError: Error {
        let message: String
    }

    /// Starts a child process; the next argument is its task as JSON.
    static let childOption = "--child"

    static let help = """
        Measures Molt's migrations and cache beside the other ways to do the same work, in one run.

        USAGE: swift run -c release Benchmarks [options]

          --records N    records in the large cases (1000000; 10000 with --quick)
          --runs N       runs of each case; the figure is the median (5; 3 with --quick)
          --quick        small counts
          --check        exit with 1 when a ratio is beyond a limit that holds on a busy machine, too
          --only NAME    only the cases whose name contains NAME; may be given several times
          --from FILE    measure nothing; show the results in FILE, made by --json
          --json FILE    also write the results as JSON
          --svg FILE     also draw the ways to upgrade every record
          --help         this text

        CASES
        \(BenchmarkCatalog.cases.map { "  \($0.name)" }.joined(separator: "\n"))
        """

    /// - Parameter words: The command line without the executable.
    init(parsing words: [String]) throws {
        var rest = words[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst(), !value.hasPrefix("-") else {
                throw UsageError(message: "\(option) needs a value.")
            }
            return value
        }
        func count(of option: String) throws -> Int {
            let text = try value(of: option)
            guard let count = Int(text), count > 0 else {
                throw UsageError(message: "\(option) needs an integer above zero, not \"\(text)\".")
            }
            return count
        }
        var records: Int?
        var runs: Int?
        while let option = rest.popFirst() {
            switch option {
            case "--help", "-h": wantsHelp = true
            case "--quick": isQuick = true
            case "--check": isChecked = true
            case "--records": records = try count(of: option)
            case "--runs": runs = try count(of: option)
            case "--only": only.append(try value(of: option))
            case "--from": from = try value(of: option)
            case "--json": json = try value(of: option)
            case "--svg": svg = try value(of: option)
            default: throw UsageError(message: "\"\(option)\" is not an option.")
            }
        }
        self.records = records ?? (isQuick ? 10_000 : 1_000_000)
        self.runs = runs ?? (isQuick ? 3 : 5)
        for file in [json, svg].compactMap({ $0 }) {
            // Fail before the run instead of after it.
            let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
            guard FileManager.default.fileExists(atPath: folder) else {
                throw UsageError(message: "There is no folder \"\(folder)\".")
            }
        }
    }

    /// The cases that match `--only`, in order.
    ///
    /// - Throws: ``UsageError`` when a name matches no case.
    func selectedCases() throws -> [BenchmarkCase] {
        let cases = BenchmarkCatalog.cases
        for name in only where !cases.contains(where: { $0.name.contains(name) }) {
            throw UsageError(message: "No case's name contains \"\(name)\".")
        }
        return only.isEmpty ? cases : cases.filter { each in only.contains { each.name.contains($0) } }
    }
}
