/// Strings with separators, and arrays of strings.
extension Record {
    /// Splits a string property into an array of strings.
    ///
    /// ```swift
    /// try note.splitIntoArray("tags", separator: ",")         // "a,b" becomes ["a","b"]
    /// ```
    ///
    /// The rules are those of ``MigrationStep/splitIntoArray(_:_:separator:trimming:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is not a string.
    public mutating func splitIntoArray(_ path: PropertyPath, separator: String, trimming: Bool = false) throws {
        let change = StringArray(separator: separator, trims: trimming)
        if let fault = change.fault { throw error(.typeMismatch, fault, property: path) }
        let depth = full(path).count
        try replaceValue(path, ifMissing: requirement(of: [path])) { change.split($0, depth: depth) }
    }

    /// Joins an array of strings into one string.
    ///
    /// ```swift
    /// try note.joinArray("tags", separator: ",")              // ["a","b"] becomes "a,b"
    /// ```
    ///
    /// The rules are those of ``MigrationStep/joinArray(_:_:separator:ifMissing:)``.
    ///
    /// - Throws: ``MoltError`` with the code `propertyMissing`, or `typeMismatch` for a value that is not an array of
    ///   strings, or whose elements could not be told apart in the string.
    public mutating func joinArray(_ path: PropertyPath, separator: String) throws {
        let change = StringArray(separator: separator)
        if let fault = change.fault { throw error(.typeMismatch, fault, property: path) }
        try replaceValue(path, ifMissing: requirement(of: [path])) { change.join($0) }
    }
}

/// A change between a string with separators and an array of strings.
struct StringArray: Sendable {
    var separator: String
    /// Whether white space around elements is removed, and then empty elements are.
    var trims = false

    /// Why there can be no such change, in a sentence.
    var fault: String? { separator.isEmpty ? "The separator is empty." : nil }

    /// - Parameter depth: The number of arrays and objects around the string.
    func split(_ json: UnsafeBufferPointer<UInt8>, depth: Int) -> ValueChange {
        let value = RecordValue(checked: json)
        if value.isNull { return .kept }
        guard let text = value.string, PropertyListTag.read(text) == nil else {
            return .failed("is \(value.kind) and not a string, so it cannot be split")
        }
        let array = RecordValue.array(elements(of: text).map { .string($0) })
        guard let json = try? array.json(depth: depth) else {
            return .failed("cannot be split: \(JSONSyntaxError.Reason.tooDeep.rawValue)")
        }
        return .new(json)
    }

    func join(_ json: UnsafeBufferPointer<UInt8>) -> ValueChange {
        let value = RecordValue(checked: json)
        if value.isNull { return .kept }
        guard let array = value.array else {
            return .failed("is \(value.kind) and not an array, so it cannot be joined")
        }
        var strings: [String] = []
        for element in array {
            guard let text = element.string, PropertyListTag.read(text) == nil else {
                return .failed("has \(element.kind) as an element, which is not a string, so it cannot be joined")
            }
            strings.append(text)
        }
        let text = strings.joined(separator: separator)
        guard elements(of: text).elementsEqual(strings, by: ExactName.isSame) else {
            return .failed(
                "cannot be joined: splitting the string would not give the same elements again, because one contains "
                    + "the separator, or the only one is empty"
            )
        }
        var bytes: [UInt8] = []
        JSONString.write(text, to: &bytes)
        return .new(bytes)
    }

    /// The elements of a string, found by the bytes of the separator.
    private func elements(of text: String) -> [String] {
        guard !text.isEmpty else { return [] }
        let (bytes, pattern) = (Array(text.utf8), separator.utf8)
        var elements: [String] = []
        var (start, index) = (0, 0)
        func append(_ end: Int) {
            let element = String(decoding: bytes[start..<end], as: UTF8.self)
            guard trims else { return elements.append(element) }
            // Scalars and not characters: a space and an accent after it are one character.
            var scalars = element.unicodeScalars.drop(while: \.properties.isWhitespace)
            while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
            if !scalars.isEmpty { elements.append(String(scalars)) }
        }
        while index + pattern.count <= bytes.count {
            if bytes.has(pattern, at: index) {
                append(index)
                index += pattern.count
                start = index
            } else {
                index += 1
            }
        }
        append(bytes.count)
        return elements
    }
}

extension [UInt8] {
    /// Whether a text is at a place, where there is room for it.
    @inline(__always)
    func has(_ text: some Sequence<UInt8>, at index: Int) -> Bool {
        var index = index
        for byte in text {
            if self[index] != byte { return false }
            index += 1
        }
        return true
    }
}
