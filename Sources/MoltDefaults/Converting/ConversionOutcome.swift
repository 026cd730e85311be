/// What became of one setting's value.
package enum ConversionOutcome: Hashable, Sendable {
    /// The value that takes the place of the stored one, and what was left out of it on request.
    case converted(PropertyListValue, setAside: [SetAside] = [])
    /// The value is already in the form that is asked for.
    case alreadyCurrent
    /// The value stays as it is: why, without anything of the value, and the place inside it.
    case notConvertible(reason: String, place: ValuePlace)
}

/// A part of a value that could not be converted while the rest was.
package struct SetAside: Hashable, Sendable {
    /// Where it was.
    package var place: ValuePlace
    /// What stood there: as a text, if it was a part of JSON text, that part of the text as it was written.
    package var original: PropertyListValue
    /// Why it could not be converted, without anything of the value.
    package var reason: String

    /// Creates a description of what was left out.
    package init(place: ValuePlace, original: PropertyListValue, reason: String) {
        self.place = place
        self.original = original
        self.reason = reason
    }
}

/// Why a value, or a part of it, cannot be converted.
struct ConversionFailure: Error {
    /// Why, without anything of the value.
    var reason: String
    /// Where.
    var place: ValuePlace
}

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
