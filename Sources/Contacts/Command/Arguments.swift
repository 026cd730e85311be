/// What the command was asked to do.
package enum Arguments: Hashable, Sendable {
    /// Show how the command is used.
    case help
    /// Upgrade a store to today's release, or say what would be done.
    case upgrade(Source, isDryRun: Bool)
    /// Write a store as a release before today's wrote it.
    case writeRelease(Int, path: String)

    /// The store to upgrade.
    package enum Source: Hashable, Sendable {
        /// A copy of the store that a release wrote.
        case checkedIn(release: Int)
        /// A new store of a release with so many people.
        case generated(release: Int, people: Int)
        /// A file, upgraded where it is.
        case file(path: String)

        /// Whether it was named by the caller.
        var isFile: Bool {
            if case .file = self { true } else { false }
        }
    }

    /// The most people that `--records` writes.
    package static let mostPeople = 10_000_000

    /// Reads the arguments behind the command's name.
    ///
    /// - Throws: ``UsageError``.
    package init(_ arguments: [String]) throws {
        if arguments.contains(where: { $0 == "--help" || $0 == "-h" }) {
            self = .help
            return
        }
        var reader = ArgumentReader(arguments)
        var options = Options()
        while let name = reader.next() {
            switch name {
            case "--dry-run": try options.set(\.isDryRun, to: true, name)
            case "--store":
                try options.set(\.store, to: reader.value(or: "the option --store needs a file"), name)
            case "--from":
                let release = try reader.number(in: Releases.numbers, or: "the option --from needs 1, 2 or 3")
                try options.set(\.from, to: release, name)
            case "--records":
                let range = 1...Self.mostPeople
                let need = "the option --records needs a number of people from 1 to \(Self.mostPeople.grouped)"
                try options.set(\.records, to: reader.number(in: range, or: need), name)
            case "--write-release":
                let need = "the option --write-release needs 1, 2 or 3, and a file"
                let release = try reader.number(in: Releases.numbers, or: need)
                try options.set(\.written, to: Written(release: release, path: reader.value(or: need)), name)
            default:
                throw UsageError("unexpected argument \"\(name)\"")
            }
        }
        self = try options.arguments()
    }

    // MARK: Parts

    private struct Written {
        var release: Int
        var path: String
    }

    /// The options as they were given, nil for those that were not.
    private struct Options {
        var isDryRun: Bool?
        var store: String?
        var from: Int?
        var records: Int?
        var written: Written?

        mutating func set<Value>(_ option: WritableKeyPath<Self, Value?>, to value: Value, _ name: String) throws {
            guard self[keyPath: option] == nil else { throw UsageError("the option \(name) was given twice") }
            self[keyPath: option] = value
        }

        /// What the options say together.
        func arguments() throws -> Arguments {
            if let written {
                guard isDryRun == nil, store == nil, from == nil, records == nil else {
                    throw UsageError("the option --write-release stands alone")
                }
                return .writeRelease(written.release, path: written.path)
            }
            if let store {
                guard from == nil, records == nil else {
                    throw UsageError("the option --store names a store, so --from and --records cannot choose another")
                }
                return .upgrade(.file(path: store), isDryRun: isDryRun ?? false)
            }
            let release = from ?? 1
            if let records {
                return .upgrade(.generated(release: release, people: records), isDryRun: isDryRun ?? false)
            }
            return .upgrade(.checkedIn(release: release), isDryRun: isDryRun ?? false)
        }
    }
}

/// Hands out arguments one by one; `--name=value` counts as two.
private struct ArgumentReader {
    private var rest: ArraySlice<String>

    init(_ arguments: [String]) {
        let parts = arguments.flatMap { argument -> [String] in
            guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else { return [argument] }
            return [String(argument[..<sign]), String(argument[argument.index(after: sign)...])]
        }
        rest = parts[...]
    }

    mutating func next() -> String? {
        rest.popFirst()
    }

    /// The value of the option that was handed out last.
    mutating func value(or need: String) throws -> String {
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else { throw UsageError(need) }
        return value
    }

    mutating func number(in range: ClosedRange<Int>, or need: String) throws -> Int {
        guard let number = Int(try value(or: need)), range.contains(number) else { throw UsageError(need) }
        return number
    }
}
