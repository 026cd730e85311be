package import Molt
package import Testing

extension Record {
    /// The stored content as a string.
    package var text: String {
        String(decoding: storedBytes, as: UTF8.self)
    }

    package var storedBytes: [UInt8] {
        var bytes: [UInt8] = []
        writeContent(to: &bytes)
        return bytes
    }

    /// Creates a record from JSON text, with the key `ada` and the type `Person`.
    package init(_ json: String, coding: RecordCoding = .standard) throws {
        try self.init(key: "ada", typeName: "Person", json: json.utf8, coding: coding)
    }
}

/// Expects the text of a record after a change.
package func expectChanged(
    _ json: String,
    to expected: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout Record) throws -> Void
) throws {
    var record = try Record(json)
    try change(&record)
    #expect(record.text == expected, sourceLocation: sourceLocation)
}

/// Expects that a change is refused with an error that names the record and no value, and that nothing is changed.
///
/// - Parameters:
///   - property: The property that the error must name; nil for any.
///   - canary: A text of the record that no description of the error may contain.
package func expectRefused(
    _ json: String,
    _ code: MoltError.Code,
    _ property: String? = nil,
    says words: String = "",
    canary: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout Record) throws -> Void
) throws {
    var record = try Record(json)
    let error = #expect(throws: MoltError.self, "\(json)", sourceLocation: sourceLocation) { try change(&record) }
    guard let error else { return }
    #expect(error.code == code, "\(json)", sourceLocation: sourceLocation)
    #expect(error.property == property ?? error.property, "\(json)", sourceLocation: sourceLocation)
    #expect([error.key, error.type] == ["ada", "Person"], sourceLocation: sourceLocation)
    #expect(error.message.contains(words), "\(error.message)", sourceLocation: sourceLocation)
    if let canary { #expect(!error.debugDescription.contains(canary), sourceLocation: sourceLocation) }
    #expect(record.text == json, sourceLocation: sourceLocation)
}
