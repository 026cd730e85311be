public import Foundation

extension CodableCache {
    /// A key that a record lost in an upgrade, which dropped the record or gave it another key.
    public struct DroppedKey: Equatable, Sendable {
        /// Its place among all keys that records of this store lost in upgrades; later ones have greater numbers.
        public package(set) var position: Int64
        /// The key that the record had before the upgrade.
        public package(set) var key: String
        /// The stored type name of the record before the first step of the upgrade in which it lost the key.
        public package(set) var typeName: String
        /// The record's key after the upgrade; nil if the record was dropped.
        ///
        /// The record may have lost that one in a later upgrade, too; it then comes later in the list.
        public package(set) var newKey: String?
        /// The schema version of the migration in which the record lost the key; that of the store if it ran late.
        public package(set) var version: Int
        /// The time of the upgrade, by ``MoltConfiguration/now``.
        public package(set) var date: Date
    }

    /// Calls a closure with each key that a record lost in an upgrade.
    ///
    /// Use it in an app that synchronizes its records, together with ``keys(changedSince:of:_:)``:
    ///
    /// ```swift
    /// configuration.droppedKeyLifetime = .seconds(90 * 86_400)
    /// let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
    /// try cache.droppedKeys(after: synchronized) { dropped in
    ///     print("\(dropped.key) \(dropped.newKey.map { "is now \($0)" } ?? "is gone")")
    ///     synchronized = dropped.position
    /// }
    /// ```
    ///
    /// The position is the place to go on from. A schema version is not: migrations on read, late migrations and
    /// retries of records in quarantine change keys while the store has its version.
    ///
    /// These are the keys of records that a step dropped, deleted, merged into another record or handed over, that a
    /// failure policy dropped, or that got another key. Not included are:
    ///
    /// - keys that have a value again;
    /// - records in quarantine, until a retry drops them or gives them other keys;
    /// - records that have expired, that the app has removed, or that the same upgrade created;
    /// - records of an erased type: their keys are erased, too, also those that they lost in earlier upgrades;
    /// - what an import does; it replaces or adds values as the app does;
    /// - upgrades without ``MoltConfiguration/droppedKeyLifetime``, and keys that are older.
    ///
    /// The keys are in the file. A backup has those of its time, and a salvaged file has none: after it was put in its
    /// place, compare all keys. Only a part of them is in memory at a time.
    ///
    /// - Parameters:
    ///   - position: The ``DroppedKey/position`` of the last key that the app has seen; 0, the default, for all.
    ///   - typeName: The stored type name of the records, as it was then; by default, keys of all types.
    ///   - body: Receives a key, in the order of the upgrades. It may use the cache.
    /// - Throws: The error of `body`; ``MoltError``, also with the code `storeChanged`, or with `needsMigration` for a
    ///   cache that reads an older file.
    public func droppedKeys(
        after position: Int64 = 0,
        ofType typeName: String? = nil,
        _ body: (_ dropped: DroppedKey) throws -> Void
    ) throws {
        try checkIsUpgraded(toKnow: "which keys the upgrade would drop")
        let last = try core.read { try DroppedKeyTable(of: $0.connection)?.lastID() ?? 0 }
        var position = position
        while position < last {
            let page = try core.read { [position] session in
                try DroppedKeyTable(of: session.connection)?
                    .keys(ofType: typeName, after: position, through: last, now: session.now)
                    .map { DroppedKey($0) } ?? []
            }
            guard let end = page.last else { return }
            for dropped in page { try body(dropped) }
            position = end.position
        }
    }
}

extension CodableCache.DroppedKey: CustomStringConvertible {
    /// The type name, the key and the new one, such as `Person "john" → "jim" (version 3)`.
    public var description: String {
        ErrorSummary.oneLine("\(typeName) \"\(key)\" → \(newKey.map { "\"\($0)\"" } ?? "dropped") (version \(version))")
    }
}

extension CodableCache.DroppedKey {
    /// Reads a row of ``DroppedKeyTable/keys(ofType:after:through:now:)``.
    fileprivate init(_ row: Statement) {
        position = row.integer(0)
        key = row.text(1)
        typeName = row.text(2)
        newKey = row.isNull(3) ? nil : row.text(3)
        version = Int(clamping: row.integer(4))
        date = Date(timeIntervalSince1970: row.real(5) ?? 0)
    }
}
