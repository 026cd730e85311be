import Generators
import Molt
import Testing

/// A random change to a record.
enum RecordChange: Sendable {
    /// Sets a property, or removes it if the value is nil.
    case set(PropertyPath, RecordValue?)
    /// Renames a property if it exists and the new name is free.
    case rename(PropertyPath, String)
    /// Sets a property that is missing or null.
    case setIfMissing(PropertyPath, RecordValue)

    /// A random change to one of the names that random objects have.
    static func random(
        _ options: RandomObject.Options = RandomObject.Options(),
        using generator: inout SeededGenerator
    ) throws -> RecordChange {
        let length = generator.pick([1, 1, 1, 1, 2, 2, 3])
        let path = PropertyPath((0..<length).map { _ in RandomObject.name(options, &generator) })
        switch Int.random(in: 0..<7, using: &generator) {
        case 0, 1:
            return .set(path, nil)
        case 2, 3:
            return .rename(path, RandomObject.name(options, &generator))
        case 4:
            return .setIfMissing(path, try value(options, &generator))
        default:
            return .set(path, try value(options, &generator))
        }
    }

    private static func value(
        _ options: RandomObject.Options,
        _ generator: inout SeededGenerator
    ) throws -> RecordValue {
        try RecordValue(json: RandomObject.value(options, depth: 3, &generator).utf8)
    }

    /// Makes the change; an impossible change leaves the record unchanged.
    func make(in record: inout Record) throws {
        switch self {
        case .set(let path, let value):
            record[path] = value
        case .rename(let path, let newName):
            try? record.rename(path, to: newName, ifMissing: .skip)
        case .setIfMissing(let path, let value):
            try? record.setIfMissing(path, to: value.json(), createsObjects: true)
        }
    }
}

extension Record {
    /// The stored content as a string.
    var text: String {
        String(decoding: storedBytes, as: UTF8.self)
    }

    var storedBytes: [UInt8] {
        var bytes: [UInt8] = []
        writeContent(to: &bytes)
        return bytes
    }

    /// Creates a record from JSON text, with the key `ada` and the type `Person`.
    init(_ json: String, coding: RecordCoding = .standard) throws {
        try self.init(key: "ada", typeName: "Person", json: json.utf8, coding: coding)
    }
}

/// Expects the text of a record after a change.
func expectChanged(
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
func expectRefused(
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
