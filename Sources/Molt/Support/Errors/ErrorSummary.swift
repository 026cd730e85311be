import Foundation

/// Descriptions of arbitrary errors that reveal no value they may contain.
package enum ErrorSummary {
    /// One line: the error's type, its code or case, and the location in the decoded data.
    package static func line(of error: any Error) -> String {
        (error as? MoltError)?.description ?? text(of: error)
    }

    static func lines(of error: any Error) -> [String] {
        (error as? MoltError)?.treeLines ?? [oneLine(text(of: error))]
    }

    /// The code of one of Molt's errors; for another one, the name of its type and its number, if it has one.
    ///
    /// A generic type is named without its arguments, which may be types of the app's data.
    static func code(of error: any Error) -> String {
        if Swift.type(of: error) is NSError.Type {
            let error = error as NSError
            return "\(error.domain) \(error.code)"
        }
        let type = String(describing: Swift.type(of: error)).prefix { $0 != "<" }
        return switch error {
        case let error as MoltError: error.code.rawValue
        case let error as DurableFile.Failure: "POSIXError \(error.number)"
        case let error as any ValueFreeError: type + (error.number.map { " \($0)" } ?? "")
        case let error as CocoaError: "\(type) \(error.errorCode)"
        case let error as POSIXError: "\(type) \(error.errorCode)"
        default: String(type)
        }
    }

    /// The innermost error below one of Molt's; nil if there is none.
    static func innermost(of error: any Error) -> (any Error)? {
        (error as? MoltError)?.underlying.map { innermost(of: $0) ?? $0 }
    }

    private static func text(of error: any Error) -> String {
        let type = String(describing: Swift.type(of: error))
        // Before the casts below, because every NSError can be cast to CocoaError, whatever its domain.
        if Swift.type(of: error) is NSError.Type {
            let error = error as NSError
            return "\(type) \(error.domain) \(error.code)"
        }
        switch error {
        case let error as any ValueFreeError:
            return "\(type): \(error.description)"
        case let error as DecodingError:
            return decodingText(error)
        case EncodingError.invalidValue(_, let context):
            return "EncodingError.invalidValue" + location(context.codingPath)
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
        let problem =
            switch error {
            case .typeMismatch(let expected, _): ".typeMismatch, \(expected) expected"
            case .valueNotFound(let expected, _): ".valueNotFound, \(expected) expected"
            case .keyNotFound: ".keyNotFound"
            case .dataCorrupted: ".dataCorrupted"
            @unknown default: ""
            }
        return "DecodingError\(problem)" + location(error.codingPath)
    }

    private static func location(_ path: [any CodingKey]) -> String {
        let names = names(path)
        return names.isEmpty ? "" : " at \"\(names.joined(separator: "."))\""
    }

    /// The names of a path's properties, and its indices, without dictionary keys, which are part of the value.
    static func names(_ path: [any CodingKey]) -> [String] {
        path.map(name)
    }

    private static func name(of key: any CodingKey) -> String {
        switch CodingStep(key) {
        case .index(let index): String(index)
        case .property(let name): name
        case .key: "…"
        }
    }

    /// The name of an enum case, from compiler metadata and never from the error's own description.
    private static func caseName<Failure: Error>(of error: Failure) -> String? {
        // Ask the type, not the error: every error value can be cast to NSError's protocols.
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

    /// Escapes control characters, such as those in a key, and replaces line breaks with spaces.
    ///
    /// Every text that leaves Molt and has a name from a file goes through it: descriptions, messages, and fields of
    /// the tool's lines.
    package static func oneLine(_ text: String) -> String {
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

    /// Whether a character is not printed itself, but moves, hides or reorders what a terminal shows beside it.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        // Most names are ASCII, and Unicode's tables take longer.
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
            || scalar.properties.isBidiControl
    }
}

extension DecodingError {
    /// The path of the value that could not be decoded; it may have keys of dictionaries, which are private.
    var codingPath: [any CodingKey] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath
        case .keyNotFound(let key, let context):
            context.codingPath + [key]
        @unknown default:
            []
        }
    }
}

/// An error whose description never contains a value, so that it may be shown.
protocol ValueFreeError: Error, CustomStringConvertible {
    /// The number of its kind, if the library that it comes from has one.
    var number: Int32? { get }
}

extension ValueFreeError {
    var number: Int32? { nil }
}
