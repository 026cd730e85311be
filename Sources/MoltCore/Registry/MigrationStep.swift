/// One change inside a migration.
///
/// Steps that look at one record at a time are fused, across all pending migrations: each record is read once, goes
/// through all of them, and is written at most once.
///
/// - Important: Closures of steps must give the same result for the same record, whenever they run. They may be
///   called from several threads at once.
public struct MigrationStep: Sendable, CustomStringConvertible {
    /// What the step says of itself: all that can be known without running a closure.
    package let declaration: StepDeclaration
    let action: Action

    /// What the step does.
    enum Action: Sendable {
        case renameType(String, to: String)
        case deleteType(String)
        case edit(RecordEdit)
        case run(@Sendable (MigrationContext) throws -> Void)
    }

    /// Whether the step also runs on a store that was just created.
    public let runsOnFreshStore: Bool

    init(_ declaration: StepDeclaration, _ action: Action, runsOnFreshStore: Bool = false) {
        self.declaration = declaration
        self.action = action
        self.runsOnFreshStore = runsOnFreshStore
    }

    /// The step in words, as plans and reports show it.
    public var description: String {
        declaration.description
    }
}

/// A step that looks at one record at a time.
struct RecordEdit: Sendable {
    /// The type whose records it changes.
    var typeName: String
    /// Whether it is worth running on several cores.
    var isParallel = false
    /// Changes a record.
    var apply: @Sendable (inout Record) throws -> Void
}
