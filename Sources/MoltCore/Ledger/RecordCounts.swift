/// How many records a migration or a step read, changed, dropped, created and put into quarantine.
///
/// A type rename changes one row of the store's type table and no record: it counts nothing.
public struct RecordCounts: Hashable, Sendable, Codable {
    /// Records that were handed to it; consecutive per-record steps of one migration share one reading.
    public var read = 0
    /// Records that it left different from how it found them.
    public var changed = 0
    /// Records that it deleted.
    public var dropped = 0
    /// Records that it added.
    public var created = 0
    /// Records that it could not convert and put into quarantine.
    public var quarantined = 0

    /// Creates counts, all of them 0.
    public init() {}

    /// Whether nothing was counted.
    package var isZero: Bool {
        self == RecordCounts()
    }

    /// The counts in words, those of 0 left out: "500 read, 3 changed".
    var words: String {
        let counts = [
            (read, "read"), (changed, "changed"), (dropped, "dropped"), (created, "created"),
            (quarantined, "quarantined"),
        ]
        return counts.filter { $0.0 > 0 }.map { "\($0) \($1)" }.joined(separator: ", ")
    }

    /// Adds the counts of another part of the same work.
    public static func += (counts: inout RecordCounts, other: RecordCounts) {
        counts.read += other.read
        counts.changed += other.changed
        counts.dropped += other.dropped
        counts.created += other.created
        counts.quarantined += other.quarantined
    }
}
