package import Foundation

extension JSONDecoder {
    /// Decodes text that comes from a file; no other code passes such text to Foundation unchecked.
    ///
    /// Foundation's decoder can end the process for text whose arrays and objects are nested deeper than 512.
    ///
    /// - Throws: The decoder's error, or `DecodingError` for such text.
    package func decode<Value: Decodable>(_ type: Value.Type, fromStored json: Data) throws -> Value {
        if Self.hasManyBrackets(json), let error = fault(in: [UInt8](json)) {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: error.description, underlyingError: error)
            )
        }
        return try decode(type, from: json)
    }

    /// Whether a text may be nested too deeply; few are, so nothing is copied.
    private static func hasManyBrackets(_ json: Data) -> Bool {
        guard json.count > JSONScanner.depthLimit else { return false }
        return json.withUnsafeBytes { $0.count { $0 == 0x5B || $0 == 0x7B } } > JSONScanner.depthLimit
    }

    /// Why a text with many brackets is not passed on; nil if it may be.
    private func fault(in json: [UInt8]) -> JSONSyntaxError? {
        guard allowsJSON5 else { return Record.check(json, depth: 0) }
        // Brackets in strings and comments count, too.
        var depth = 0
        for (offset, byte) in json.enumerated() {
            if byte == 0x5B || byte == 0x7B { depth += 1 }
            if byte == 0x5D || byte == 0x7D { depth -= 1 }
            if depth > JSONScanner.depthLimit { return JSONSyntaxError(reason: .tooDeep, offset: offset) }
        }
        return nil
    }
}
