/// A coder's problem and its location, without values: `"age": String expected, number found`.
package struct CodingProblem {
    /// The path to the location, without private parts.
    let codingNames: [String]
    private let words: String

    package init(_ error: any Error, decoding type: Any.Type, from content: [UInt8]) {
        guard let error = error as? DecodingError else {
            codingNames = []
            words = "cannot be decoded as \(type)"
            return
        }
        codingNames = ErrorSummary.names(error.codingPath)
        switch error {
        case .typeMismatch(let expected, let context) where context.debugDescription == Self.noSingleCase:
            words = "\(expected) has no case for the stored object"
        case .typeMismatch(let expected, let context), .valueNotFound(let expected, let context):
            let found = Self.kind(in: content, at: context.codingPath).map { ", \($0) found" } ?? ""
            words = "\(Self.name(of: expected)) expected\(found)"
        case .keyNotFound:
            words = "missing"
        case .dataCorrupted(let context):
            let found = Self.kind(in: content, at: context.codingPath) ?? "value"
            words =
                if let name = Self.typeWithoutCase(context) {
                    "\(name) has no case for the stored \(found)"
                } else {
                    "the \(found) cannot be decoded" + (context.codingPath.isEmpty ? " as \(type)" : "")
                }
        @unknown default:
            words = "cannot be decoded as \(type)"
        }
    }

    package init(_ error: any Error, encoding type: Any.Type) {
        guard case EncodingError.invalidValue(let value, let context) = error else {
            codingNames = []
            words = "a value of type \(type) cannot be encoded"
            return
        }
        codingNames = ErrorSummary.names(context.codingPath)
        let isNumber = value is any FloatingPoint
        words =
            isNumber
            ? "JSON has no NaN and no infinity" : "a value of type \(Swift.type(of: value)) cannot be encoded"
    }

    /// The location and the problem.
    ///
    /// - Parameter path: The path of the decoded or encoded value; nil for the whole content.
    package func text(in path: PropertyPath? = nil) -> String {
        let names = (path?.names ?? []) + codingNames
        return (names.isEmpty ? "The content" : "\"\(names.joined(separator: "."))\"") + ": \(words)."
    }

    /// What the synthesized `init(from:)` of an enum with associated values says of an object that is none of its
    /// cases.
    private static let noSingleCase = "Invalid number of keys found, expected one."

    /// The name of the type whose `init(rawValue:)` has returned nil; nil for another error.
    ///
    /// The standard library's text ends with the value, so only the name before it is used.
    private static func typeWithoutCase(_ context: DecodingError.Context) -> String? {
        let text = context.debugDescription
        let start = "Cannot initialize "
        guard text.hasPrefix(start) else { return nil }
        let name = text.dropFirst(start.count).prefix { $0 != " " }
        guard text.dropFirst(start.count + name.count).hasPrefix(" from invalid ") else { return nil }
        return String(name)
    }

    /// Decoders request containers by their own types.
    private static func name(of type: Any.Type) -> String {
        let name = "\(type)"
        return name.hasPrefix("Dictionary<") ? "object" : name.hasPrefix("Array<") ? "array" : name
    }

    /// The JSON kind of the value at a path.
    private static func kind(in content: [UInt8], at path: [any CodingKey]) -> String? {
        var part = try? JSONPart(String(decoding: content, as: UTF8.self))
        for key in path {
            if let elements = part?.elements {
                part = key.intValue.flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            } else {
                part = part?.properties?.last { ExactName.isSame($0.name, key.stringValue) }?.value
            }
        }
        return part.map { "\($0.kind)" }
    }
}
