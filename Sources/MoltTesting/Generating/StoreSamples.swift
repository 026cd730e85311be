internal import Foundation
public import MoltCore
public import MoltDefaults

/// Values of one type, or settings of one suite, that random ones are made from; see ``StoreGenerator``.
///
/// The samples decide what is possible: a property is left out only when one of them has none, and null only when it is
/// null in one of them. Texts, numbers and arrays become others of the same kind.
public struct StoreSamples: Sendable {
    /// What there are samples of.
    enum Subject: Hashable, Sendable {
        /// Records, by their type name.
        case type(String)
        /// A suite.
        case suite(Suite)
    }

    let subject: Subject
    var contents: [StoreFixture.Content] = []
    var settings: [[String: PropertyListValue]] = []
    /// Whether content is that of a value; nil when it is not known.
    var isDecodable: (@Sendable (StoreFixture.Content) -> Bool)?

    /// Values of a type that can still be decoded: whatever is drawn can be decoded as the type, too.
    ///
    /// A set is encoded in an order of its own in each run: avoid sets of more than one element in samples.
    ///
    /// - Parameters:
    ///   - typeName: The name that records have which were written as this type.
    ///   - values: At least one; the more they differ, the more is tried.
    ///   - coding: The coders that the app uses.
    /// - Throws: What encoding a value throws.
    public static func samples<Value: Codable & SendableMetatype>(
        of typeName: String,
        _ values: Value...,
        coding: RecordCoding = .standard
    ) throws -> StoreSamples {
        StoreSamples(
            subject: .type(typeName),
            contents: try values.map { try .encoding($0, with: coding) },
            isDecodable: decodable(Value.self, coding)
        )
    }

    /// Values of a type that can only be encoded.
    ///
    /// - Throws: What encoding a value throws.
    public static func samples<Value: Encodable>(
        of typeName: String,
        _ values: Value...,
        coding: RecordCoding = .standard
    ) throws -> StoreSamples {
        StoreSamples(
            subject: .type(typeName),
            contents: try values.map { try .encoding($0, with: coding) }
        )
    }

    /// Values as JSON text, of a type that is in the code no more.
    ///
    /// ```swift
    /// .json(of: "Alien", #"{"fullName":"Ada Lovelace"}"#, #"{"fullName":"Plato","born":null}"#)
    /// ```
    public static func json(of typeName: String, _ texts: String...) -> StoreSamples {
        StoreSamples(subject: .type(typeName), contents: texts.map { .json($0) })
    }

    /// Values as JSON text, of a type that they can be decoded as: whatever is drawn can be decoded as it, too.
    public static func json<Value: Decodable & SendableMetatype>(
        of typeName: String,
        as type: Value.Type,
        _ texts: String...,
        coding: RecordCoding = .standard
    ) -> StoreSamples {
        StoreSamples(
            subject: .type(typeName),
            contents: texts.map { .json($0) },
            isDecodable: decodable(type, coding)
        )
    }

    /// The records of a type that a fixture has.
    public static func records(of typeName: String, in fixture: StoreFixture) -> StoreSamples {
        StoreSamples(
            subject: .type(typeName),
            contents: fixture.records.filter { $0.typeName == typeName }.map(\.content)
        )
    }

    /// The records of a type that a fixture has, and a type that they can be decoded as.
    public static func records<Value: Decodable & SendableMetatype>(
        of typeName: String,
        as type: Value.Type,
        in fixture: StoreFixture,
        coding: RecordCoding = .standard
    ) -> StoreSamples {
        var samples = records(of: typeName, in: fixture)
        samples.isDecodable = decodable(type, coding)
        return samples
    }

    /// The settings of a suite, as they may be found together.
    ///
    /// ```swift
    /// .settings(of: .standard, ["theme": "dark", "fontSize": 13], ["theme": "light"])
    /// ```
    public static func settings(of suite: Suite, _ settings: [String: PropertyListValue]...) -> StoreSamples {
        StoreSamples(subject: .suite(suite), settings: settings)
    }

    private static func decodable<Value: Decodable & SendableMetatype>(
        _ type: Value.Type,
        _ coding: RecordCoding
    ) -> @Sendable (StoreFixture.Content) -> Bool {
        { content in
            if content.isData { return Value.self == Data.self }
            // Whether it throws is the answer.
            return (try? coding.decoder.decode(Value.self, from: Data(content.bytes))) != nil
        }
    }
}
