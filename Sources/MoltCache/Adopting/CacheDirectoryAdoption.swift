internal import Foundation
internal import MoltCore

/// The work of the step that adopts a directory of Cache.
struct CacheDirectoryAdoption: Sendable {
    let store: CacheDirectoryStore
    let keys: CacheDirectory.Keys
    /// The kind of content in a key's file; the argument is the file's name when the key is unknown.
    let content: @Sendable (String) -> CacheDirectory.Content
    let existing: CacheDirectory.Existing
    let afterwards: CacheDirectory.Afterwards
    let isStrict: Bool
    let now: @Sendable () -> Date

    /// The date that Cache sets for an entry that never expires: 2037-12-15T00:00:00Z, in seconds since 1970.
    private static let never = 2_144_448_000.0

    func run(_ migration: MigrationContext) throws {
        let session = try migration.attached(store)
        guard let names = session.names else {
            return migration.note(outcome(store.path, .absent, "there is no such directory"))
        }
        var files = Dictionary(grouping: names) { CacheFileName.digest(ofFile: $0) }
        let foreign = files.removeValue(forKey: nil) ?? []
        var seen: Set<String> = []
        for key in keys.known {
            let digest = key.digest
            guard seen.insert(digest).inserted else { continue }
            guard let names = files.removeValue(forKey: digest) else {
                migration.note(outcome(key.text, .absent))
                continue
            }
            // Usually one: Cache appends only the key's path extension to the digest.
            for name in names {
                migration.note(try adopt(name, as: key.text, migration, session))
            }
        }
        guard keys.takesFileNames else { return }
        for digest in files.keys.compactMap(\.self).sorted() {
            for name in files[digest] ?? [] {
                try adoptByFileName(name, digest, migration, session)
            }
        }
        for name in foreign {
            migration.note(try leave(name, .notConvertible, "not a file name that Cache uses"))
        }
    }

    /// Adopts a file whose key is unknown.
    private func adoptByFileName(
        _ name: String,
        _ digest: String,
        _ migration: MigrationContext,
        _ session: CacheDirectorySession
    ) throws {
        let outcome = try adopt(name, as: name, migration, session)
        // The counts are enough for adopted files; only the others are noted one by one.
        guard outcome.outcome == .adopted || outcome.outcome == .replaced else { return migration.note(outcome) }
        let isCache = try migration.withTransaction(CacheTransaction.self) { transaction in
            try transaction.awaitKey(ofFile: name, digest: digest)
        }
        guard isCache else {
            throw store.failure(
                "Adopting files with unknown keys requires a CodableCache. List the keys."
            )
        }
    }

    private func adopt(
        _ name: String,
        as key: String,
        _ migration: MigrationContext,
        _ session: CacheDirectorySession
    ) throws -> KeyOutcome {
        try migration.checkCancellation()
        let path = session.path + "/" + name
        guard let file = CacheDirectoryFile(name: name, at: path) else {
            return try leave(key, .unreadable, "\(name) is not a file")
        }
        let expiration = Double(file.modified) / 1_000_000_000
        guard expiration > now().timeIntervalSince1970 else { return outcome(key, .expired) }
        // The file stays in place, and the report names it.
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            return try leave(key, .unreadable, "the file \(name) cannot be read")
        }
        let end = expiration < Self.never ? Date(timeIntervalSince1970: expiration) : nil
        guard let outcome = try insert(data, key, until: end, migration) else {
            return try leave(key, .notConvertible, "the file \(name) is not the text {\"object\": …}")
        }
        if afterwards == .remove, outcome != .kept { session.remove(file) }
        return self.outcome(key, outcome)
    }

    /// Creates the record and returns the outcome; nil when the data is not a value but has to be one.
    private func insert(
        _ data: Data,
        _ key: String,
        until end: Date?,
        _ migration: MigrationContext
    ) throws -> KeyOutcome.Outcome? {
        let content = content(key)
        let create = {
            if let type = content.typeName,
                try migration.create(type, forKey: key, onlyValueOf: "object", in: Array(data), expiration: end)
            {
                return true
            }
            guard content.mayBeData else { return false }
            try migration.create(RecordTypeName.of(Data.self), forKey: key, data, expiration: end)
            return true
        }
        do {
            return try create() ? .adopted : nil
        } catch let error as MigrationError where error.code == .keyExists {
            guard existing == .replace else { return .kept }
            try migration.delete(key)
            return try create() ? .replaced : nil
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
