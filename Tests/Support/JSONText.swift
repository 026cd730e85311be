import Foundation
package import Testing

/// A value as JSON text, with its names in order.
package func sortedJSON(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// Expects that a text is decoded and encoded again as it was, and that it is refused without any of its members and
/// with any of them of a wrong type.
///
/// - Parameters:
///   - text: A JSON object with sorted names.
///   - optional: The members that may be missing.
///   - unchecked: The members that others need, in a way that the test checks itself.
package func expectCoding<Value: Codable>(
    _ text: String,
    as type: Value.Type,
    optional: Set<String> = [],
    unchecked: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try sortedJSON(JSONDecoder().decode(type, from: Data(text.utf8))) == text, sourceLocation: sourceLocation)
    let members = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    func decode(_ change: (inout [String: Any]) -> Void) throws {
        var members = members
        change(&members)
        _ = try JSONDecoder().decode(type, from: JSONSerialization.data(withJSONObject: members))
    }
    try decode { $0["of a later release"] = 1 }
    for name in members.keys.sorted() where !unchecked.contains(name) {
        let isOptional = optional.contains(name)
        for change: (inout [String: Any]) -> Void in [{ $0[name] = nil }, { $0[name] = NSNull() }] where isOptional {
            try decode(change)
        }
        let missing = isOptional ? nil : #expect(throws: DecodingError.self) { try decode { $0[name] = nil } }
        if case .keyNotFound(let key, let context)? = missing {
            #expect(key.stringValue == name && context.codingPath.isEmpty, sourceLocation: sourceLocation)
        } else if let missing {
            Issue.record("\(name): \(missing)", sourceLocation: sourceLocation)
        }
        // No member may be either of the two.
        let wrong = members[name] is [String: Any] ? [1] as Any : ["a": ["b": [Int]()]] as Any
        let mismatch = #expect(throws: DecodingError.self) { try decode { $0[name] = wrong } }
        if case .typeMismatch(_, let context)? = mismatch {
            #expect(context.codingPath.first?.stringValue == name, sourceLocation: sourceLocation)
        } else if let mismatch {
            Issue.record("\(name): \(mismatch)", sourceLocation: sourceLocation)
        }
    }
}
