package import Foundation

/// What the process was started for.
package enum BenchmarkMode {
    /// To print the help.
    case help
    /// To measure: the process that people start.
    case measure(BenchmarkArguments)
    /// To draw results that are there already.
    case chart(json: String, svg: String)
    /// To compare the results of two runs.
    case compare(old: String, new: String, tolerance: Double)
    /// To run one case once on a copy of a fixture, so that its peak memory is its own.
    case childCase(name: String, BenchmarkContext, fixture: URL?)
    /// To build a fixture.
    case childFixture(name: String, BenchmarkContext)
}

extension BenchmarkMode {
    /// Reads the arguments.
    ///
    /// - Parameter words: The command line without the executable.
    /// - Throws: ``BenchmarkArguments/UsageError``.
    package init(parsing words: [String]) throws {
        let options = try Options(words)
        if options.wantsHelp {
            self = .help
        } else if let name = options.childCase ?? options.childFixture {
            guard let records = options.records, let directory = options.directory else {
                throw BenchmarkArguments.UsageError(message: "A child process needs --records and --directory.")
            }
            let context = BenchmarkContext(
                records: records,
                directory: URL(fileURLWithPath: directory),
                recordSize: options.recordSize
            )
            self =
                options.childCase == nil
                ? .childFixture(name: name, context)
                : .childCase(name: name, context, fixture: options.fixture.map { URL(fileURLWithPath: $0) })
        } else if let (old, new) = options.compared {
            self = .compare(old: old, new: new, tolerance: options.tolerance ?? 1.15)
        } else if options.tolerance != nil {
            throw BenchmarkArguments.UsageError(message: "--tolerance is for --compare.")
        } else if let json = options.chart {
            guard let svg = options.arguments.svg else {
                throw BenchmarkArguments.UsageError(message: "--chart needs --svg, the file to draw.")
            }
            try Self.checkTarget(svg, "chart")
            self = .chart(json: json, svg: svg)
        } else {
            var arguments = options.arguments
            arguments.records = options.records ?? (arguments.isQuick ? 10_000 : arguments.records)
            arguments.runs = options.runs ?? (arguments.isQuick ? 3 : arguments.runs)
            if arguments.json != "-" { try Self.checkTarget(arguments.json, "JSON") }
            try Self.checkTarget(arguments.svg, "chart")
            self = .measure(arguments)
        }
    }

    /// Finds out before the run, not after it, that a file has no place to go.
    private static func checkTarget(_ file: String?, _ what: String) throws {
        guard let file else { return }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory), isDirectory.boolValue
        else {
            throw BenchmarkArguments.UsageError(message: "There is no folder \"\(folder)\" for the \(what).")
        }
    }
}

/// The words of a command line, each with its meaning.
private struct Options {
    var arguments = BenchmarkArguments()
    var records: Int?
    var runs: Int?
    var recordSize = RecordSize.small
    var chart: String?
    var compared: (old: String, new: String)?
    var tolerance: Double?
    var childCase: String?
    var childFixture: String?
    var directory: String?
    var fixture: String?
    var wantsHelp = false
    private var rest: ArraySlice<String>

    init(_ words: [String]) throws {
        rest = words[...]
        while let option = rest.popFirst() {
            switch option {
            case "--help", "-h": wantsHelp = true
            case "--quick": arguments.isQuick = true
            case "--check": arguments.isChecked = true
            case "--records": records = try count(of: option)
            case "--runs": runs = try count(of: option)
            case "--json": arguments.json = try value(of: option)
            case "--svg": arguments.svg = try value(of: option)
            case "--only": arguments.only.append(try value(of: option))
            case "--chart": chart = try value(of: option)
            case "--compare": compared = (try value(of: option), try value(of: option))
            case "--tolerance": tolerance = try ratio(of: option)
            case "--child-case": childCase = try value(of: option)
            case "--child-fixture": childFixture = try value(of: option)
            case "--record-size": recordSize = try size(of: option)
            case "--directory": directory = try value(of: option)
            case "--fixture": fixture = try value(of: option)
            default: throw BenchmarkArguments.UsageError(message: "\"\(option)\" is not an option.")
            }
        }
    }

    private mutating func value(of option: String) throws -> String {
        guard let value = rest.popFirst(), value == "-" || !value.hasPrefix("-") else {
            let what = option == "--compare" ? "two files" : "a value"
            throw BenchmarkArguments.UsageError(message: "\(option) needs \(what).")
        }
        return value
    }

    private mutating func count(of option: String) throws -> Int {
        let text = try value(of: option)
        guard let count = Int(text), count > 0 else {
            throw BenchmarkArguments.UsageError(
                message: "\(option) needs a whole number above zero, not \"\(text)\"."
            )
        }
        return count
    }

    private mutating func ratio(of option: String) throws -> Double {
        let text = try value(of: option)
        guard let ratio = Double(text), ratio.isFinite, ratio >= 1 else {
            throw BenchmarkArguments.UsageError(message: "\(option) needs a number of at least 1, not \"\(text)\".")
        }
        return ratio
    }

    private mutating func size(of option: String) throws -> RecordSize {
        let text = try value(of: option)
        guard let size = RecordSize(rawValue: text) else {
            let sizes = RecordSize.allCases.map(\.rawValue).joined(separator: ", ")
            throw BenchmarkArguments.UsageError(message: "\(option) needs one of \(sizes), not \"\(text)\".")
        }
        return size
    }
}
