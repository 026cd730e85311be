internal import Foundation

/// Where the command's words go.
package struct Console: Sendable {
    /// Whether somebody looks at a terminal, where a line can be drawn again.
    package let isTerminal: Bool
    private let write: @Sendable (String) -> Void

    /// Creates a console.
    ///
    /// - Parameter write: Gets the text as it is to be shown, line ends included.
    package init(isTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
        self.isTerminal = isTerminal
        self.write = write
    }

    /// The process's standard output.
    package static let standardOutput = Console(isTerminal: isatty(STDOUT_FILENO) != 0) { text in
        Self.write(text, to: .standardOutput)
    }

    /// The process's standard error.
    package static let standardError = Console(isTerminal: isatty(STDERR_FILENO) != 0) { text in
        Self.write(text, to: .standardError)
    }

    /// Shows text as a line of its own.
    package func say(_ text: some CustomStringConvertible = "") {
        write("\(text)\n")
    }

    /// Shows text in place of the line that the cursor is in; for terminals.
    package func redraw(_ line: String) {
        write("\r\(line)\u{1B}[K")
    }

    private static func write(_ text: String, to handle: FileHandle) {
        // Nobody can be told that nobody listens.
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
