/// JSON text in a string, and the object or array that it is the text of.
extension Record {
    /// Replaces JSON text in a string property with the object or array that it is the text of.
    ///
    /// ```swift
    /// try note.parseJSONText("payload")           // "{\"n\":1.10}" becomes {"n":1.10}
    /// ```
    ///
    /// The rules are those of ``MigrationStep/parseJSONText(_:_:otherwise:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is no such text.
    public mutating func parseJSONText(_ path: PropertyPath, otherwise other: OtherValue = .fail) throws {
        try convert(path, .jsonText(.parse), other)
    }

    /// Replaces an object or array with a string that has its JSON text.
    ///
    /// ```swift
    /// try note.encodeAsJSONText("payload")        // {"n":1.10} becomes "{\"n\":1.10}"
    /// ```
    ///
    /// The rules are those of ``MigrationStep/encodeAsJSONText(_:_:otherwise:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is neither an object
    ///   nor an array.
    public mutating func encodeAsJSONText(_ path: PropertyPath, otherwise other: OtherValue = .fail) throws {
        try convert(path, .jsonText(.encode), other)
    }
}

/// A change between JSON text in a string and its value; the names are a part of fingerprints.
enum JSONTextChange: String, Sendable {
    case parse, encode

    /// - Parameter depth: The number of arrays and objects around the value.
    func change(of json: UnsafeBufferPointer<UInt8>, depth: Int, otherwise other: OtherJSON) -> ValueChange {
        let value = RecordValue(checked: json)
        if value.isNull { return .kept }
        switch self {
        case .parse: return Self.parse(value, depth, other)
        case .encode: return Self.encode(value, json, other)
        }
    }

    private static func parse(_ value: RecordValue, _ depth: Int, _ other: OtherJSON) -> ValueChange {
        guard let text = value.string, PropertyListTag.read(text) == nil else {
            return other.change("is \(value.kind), not a string with JSON text")
        }
        let part: JSONPart
        do throws(JSONSyntaxError) {
            part = try JSONPart(text)
        } catch {
            return other.change("is not JSON text: \(error)")
        }
        guard part.kind == .object || part.kind == .array else {
            return other.change("is JSON text of \(part.kind.rawValue), not of an object or an array")
        }
        let json = part.utf8
        guard json.withUnsafeBufferPointer({ JSONScanner.fault(in: $0, depth: depth) }) == nil else {
            return other.change("cannot be parsed: \(JSONSyntaxError.Reason.tooDeep.rawValue)")
        }
        guard !json.withUnsafeBufferPointer(hasTag) else {
            return other.change("has a control character that Molt uses in its JSON text, so it cannot be parsed")
        }
        return .new(json)
    }

    private static func encode(
        _ value: RecordValue,
        _ json: UnsafeBufferPointer<UInt8>,
        _ other: OtherJSON
    ) -> ValueChange {
        guard value.array != nil || value.object != nil else {
            return other.change("is \(value.kind), not an object or an array")
        }
        guard !hasTag(json) else {
            return other.change("has a date, data or an infinity of a property list in it, which JSON text cannot hold")
        }
        var text: [UInt8] = []
        JSONString.write(String(decoding: json, as: UTF8.self), to: &text)
        return .new(text)
    }

    /// Whether a text in valid JSON stands for a value of a property list.
    private static func hasTag(_ json: UnsafeBufferPointer<UInt8>) -> Bool {
        guard json.contains("\\u0001".utf8) else { return false }
        // The same text can have other escapes, too.
        return Array(RecordValue(checked: json).description.utf8).contains(PropertyListTag.openingInJSON)
    }
}
