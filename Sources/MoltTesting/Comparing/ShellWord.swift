/// A word of a shell command, in quotes if it needs them.
package struct ShellWord: CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        let isPlain =
            !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./@".contains($0)) }
        description = isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
