/// A type or a property that a step names and that no record had: right for an old optional property, say, or misspelled.
public struct UnmatchedName: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The type.
    public var type: String
    /// The property; nil when there was no record of the type.
    public var property: PropertyPath?
    /// How many records of the type the step looked at.
    public var recordCount: Int
    /// The name that records have, and that is nearly the same; nil when there is none.
    public var nearest: String?

    /// The name, and the one that may be meant.
    public var description: String {
        let what =
            property.map {
                "\"\($0)\" was in none of \(MigrationReport.grouped(recordCount)) records of type \"\(type)\""
            } ?? "no record of type \"\(type)\""
        return what + (nearest.map { "; did you mean \"\($0)\"?" } ?? "")
    }

    init(type: String, property: PropertyPath? = nil, recordCount: Int = 0, nearest: String?) {
        self.type = type
        self.property = property
        self.recordCount = recordCount
        self.nearest = nearest
    }

    /// The one of several names that a misspelled one is most probably to be; nil when none is near.
    package static func nearest(to name: String, among names: some Sequence<String>) -> String? {
        let name = Array(name.lowercased())
        // One letter in three may be wrong, missing or too many. What is very long is no name.
        let limit = max(1, name.count / 3)
        guard name.count <= 100 else { return nil }
        let near = names.compactMap { other -> (name: String, distance: Int)? in
            guard abs(other.count - name.count) <= limit else { return nil }
            let distance = distance(name, Array(other.lowercased()))
            return distance <= limit ? (other, distance) : nil
        }
        return near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// How many letters have to be changed, added, taken away or exchanged with the next one.
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
