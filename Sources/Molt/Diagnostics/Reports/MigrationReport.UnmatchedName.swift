extension MigrationReport {
    /// A name in a step that matches no type or property of the store, such as an old optional property.
    ///
    /// It may be misspelled.
    package struct UnmatchedName: Equatable, Sendable, CustomStringConvertible {
        /// The type; for settings, their key, or their prefix with an asterisk.
        package var type: String
        /// The suite, as an attached store is named; nil for records.
        package var suite: String?
        /// The property; nil if there was no record of the type.
        package var property: PropertyPath?
        /// The number of records of the type, or of settings, that the step read.
        package var recordCount = 0
        /// The most similar name that exists, or a path as in code; nil if none is similar.
        package var nearest: String?

        /// The name, and the one that was probably meant.
        package var description: String {
            let what = property.map { "\"\($0)\" does not occur in \(location)" } ?? "no record of type \"\(type)\""
            if let nearest { return what + "; did you mean \(nearest.hasPrefix("[") ? nearest : "\"\(nearest)\"")?" }
            guard let name = property?.onlyName, name.contains(".") else { return what }
            let path = name.split(separator: ".").map { "\"\($0)\"" }.joined(separator: ", ")
            return what + "; a dot does not separate names; write the path as [\(path)]"
        }

        private var location: String {
            if let suite { return recordCount == 1 ? "\"\(type)\" of \(suite)" : "any setting \"\(type)\" of \(suite)" }
            let records = recordCount == 1 ? "the only record" : "any of \(DisplayText.records(recordCount))"
            return "\(records) of type \"\(type)\""
        }
    }
}

extension MigrationReport.UnmatchedName {
    /// Creates the name of a type without records.
    ///
    /// A generic one may be meant, such as `Array<Person>` for `Person`, or one that is written as in code.
    init(type: String, among types: [String]) {
        let written = Self.typeName(asInCode: type)
        let nearest =
            types.first { ExactName.isSame($0, written) } ?? Self.nearest(to: type, among: types)
            ?? types.first { $0.contains("<\(type)>") || $0.hasPrefix("\(type)<") }
        self.init(type: type, nearest: nearest)
    }

    /// The name that Swift gives to a type written as `[Person]`, `[String: Person]`, `Person?` or `App.Person`.
    private static func typeName(asInCode type: String) -> String {
        if type.hasSuffix("?") { return typeName(asInCode: String(type.dropLast())) }
        guard type.hasPrefix("["), type.hasSuffix("]") else {
            return type.split(separator: ".").last.map(String.init) ?? type
        }
        let parts = type.dropFirst().dropLast().split(separator: ":", maxSplits: 1)
            .map { typeName(asInCode: String($0.drop { $0 == " " })) }
        guard let first = parts.first else { return type }
        return parts.count == 2 ? "Dictionary<\(first), \(parts[1])>" : "Array<\(first)>"
    }

    /// The name that a misspelled one probably stands for; nil if none is similar.
    package static func nearest(to name: String, among names: some Sequence<String>) -> String? {
        let name = Array(name.lowercased())
        // Allow one wrong letter in three. A very long string is not a name.
        let limit = max(1, name.count / 3)
        guard name.count <= 100 else { return nil }
        // Among many thousands, such as keys of settings, a similar one would say nothing.
        let candidates = names.lazy.filter { abs($0.count - name.count) <= limit }.prefix(1_000)
        let near = candidates.compactMap { other -> (name: String, distance: Int)? in
            let distance = distance(name, Array(other.lowercased()))
            return distance <= limit ? (other, distance) : nil
        }
        return near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// The number of letters to change, add, remove or swap with the next one (Damerau-Levenshtein distance).
    private static func distance(_ name: [Character], _ other: [Character]) -> Int {
        var rows = [Array(0...other.count)]
        for (row, letter) in name.enumerated() {
            var next = [row + 1]
            for (column, otherLetter) in other.enumerated() {
                let changed = rows[row][column] + (letter == otherLetter ? 0 : 1)
                var least = min(changed, rows[row][column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], name[row - 1] == otherLetter {
                    least = min(least, rows[row - 1][column - 1] + 1)
                }
                next.append(least)
            }
            rows.append(next)
        }
        return rows[name.count][other.count]
    }
}
