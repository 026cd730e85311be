/// Molt at the same work, beside the cases of ``PeerCases``.
enum MoltCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] = []

    /// How Molt compares with the others, with the goals of the design.
    static let ratios: [BenchmarkRatio] = []
}
