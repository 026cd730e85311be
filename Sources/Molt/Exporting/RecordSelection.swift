/// The records that an export or an import takes.
///
/// ```swift
/// try cache.export(to: url, only: .types([Note.self, Tag.self]).union(.keys(["settings"])))
/// ```
public struct RecordSelection: Equatable, Sendable {
    /// Nil for all records.
    private var chosen: Chosen?

    fileprivate struct Chosen: Equatable {
        var types: Set<ExactName> = []
        var keys: [ExactName] = []
        var keySet: Set<ExactName> = []
    }

    /// All records.
    public static let all = RecordSelection()

    /// The records of some types, by the names that they have today; a type may have no records.
    public static func types(_ types: [any Any.Type]) -> RecordSelection {
        RecordSelection(types: types.map(RecordTypeName.of))
    }

    /// The records under some keys; one that does not exist is an error.
    public static func keys(_ keys: [String]) -> RecordSelection {
        RecordSelection(keys: keys)
    }

    private init() {}

    /// The records that this selection or another one takes.
    public func union(_ other: RecordSelection) -> RecordSelection {
        guard let chosen, let more = other.chosen else { return .all }
        return RecordSelection(
            types: (chosen.types.union(more.types)).map(\.text),
            keys: (chosen.keys + more.keys).map(\.text)
        )
    }

    /// Selects the records of some types and those under some keys.
    package init(types: [String] = [], keys: [String] = []) {
        let keys = keys.map(ExactName.init)
        chosen = Chosen(types: Set(types.map(ExactName.init)), keys: keys, keySet: Set(keys))
    }

    func includes(key: String, type: String) -> Bool {
        guard let chosen else { return true }
        return chosen.types.contains(ExactName(type)) || chosen.keySet.contains(ExactName(key))
    }

    /// Whether to include a record that was not converted, and whose type may still have an earlier name.
    func includesUnconverted(key: String) -> Bool {
        guard let chosen else { return true }
        return !chosen.types.isEmpty || chosen.keySet.contains(ExactName(key))
    }

    /// Notes the keys and types that were found, if the selection has any.
    struct Search {
        fileprivate let chosen: Chosen?
        private var found: Set<ExactName> = []
        private var foundTypes: Set<ExactName> = []
        /// The types that were left out.
        private var otherTypes: Set<ExactName> = []

        fileprivate init(_ chosen: Chosen?) {
            self.chosen = chosen
        }

        mutating func note(_ key: String) {
            let key = ExactName(key)
            if chosen?.keySet.contains(key) == true { found.insert(key) }
        }

        mutating func note(type: String) {
            guard let chosen, !chosen.types.isEmpty else { return }
            let type = ExactName(type)
            if chosen.types.contains(type) {
                foundTypes.insert(type)
            } else if otherTypes.count < 100 {
                otherTypes.insert(type)
            }
        }

        /// The types of the selection that no record has, sorted, each with the most similar name that was left out.
        var missingTypes: [MigrationReport.UnmatchedName] {
            let missing = chosen?.types.subtracting(foundTypes).map(\.text).sorted() ?? []
            let others = otherTypes.map(\.text).sorted()
            return missing.map { MigrationReport.UnmatchedName(type: $0, among: others) }
        }

        /// The first key of the selection that was not found.
        var missing: String? {
            chosen?.keys.first { !found.contains($0) }?.text
        }
    }

    /// Begins to look for the selection's keys.
    func search() -> Search { Search(chosen) }
}
