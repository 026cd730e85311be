import MoltCore

/// Runs a closure where an attached store's changes are made.
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
    /// Has a hook's closure called after the commit, before the changes to what later steps ask for.
    static func hook(_ hook: HookStore) -> MigrationStep {
        MigrationStep(kind: "hook", words: "hook", parameters: [], attaching: [hook]) { _ = try $0.attached(hook) }
    }
}
