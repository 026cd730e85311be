public import Foundation

extension MigrationError: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line: the code, the message, the place, and the underlying error without its values.
    public var description: String {
        var parts = details.map { "\($0.label): \($0.text)" }
        if let underlying { parts.append("underlying: \(ErrorSummary.line(of: underlying))") }
        let place = parts.isEmpty ? "" : " [\(parts.joined(separator: "; "))]"
        return ErrorSummary.oneLine("\(code.rawValue): \(message)\(place)")
    }

    /// A tree: the code, then one line for each thing that is known, the underlying error below.
    public var debugDescription: String {
        treeLines.joined(separator: "\n")
    }

    private var treeLines: [String] {
        var branches = [["message: \(ErrorSummary.oneLine(message))"]]
        branches += details.map { ["\($0.label): \(ErrorSummary.oneLine($0.text))"] }
        if let underlying {
            var lines = ErrorSummary.lines(of: underlying)
            lines[0] = "underlying: \(lines[0])"
            branches.append(lines)
        }
        var tree = ["MigrationError: \(ErrorSummary.oneLine(code.rawValue))"]
        for (index, branch) in branches.enumerated() {
            let isLast = index == branches.count - 1
            tree.append((isLast ? "└─ " : "├─ ") + branch[0])
            tree += branch.dropFirst().map { (isLast ? "   " : "│  ") + $0 }
        }
        return tree
    }

    private var details: [(label: String, text: String)] {
        var details: [(label: String, text: String)] = []
        if let store { details.append(("store", store)) }
        if let migration { details.append(("migration", migration.description)) }
        if let step { details.append(("step", "\(step.number), \(step.words)")) }
        if let record { details.append(("record", record)) }
        if let property { details.append(("property", "\"\(property)\"")) }
        if let storeVersion { details.append(("store version", String(storeVersion))) }
        if let registryVersion { details.append(("registry version", String(registryVersion))) }
        return details
    }

    private var record: String? {
        switch (recordKey, recordType) {
        case (let key?, let type?): "\"\(key)\" of type \(type)"
        case (let key?, nil): "\"\(key)\""
        case (nil, let type?): "of type \(type)"
        case (nil, nil): nil
        }
    }

    /// Lines of this error for a tree that it is a branch of.
    fileprivate var branchLines: [String] { treeLines }
}

extension MigrationError: LocalizedError {
    /// The message, then the place in one sentence.
    public var errorDescription: String? {
        var place: [String] = []
        if let migration { place.append("migration \(migration)") }
        if let step { place.append("step \(step.number) (\(step.words))") }
        if let record { place.append("record \(record)") }
        var sentences = [message]
        if let cause = underlying as? MigrationError { sentences.append(cause.message) }
        if let first = place.first {
            place[0] = first.prefix(1).uppercased() + first.dropFirst()
            sentences.append(place.joined(separator: ", ") + ".")
        }
        return sentences.joined(separator: " ")
    }
}

/// What can be said of an error of any type without showing a value that it may hold.
private enum ErrorSummary {
    static func line(of error: any Error) -> String {
        (error as? MigrationError)?.description ?? text(of: error)
    }

    static func lines(of error: any Error) -> [String] {
        (error as? MigrationError)?.branchLines ?? [oneLine(text(of: error))]
    }

    private static func text(of error: any Error) -> String {
        let type = String(describing: Swift.type(of: error))
        // Before the casts below: any NSError can be cast to CocoaError, whatever its domain.
        if Swift.type(of: error) is NSError.Type {
            let error = error as NSError
            return "\(type) \(error.domain) \(error.code)"
        }
        switch error {
        case let error as JSONSyntaxError:
            return "\(type): \(error)"
        case let error as DecodingError:
            return decodingText(error)
        case EncodingError.invalidValue(_, let context):
            return "EncodingError.invalidValue" + place(context.codingPath)
        case let error as CocoaError:
            return "CocoaError \(error.errorCode)"
        case let error as POSIXError:
            return "POSIXError \(error.errorCode)"
        default:
            break
        }
        return type + (caseName(of: error).map { ".\($0)" } ?? "")
    }

    private static func decodingText(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let expected, let context):
            "DecodingError.typeMismatch, \(expected) expected" + place(context.codingPath)
        case .valueNotFound(let expected, let context):
            "DecodingError.valueNotFound, \(expected) expected" + place(context.codingPath)
        case .keyNotFound(let key, let context):
            "DecodingError.keyNotFound" + place(context.codingPath + [key])
        case .dataCorrupted(let context):
            "DecodingError.dataCorrupted" + place(context.codingPath)
        @unknown default:
            "DecodingError"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        let names = path.map { key in key.intValue.map(String.init) ?? key.stringValue }
        return names.isEmpty ? "" : " at \"\(names.joined(separator: "."))\""
    }

    /// The name of an enum's case, from what the compiler knows of it and never from a description of its own.
    private static func caseName<Failure: Error>(of error: Failure) -> String? {
        // The types are asked, not the error: as a value, every error can be cast to NSError's protocols.
        let type: Any.Type = Failure.self
        guard !(type is any CustomReflectable.Type) else { return nil }
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else { return nil }
        if let child = mirror.children.first { return child.label }
        let describesItself =
            type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type
            || type is any TextOutputStreamable.Type
        return describesItself ? nil : String(describing: error)
    }

    /// Text in which a line break or another control character, in a key say, is no such thing any more.
    static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                line += scalar == "\n" ? " " : scalar.escaped(asASCII: true)
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
    }
}
