internal import Foundation
public import Molt

/// A fixture after an upgrade.
public struct MigratedStore: Sendable {
    /// The content of the upgraded store.
    public let fixture: StoreFixture
    /// The report of the upgrade.
    public let report: MigrationReport
    let coding: RecordCoding

    /// The value under a key, even if it has expired; nil if there is none.
    ///
    /// - Throws: `DecodingError` if the content does not match the type.
    public func value<Value: Decodable>(_ type: Value.Type = Value.self, forKey key: String) throws -> Value? {
        guard let content = fixture.record(forKey: key)?.content else { return nil }
        if content.isData, let data = Data(content.bytes) as? Value { return data }
        return try coding.decoder.decode(type, fromStored: Data(content.bytes))
    }

    /// The stored record of a key; nil if there is none.
    public func record(forKey key: String) -> StoreFixture.Record? {
        fixture.record(forKey: key)
    }

    /// The value under a key of a suite; nil if there is none.
    public func setting(_ key: String, in suite: Suite) -> PropertyListValue? {
        fixture.suites[suite]?[key]
    }

    /// The value of a typed key in a suite; its default if nothing is set.
    ///
    /// - Throws: `MoltError` with the code `typeMismatch` if the stored value cannot be read as the key's type.
    public func setting<Value>(_ key: SettingKey<Value>, in suite: Suite) throws -> Value {
        try key.value(of: fixture.suites[suite]?[key.name])
    }
}

extension StoreFixture {
    /// Upgrades a copy of the store and returns the result.
    ///
    /// The migrations up to the store's version count as applied if its ledger is empty, unless the registry has a
    /// baseline of its own. A store that is written by hand in the form of a version can therefore test one later
    /// migration alone.
    ///
    /// ```swift
    /// let migrated = try StoreFixture(contentsOf: url).migrated(through: migrations)
    /// #expect(try migrated.value(Person.self, forKey: "john")?.firstName == "John")
    /// ```
    ///
    /// - Parameters:
    ///   - migrations: The app's registry.
    ///   - version: The version to stop at; nil for the registry's version.
    ///   - configuration: The app's configuration of its cache, with its coders and suites.
    /// - Throws: The errors of opening the store.
    public func migrated(
        through migrations: MigrationRegistry,
        upTo version: Int? = nil,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> MigratedStore {
        let entry = EntryPoint.all(for: primary)[0]
        let registry = addingBaseline(to: version.map { migrations.upTo(version: $0) } ?? migrations)
        let store = try TemporaryStore(self)
        let report = try store.upgradeNow(through: registry, by: entry, configuration: configuration)
        return MigratedStore(
            fixture: try store.contents(after: entry),
            report: report,
            coding: registry.coding
        )
    }
}
