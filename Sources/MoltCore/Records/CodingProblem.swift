/// What a coder could not do, and where, in words that show no value: `"age": String expected, number found`.
package struct CodingProblem {
    /// The path to the place as it may be shown.
    package let place: [String]
    /// The problem, in a sentence.
    private let words: String

    /// - Parameters:
    ///   - error: What the decoder threw.
    ///   - content: What was decoded.
    ///   - type: The type that was asked for.
    package init(_ error: any Error, decoding type: Any.Type, from content: [UInt8]) {
        guard let error = error as? DecodingError else {
            place = []
            words = "cannot be decoded as \(type)"
            return
        }
        place = error.place
        switch error {
        case .typeMismatch(let expected, let context), .valueNotFound(let expected, let context):
            let found = Self.kind(in: content, at: context.codingPath).map { ", \($0) found" } ?? ""
            words = "\(Self.name(of: expected)) expected\(found)"
        case .keyNotFound:
            words = "missing"
        case .dataCorrupted(let context):
            let found = Self.kind(in: content, at: context.codingPath) ?? "value"
            words = "the \(found) cannot be decoded" + (context.codingPath.isEmpty ? " as \(type)" : "")
        @unknown default:
            words = "cannot be decoded as \(type)"
        }
    }

    /// - Parameters:
    ///   - error: What the encoder threw.
    ///   - type: The type of the value.
    package init(_ error: any Error, encoding type: Any.Type) {
        guard case EncodingError.invalidValue(let value, let context) = error else {
            place = []
            words = "a \(type) cannot be encoded"
            return
        }
        place = ErrorSummary.names(context.codingPath)
        let isNumber = value is any FloatingPoint
        words = isNumber ? "JSON has no NaN and no infinity" : "a \(Swift.type(of: value)) cannot be encoded"
    }

    /// The place, then what is wrong there.
    ///
    /// - Parameter path: Where the value is that was decoded or encoded; nil for a whole content.
    package func text(in path: PropertyPath? = nil) -> String {
        let names = (path?.names ?? []) + place
        return (names.isEmpty ? "The content" : "\"\(names.joined(separator: "."))\"") + ": \(words)."
    }

    /// Decoders ask for containers by types of their own.
    private static func name(of type: Any.Type) -> String {
        let name = "\(type)"
        return name.hasPrefix("Dictionary<") ? "object" : name.hasPrefix("Array<") ? "array" : name
    }

    /// What JSON calls the value at a place.
    private static func kind(in content: [UInt8], at path: [any CodingKey]) -> String? {
        var part = try? JSONPart(String(decoding: content, as: UTF8.self))
        for key in path {
            if let elements = part?.elements {
                part = key.intValue.flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            } else {
                part = part?.properties?.last { RecordObject.isSame($0.name, key.stringValue) }?.value
            }
        }
        return part.map { "\($0.kind)" }
    }
}
