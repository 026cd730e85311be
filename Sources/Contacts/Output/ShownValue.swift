internal import Foundation
internal import Molt

/// A value as it is shown before and after an upgrade: its type and its properties.
package struct ShownValue: CustomStringConvertible, Sendable {
    private let typeName: String
    private let json: String
    /// Each property with its path and its value, as in `address.city: "London"`.
    private let properties: [String]

    /// Takes a value apart.
    ///
    /// - Throws: What encoding throws.
    package init<Value: Encodable>(_ value: Value) throws {
        typeName = RecordTypeName.of(Value.self)
        let bytes = try RecordCoding.standard.encoder.encode(value)
        json = String(decoding: bytes, as: UTF8.self)
        properties = try Self.properties(of: try RecordValue(json: bytes), path: [])
    }

    /// The type's name and the JSON text, in one line.
    package var description: String { "\(typeName) \(json)" }

    /// The type's name and the properties, in as few lines as there is room for; the text is to be read, not parsed.
    ///
    /// - Parameters:
    ///   - label: What the first line begins with; the others begin where it ends.
    ///   - columns: How long a line may be. A property that is longer has a line of its own.
    package func lines(label: String, columns: Int) -> [String] {
        let indent = String(repeating: " ", count: label.count)
        var lines = [label + typeName]
        for (index, property) in properties.enumerated() {
            let text = (index == 0 ? "{" : "") + property + (index == properties.count - 1 ? "}" : ",")
            if lines[lines.count - 1].count + 1 + text.count <= columns {
                lines[lines.count - 1] += " " + text
            } else {
                lines.append(indent + text)
            }
        }
        return lines
    }

    private static func properties(of value: RecordValue, path: [String]) throws -> [String] {
        if let object = value.object, !object.properties.isEmpty {
            return try object.properties.flatMap { try properties(of: $0.value, path: path + [$0.name]) }
        }
        return ["\(path.joined(separator: ".")): \(String(decoding: try value.json(), as: UTF8.self))"]
    }
}
