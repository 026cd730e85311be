/// The description of one of Molt's errors, as one line and as a tree; it contains no record's value.
package struct ErrorText {
    private let type: String
    package let code: String
    package let message: String
    package let details: [(label: String, text: String)]
    package let underlying: (any Error)?

    package init(
        type: String,
        code: String,
        message: String,
        details: [(label: String, text: String)],
        underlying: (any Error)?
    ) {
        self.type = type
        self.code = code
        self.message = message
        self.details = details
        self.underlying = underlying
    }

    /// The code, the message, the details, and the underlying error without its values.
    package var line: String {
        var parts = details.map { "\($0.label): \($0.text)" }
        if let underlying { parts.append("underlying: \(ErrorSummary.line(of: underlying))") }
        let place = parts.isEmpty ? "" : " [\(parts.joined(separator: "; "))]"
        return ErrorSummary.oneLine("\(code): \(message)\(place)")
    }

    /// What `dump` shows of the error: as the description, nothing of the underlying error's values.
    package func mirror(of error: some Error) -> Mirror {
        var children = [(label: String?.some("code"), value: code as Any), ("message", message)]
        children += details.map { ($0.label, $0.text) }
        if let underlying { children.append(("underlying", ErrorSummary.line(of: underlying))) }
        return Mirror(error, children: children, displayStyle: .struct)
    }

    /// The code, then one line for each detail, and the underlying error below.
    package var tree: String {
        treeLines.joined(separator: "\n")
    }

    var treeLines: [String] {
        var branches = [["message: \(ErrorSummary.oneLine(message))"]]
        branches += details.map { ["\($0.label): \(ErrorSummary.oneLine($0.text))"] }
        if let underlying {
            var lines = ErrorSummary.lines(of: underlying)
            lines[0] = "underlying: \(lines[0])"
            branches.append(lines)
        }
        var tree = ["\(type): \(ErrorSummary.oneLine(code))"]
        for (index, branch) in branches.enumerated() {
            let isLast = index == branches.count - 1
            tree.append((isLast ? "└─ " : "├─ ") + branch[0])
            tree += branch.dropFirst().map { (isLast ? "   " : "│  ") + $0 }
        }
        return tree
    }
}

/// One of Molt's errors, which may be shown in full inside another one.
package protocol DescribedError: Error {
    var errorText: ErrorText { get }
    var message: String { get }
}

/// An error of a library, which has a number for each kind.
package protocol NumberedError: Error {
    var number: Int32 { get }
}

/// An error whose description never contains a value, so that it may be shown.
package protocol ValueFreeError: Error, CustomStringConvertible {}
