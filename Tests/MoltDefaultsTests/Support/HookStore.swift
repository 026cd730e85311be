import Molt

/// Runs a closure when an attached store's changes are applied.
struct HookStore: AttachedStore {
    var attachedName = "hook"
    var onApply: @Sendable (AttachedPhase) throws -> Void

    struct Failure: Error {}

    func begin() -> Session { Session() }

    func apply(_ changes: [UInt8], _ phase: AttachedPhase) throws {
        try onApply(phase)
    }

    final class Session: AttachedSession {
        let count = 1

        func finish() -> [UInt8]? { [] }
    }
}

extension MigrationStep {
    /// A step whose hook is called after the commit, before the changes of later steps are applied.
    static func hook(_ hook: HookStore) -> MigrationStep {
        MigrationStep(kind: "hook", summary: "hook", parameters: [], attaching: [hook]) { _ = try $0.attached(hook) }
    }
}
