/// One change inside a migration.
///
/// Steps that process one record at a time are fused across all pending migrations: each record is read once, goes
/// through all of them, and is written at most once.
///
/// - Important: A step's closure must always give the same result for the same record. It may be called from several
///   threads at once.
public struct MigrationStep: Sendable, CustomStringConvertible {
    package private(set) var declaration: any StepDeclaration
    let action: Action

    enum Action: Sendable {
        case renameType(String, to: String)
        case deleteType(String)
        case edit(RecordEdit)
        case run(@Sendable (MigrationContext) throws -> Void)
    }

    let attached: [AttachedStore]

    /// The suite whose settings the step alone changes, and whose ledger tells whether it has; nil for other steps.
    var settings: Suite? { attachedStoreStep?.settings }

    /// The policy for records that the step cannot convert; nil for that of the registry.
    private(set) var failurePolicy: RecordFailurePolicy?

    init(
        _ declaration: any StepDeclaration,
        _ action: Action,
        attaching attached: [AttachedStore] = []
    ) {
        self.declaration = declaration
        self.action = action
        self.attached = attached
    }

    /// Creates a step that its declaration fully describes.
    init(_ step: some RecordStep) {
        self.init(step, .edit(step.edit))
    }

    /// The step with a description for a block that has none.
    func named(_ name: String) -> MigrationStep {
        guard var run = declaration as? RunStep, run.summary == nil else { return self }
        run.summary = name
        var step = self
        step.declaration = run
        return step
    }

    /// The step with its own policy for records that it cannot convert, which overrides that of the registry.
    ///
    /// ```swift
    /// .transform("Person") { person in
    ///     person["age"] = .int(try person.remove("years", as: Int.self))
    /// }.onFailure(.quarantine())
    /// ```
    ///
    /// The policy is not part of the migration's fingerprint, so it may change after the migration has shipped. For a
    /// block, it applies to the records that `enumerate` visits; see ``MigrationContext/enumerate(_:_:)``. The registry
    /// is invalid if the step processes no records, such as a rename of a type, or if the limit is out of range.
    public func onFailure(_ policy: RecordFailurePolicy) -> MigrationStep {
        var step = self
        step.failurePolicy = policy
        return step
    }

    /// Whether the step also runs on a store that was just created, because it imports data from elsewhere.
    public var runsOnFreshStore: Bool {
        attachedStoreStep != nil || (declaration as? RunStep)?.onFreshStore == true
    }

    /// Whether the step is a closure that may look for any record or setting.
    package var isBlock: Bool { declaration is RunStep || attachedStoreStep?.runsClosure == true }

    /// Whether the step works on records and is fully described by its declaration.
    package var isDeclared: Bool { attachedStoreStep == nil && !runsRecordClosure }

    /// Whether the step runs a closure of the app that may decode or encode values of records.
    var runsRecordClosure: Bool {
        declaration is TransformStep || declaration is ConvertStep || declaration is RunStep
    }

    /// Changes a record if the step is one that changes single records.
    func change(_ record: inout Record) throws {
        if case .edit(let edit) = action { try edit.apply(&record) }
    }

    /// Whether the step may read and change records of the primary store.
    var usesRecords: Bool { attachedStoreStep?.usesRecords ?? true }

    /// The declaration of a step on suites or directories; nil for other steps.
    private var attachedStoreStep: AttachedStoreStep? { declaration as? AttachedStoreStep }

    /// Whether the step processes single records and by its declaration changes only their content.
    var changesOnlyContent: Bool {
        if case .edit = action { true } else { false }
    }

    /// Whether the step processes single records and can fail for one; false for renaming or deleting a type.
    var processesRecords: Bool {
        switch action {
        case .edit: true
        // Steps on suites and directories have their own options for what they cannot convert.
        case .run: attachedStoreStep == nil
        case .renameType, .deleteType: false
        }
    }

    /// The step's description in plans and reports.
    public var description: String {
        declaration.description
    }
}
