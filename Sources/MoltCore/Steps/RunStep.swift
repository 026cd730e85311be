extension MigrationStep {
    /// Runs a block over the whole store, once, for what the other steps cannot say.
    ///
    /// ```swift
    /// .run("number the people") { migration in
    ///     var number = 0
    ///     try migration.enumerate("Person") { old, new in
    ///         number += 1
    ///         new["number"] = .int(number)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - words: What the block does, as plans and reports show it; the migration's name by default.
    ///   - onFreshStore: Whether it also runs on a store that was just created, because it brings data in from
    ///     elsewhere. False by default: a new store has nothing to migrate. When it has created records there, all
    ///     steps and migrations that follow run on them, so it creates them as they were at its own version.
    ///   - attached: What the block works on outside the store; none by default. When one of these cannot be worked
    ///     on now, as settings of a locked device, opening the store fails with the code `deferred`.
    ///   - revision: Which writing of the block it is, 1 by default; see ``transform(_:revision:_:)``.
    ///   - body: Gets the store; what it throws rolls the upgrade back.
    public static func run(
        _ words: String? = nil,
        onFreshStore: Bool = false,
        attaching attached: [any Attachable] = [],
        revision: Int = 1,
        _ body: @escaping @Sendable (MigrationContext) throws -> Void
    ) -> MigrationStep {
        let declaration = RunStep(words: words, onFreshStore: onFreshStore, revision: revision)
        return MigrationStep(declaration, .run(body), attaching: attached.stores)
    }
}

/// The declaration of a `run` block; the closure is beside it.
struct RunStep: StepDeclaration {
    static let kind = "run"

    var words: String?
    var onFreshStore: Bool
    var revision: Int

    var description: String { words ?? "run a block" }
    var identity: [String] { [Self.kind, String(revision)] + (onFreshStore ? ["onFreshStore"] : []) }

    func check(_ check: inout StepCheck) {
        // A block may do anything.
        check.forgetAll()
    }
}
