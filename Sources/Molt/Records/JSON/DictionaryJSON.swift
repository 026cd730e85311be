/// The JSON of a dictionary: an object, or an array in which keys and values alternate.
///
/// Codable writes such an array if the keys are neither strings nor integers nor `CodingKeyRepresentable`.
struct DictionaryJSON {
    struct Pair {
        /// A string with its quotes, in an object always; in an array any value.
        var key: [UInt8]
        var value: [UInt8]
        /// Where the two are in the original bytes.
        fileprivate let keyRange: Range<Int>
        fileprivate let valueRange: Range<Int>

        init(_ key: JSONPart, _ value: JSONPart) {
            (self.key, self.value) = (key.utf8, value.utf8)
            keyRange = key.offset..<key.offset + self.key.count
            valueRange = value.offset..<value.offset + self.value.count
        }
    }

    /// Why a value is not a dictionary, or cannot be changed; the text follows the property's name.
    struct Problem: Error {
        var text: String
        var advice: String?

        static var hasDuplicates: Problem { Problem(text: "has two entries with the same key, or would have them") }
    }

    let isObject: Bool
    private let bytes: [UInt8]
    let pairs: [Pair]

    /// Reads a value that was checked with its record.
    init(_ json: some Collection<UInt8>) throws(Problem) {
        bytes = Array(json)
        guard let part = try? JSONPart(bytes) else { throw Problem(text: "is not JSON") }
        isObject = part.kind == .object
        if let members = part.members {
            pairs = members.map { Pair($0, $1) }
        } else if let elements = part.elements {
            guard elements.count.isMultiple(of: 2) else {
                throw Problem(text: "has an odd number of elements, so keys and values do not alternate in it")
            }
            pairs = stride(from: 0, to: elements.count, by: 2).map { Pair(elements[$0], elements[$0 + 1]) }
        } else {
            throw Problem(text: "is neither an object nor an array")
        }
    }

    /// Changes a dictionary; null stays null.
    static func change(
        _ json: UnsafeBufferPointer<UInt8>,
        _ body: (DictionaryJSON) throws(Problem) -> ValueChange
    ) -> ValueChange {
        if json.elementsEqual("null".utf8) { return .kept }
        do throws(Problem) {
            return try body(DictionaryJSON(json))
        } catch {
            return .failed(error.text, advice: error.advice)
        }
    }

    /// A key as the name of a property, with its JSON.
    static func name(_ key: [UInt8]) throws(Problem) -> (text: String, json: [UInt8]) {
        let value = key.withUnsafeBufferPointer { RecordValue(checked: $0) }
        switch value {
        case .string(let text) where PropertyListTag.read(text) == nil: return (text, key)
        case .number(let number) where number.isInteger: return (number.text, Array("\"\(number.text)\"".utf8))
        default: throw Problem(text: "has \(value.kind) as a key, which is neither a string nor an integer")
        }
    }

    /// Whether two entries have one key.
    var hasDuplicates: Bool {
        // Strings and numbers are equal if their bytes are, and the properties of an object have no order.
        var keys: Set<ExactName> = []
        return pairs.contains { pair in
            let json = try? RecordValue(json: pair.key).sorted.json()
            return !keys.insert(ExactName(String(decoding: json ?? pair.key, as: UTF8.self))).inserted
        }
    }

    /// Changes or removes entries.
    ///
    /// White space stays, and an entry keeps the comma before it.
    ///
    /// - Parameter body: Returns the entry with another key or value, or nil to remove it.
    /// - Returns: The JSON; nil if nothing was changed.
    func changing(_ body: (Pair) throws(Problem) -> Pair?) throws(Problem) -> [UInt8]? {
        guard let first = pairs.first, let last = pairs.last else { return nil }
        var json = Array(bytes[..<first.keyRange.lowerBound])
        let opening = json.count
        var isChanged = false
        // Where the entry before ends.
        var end = first.keyRange.lowerBound
        for pair in pairs {
            if let new = try body(pair) {
                if json.count > opening { json += bytes[end..<pair.keyRange.lowerBound] }
                json += new.key + bytes[pair.keyRange.upperBound..<pair.valueRange.lowerBound] + new.value
                isChanged = isChanged || new.key != pair.key || new.value != pair.value
            } else {
                isChanged = true
            }
            end = pair.valueRange.upperBound
        }
        guard isChanged else { return nil }
        if json.count == opening { return Array((isObject ? "{}" : "[]").utf8) }
        return json + bytes[last.valueRange.upperBound...]
    }
}
