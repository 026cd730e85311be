package import Foundation
import Molt

/// Where a tool writes: its output, its errors and, on a terminal, its progress.
package struct Terminal: Sendable {
    private let output: @Sendable (Data) -> Void
    private let errors: @Sendable (Data) -> Void
    /// The first error of writing the output.
    private let outputError: Locked<Descriptor.Failure?>
    private let usesColor: Bool
    private let usesErrorColor: Bool
    private let showsProgress: Bool

    /// Creates a terminal without color and progress, for tests and files.
    package init(output: @escaping @Sendable (Data) -> Void, errors: @escaping @Sendable (Data) -> Void) {
        self.output = output
        self.errors = errors
        outputError = Locked(nil)
        usesColor = false
        usesErrorColor = false
        showsProgress = false
    }

    /// The process's standard output and standard error.
    ///
    /// Color is used only on a terminal, and not if the variable `NO_COLOR` is set; see https://no-color.org.
    package init() {
        let outputError = Locked<Descriptor.Failure?>(nil)
        self.outputError = outputError
        output = { data in
            do throws(Descriptor.Failure) {
                try Descriptor(STDOUT_FILENO).write(data)
            } catch {
                outputError.withLock { if $0 == nil { $0 = error } }
            }
        }
        errors = { try? Descriptor(STDERR_FILENO).write($0) }
        let hasNoColor = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        usesColor = !hasNoColor && isatty(STDOUT_FILENO) != 0
        usesErrorColor = !hasNoColor && isatty(STDERR_FILENO) != 0
        showsProgress = isatty(STDERR_FILENO) != 0
    }

    /// Why the output is incomplete; nil if it is complete, or if its reader has exited.
    var failure: String? {
        outputError.withLock { $0 }.flatMap { $0.number == EPIPE ? nil : $0.reason }
    }

    /// Prints lines; control characters, as in names from a file, are shown as escapes.
    package func say(_ text: String) {
        output(Data(shown(text).utf8))
    }

    /// Prints JSON text as it is, with the escapes of JSON for the control characters that it may have in strings.
    package func say(json text: String) {
        var shown = ""
        for scalar in text.unicodeScalars {
            if ErrorSummary.isControl(scalar), scalar != "\n" {
                let digits = String(scalar.value, radix: 16)
                shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        output(Data((shown + "\n").utf8))
    }

    private func shown(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map { ErrorSummary.oneLine(String($0)) }
                .joined(separator: "\t")
        }
        let text = lines.joined(separator: "\n") + "\n"
        guard usesColor || usesErrorColor else { return text }
        return Style.allCases.reduce(text) { $0.replacing($1.mark, with: "\u{1B}[\($1.rawValue)m") }
    }

    /// A style in a text that is not shown yet: the only escapes that are printed.
    private enum Style: Int, CaseIterable {
        case plain = 0
        case bold = 1
        case red = 31

        /// Stands for the escape; no file can have a text that was chosen when the process began.
        var mark: String { Self.secret + "\(rawValue);" }

        private static let secret = "\u{E000}" + UUID().uuidString
    }

    /// Prints bytes as they are.
    func write(_ bytes: [UInt8]) {
        output(Data(bytes))
    }

    /// Prints a line on standard error.
    package func sayError(_ text: String) {
        errors(Data(shown(text).utf8))
    }

    /// Shows a completed fraction on standard error, if that is a terminal; 1 removes the bar.
    func show(_ fraction: Double, _ what: String) {
        guard showsProgress else { return }
        let done = Int(fraction * 30)
        let bar = String(repeating: "█", count: done) + String(repeating: "░", count: 30 - done)
        let line = fraction < 1 ? "\r\(bar) \(Int(fraction * 100)) % \(what)" : "\r\u{1B}[K"
        errors(Data(line.utf8))
    }

    /// Counts records, and shows the completed fraction at each percent.
    func counter(of total: Int, _ what: String) -> @Sendable () -> Void {
        let count = Locked(0)
        let step = max(1, total / 100)
        return { [self] in
            let done = count.withLock { count in
                count += 1
                return count
            }
            if done % step == 0 || done >= total { show(min(1, Double(done) / Double(total)), what) }
        }
    }

    func bold(_ text: String) -> String { styled(text, .bold) }

    func red(_ text: String) -> String { styled(text, .red) }

    /// Red text on standard error.
    func redError(_ text: String) -> String { usesErrorColor ? Style.red.mark + text + Style.plain.mark : text }

    private func styled(_ text: String, _ style: Style) -> String {
        usesColor ? style.mark + text + Style.plain.mark : text
    }

    /// Prints a value as indented JSON with sorted names.
    func sayJSON(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        say(json: String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
