internal import Foundation
public import MoltCache
public import MoltCore
public import MoltDefaults

/// What an upgrade has made of a fixture.
public struct MigratedStore: Sendable {
    /// All that the store holds now.
    public let fixture: StoreFixture
    /// What the upgrade did.
    public let report: MigrationReport
    /// The coders that values are decoded with.
    let coding: RecordCoding

    /// The value under a key, or nil when there is none; one that has expired is there, too.
    ///
    /// - Throws: `DecodingError` when the content has another shape.
    public func value<Value: Decodable>(_ type: Value.Type = Value.self, forKey key: String) throws -> Value? {
        guard let content = fixture.record(forKey: key)?.content else { return nil }
        if content.isData, let data = Data(content.bytes) as? Value { return data }
        return try coding.decoder.decode(type, from: Data(content.bytes))
    }

    /// The record with a key as it is stored, or nil.
    public func record(forKey key: String) -> StoreFixture.Record? {
        fixture.record(forKey: key)
    }

    /// The value under a key of a suite, or nil.
    public func setting(_ key: String, in suite: Suite) -> PropertyListValue? {
        fixture.suites[suite]?[key]
    }

    /// The value of a typed key in a suite.
    public func setting<Value>(_ key: DefaultsKey<Value>, in suite: Suite) throws -> Value {
        try key.value(of: fixture.suites[suite]?[key.name])
    }
}

extension StoreFixture {
    /// Upgrades a copy of the store, and gives what became of it.
    ///
    /// ```swift
    /// let migrated = try StoreFixture(contentsOf: url).migrated(through: migrations)
    /// #expect(try migrated.value(Person.self, forKey: "john")?.firstName == "John")
    /// ```
    ///
    /// - Parameters:
    ///   - migrations: The registry of the app.
    ///   - version: Where to stop; nil for the registry's version.
    ///   - configuration: How the app opens its cache: its coders, what it attaches.
    /// - Throws: What opening the store throws.
    public func migrated(
        through migrations: MigrationRegistry,
        upTo version: Int? = nil,
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) throws -> MigratedStore {
        let entry = EntryPoint.all(for: primary)[0]
        let registry = version.map { migrations.upTo(version: $0) } ?? migrations
        let store = try TemporaryStore(self)
        let report = try store.upgradeNow(through: registry, by: entry, configuration: configuration)
        return MigratedStore(
            fixture: try store.contents(after: entry),
            report: report,
            coding: configuration.coding
        )
    }
}
