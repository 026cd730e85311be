import Foundation
import MoltTesting

extension FaultSweep {
    /// Upgrades the store in child processes, kills each at another point, and checks that nothing is lost.
    ///
    /// With the exit tests of Swift Testing:
    ///
    /// ```swift
    /// @Test func `A kill at any moment loses nothing`() async throws {
    ///     try await FaultSweep(of: fixture, through: migrations, limit: 40).killing { (kill: KillPoint) in
    ///         await #expect(processExitsWith: .signal(SIGKILL)) { [kill] in
    ///             try kill.run(through: migrations)
    ///         }
    ///     }
    /// }
    /// ```
    /// A child process gets only the values that the closure captures, whose types must be written out; `migrations`
    /// here is a global constant.
    ///
    /// - Parameter child: Starts a process that calls ``KillPoint/run(through:configuration:)``, and waits until it has
    ///   ended.
    /// - Throws: `InterruptionReport` if data was lost or a child was not killed.
    @discardableResult
    func killing(_ child: (KillPoint) async throws -> Void) async throws -> InterruptionReport {
        try await run([.kill]) { store, point in
            let kill = KillPoint(point, of: store, entryPoint: entryPoint, batchSize: batchSize)
            try await child(kill)
            return FileManager.default.fileExists(atPath: kill.marker)
        }
    }
}
