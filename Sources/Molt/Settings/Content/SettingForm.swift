/// The form in which a suite holds a Codable value.
///
/// | form | for example written by |
/// |---|---|
/// | ``native`` | `UserDefaults` itself, Defaults for types that need no conversion |
/// | ``jsonText`` | Defaults for Codable values |
/// | ``jsonData`` | SwiftyUserDefaults, `JSONEncoder` |
/// | ``binaryPropertyList``, ``xmlPropertyList`` | `PropertyListEncoder` |
/// | ``jsonTexts`` | Defaults 5 and later for arrays and dictionaries of Codable values |
public enum SettingForm: Sendable, CaseIterable {
    // The names of the cases are parts of fingerprints.

    /// A value that the suite can hold as it is: a string, a number, a Boolean, a date, data, an array or a dictionary.
    case native
    /// JSON text in a string: an object, an array, or a string in quotes.
    case jsonText
    /// JSON text in data, as UTF-8.
    case jsonData
    /// A binary property list in data.
    case binaryPropertyList
    /// A property list in XML, in data.
    case xmlPropertyList
    /// An array or a dictionary in which each value is JSON text in a string.
    case jsonTexts
}

extension SettingForm: CustomStringConvertible {
    /// The form in a few words.
    public var description: String {
        switch self {
        case .native: "a native value"
        case .jsonText: "JSON text"
        case .jsonData: "JSON data"
        case .binaryPropertyList: "a binary property list"
        case .xmlPropertyList: "an XML property list"
        case .jsonTexts: "JSON texts in an array or dictionary"
        }
    }

    /// Whether its values are those of property lists, which have dates and data but no null.
    package var isPropertyList: Bool {
        switch self {
        case .native, .binaryPropertyList, .xmlPropertyList: true
        case .jsonText, .jsonData, .jsonTexts: false
        }
    }
}

extension SettingForm {
    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: String {
        switch self {
        case .native: "native"
        case .jsonText: "jsonText"
        case .jsonData: "jsonData"
        case .binaryPropertyList: "binaryPropertyList"
        case .xmlPropertyList: "xmlPropertyList"
        case .jsonTexts: "jsonTexts"
        }
    }
}
