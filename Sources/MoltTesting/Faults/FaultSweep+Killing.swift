internal import Foundation
internal import MoltCore

extension FaultSweep {
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
    /// Here `migrations` is a global constant: a child process has nothing of its parent but what it captures, and that
    /// must have its type written out. Without exit tests start a tool of your own, see ``KillPoint``.
    ///
    /// - Parameters:
    ///   - points: At which points; one of each name and some more by default, 40 together.
    ///   - entryPoint: How the store is opened, the `async` ones excepted; nil for the one that apps use most.
    ///   - child: Starts a process that calls ``KillPoint/run(through:configuration:)``, and waits until it has ended.
    /// - Returns: What was tried.
    /// - Throws: ``FaultFailure`` with all points at which something is lost, or the child was not killed; and as
    ///   ``run(at:)``.
    @discardableResult
    public func killing(
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
            let trial = FaultSummary.Trial(fault: .kill, entryPoint: entryPoint, point: point)
            summary.trials.append(trial)
            let store = try store()
            let kill = KillPoint(point, of: store, entryPoint: entryPoint, batchSize: batchSize)
            try await child(kill)
            let opening = Opening(
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
