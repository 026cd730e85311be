import Foundation
import Molt
import MoltTesting

/// The form in which a setting's value is stored, as far as the value shows it without its type.
enum LibraryForm: String, CaseIterable, Encodable {
    /// A Boolean, a number, a date or data, which is stored alike by all libraries.
    case native
    /// A string that is not JSON.
    case text
    case jsonArrayText
    case jsonObjectText
    case jsonStringText
    case jsonNumberText
    case jsonNullText
    /// A native array or dictionary without JSON in it.
    case nativeContainer
    /// A native array or dictionary of JSON strings.
    case containerOfJSONText
    case jsonData
    case binaryPropertyList
    case xmlPropertyList
    case keyedArchive
    case moltLedger

    init(of value: PropertyListValue, key: String) {
        switch value {
        case _ where key == Suite.ledgerKey: self = .moltLedger
        case .string(let text): self = Self.form(of: text)
        case .data(let data): self = Self.form(of: data)
        case .array, .dictionary:
            let texts = value.texts
            self = !texts.isEmpty && texts.allSatisfy(Self.isJSONValue) ? .containerOfJSONText : .nativeContainer
        case .bool, .int, .unsigned, .double, .date: self = .native
        }
    }

    private static func form(of text: String) -> LibraryForm {
        // A string that is not JSON is a form of its own.
        switch (try? JSONPart(text))?.kind {
        case .array?: .jsonArrayText
        case .object?: .jsonObjectText
        case .string?: .jsonStringText
        case .number?: .jsonNumberText
        case .null?: .jsonNullText
        case .bool?, nil: .text
        }
    }

    private static func form(of data: Data) -> LibraryForm {
        guard PlainArchive(data) == nil else { return .keyedArchive }
        switch (try? SettingContent(.data(data)))?.form {
        case .binaryPropertyList?: return .binaryPropertyList
        case .xmlPropertyList?: return .xmlPropertyList
        case .jsonData? where isJSONValue(String(decoding: data, as: UTF8.self)): return .jsonData
        // A number or a word may be any data.
        default: return .native
        }
    }

    /// Whether a string in a container is JSON, and not a number or a word that a plain string may be, too.
    private static func isJSONValue(_ text: String) -> Bool {
        [.jsonArrayText, .jsonObjectText, .jsonStringText].contains(form(of: text))
    }
}

extension LibraryForm {
    /// What data holds, as text; nil for a value that is shown as it is, and for data that only its app can read.
    func content(of value: PropertyListValue) -> String? {
        guard let data = value.data else { return nil }
        return switch self {
        case .jsonData: String(decoding: JSONLayout.minified(data), as: UTF8.self)
        case .binaryPropertyList, .xmlPropertyList: (try? PropertyListReader.value(data))?.description
        default: nil
        }
    }

    /// The form in a few words; nil for values without a form of a library.
    var name: String? {
        switch self {
        case .native, .text: nil
        case .jsonArrayText: "a JSON array in a string"
        case .jsonObjectText: "a JSON object in a string"
        case .jsonStringText: "a JSON string in a string"
        case .jsonNumberText: "a number in a string"
        case .jsonNullText: "null in a string"
        case .nativeContainer: "a native array or dictionary"
        case .containerOfJSONText: "a native array or dictionary of JSON strings"
        case .jsonData: "JSON in data"
        case .binaryPropertyList: "a binary property list in data"
        case .xmlPropertyList: "an XML property list in data"
        case .keyedArchive: "a keyed archive"
        case .moltLedger: "Molt's schema version and ledger"
        }
    }

    /// The libraries that write values like this; nil if there is nothing to say.
    var note: String? {
        switch self {
        case .native, .text, .moltLedger: nil
        case .jsonArrayText:
            "Defaults 4 writes an array, a set or a range like this; later releases write only a Codable value, and "
                + "before 6.3 a range."
        case .jsonObjectText:
            "Defaults 4 writes a dictionary or a Codable value like this; later releases only the second."
        case .jsonStringText:
            "Defaults writes a URL or a Codable enum like this, and before 6.2 a UUID. It may be a plain string, too."
        case .jsonNumberText:
            "Defaults 4 writes CGFloat and sized integers like this, and any release a Decimal. It may be a plain string, "
                + "too."
        case .jsonNullText: "Defaults 4 may write nil like this. It may be a plain string, too."
        case .nativeContainer:
            "Defaults 5 and later write arrays, sets and dictionaries like this, and so does UserDefaults."
        case .containerOfJSONText: "Defaults 5 and later write Codable values in an array or dictionary like this."
        case .jsonData:
            "SwiftyUserDefaults 4 and later write Codable values like this, and 5 arrays, too. So does JSONEncoder."
        case .binaryPropertyList, .xmlPropertyList: "PropertyListEncoder writes Codable values like this."
        case .keyedArchive: "SwiftyUserDefaults, Defaults and other code write objects of classes like this."
        }
    }

    /// What the forms of all settings of a suite say together.
    ///
    /// A number in a string is no evidence: it is often a plain string.
    static func conclusion(_ forms: some Collection<LibraryForm>) -> String {
        switch (forms.contains(.jsonArrayText), forms.contains(.containerOfJSONText)) {
        case (true, true): "Some settings look as Defaults 4 writes them, and others as Defaults 5 and later do."
        case (true, false) where forms.contains(.nativeContainer):
            "Some settings look as Defaults 4 writes them; it does not write the native arrays and dictionaries."
        case (true, false): "The settings look as Defaults 4 writes them."
        case (false, true): "The settings look as Defaults 5 and later write them."
        case (false, false): "The values do not show which library wrote them."
        }
    }
}

extension PropertyListValue {
    /// The strings in a value, at any depth, without the keys of dictionaries.
    fileprivate var texts: [String] {
        switch self {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(\.texts)
        case .dictionary(let values): values.values.flatMap(\.texts)
        default: []
        }
    }
}
