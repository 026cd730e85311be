import Foundation

/// The arguments of `swift run -c release Benchmarks`.
struct BenchmarkArguments: Sendable {
    /// How many records the large cases work on.
    var records = 200_000
    /// How many times each case is run; its figure is the median.
    var runs = 5
    /// Whether to be done in half a minute, for CI.
    var isQuick = false
    /// The file that the JSON is written to; `-` is standard output; nil is no JSON.
    var json: String?
    /// The cases whose name contains one of these; all cases when empty.
    var only: [String] = []

    /// An argument that is wrong, in a sentence.
    struct UsageError: Error {
        /// The sentence.
        let message: String
    }

    /// What the process was started for.
    enum Mode {
        /// To print the help.
        case help
        /// To measure: the process that people start.
        case measure(BenchmarkArguments)
        /// To run one case once on a copy of a fixture, so that its peak memory is its own.
        case childCase(name: String, BenchmarkContext, fixture: URL?)
        /// To build a fixture.
        case childFixture(name: String, BenchmarkContext)
    }

    /// The text of `--help`.
    static let help = """
        Measures Molt's migrations and cache beside the other ways to do the same work, in one run.

        USAGE: swift run -c release Benchmarks [options]

          --records N    records in the large cases (200000; 10000 with --quick)
          --runs N       runs of each case; the figure is the median (5; 3 with --quick)
          --quick        small counts, done within about half a minute
          --only NAME    only the cases whose name contains NAME; may be given several times
          --json FILE    also write the results as JSON; - writes it to standard output
          --help         this text

        CASES
        \(BenchmarkCatalog.cases.map { "  \($0.name)" }.joined(separator: "\n"))
        """

    /// The cases that `--only` leaves, in their order.
    ///
    /// - Throws: ``UsageError`` when a name fits no case.
    func selectedCases(from cases: [BenchmarkCase]) throws -> [BenchmarkCase] {
        for name in only where !cases.contains(where: { $0.name.contains(name) }) {
            throw UsageError(message: "No case's name contains \"\(name)\".")
        }
        return only.isEmpty ? cases : cases.filter { each in only.contains { each.name.contains($0) } }
    }
}

extension BenchmarkArguments.Mode {
    /// Reads the arguments.
    ///
    /// - Parameter words: The command line without the executable.
    /// - Throws: ``BenchmarkArguments/UsageError``.
    init(parsing words: [String]) throws {
        var arguments = BenchmarkArguments()
        var records: Int?
        var runs: Int?
        var childCase: String?
        var childFixture: String?
        var directory: String?
        var fixture: String?
        var wantsHelp = false

        var rest = words[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst(), value == "-" || !value.hasPrefix("-") else {
                throw BenchmarkArguments.UsageError(message: "\(option) needs a value.")
            }
            return value
        }
        func count(of option: String) throws -> Int {
            let text = try value(of: option)
            guard let count = Int(text), count > 0 else {
                throw BenchmarkArguments.UsageError(
                    message: "\(option) needs a whole number above zero, not \"\(text)\"."
                )
            }
            return count
        }
        while let option = rest.popFirst() {
            switch option {
            case "--help", "-h": wantsHelp = true
            case "--quick": arguments.isQuick = true
            case "--records": records = try count(of: option)
            case "--runs": runs = try count(of: option)
            case "--json": arguments.json = try value(of: option)
            case "--only": arguments.only.append(try value(of: option))
            case "--child-case": childCase = try value(of: option)
            case "--child-fixture": childFixture = try value(of: option)
            case "--directory": directory = try value(of: option)
            case "--fixture": fixture = try value(of: option)
            default: throw BenchmarkArguments.UsageError(message: "\"\(option)\" is not an option.")
            }
        }

        if wantsHelp {
            self = .help
        } else if let name = childCase ?? childFixture {
            guard let records, let directory else {
                throw BenchmarkArguments.UsageError(
                    message: "A child process needs --records and --directory."
                )
            }
            let context = BenchmarkContext(records: records, directory: URL(fileURLWithPath: directory))
            self =
                childCase == nil
                ? .childFixture(name: name, context)
                : .childCase(name: name, context, fixture: fixture.map { URL(fileURLWithPath: $0) })
        } else {
            arguments.records = records ?? (arguments.isQuick ? 10_000 : arguments.records)
            arguments.runs = runs ?? (arguments.isQuick ? 3 : arguments.runs)
            try Self.checkTarget(arguments.json)
            self = .measure(arguments)
        }
    }

    /// Finds out before the run, not after it, that the JSON has no place to go.
    private static func checkTarget(_ file: String?) throws {
        guard let file, file != "-" else { return }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory), isDirectory.boolValue
        else {
            throw BenchmarkArguments.UsageError(message: "There is no folder \"\(folder)\" for the JSON.")
        }
    }
}
