/// The result of converting one setting's value.
package enum ConversionResult: Equatable, Sendable {
    /// The value that replaces the stored one.
    case converted(PropertyListValue)
    /// The value already has the target form.
    case alreadyCurrent
    /// The value stays unchanged, for a reason that contains nothing of the value, at a path inside it.
    case notConvertible(reason: String, path: ValuePath)
}

struct ConversionFailure: Error {
    var reason: String
    var path: ValuePath
}

extension DefaultsForm {
    /// The kind of the value, for reasons.
    var kindName: String {
        switch kind {
        case .bool: "a Boolean"
        case .integer: "an integer"
        case .float, .double: "a number"
        case .string: "a string"
        case .date: "a date"
        case .data: "data"
        case .url: "a URL"
        case .uuid: "a UUID"
        case .decimal: "a decimal number"
        case .range: "a range"
        case .codable: "JSON text of a Codable value"
        case .rawValue: "a raw value"
        case .keyedArchive: "a keyed archive"
        case .array: "an array"
        case .set: "a set"
        case .dictionary: "a dictionary"
        case .decoded: "a value of its type"
        }
    }
}
