import Molt
import TestSupport
import Testing

private struct Stop: Error {}

/// Runs an upgrade that stops after its commit, so that its changes to suites are pending.
///
/// - Parameter upgrade: Upgrades with a hook.
func interrupt<Result>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ upgrade: (@escaping UpgradeHook) throws -> Result
) {
    let error = MoltError.thrown(sourceLocation: sourceLocation) {
        try upgrade { if $0.kind == .beforeApply { throw Stop() } }
    }
    #expect(error?.underlying is Stop, sourceLocation: sourceLocation)
}

extension MigrationMonitor {
    /// A monitor that runs a closure once, between the plan and the locks, as if another process got in.
    static func afterPlanning(_ body: @escaping @Sendable () throws -> Void) -> MigrationMonitor {
        let isFirst = Locked(true)
        return MigrationMonitor { event in
            guard case .planned = event, isFirst.withLock({ $0 }) else { return }
            isFirst.withLock { $0 = false }
            do { try body() } catch { Issue.record(error) }
        }
    }
}

extension MoltConfiguration {
    /// The standard configuration with changes.
    init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }
}
