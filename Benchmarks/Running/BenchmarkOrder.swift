/// In which order the cases of a round are run.
///
/// Cases that are compared with each other run in one stretch, so that a machine that becomes slower or faster over
/// the minutes does so for all of them. The stretches, and the cases in each, have another order in each round:
/// otherwise what disturbs the machine for some seconds could hit the same cases each time.
package struct BenchmarkOrder: Sendable {
    private let stretches: [[Int]]

    /// Finds out which cases belong together.
    ///
    /// - Parameters:
    ///   - names: The cases.
    ///   - comparisons: Which of them are compared; one with a name that is not there is left out.
    package init(of names: [String], comparisons: [(String, String)]) {
        let indices = Dictionary(zip(names, names.indices)) { first, _ in first }
        // Each case's stretch; two become one where a case of one is compared with a case of the other.
        var stretches = Array(names.indices)
        for (one, other) in comparisons {
            guard let one = indices[one], let other = indices[other] else { continue }
            let (kept, joined) = (stretches[one], stretches[other])
            for index in stretches.indices where stretches[index] == joined { stretches[index] = kept }
        }
        self.stretches = Dictionary(grouping: names.indices) { stretches[$0] }
            .sorted { $0.key < $1.key }.map(\.value)
    }

    /// The cases of a round, each once, as indices into the names.
    package func indices(ofRound round: Int) -> [Int] {
        var random = SeededGenerator(seed: UInt64(round))
        return stretches.shuffled(using: &random).flatMap { $0.shuffled(using: &random) }
    }
}
