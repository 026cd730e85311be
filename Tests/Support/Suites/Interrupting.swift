package import Molt
package import Testing

private struct Stop: Error {}

/// Runs an upgrade that stops after its commit, so that its changes to suites are pending.
///
/// - Parameter upgrade: Upgrades with a hook.
package func interrupt<Result>(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ upgrade: (@escaping UpgradeHook) throws -> Result
) {
    let error = MoltError.thrown(sourceLocation: sourceLocation) {
        try upgrade { if $0.kind == .beforeApply { throw Stop() } }
    }
    #expect(error?.underlying is Stop, sourceLocation: sourceLocation)
}
