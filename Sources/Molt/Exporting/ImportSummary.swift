/// What an import has done.
public struct ImportSummary: Equatable, Sendable {
    /// The schema version of the export, or of the store, before its records were upgraded.
    public package(set) var version: Int
    /// The number of records that were added.
    public package(set) var added = 0
    /// The number of values in the cache that were replaced.
    public package(set) var replaced = 0
    /// The number of records that were left out because the cache has a value under their key.
    public package(set) var kept = 0
    /// The number of values in the cache that a closure has merged with others of the import.
    public package(set) var merged = 0
    /// The number of records that a migration could not convert, and that are in the cache's quarantine now.
    public package(set) var quarantined = 0
    /// The number of records and settings that a migration hands over, which it does when the cache is next opened.
    public package(set) var waiting = 0
    /// The number of records that migrations have dropped, by a closure or a failure policy.
    public package(set) var dropped = 0
    /// The number of values, imported ones or others, that the cache's size limit has evicted.
    public package(set) var evicted = 0
    /// The number of records that were left out because they have expired.
    ///
    /// With chosen records, those that an upgrade removed because they had expired are not counted.
    public package(set) var expired = 0
    /// The number of settings that were set, in a suite that had no value or another one.
    public package(set) var settings = 0
    /// The number of settings that a closure has merged with others of the import.
    public package(set) var mergedSettings = 0
    /// The number of settings that were left out because the suite has another value under their key.
    public package(set) var keptSettings = 0
    /// The chosen types of which there was no record, each with the one that was probably meant, in a sentence.
    public package(set) var missingTypes: [String] = []
    /// The report of the upgrade; empty if the records had today's version.
    public package(set) var report: MigrationReport
}

extension ImportSummary: CustomStringConvertible {
    /// The numbers in one line.
    public var description: String {
        let others = [
            (replaced, "replaced"), (merged, "merged"), (kept, "kept"), (quarantined, "quarantined"),
            (waiting, "to be handed over"), (dropped, "dropped"), (expired, "expired"), (evicted, "evicted"),
            (settings, "settings set"), (mergedSettings, "settings merged"), (keptSettings, "settings kept"),
        ]
        return (["imported version \(version): \(added) added"] + others.filter { $0.0 > 0 }.map { "\($0) \($1)" })
            .joined(separator: ", ") + missingTypes.map { "; \($0)" }.joined()
    }
}
