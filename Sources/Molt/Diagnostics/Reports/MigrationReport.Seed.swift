extension MigrationReport {
    /// What an opening has done with the file of a seed; see ``MigrationRegistry/seed(_:from:removingOthers:)``.
    public struct Seed: Equatable, Sendable, Encodable {
        /// The name of the seed.
        public package(set) var name: String
        /// The number of records that were added.
        public package(set) var added = 0
        /// The number of records that replaced those of an earlier file.
        public package(set) var replaced = 0
        /// The number of records that the store has already, with equal contents.
        public package(set) var unchanged = 0
        /// The number of records that were left out because the user has another value under their key.
        public package(set) var kept = 0
        /// The number of records that were left out because the user has deleted those of an earlier file.
        public package(set) var leftDeleted = 0
        /// The number of records of an earlier file that were removed because this one lacks them.
        public package(set) var removed = 0
        /// The number of records that were left out because they have expired.
        public package(set) var expired = 0
        /// The number of records that a migration could not convert, and that are in quarantine now.
        public package(set) var quarantined = 0

        package init(name: String) {
            self.name = name
        }

        /// The numbers of records that are not 0, with the words for them.
        package var counts: [(word: String, count: Int)] {
            [
                ("added", added), ("replaced", replaced), ("unchanged", unchanged), ("kept", kept),
                ("left deleted", leftDeleted), ("removed", removed), ("expired", expired),
                ("quarantined", quarantined),
            ].filter { $0.count > 0 }
        }
    }
}

extension MigrationReport.Seed: CustomStringConvertible {
    /// The name and the numbers of records, in one line.
    public var description: String {
        let numbers = counts.map { "\(DisplayText.grouped($0.count)) \($0.word)" }.joined(separator: ", ")
        return ErrorSummary.oneLine("\(name): \(numbers.isEmpty ? "no records" : numbers)")
    }
}
