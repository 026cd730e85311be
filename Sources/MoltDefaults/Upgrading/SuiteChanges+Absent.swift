internal import MoltCore

extension SuiteChanges {
    /// How many keys that are absent get an explanation; on a new device all of them may be.
    private static let explained = 10

    /// What became of the keys that a step names, those that are absent with the key that may be meant.
    func explaining(_ outcomes: [KeyOutcome]) throws -> [KeyOutcome] {
        let absent = outcomes.indices.filter { outcomes[$0].outcome == .absent }
        guard !absent.isEmpty else { return outcomes }
        let others = Set(try keys).subtracting(outcomes.map(\.key)).sorted()
        var outcomes = outcomes
        for index in absent.prefix(Self.explained) {
            let nearest = Self.nearest(to: outcomes[index].key, among: others)
            outcomes[index].reason = nearest.map { "the nearest key is \"\($0)\"" }
        }
        return outcomes
    }

    /// The name that a misspelled one is most probably to be; nil when none is near.
    private static func nearest(to name: String, among names: [String]) -> String? {
        let name = Array(name.lowercased())
        // One letter in three may be wrong, missing or too many.
        let limit = max(1, name.count / 3)
        let near = names.compactMap { other -> (name: String, distance: Int)? in
            guard abs(other.count - name.count) <= limit else { return nil }
            let distance = distance(name, Array(other.lowercased()))
            return distance <= limit ? (other, distance) : nil
        }
        return near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// How many letters have to be changed, added or taken away.
    private static func distance(_ name: [Character], _ other: [Character]) -> Int {
        var row = Array(0...other.count)
        for (index, letter) in name.enumerated() {
            var corner = row[0]
            row[0] = index + 1
            for (column, otherLetter) in other.enumerated() {
                let replaced = corner + (letter == otherLetter ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, corner + 1)
            }
        }
        return row[other.count]
    }
}
