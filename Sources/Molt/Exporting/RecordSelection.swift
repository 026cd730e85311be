/// The records that an export or an import takes.
///
/// ```swift
/// try cache.export(to: url, only: .types(Note.self, Tag.self))
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
    public static func types(_ types: any Any.Type...) -> RecordSelection {
        RecordSelection(types: types.map(RecordTypeName.of))
    }

    /// The records under some keys; one that does not exist is an error.
    public static func keys(_ keys: [String]) -> RecordSelection {
        RecordSelection(keys: keys)
    }

    private init() {}

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

    /// Notes the keys that were found, if the selection has any.
    struct Search {
        fileprivate let chosen: Chosen?
        private var found: Set<ExactName> = []

        fileprivate init(_ chosen: Chosen?) {
            self.chosen = chosen
        }

        mutating func note(_ key: String) {
            let key = ExactName(key)
            if chosen?.keySet.contains(key) == true { found.insert(key) }
        }

        /// The first key of the selection that was not found.
        var missing: String? {
            chosen?.keys.first { !found.contains($0) }?.text
        }
    }

    /// Begins to look for the selection's keys.
    func search() -> Search { Search(chosen) }
}
