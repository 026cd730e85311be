/// One change inside a migration.
///
/// Steps that process one record at a time are fused across all pending migrations: each record is read once, goes
/// through all of them, and is written at most once.
///
/// - Important: A step's closure must always give the same result for the same record. It may be called from several
///   threads at once.
public struct MigrationStep: Sendable, CustomStringConvertible {
    private var unconditional: any StepDeclaration
    private(set) var work: StepWork
    /// What must hold for a record, a setting or an element that the step changes.
    private var conditions: [RecordCondition] = []
    /// The policy for records that the step cannot convert; nil for that of the registry.
    private(set) var failurePolicy: FailurePolicy?

    init(_ declaration: any StepDeclaration, _ work: StepWork, _ failurePolicy: FailurePolicy? = nil) {
        unconditional = declaration
        self.work = work
        self.failurePolicy = failurePolicy
    }

    /// Creates a step that its declaration fully describes.
    init(_ step: any RecordStep) {
        self.init(step, at: step.place, step.edit)
    }

    /// Creates a step that changes each record of a type, or the content of settings.
    init(_ declaration: any StepDeclaration, at place: StepPlace, _ edit: RecordEdit) {
        switch place.kind {
        case .records(let type): self.init(declaration, .records(.edit(edit, type: type.text)))
        case .settings(let settings): self.init(declaration, .settings(.edit(settings, edit)))
        }
    }

    /// The step with a description for a block that has none.
    func named(_ name: String) -> MigrationStep {
        guard case .block(var block, let body) = work, block.summary == nil else { return self }
        block.summary = name
        var step = self
        (step.unconditional, step.work) = (block, .block(block, body))
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
    /// block, it applies to the records that `enumerate` visits; see ``MigrationContext/enumerate(_:_:)``.
    ///
    /// A setting cannot be quarantined. With that policy, it stays as it was before the migration, later steps of the
    /// migration leave it out, and the report lists it as not convertible. With `drop`, it is removed. The limit's
    /// share has no effect on settings. Migrations that convert settings of other libraries have an argument
    /// `unconvertible` instead, and no policy has an effect on them.
    ///
    /// The registry is invalid if the step processes neither records nor the content of settings, such as a rename of a
    /// type, or if the limit is out of range.
    public func onFailure(_ policy: FailurePolicy) -> MigrationStep {
        var step = self
        step.failurePolicy = policy
        return step
    }

    /// The step with one more condition.
    func restricted(to condition: RecordCondition) -> MigrationStep {
        var step = self
        step.conditions.append(condition)
        step.work.restrict(to: condition)
        return step
    }

    package func change(_ record: inout Record) throws {
        if case .records(.edit(let edit, _)) = work { try edit.apply(&record) }
    }

    // MARK: What it works on

    /// Whether it has a condition, which is declared even for a closure.
    package var isConditional: Bool { !conditions.isEmpty }

    package var declaration: any StepDeclaration {
        conditions.isEmpty
            ? unconditional : ConditionalStep(step: unconditional, work: work, conditions: conditions)
    }

    var attached: [AttachedStore] { work.attached }

    /// The suite whose settings the step alone changes, and whose ledger tells whether it has; nil for other steps.
    package var settings: Suite? {
        if case .settings(let work) = work { work.suite } else { nil }
    }

    /// The suite whose settings the step hands over; nil for other steps.
    var handsOverSettingsOf: Suite? {
        if case .settings(.handOver(let declaration)) = work { declaration.suite } else { nil }
    }

    package var usesRecords: Bool { work.usesRecords }

    /// Whether the step also runs on a store that was just created, because it imports data from elsewhere.
    package var runsOnFreshStore: Bool {
        switch work {
        case .settings, .bring: true
        case .block(let declaration, _): declaration.onFreshStore
        case .records, .store, .check: false
        }
    }

    /// Reads its source before the upgrade; nil for any other step.
    var fetch: (@Sendable (RecordCoding) async throws -> SpooledRecords)? {
        if case .bring(let work) = work { work.fetch } else { nil }
    }

    /// Whether it imports records of one type from another store.
    var isImport: Bool {
        if case .bring(let work) = work { work.type != nil } else { false }
    }

    /// Whether the step only checks what the others have done.
    var isCheck: Bool {
        if case .check = work { true } else { work.edit?.check != nil }
    }

    /// Whether the step is a closure that may look for any record or setting.
    package var isBlock: Bool {
        switch work {
        case .block: true
        case .settings(let work): work.isBlock
        case .records, .store, .bring, .check: false
        }
    }

    /// Whether the step's declaration has the names of types and properties that it needs, and no closure looks for
    /// others.
    package var isDeclared: Bool { !isBlock && !isCheck && work.edit?.runsClosure != true }

    /// The step's description in plans and reports.
    public var description: String {
        declaration.description
    }
}
