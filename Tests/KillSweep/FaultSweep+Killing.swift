internal import Foundation
package import MoltTesting

extension FaultSweep {
    /// Upgrades the store in child processes, kills each at another point, and checks that nothing is lost.
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
    /// A child process gets only the values that the closure captures, whose types must be written out; `migrations`
    /// here is a global constant.
    ///
    /// - Parameters:
    ///   - points: The points of the kills. The default is 40, with at least one of each kind.
    ///   - entryPoint: The way to open the store, not an `async` one; nil for the most common one.
    ///   - child: Starts a process that calls ``KillPoint/run(through:configuration:)``, and waits until it has ended.
    /// - Returns: The tested points.
    /// - Throws: `FaultFailure` with all points at which data was lost or the child was not killed.
    @discardableResult
    package func killing(
        _ points: Points = .spread(limit: 40),
        by entryPoint: EntryPoint? = nil,
        _ child: (KillPoint) async throws -> Void
    ) async throws -> FaultSummary {
        let entryPoint = entryPoint ?? self.entryPoint
        var summary = FaultSummary()
        var broken: [FaultFailure.Broken] = []
        let course = try await course(entryPoint, &broken)
        guard broken.isEmpty else { throw FaultFailure(broken: broken, summary: summary) }
        summary.available = course.points.count
        for point in points.chosen(from: course.points) {
            let trial = FaultSummary.Trial(fault: nil, point: point)
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
