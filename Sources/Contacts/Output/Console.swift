internal import Foundation

/// Where the command's words go.
package struct Console: Sendable {
    /// Whether somebody looks at a terminal, where a line can be drawn again.
    package let isTerminal: Bool
    private let write: @Sendable (String) -> Void
    private let currentColumns: @Sendable () -> Int

    /// Creates a console.
    ///
    /// - Parameters:
    ///   - columns: How many columns there are; asked for anew each time, for a window can be made smaller.
    ///   - write: Gets the text as it is to be shown, line ends included.
    package init(
        isTerminal: Bool,
        columns: @escaping @Sendable () -> Int,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.isTerminal = isTerminal
        currentColumns = columns
        self.write = write
    }

    /// The process's standard output.
    package static let standardOutput = Console(descriptor: STDOUT_FILENO, handle: .standardOutput)

    /// The process's standard error.
    package static let standardError = Console(descriptor: STDERR_FILENO, handle: .standardError)

    /// How many columns a line has now.
    package var columns: Int { currentColumns() }

    /// Shows text as a line of its own.
    package func say(_ text: some CustomStringConvertible = "") {
        write("\(text)\n")
    }

    /// Shows text in place of the line that the cursor is in; for terminals.
    ///
    /// - Parameter line: What does not fit is left out: a line that wraps could not be drawn over.
    package func redraw(_ line: String) {
        // In the last column, some terminals wrap before the next character and others after this one.
        write("\r\(line.prefix(max(columns - 1, 0)))\u{1B}[K")
    }

    private init(descriptor: Int32, handle: FileHandle) {
        self.init(
            isTerminal: isatty(descriptor) != 0,
            columns: { Terminal.columns(of: descriptor) },
            write: { text in
                // Nobody can be told that nobody listens.
                try? handle.write(contentsOf: Data(text.utf8))
            }
        )
    }
}
