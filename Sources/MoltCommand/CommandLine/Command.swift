/// A command of a tool: its name, its arguments and options, and what it does.
package struct Command: Sendable {
    /// An option, which may stand anywhere after the command's name.
    package struct Option: Sendable {
        /// With both hyphens, such as "--type".
        let name: String
        /// The name of the option's value in the help, such as "NAME"; nil for an option without a value.
        let value: String?
        let summary: String

        package static func flag(_ name: String, _ summary: String) -> Option {
            Option(name: name, value: nil, summary: summary)
        }

        package static func value(_ name: String, _ value: String, _ summary: String) -> Option {
            Option(name: name, value: value, summary: summary)
        }

        static let json = flag("--json", "print JSON, for other programs")
    }

    let name: String
    /// The arguments in order, such as "FILE", or "[FILE]" for one that may be left out, after the others.
    let arguments: [String]
    let summary: String
    let options: [Option]
    /// What the help says below the options; empty for nothing.
    let notes: String
    /// The exit code after an error.
    let errorCode: Int32
    /// Runs the command, and returns the exit code: 0, or ``ExitCode/failure`` if what it looked for is not well.
    let run: @Sendable (Call, Terminal) async throws -> Int32

    package init(
        _ name: String,
        _ arguments: [String],
        _ summary: String,
        options: [Option] = [],
        notes: String = "",
        errorCode: Int32 = ExitCode.failure,
        run: @escaping @Sendable (Call, Terminal) async throws -> Int32
    ) {
        self.name = name
        self.arguments = arguments
        self.summary = summary
        self.options = options
        self.notes = notes
        self.errorCode = errorCode
        self.run = run
    }
}

extension Command {
    /// The arguments and options that a user has typed for a command.
    package struct Call: Sendable {
        fileprivate(set) var arguments: [String] = []
        fileprivate var values: [String: [String]] = [:]

        /// Whether an option was given.
        package func has(_ option: String) -> Bool { values[option] != nil }

        /// The value of an option, the last one if there are several; nil if it was not given.
        func value(_ option: String) -> String? { values[option]?.last }

        /// The values of an option that may be given more than once.
        func all(_ option: String) -> [String] { values[option] ?? [] }

        /// The value of an option as an integer; nil if it was not given.
        ///
        /// - Throws: ``UsageError`` if it is not in the range.
        package func count(_ option: String, in range: ClosedRange<Int> = 0...Int.max) throws -> Int? {
            guard let text = value(option) else { return nil }
            guard let count = Int(text), range.contains(count) else {
                let end = range.upperBound == .max ? "" : " to \(range.upperBound)"
                throw UsageError("\(option) needs a number from \(range.lowerBound)\(end), not \"\(text)\"")
            }
            return count
        }
    }

    /// Reads the words after the command's name.
    ///
    /// - Throws: ``UsageError``.
    func call(_ words: ArraySlice<String>) throws(UsageError) -> Call {
        var call = Call()
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                // What follows are arguments, such as a key with a hyphen.
                call.arguments += rest
                break
            }
            guard word.hasPrefix("-"), word.count > 1 else {
                call.arguments.append(word)
                continue
            }
            if let equals = word.firstIndex(of: "=") {
                // Read as two words.
                rest = [String(word[..<equals]), String(word[word.index(after: equals)...])] + rest
                continue
            }
            guard let option = options.first(where: { $0.name == word }) else {
                let nearest = Tool.nearest(to: word, among: options.map(\.name))
                throw UsageError("\"\(word)\" is not an option of \(name)\(nearest)")
            }
            if let value = option.value {
                guard let text = rest.popFirst(), !text.hasPrefix("--") else {
                    throw UsageError("\(option.name) needs \(value)")
                }
                call.values[option.name, default: []].append(text)
            } else {
                call.values[option.name] = []
            }
        }
        let required = arguments.prefix { !$0.hasPrefix("[") }
        if let index = zip(call.arguments, arguments).map({ $0.isEmpty && $1 != "KEY" }).firstIndex(of: true) {
            throw UsageError("\(arguments[index]) is empty")
        }
        if call.arguments.count < required.count {
            let missing = required[call.arguments.count...].joined(separator: " and ")
            throw UsageError("\(name) needs \(missing)")
        }
        if call.arguments.count > arguments.count {
            throw UsageError("\"\(call.arguments[arguments.count])\" is one argument too many")
        }
        return call
    }

    /// The command as it is typed.
    var usage: String {
        ([name] + arguments + options.map { "[\($0.name)\($0.value.map { " \($0)" } ?? "")]" }).joined(separator: " ")
    }

    func help(of tool: String) -> String {
        var lines = ["\(summary.prefix(1).uppercased())\(summary.dropFirst()).", "", "usage: \(tool) \(usage)"]
        let names = options.map { "\($0.name)\($0.value.map { " \($0)" } ?? "")" }
        let width = names.map(\.count).max() ?? 0
        if !options.isEmpty { lines.append("") }
        for (name, option) in zip(names, options) {
            lines.append("  \(name.padded(to: width))   \(option.summary)")
        }
        if !notes.isEmpty { lines += ["", notes] }
        return lines.joined(separator: "\n")
    }
}

/// A mistake on the command line; the message says what to type.
package struct UsageError: Error, Hashable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// The exit codes of a tool.
package enum ExitCode {
    package static let success: Int32 = 0
    /// An error, or a finding of a command that looks for some.
    package static let failure: Int32 = 1
    /// An error of a command that compares, whose finding is ``failure``, as in diff(1).
    package static let trouble: Int32 = 2
    /// A mistake on the command line, as in sysexits.h.
    package static let usage: Int32 = 64
}

extension String {
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
