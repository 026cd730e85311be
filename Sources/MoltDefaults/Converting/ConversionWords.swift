// What the reasons of conversions call the kinds of values.

extension PropertyListValue {
    /// What a value of this kind is called.
    var kindName: String {
        switch self {
        case .bool: "a truth value"
        case .int, .unsigned: "a whole number"
        case .double: "a number"
        case .string: "a text"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

extension DefaultsForm {
    /// What a value of this form is called.
    var kindName: String {
        switch kind {
        case .bool: "a truth value"
        case .integer: "a whole number"
        case .float, .double: "a number"
        case .string: "a text"
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
        case .native: "a value of its type"
        }
    }
}
