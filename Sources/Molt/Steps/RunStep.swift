extension MigrationStep {
    /// Runs a block over the whole store, once, for changes that other steps cannot express.
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
    ///   - summary: The block's description in plans and reports; the migration's name by default.
    ///   - suites: The suites that the block works on; none by default. If one of them is unavailable, as on a locked
    ///     device, opening the store fails with the code `deferred`.
    ///   - onFreshStore: Whether the block also runs on a store that was just created, because it imports data; false
    ///     by default, as a new store has nothing to migrate. A block with `suites` runs there anyway if one
    ///     of them has settings or a ledger, and has not been through the migration; it then finds no records. If it
    ///     creates records there, all later steps and migrations run on them, so it must create them in the form of its
    ///     own version.
    ///   - revision: The revision of the block's code, 1 by default; see ``transform(_:revision:_:)``.
    ///   - body: Receives the store; an error that it throws rolls the upgrade back.
    public static func run(
        _ summary: String? = nil,
        suites: [Suite] = [],
        onFreshStore: Bool = false,
        revision: Int = 1,
        _ body: @escaping @Sendable (MigrationContext) throws -> Void
    ) -> MigrationStep {
        let declaration = RunStep(summary: summary, onFreshStore: onFreshStore, suites: suites, revision: revision)
        return MigrationStep(declaration, .block(declaration, body))
    }

    /// Work over the whole store.
    typealias Block = @Sendable (MigrationContext) throws -> Void
}

/// The declaration of `run`, without its closure.
struct RunStep: StepDeclaration {
    var summary: String?
    var onFreshStore: Bool
    var suites: [Suite]
    var revision: Int

    var description: String { summary ?? "run a block" }
    var identity: [String] { ["run", String(revision)] + (onFreshStore ? ["onFreshStore"] : []) }
    var losses: [MigrationReport.DataLoss] { [] }
    var valueUses: [ValueUse] { [] }

    func check(_ check: inout StepCheck) {
        // A block may do anything.
        check.forgetAll()
    }
}
