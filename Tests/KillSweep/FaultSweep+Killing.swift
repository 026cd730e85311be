internal import Foundation
package import MoltTesting

extension FaultSweep {
    /// Lets child processes upgrade the store, kills each at another point, and checks each time that nothing is lost.
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
    /// A child process has nothing of its parent but what it captures, with its type written out; `migrations` here is a
    /// global constant.
    ///
    /// - Parameters:
    ///   - points: The points of the kills; one of each kind and some more by default, 40 together.
    ///   - entryPoint: The way in which the store is opened, not an `async` one; nil for the one that apps use most.
    ///   - child: Starts a process that calls ``KillPoint/run(through:configuration:)``, and waits until it has ended.
    /// - Returns: The points that were tried.
    /// - Throws: `FaultFailure` with all points at which something is lost, or the child was not killed.
    @discardableResult
    package func killing(
        _ points: Points = .spread(limit: 40),
        by entryPoint: EntryPoint? = nil,
        _ child: (KillPoint) async throws -> Void
    ) async throws -> FaultSummary {
        guard let entryPoint = entryPoint ?? entryPoints.first else {
            throw Self.nothingTried("It was given no entry points.")
        }
        var summary = FaultSummary()
        var broken: [FaultFailure.Broken] = []
        let course = try await course(entryPoint, &broken)
        guard broken.isEmpty else { throw FaultFailure(broken: broken, summary: summary) }
        summary.available = course.points.count
        for point in points.chosen(from: course.points) {
            let trial = FaultSummary.Trial(fault: nil, entryPoint: entryPoint, point: point)
            summary.trials.append(trial)
            let store = try store()
            let kill = KillPoint(point, of: store, entryPoint: entryPoint, batchSize: batchSize)
            try await child(kill)
            let opening = FaultSweep.Opening(
                sweep: self,
                store: store,
                entryPoint: entryPoint,
                course: course,
                isCommitted: course.isCommitted(at: point)
            )
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
        guard !summary.trials.isEmpty else { throw Self.nothingTried("No points were chosen.") }
        return summary
    }
}
