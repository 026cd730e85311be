/// One change inside a migration.
///
/// Steps that look at one record at a time are fused, across all pending migrations: each record is read once, goes
/// through all of them, and is written at most once.
///
/// - Important: Closures of steps must give the same result for the same record, whenever they run. They may be
///   called from several threads at once.
public struct MigrationStep: Sendable, CustomStringConvertible {
    /// The step as a value.
    package private(set) var declaration: any StepDeclaration
    let action: Action

    /// What the runner does for the step.
    enum Action: Sendable {
        case renameType(String, to: String)
        case deleteType(String)
        case edit(RecordEdit)
        case run(@Sendable (MigrationContext) throws -> Void)
    }

    /// What a step does with a record that lacks the property it is about.
    public enum MissingProperty: String, Hashable, Sendable, Codable {
        /// Leaves the record as it is: an optional that was nil is not written at all.
        case skip
        /// Fails the upgrade with the code `propertyMissing`.
        case fail
    }

    /// What the step works on outside the primary store.
    package let attached: [any AttachedStore]
    /// Says why the step cannot run now, in a sentence, or nil when it can.
    private(set) var readiness: Readiness

    /// What happens to a record that the step cannot convert; nil when the opening says so.
    private(set) var failurePolicy: RecordFailurePolicy?

    /// Says why a step cannot run now; gets the stores that are attached, by their names.
    package typealias Readiness = @Sendable (_ attached: (String) -> (any AttachedStore)?) throws -> String?

    /// Creates a step from its declaration and what the runner does for it.
    init(
        _ declaration: any StepDeclaration,
        _ action: Action,
        attaching attached: [any AttachedStore] = [],
        readiness: @escaping Readiness = { _ in nil }
    ) {
        self.declaration = declaration
        self.action = action
        self.attached = attached
        self.readiness = readiness
    }

    /// Creates a step that needs nothing but its declaration.
    init(_ step: some RecordStep) {
        let edit = RecordEdit(typeName: step.type, property: step.requiredProperty, apply: step.change)
        self.init(step, .edit(edit))
    }

    /// The step with a name for a block that has no words of its own.
    func named(_ name: String) -> MigrationStep {
        guard var run = declaration as? RunStep, run.words == nil else { return self }
        run.words = name
        var step = self
        step.declaration = run
        return step
    }

    /// The step with a policy for records that it cannot convert, which comes before that of the opening.
    ///
    /// ```swift
    /// .transform("Person") { person in
    ///     person["age"] = .int(try person.remove("years", as: Int.self))
    /// }.onFailure(.quarantine())
    /// ```
    ///
    /// It is no part of the migration's fingerprint, and may be changed after the migration has shipped. Of a block it is
    /// about the records that `enumerate` visits; see ``MigrationContext/enumerate(_:_:)``. With a step that looks at no
    /// record, as a rename of a type, it is a fault of the registry; so is a limit that cannot be.
    public func onFailure(_ policy: RecordFailurePolicy) -> MigrationStep {
        var step = self
        step.failurePolicy = policy
        return step
    }

    /// The step with something more that it waits for.
    func waiting(for more: @escaping Readiness) -> MigrationStep {
        var step = self
        step.readiness = { [readiness] attached in try readiness(attached) ?? more(attached) }
        return step
    }

    /// Whether the step also runs on a store that was just created: it brings data in from elsewhere.
    public var runsOnFreshStore: Bool {
        declaration is BuiltInStep || (declaration as? RunStep)?.onFreshStore == true
    }

    /// Whether the step may look at records of the primary store, and change them.
    var usesRecords: Bool {
        (declaration as? BuiltInStep)?.usesRecords ?? true
    }

    /// Whether the step may look at single records, so that it can fail for one: not a rename or deletion of a type.
    var looksAtRecords: Bool {
        switch action {
        case .edit: true
        // Built-ins have options of their own for records that fail.
        case .run: declaration is RunStep
        case .renameType, .deleteType: false
        }
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
    /// The property without which it changes nothing; nil for a closure, and for one that adds.
    var property: PropertyPath?
    /// Whether it is worth running on several cores.
    var isParallel = false
    /// Whether it runs a closure of the app, which may take any time.
    var runsClosure = false
    /// Changes a record.
    var apply: @Sendable (inout Record) throws -> Void
}
