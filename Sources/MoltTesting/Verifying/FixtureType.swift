internal import Foundation
internal import Molt

/// A current type of the app, for decoding records after an upgrade.
public struct FixtureType: Sendable {
    /// The type name of records.
    public let name: String
    /// The problem with decoding a content; nil if there is none.
    let problem: @Sendable (StoreFixture.Content, RecordCoding) -> String?
    /// The shape of a decoded content; nil if it cannot be decoded or the type cannot be encoded.
    let shape: @Sendable (StoreFixture.Content, RecordCoding) -> TypeShape?
    /// The values that `verify` records; nil for none.
    private(set) var samples: TypeSamples?

    /// Creates a fixture type with the name that a cache writes the type's values under.
    ///
    /// The types are also decoded on other threads. In a module whose default isolation is the main actor, declare the
    /// model `nonisolated`: `nonisolated struct Person: Codable`. An error that the app's own code throws while it
    /// decodes is printed whole in a failure, and may contain values.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - name: Another name; that of `RecordTypeName` by default.
    public static func type<Value: Decodable & SendableMetatype>(_ type: Value.Type, named name: String? = nil)
        -> FixtureType
    {
        FixtureType(name: name ?? RecordTypeName.of(type)) { content, coding in
            let data = Data(content.bytes)
            if content.isData, data is Value { return nil }
            do {
                _ = try coding.decoder.decode(Value.self, fromStored: data)
                return nil
            } catch let error as DecodingError {
                return CodingProblem(error, decoding: Value.self, from: content.bytes).text()
            } catch {
                return String(describing: error)
            }
        } shape: { content, coding in
            // A content that cannot be decoded is a failure already.
            let value = try? coding.decoder.decode(Value.self, fromStored: Data(content.bytes))
            return (value as? any Encodable).map { TypeShape.of($0, coding: coding) }
        }
    }

    /// Creates a fixture type with samples: values that the app could store today.
    ///
    /// ```swift
    /// .type(Person.self, samples: ["ada": Person(firstName: "Ada", lastName: "Lovelace")])
    /// ```
    ///
    /// `FixtureCatalog.verify` sets them in a new cache, and records it as the fixture of this release. It also records
    /// the properties of the type, and fails when they change without a new version.
    ///
    /// Properties are seen in values only: give one sample with all optionals set and all arrays and dictionaries
    /// filled, and one for each enum case with associated values. Set the same values in each run, without the clock,
    /// random numbers, or sets of several elements, whose order changes from run to run.
    ///
    /// - Parameters:
    ///   - type: The type. Raw data can have samples, too.
    ///   - name: Another name; that under which a cache writes the type's values by default. With it, a model of an old
    ///     release, such as `V1.Contact`, can stand for records that have today's type `Person`.
    ///   - samples: The values by their keys. No other type may have a sample with the same key.
    public static func type<Value: Codable & SendableMetatype>(
        _ type: Value.Type,
        named name: String? = nil,
        samples: sending [String: Value]
    ) -> FixtureType {
        var fixtureType = FixtureType.type(type, named: name)
        fixtureType.samples = TypeSamples(samples)
        return fixtureType
    }
}

/// Decodes every record of an upgraded store as the app's current type, and looks for steps that the type contradicts.
struct RecordReading {
    private(set) var failures = FailureList()

    /// - Parameters:
    ///   - newest: The newest version, which may not have shipped yet.
    ///   - name: The fixture's file or name.
    init(
        _ store: StoreFixture,
        _ types: [FixtureType],
        _ migrations: MigrationRegistry,
        newest: Int,
        name: String
    ) {
        let coding = migrations.coding
        let typesByName = Dictionary(types.map { ($0.name, $0) }) { $1 }
        let stepsOnElements = typesByName.mapValues { migrations.stepsOnElements(of: $0.name, newest: newest) }
        var stepsOnKeys: Set<String> = []
        var unknown: [String: [String]] = [:]
        for record in store.records {
            guard let type = typesByName[record.typeName] else {
                let isRawData = record.content.isData && record.typeName == RecordTypeName.of(Data.self)
                if !isRawData { unknown[record.typeName, default: []].append(Shown.key(record.key)) }
                continue
            }
            if let problem = type.problem(record.content, coding) {
                let location = "\(Shown.key(record.key)) cannot be read as \(record.typeName)"
                failures.add(.decoding, name, "\(location): \(problem)")
            }
            let steps = stepsOnElements[record.typeName] ?? []
            if !steps.isEmpty, !record.content.isData, let shape = type.shape(record.content, coding) {
                stepsOnKeys.formUnion(steps.warningsAboutDictionaryKeys(shape, in: record.content.bytes))
            }
        }
        for step in stepsOnKeys.sorted() { failures.add(.keysAsElements, "registry", step) }
        for (type, keys) in unknown.sorted(by: { $0.key < $1.key }) {
            failures.add(
                .unknownType,
                name,
                "after the upgrade there are records of type \(type) (\(Shown.some(keys))), which is not among the types that were "
                    + "given. Add `.type(\(type).self)`, or a migration that renames or deletes the type."
            )
        }
    }
}
