package import Foundation
import MoltPlatform

/// Where a tool writes: its output, its errors and, on a terminal, its progress.
package struct Terminal: Sendable {
    private let output: @Sendable (Data) -> Void
    private let errors: @Sendable (Data) -> Void
    private let usesColor: Bool
    private let showsProgress: Bool

    /// Creates a terminal without color and progress, for tests and files.
    package init(output: @escaping @Sendable (Data) -> Void, errors: @escaping @Sendable (Data) -> Void) {
        self.output = output
        self.errors = errors
        usesColor = false
        showsProgress = false
    }

    /// The process's standard output and standard error.
    ///
    /// Color is used only on a terminal, and not if the variable `NO_COLOR` is set; see https://no-color.org.
    package init() {
        // Nobody is left to tell if the reader has exited.
        output = { try? FileHandle.standardOutput.write(contentsOf: $0) }
        errors = { try? FileHandle.standardError.write(contentsOf: $0) }
        let hasNoColor = ProcessInfo.processInfo.environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        usesColor = !hasNoColor && isatty(STDOUT_FILENO) != 0
        showsProgress = isatty(STDERR_FILENO) != 0
    }

    /// Prints a line.
    package func say(_ text: String) {
        output(Data((text + "\n").utf8))
    }

    /// Prints bytes as they are.
    func write(_ bytes: [UInt8]) {
        output(Data(bytes))
    }

    /// Prints a line on standard error.
    package func sayError(_ text: String) {
        errors(Data((text + "\n").utf8))
    }

    /// Shows a completed fraction on standard error, if that is a terminal; 1 removes the bar.
    func show(_ fraction: Double, _ what: String) {
        guard showsProgress else { return }
        let done = Int(fraction * 30)
        let bar = String(repeating: "█", count: done) + String(repeating: "░", count: 30 - done)
        let line = fraction < 1 ? "\r\(bar) \(Int(fraction * 100)) % \(what)" : "\r\u{1B}[K"
        errors(Data(line.utf8))
    }

    func bold(_ text: String) -> String { styled(text, "1") }

    func red(_ text: String) -> String { styled(text, "31") }

    private func styled(_ text: String, _ code: String) -> String {
        usesColor ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// Prints a value as indented JSON with sorted names.
    func sayJSON(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        say(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
