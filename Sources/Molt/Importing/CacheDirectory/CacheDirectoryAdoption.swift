internal import Foundation

/// One run of the step that adopts a directory of Cache.
struct CacheDirectoryAdoption {
    let migration: MigrationContext
    let directory: AttachedDirectory
    let session: AttachedDirectory.Session
    let keys: CacheDirectory.Keys
    /// The kind of content in a key's file; the argument is the file's name when the key is not listed.
    let content: (String) -> CacheDirectory.Content
    let policy: ConflictPolicy<CacheDirectory>
    let removesSource: Bool
    let isStrict: Bool

    /// The date that Cache sets for an entry that never expires: 2037-12-15T00:00:00Z, in seconds since 1970.
    private static let never = 2_144_448_000.0

    func run() throws {
        guard let names = session.names else { return try note(directory.path, .absent, "there is no such directory") }
        var files = Dictionary(grouping: names) { CacheDirectory.digest(ofFile: $0) }
        let foreign = files.removeValue(forKey: nil) ?? []
        var seen: Set<String> = []
        for key in keys.listed {
            let digest = CacheDirectory.digest(ofKey: key)
            guard seen.insert(digest).inserted else { continue }
            if let names = files.removeValue(forKey: digest) {
                try adopt(names, ofKey: key)
            } else {
                try note(key, .absent)
            }
        }
        for (_, names) in files.ordered(by: { $0.key ?? "" < $1.key ?? "" }) { try adopt(names, ofKey: nil) }
        for name in foreign { try note(name, .notConvertible, "not a file name that Cache uses") }
    }

    /// Adopts the file of a key; of several, the one that today's Cache reads.
    ///
    /// Up to version 5.0, Cache left the path extension out of the name, and later versions do not remove that file.
    ///
    /// - Parameters:
    ///   - names: The names with the key's digest, in order: one without an extension comes first.
    ///   - key: The key; nil when it is not listed.
    private func adopt(_ names: [String], ofKey key: String?) throws {
        let exact = key.map { CacheDirectory.fileName(forKey: $0) }
        guard let current = names.first(where: { $0 == exact }) ?? names.last else { return }
        try adopt(current, as: key)
        for name in names where name != current {
            try note(key ?? name, .kept, "the file \(name) is out of date: today's Cache reads \(current)")
        }
    }

    private func adopt(_ name: String, as key: String?) throws {
        try migration.checkCancellation()
        let path = session.path + "/" + name
        guard let file = AttachedDirectory.File(name: name, at: path) else {
            return try note(key ?? name, .unreadable, "\(name) is not a file")
        }
        let expiration = Double(file.modified) / 1_000_000_000
        guard expiration > migration.now.timeIntervalSince1970 else { return try note(key ?? name, .expired) }
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            return try note(key ?? name, .unreadable, "the file \(name) cannot be read")
        }
        guard let record = record(Array(data), in: name, key) else {
            return try note(key ?? name, .notConvertible, "the file \(name) does not have the form {\"object\": …}")
        }
        let end = expiration < Self.never ? Date(timeIntervalSince1970: expiration) : nil
        let outcome = try insert(record, until: end)
        if removesSource, outcome != .kept { session.remove(file) }
        let reason = key == nil && record.key == name ? unknownKey : nil
        // The counts are enough for files that were adopted by name, as requested; there may be many.
        if key != nil || reason != nil || outcome == .kept { try note(record.key, outcome, reason) }
    }

    /// The reason why a record has its file's name as its key, unless that was requested.
    private var unknownKey: String? {
        if keys.inValue != nil { return "its key cannot be taken from its value, so the key is the file's name" }
        return keys.listed.isEmpty ? nil : "its key is not listed, so the key is the file's name"
    }

    /// Returns the record of a file; nil when the data is not a value but has to be one.
    private func record(_ data: [UInt8], in name: String, _ key: String?) -> Record? {
        let content = content(key ?? name)
        guard let type = content.typeName,
            var record = migration.record(type, forKey: key ?? name, onlyValueOf: "object", in: data)
        else {
            return content.mayBeData
                ? migration.record(RecordTypeName.of(Data.self), forKey: key ?? name, data: data) : nil
        }
        // A key with another digest is not the one that Cache wrote the value under.
        if key == nil, let found = try? keys.inValue?(record),
            CacheDirectory.digest(ofKey: found) == CacheDirectory.digest(ofFile: name)
        {
            record.key = found
        }
        return record
    }

    private func insert(_ record: Record, until end: Date?) throws -> MigrationReport.KeyOutcome.Outcome {
        do {
            try migration.create(record, expiration: end)
            return .adopted
        } catch let error as MoltError where error.code == .keyExists {
            switch policy.rule {
            case .fail, .merge, .newest, .newestSuite, .newestValue, .mergeImported: throw error
            case .keep: return .kept
            case .replace: break
            }
            try migration.delete(record.key)
            try migration.create(record, expiration: end)
            return .replaced
        }
    }

    /// Adds an outcome to the report.
    ///
    /// - Throws: ``MoltError`` with the code `notConvertible` for a file that a strict adoption cannot adopt.
    private func note(_ key: String, _ outcome: MigrationReport.KeyOutcome.Outcome, _ reason: String? = nil) throws {
        guard isStrict, let reason, [.unreadable, .notConvertible].contains(outcome) else {
            return migration.note(
                MigrationReport.KeyOutcome(store: directory.path, key: key, outcome: outcome, reason: reason)
            )
        }
        throw MoltError(
            .notConvertible,
            "An entry of the Cache directory at \(directory.path) cannot be adopted: \(reason).",
            advice: "Repair or remove the file, or adopt the directory without `strict`.",
            suite: directory.name,
            key: key
        )
    }
}
