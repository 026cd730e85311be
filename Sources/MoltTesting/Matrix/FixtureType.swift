internal import Foundation
internal import MoltCore

/// A current type of the app, for decoding records after an upgrade.
public struct FixtureType: Sendable {
    /// The type name of records.
    public let name: String
    private let decode: @Sendable (StoreFixture.Content, RecordCoding) throws -> Void

    /// Creates a fixture type with the name that a cache writes the type's values under.
    ///
    /// The types are also decoded on other threads. In a module whose default isolation is the main actor, declare the
    /// model `nonisolated`: `nonisolated struct Person: Codable`.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - name: Another name; that of `RecordTypeName` by default.
    public static func type<Value: Decodable & SendableMetatype>(_ type: Value.Type, named name: String? = nil)
        -> FixtureType
    {
        FixtureType(name: name ?? RecordTypeName.of(type)) { content, coding in
            let data = Data(content.bytes)
            if content.isData, data is Value { return }
            _ = try coding.decoder.decode(Value.self, from: data)
        }
    }

    func check(_ content: StoreFixture.Content, _ coding: RecordCoding) throws {
        try decode(content, coding)
    }
}

extension FixtureType {
    /// The message of a decoding error with its place; it shows keys, because fixtures contain no user data.
    static func summary(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return String(describing: error) }
        switch error {
        case .keyNotFound(let key, let context):
            return "there is no property \"\(key.stringValue)\"" + place(context.codingPath)
        case .typeMismatch(let type, let context):
            return "no \(type)" + place(context.codingPath) + explanation(context)
        case .valueNotFound(let type, let context):
            return "null where a \(type) is expected" + place(context.codingPath)
        case .dataCorrupted(let context):
            return "not readable" + place(context.codingPath) + explanation(context)
        @unknown default:
            return String(describing: error)
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "" }
        let text = path.map { key in
            key.intValue.map { "[\($0)]" } ?? Shown.property(key.stringValue)
        }
        .joined()
        return " at \(text.hasPrefix(".") ? String(text.dropFirst()) : text)"
    }

    private static func explanation(_ context: DecodingError.Context) -> String {
        context.debugDescription.isEmpty ? "" : " (\(Shown.oneLine(context.debugDescription)))"
    }
}

/// Decodes every record of an upgraded store as the app's current type.
struct TypeCheck {
    private(set) var failures = FailureList()

    /// - Parameter name: The fixture's file or name.
    init(_ store: StoreFixture, _ types: [FixtureType], _ coding: RecordCoding, name: String) {
        let known = Dictionary(types.map { ($0.name, $0) }) { $1 }
        var unknown: [String: [String]] = [:]
        for record in store.records {
            guard let type = known[record.typeName] else {
                let isRawData = record.content.isData && record.typeName == RecordTypeName.of(Data.self)
                if !isRawData { unknown[record.typeName, default: []].append(Shown.key(record.key)) }
                continue
            }
            do {
                try type.check(record.content, coding)
            } catch {
                failures.add(
                    .decoding,
                    name,
                    "\(Shown.key(record.key)) cannot be read as \(record.typeName): \(FixtureType.summary(of: error))"
                )
            }
        }
        for (type, keys) in unknown.sorted(by: { $0.key < $1.key }) {
            let some = keys.prefix(3).joined(separator: ", ") + (keys.count > 3 ? ", …" : "")
            failures.add(
                .unknownType,
                name,
                "after the upgrade there are records of type \(type) (\(some)), which is not among the types that were "
                    + "given. Add `.type(\(type).self)`, or a migration that renames or deletes the type."
            )
        }
    }
}
