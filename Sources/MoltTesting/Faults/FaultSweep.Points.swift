extension FaultSweep {
    /// At which of its points an upgrade is let fail.
    public enum Points: Hashable, Sendable {
        /// At all of them.
        case all
        /// At one of so many, the first one included.
        case every(Int)
        /// At one of each name, and at others in even distances, so many together at most.
        case spread(limit: Int)
    }
}

extension FaultSweep.Points {
    /// Those of some points that are meant, in their order.
    func chosen(from points: [FaultPoint]) -> [FaultPoint] {
        switch self {
        case .all: return points
        case .every(let distance):
            return points.indices.filter { $0 % max(1, distance) == 0 }.map { points[$0] }
        case .spread(let limit):
            guard points.count > limit else { return points }
            var names: Set<String> = []
            let firsts = points.indices.filter { names.insert(points[$0].kind).inserted }
            let chosen = evenly(limit, of: firsts)
            let others = points.indices.filter { !firsts.contains($0) }
            return (chosen + evenly(limit - chosen.count, of: others)).sorted().map { points[$0] }
        }
    }

    /// So many of some numbers, or all of them, in even distances.
    private func evenly(_ count: Int, of numbers: [Int]) -> [Int] {
        guard count < numbers.count else { return numbers }
        return (0..<max(0, count)).map { numbers[$0 * numbers.count / count] }
    }
}
