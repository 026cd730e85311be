package import Molt
import MoltTesting

/// The differences between two stores, for text, JSON and other forms of them.
///
/// It holds the changed records only, so that it stays small for large stores with few differences.
package struct StoreChanges: Hashable, Sendable, Encodable {
    /// One of the two stores.
    package struct Side: Hashable, Sendable, Encodable {
        package let file: String
        package let schemaVersion: Int
        /// The number of records in quarantine, which are not compared.
        package let quarantined: Int
    }

    /// The numbers of records.
    package struct Counts: Hashable, Sendable, Encodable {
        package var added = 0
        package var removed = 0
        package var changed = 0
        /// The number of records among the changed ones in which only the version differs; they are not listed.
        package var onlyVersion = 0
        package var same = 0
    }

    /// A migration that only one ledger has, or both in another way.
    package struct MigrationChange: Hashable, Sendable, Encodable {
        package let name: String
        /// The ledger's row of the migration; nil if it has none.
        package let before: Row?
        package let after: Row?
    }

    /// A row of a ledger, without times and counts, which differ in each run.
    package struct Row: Hashable, Sendable, Encodable, CustomStringConvertible {
        let version: Int
        let outcome: LedgerEntry.Outcome

        /// The version and the outcome for people, such as "version 2, applied on a new store".
        package var description: String { "version \(version), \(outcome.text)" }

        /// Encodes the version and the outcome for programs, such as "version 2, bornFresh".
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode("version \(version), \(outcome.rawValue)")
        }
    }

    package let before: Side
    package let after: Side
    package let migrations: [MigrationChange]
    package let counts: Counts
    /// The records that differ, in the order of the bytes of their keys; see ``omitted``.
    package let records: [RecordChange]

    /// Whether nothing differs.
    package var isEmpty: Bool {
        before.schemaVersion == after.schemaVersion && before.quarantined == after.quarantined && migrations.isEmpty
            && counts.added + counts.removed + counts.changed == 0
    }

    /// The numbers of records that differ and are not in ``records``, beyond the limit.
    package var omitted: Counts {
        var omitted = counts
        omitted.same = 0
        omitted.changed -= counts.onlyVersion
        for record in records {
            switch record.change {
            case .added: omitted.added -= 1
            case .removed: omitted.removed -= 1
            case .changed: omitted.changed -= 1
            }
        }
        return omitted
    }
}

extension StoreChanges {
    /// Compares two stores record by record, in flat memory apart from the differences.
    ///
    /// - Parameters:
    ///   - type: Only records that have this type in one of the stores are compared; nil for all.
    ///   - limit: The number of added, of removed and of changed records to keep; nil for all. All of them are counted.
    ///   - note: Called for each record that was read.
    package init(
        from before: CacheFile,
        to after: CacheFile,
        ofType type: String? = nil,
        limit: Int? = nil,
        noting note: () -> Void = {}
    ) throws {
        let states = (try before.state(), try after.state())
        var records = Records(type: type, limit: limit ?? .max)
        try records.compare(before, after, note)
        self.init(
            before: try Side(before, states.0),
            after: try Side(after, states.1),
            migrations: Self.compare(states.0.ledger, states.1.ledger),
            counts: records.counts,
            records: records.changes
        )
    }

    /// The differences of two ledgers.
    private static func compare(_ before: [LedgerEntry], _ after: [LedgerEntry]) -> [MigrationChange] {
        func row(_ entry: LedgerEntry) -> Row { Row(version: entry.version, outcome: entry.outcome) }
        let earlier = Dictionary(before.map { ($0.name, row($0)) }) { $1 }
        let later = Dictionary(after.map { ($0.name, row($0)) }) { $1 }
        let names = before.map(\.name) + after.map(\.name).filter { earlier[$0] == nil }
        return names.compactMap { name in
            guard earlier[name] != later[name] else { return nil }
            return MigrationChange(name: name, before: earlier[name], after: later[name])
        }
    }

    /// The walk through two files in the order of their keys.
    private struct Records {
        let type: String?
        let limit: Int
        private(set) var counts = Counts()
        private(set) var changes: [RecordChange] = []

        init(type: String?, limit: Int) {
            self.type = type
            self.limit = limit
        }

        mutating func compare(_ before: CacheFile, _ after: CacheFile, _ note: () -> Void) throws {
            var (left, right) = (before.inKeyOrder, after.inKeyOrder)
            var (earlier, later) = (try left.next(), try right.next())
            while earlier != nil || later != nil {
                note()
                if let one = earlier, let other = later, one.key == other.key {
                    add(one.record, other.record)
                    note()
                    (earlier, later) = (try left.next(), try right.next())
                } else if let one = earlier, later.map({ one.key.lexicographicallyPrecedes($0.key) }) ?? true {
                    add(one.record, nil)
                    earlier = try left.next()
                } else {
                    add(nil, later?.record)
                    later = try right.next()
                }
            }
        }

        private mutating func add(_ before: StoreContents.StoredRecord?, _ after: StoreContents.StoredRecord?) {
            if let type, before?.typeName != type, after?.typeName != type { return }
            switch (before, after) {
            case (nil, let after?):
                counts.added += 1
                if counts.added <= limit { changes.append(RecordChange(added: after)) }
            case (let before?, nil):
                counts.removed += 1
                if counts.removed <= limit { changes.append(RecordChange(removed: before)) }
            case (let before?, let after?) where before != after:
                counts.changed += 1
                var other = before
                other.version = after.version
                if other == after {
                    counts.onlyVersion += 1
                } else if counts.changed - counts.onlyVersion <= limit {
                    changes.append(RecordChange(from: before, to: after))
                }
            default:
                counts.same += 1
            }
        }
    }
}

extension StoreChanges.Side {
    fileprivate init(_ file: CacheFile, _ state: StoreState) throws {
        self.init(file: file.name, schemaVersion: state.version, quarantined: try file.quarantinedCount())
    }
}
