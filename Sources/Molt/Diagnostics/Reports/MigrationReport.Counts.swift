extension MigrationReport {
    /// The numbers of records that a migration or a step read, changed, dropped, handed over, created and quarantined.
    ///
    /// A type rename changes one row of the store's type table and no record, so it does not count.
    public struct Counts: Equatable, Sendable, Codable, CustomStringConvertible {
        /// Records that it processed; consecutive per-record steps of one migration share one reading.
        public package(set) var read = 0
        /// Records that it changed.
        public package(set) var changed = 0
        /// Records that it deleted.
        public package(set) var dropped = 0
        /// Records that it took out of the store, which are stored elsewhere after the commit.
        ///
        /// The ledger does not keep this number.
        public package(set) var handedOver = 0
        /// Records that it added.
        public package(set) var created = 0
        /// Records that it could not convert and quarantined.
        public package(set) var quarantined = 0

        /// Creates counts of 0.
        package init() {}

        private enum CodingKeys: CodingKey {
            case read, changed, dropped, created, quarantined, handedOver
        }

        /// Decodes counts; those of a summary from before there were steps that hand over have none of these records.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            read = try container.decode(Int.self, forKey: .read)
            changed = try container.decode(Int.self, forKey: .changed)
            dropped = try container.decode(Int.self, forKey: .dropped)
            created = try container.decode(Int.self, forKey: .created)
            quarantined = try container.decode(Int.self, forKey: .quarantined)
            handedOver = try container.decodeIfPresent(Int.self, forKey: .handedOver) ?? 0
        }

        package var isZero: Bool {
            self == Counts()
        }

        /// The counts without those that are 0, such as "500 read, 3 changed"; "none" if all are.
        public var description: String { isZero ? "none" : summary }

        var summary: String {
            let counts = [
                (read, "read"), (changed, "changed"), (dropped, "dropped"), (handedOver, "handed over"),
                (created, "created"), (quarantined, "quarantined"),
            ]
            return counts.filter { $0.0 > 0 }.map { "\($0) \($1)" }.joined(separator: ", ")
        }

        package static func += (counts: inout Counts, other: Counts) {
            counts.read += other.read
            counts.changed += other.changed
            counts.dropped += other.dropped
            counts.handedOver += other.handedOver
            counts.created += other.created
            counts.quarantined += other.quarantined
        }
    }
}
