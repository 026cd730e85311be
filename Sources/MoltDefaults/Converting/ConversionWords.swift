// What the reasons of conversions call the kinds of values.

extension PropertyListValue {
    /// Whether a range may go from this bound to another; true when the order of such values is not known here.
    func isInOrder(with upper: PropertyListValue) -> Bool {
        switch (self, upper) {
        case (.int(let lower), .int(let upper)): lower <= upper
        case (.unsigned(let lower), .unsigned(let upper)): lower <= upper
        case (.unsigned, .int): false
        case (.double(let lower), .double(let upper)): lower <= upper
        case (.date(let lower), .date(let upper)): lower <= upper
        case (.string(let lower), .string(let upper)): lower <= upper
        default: true
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
