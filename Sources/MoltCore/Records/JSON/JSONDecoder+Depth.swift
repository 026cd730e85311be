package import Foundation

extension JSONDecoder {
    /// Decodes text that comes from a file; no other code passes such text to Foundation unchecked.
    ///
    /// Foundation's decoder can end the process for text whose arrays and objects are nested deeper than 512.
    ///
    /// - Throws: The decoder's error, or `DecodingError` for such text.
    package func decode<Value: Decodable>(_ type: Value.Type, fromStored json: Data) throws -> Value {
        if Self.isTooDeep(json) {
            let error = JSONSyntaxError(reason: .tooDeep, offset: 0)
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: error.description, underlyingError: error)
            )
        }
        return try decode(type, from: json)
    }

    /// Whether brackets outside of strings are nested too deeply, in JSON or any other text.
    private static func isTooDeep(_ json: Data) -> Bool {
        guard json.count > JSONScanner.depthLimit else { return false }
        var (depth, isInString, isEscaped) = (0, false, false)
        return json.withUnsafeBytes { bytes in
            for byte in bytes {
                if isInString {
                    isInString = isEscaped || byte != 0x22
                    isEscaped = !isEscaped && byte == 0x5C
                    continue
                }
                switch byte {
                case 0x22: isInString = true
                case 0x5B, 0x7B:
                    depth += 1
                    if depth > JSONScanner.depthLimit { return true }
                case 0x5D, 0x7D: depth -= 1
                default: break
                }
            }
            return false
        }
    }
}
