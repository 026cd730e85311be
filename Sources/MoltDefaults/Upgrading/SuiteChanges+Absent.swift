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
            let nearest = UnmatchedName.nearest(to: outcomes[index].key, among: others)
            outcomes[index].reason = nearest.map { "the nearest key is \"\($0)\"" }
        }
        return outcomes
    }
}
