package import Foundation

extension JSONEncoder {
    /// Creates an encoder of what Molt itself writes.
    convenience init(_ formatting: OutputFormatting) {
        self.init()
        outputFormatting = formatting
    }
}

extension JSONDecoder {
    /// Decodes text that comes from a file; no other code passes such text to Foundation unchecked.
    ///
    /// Foundation's decoder can end the process for text whose arrays and objects are nested deeper than 512.
    ///
    /// - Throws: The decoder's error, or `DecodingError` for such text.
    package func decode<Value: Decodable>(_ type: Value.Type, fromStored json: Data) throws -> Value {
        // Few texts are long enough to be nested too deeply.
        if json.count > JSONScanner.depthLimit,
            let error = json.withUnsafeBytes({ fault(in: $0.bindMemory(to: UInt8.self)) })
        {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: error.description, underlyingError: error)
            )
        }
        return try decode(type, from: json)
    }

    /// Why a text with many brackets is not passed on; nil if it may be.
    private func fault(in json: UnsafeBufferPointer<UInt8>) -> JSONSyntaxError? {
        guard json.count(where: { $0 == 0x5B || $0 == 0x7B }) > JSONScanner.depthLimit else { return nil }
        guard allowsJSON5 else { return JSONScanner.fault(in: json) }
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
