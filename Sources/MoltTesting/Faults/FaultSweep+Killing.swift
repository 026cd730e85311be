internal import Foundation
internal import MoltCore

extension FaultSweep {
    /// Which of the points of an upgrade a process is killed at; each kill takes a process of its own.
    public enum KillPoints: Hashable, Sendable {
        /// All of them.
        case all
        /// One of so many.
        case every(Int)
        /// One of each name, and others in even distances, so many together at most.
        case spread(limit: Int)
    }

    /// Has child processes upgraded the store that are killed on the way, and checks each time that nothing is lost.
    ///
    /// With the exit tests of Swift Testing:
    ///
    /// ```swift
    /// @Test func `A kill at any moment loses nothing`() async throws {
    ///     try await FaultSweep(of: fixture, through: migrations).killing { (kill: KillPoint) in
    ///         await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in
    ///             try kill.run(through: migrations)
    ///         }
    ///     }
    /// }
    /// ```
    /// Here `migrations` is a global constant: a child process has nothing of its parent but what it is given. Without
    /// exit tests start a tool of your own, see ``KillPoint``.
    ///
    /// - Parameters:
    ///   - points: At which points; one of each name and some more by default, 40 together.
    ///   - entryPoint: How the store is opened, the `async` ones excepted; nil for the one that apps use most.
    ///   - child: Starts a process that calls ``KillPoint/run(through:configuration:)``, and waits until it has ended.
    /// - Returns: What was tried.
    /// - Throws: ``FaultFailure`` with all points at which something is lost, or the child was not killed; and as
    ///   ``run()``.
    @discardableResult
    public func killing(
        _ points: KillPoints = .spread(limit: 40),
        by entryPoint: EntryPoint? = nil,
        _ child: (KillPoint) async throws -> Void
    ) async throws -> FaultSummary {
        let entryPoint = entryPoint ?? entryPoints[0]
        var summary = FaultSummary()
        var broken: [FaultFailure.Broken] = []
        let course = try await course(entryPoint, &broken)
        summary.available = course.points.count
        for point in points.of(course.points) {
            let trial = FaultSummary.Trial(fault: .kill, entryPoint: entryPoint, point: point)
            summary.trials.append(trial)
            let store = try store()
            let kill = KillPoint(point, of: store, entryPoint: entryPoint, batchSize: batchSize)
            try await child(kill)
            let opening = Opening(sweep: self, store: store, entryPoint: entryPoint, course: course)
            var problem: String?
            if FileManager.default.fileExists(atPath: kill.marker) {
                problem = opening.problemLeft()
            } else {
                problem = """
                    The child process was not killed there. It must call `run(through:)` of the kill point, with the \
                    same migrations.
                    """
            }
            if problem == nil { problem = await opening.problemOfFinishing() }
            if let problem { broken.append(FaultFailure.Broken(trial: trial, problem: problem)) }
        }
        guard broken.isEmpty else { throw FaultFailure(broken: broken, summary: summary) }
        return summary
    }
}

extension FaultSweep.KillPoints {
    /// Those of some points.
    fileprivate func of(_ points: [FaultPoint]) -> [FaultPoint] {
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
