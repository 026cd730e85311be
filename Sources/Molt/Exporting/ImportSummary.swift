/// What an import has done.
public struct ImportSummary: Hashable, Sendable {
    /// The schema version of the export, or of the store, before its records were upgraded.
    public var version: Int
    /// The number of records that were added.
    public var added = 0
    /// The number of values in the cache that were replaced.
    public var replaced = 0
    /// The number of records that were left out because the cache has a value under their key.
    public var kept = 0
    /// The number of records that a migration could not convert, and that are in the cache's quarantine now.
    public var quarantined = 0
    /// The number of records that were left out because they have expired.
    public var expired = 0
    /// The number of settings that were set, in a suite that had no value or another one.
    public var settings = 0
    /// The number of settings that were left out because the suite has another value under their key.
    public var keptSettings = 0
    /// The report of the upgrade; empty if the records had today's version.
    public var report: MigrationReport
}

extension ImportSummary: CustomStringConvertible {
    /// The numbers in one line.
    public var description: String {
        let others = [
            (replaced, "replaced"), (kept, "kept"), (quarantined, "quarantined"), (expired, "expired"),
            (settings, "settings set"), (keptSettings, "settings kept"),
        ]
        return (["imported version \(version): \(added) added"] + others.filter { $0.0 > 0 }.map { "\($0) \($1)" })
            .joined(separator: ", ")
    }
}
