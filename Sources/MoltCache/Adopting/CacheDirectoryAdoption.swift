internal import Foundation
internal import MoltCore

/// The work of the step that adopts a directory of Cache.
struct CacheDirectoryAdoption: Sendable {
    let store: CacheDirectoryStore
    let keys: CacheDirectory.Keys
    /// The kind of content in a key's file; the argument is the file's name when the key is not listed.
    let content: @Sendable (String) -> CacheDirectory.Content
    let existing: CacheDirectory.Existing
    let afterwards: CacheDirectory.Afterwards
    let isStrict: Bool

    /// The date that Cache sets for an entry that never expires: 2037-12-15T00:00:00Z, in seconds since 1970.
    private static let never = 2_144_448_000.0

    func run(_ migration: MigrationContext) throws {
        let session = try migration.attached(store)
        guard let names = session.names else {
            return migration.note(outcome(store.path, .absent, "there is no such directory"))
        }
        var files = Dictionary(grouping: names) { CacheDirectory.digest(ofFile: $0) }
        let foreign = files.removeValue(forKey: nil) ?? []
        var seen: Set<String> = []
        for key in keys.listed {
            let digest = CacheDirectory.digest(ofKey: key)
            guard seen.insert(digest).inserted else { continue }
            guard let names = files.removeValue(forKey: digest) else {
                migration.note(outcome(key, .absent))
                continue
            }
            try adopt(names, ofKey: key, migration, session)
        }
        for (_, names) in files.sorted(by: { $0.key ?? "" < $1.key ?? "" }) {
            try adopt(names, ofKey: nil, migration, session)
        }
        for name in foreign {
            migration.note(try leave(name, .notConvertible, "not a file name that Cache uses"))
        }
    }

    /// Adopts the file of a key; of several, the one that today's Cache reads.
    ///
    /// Up to version 5.0, Cache left the path extension out of the name, and later versions do not remove that file.
    ///
    /// - Parameters:
    ///   - names: The names with the key's digest, in order: one without an extension comes first.
    ///   - key: The key; nil when it is not listed.
    private func adopt(
        _ names: [String],
        ofKey key: String?,
        _ migration: MigrationContext,
        _ session: CacheDirectorySession
    ) throws {
        let exact = key.map { CacheDirectory.fileName(forKey: $0) }
        guard let current = names.first(where: { $0 == exact }) ?? names.last else { return }
        let outcome = try adopt(current, as: key, migration, session)
        // The counts are enough for files that were adopted by name, as requested; there may be many.
        let isExpected = [.adopted, .replaced].contains(outcome.outcome) && outcome.reason == nil
        if key != nil || !isExpected { migration.note(outcome) }
        for name in names where name != current {
            let reason = "the file \(name) is out of date: today's Cache reads \(current)"
            migration.note(self.outcome(key ?? name, .kept, reason))
        }
    }

    private func adopt(
        _ name: String,
        as key: String?,
        _ migration: MigrationContext,
        _ session: CacheDirectorySession
    ) throws -> KeyOutcome {
        try migration.checkCancellation()
        let path = session.path + "/" + name
        guard let file = CacheDirectoryFile(name: name, at: path) else {
            return try leave(key ?? name, .unreadable, "\(name) is not a file")
        }
        let expiration = Double(file.modified) / 1_000_000_000
        guard expiration > migration.now.timeIntervalSince1970 else { return outcome(key ?? name, .expired) }
        // The file stays in place, and the report names it.
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            return try leave(key ?? name, .unreadable, "the file \(name) cannot be read")
        }
        let end = expiration < Self.never ? Date(timeIntervalSince1970: expiration) : nil
        guard let record = record(Array(data), in: name, key, migration) else {
            return try leave(key ?? name, .notConvertible, "the file \(name) is not the text {\"object\": …}")
        }
        let outcome = try insert(record, until: end, migration)
        if afterwards == .remove, outcome != .kept { session.remove(file) }
        return self.outcome(record.key, outcome, key == nil && record.key == name ? unknownKey : nil)
    }

    /// The reason why a record has its file's name as its key, unless that was requested.
    private var unknownKey: String? {
        if keys.inValue != nil { return "its key cannot be taken from its value, so the key is the file's name" }
        return keys.listed.isEmpty ? nil : "its key is not listed, so the key is the file's name"
    }

    /// Returns the record of a file; nil when the data is not a value but has to be one.
    private func record(_ data: [UInt8], in name: String, _ key: String?, _ migration: MigrationContext) -> Record? {
        let content = content(key ?? name)
        guard let type = content.typeName,
            var record = migration.record(type, forKey: key ?? name, onlyValueOf: "object", in: data)
        else {
            return content.mayBeData
                ? migration.record(RecordTypeName.of(Data.self), forKey: key ?? name, data: data) : nil
        }
        // A key with another digest is not the one that Cache wrote the value under.
        if key == nil, let inValue = keys.inValue, let found = try? inValue(record),
            CacheDirectory.digest(ofKey: found) == CacheDirectory.digest(ofFile: name)
        {
            record.key = found
        }
        return record
    }

    private func insert(
        _ record: Record,
        until end: Date?,
        _ migration: MigrationContext
    ) throws -> KeyOutcome.Outcome {
        do {
            try migration.create(record, expiration: end)
            return .adopted
        } catch let error as MigrationError where error.code == .keyExists {
            guard existing == .replace else { return .kept }
            try migration.delete(record.key)
            try migration.create(record, expiration: end)
            return .replaced
        }
    }

    // MARK: Outcomes

    private func outcome(_ key: String, _ outcome: KeyOutcome.Outcome, _ reason: String? = nil) -> KeyOutcome {
        KeyOutcome(store: store.path, key: key, outcome: outcome, reason: reason)
    }

    /// Returns the outcome for a file that cannot be adopted.
    ///
    /// - Throws: ``MigrationError`` with the code `notConvertible` when the adoption is strict.
    private func leave(_ key: String, _ outcome: KeyOutcome.Outcome, _ reason: String) throws -> KeyOutcome {
        guard isStrict else { return self.outcome(key, outcome, reason) }
        var error = MigrationError(
            .notConvertible,
            "An entry of the Cache directory at \(store.path) cannot be adopted: \(reason). Repair or remove the file, "
                + "or adopt the directory without `strict`."
        )
        error.attachedStore = store.attachedName
        error.recordKey = key
        throw error
    }
}
