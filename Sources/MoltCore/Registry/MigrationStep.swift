/// One change inside a migration.
///
/// Steps that look at one record at a time are fused, across all pending migrations: each record is read once, goes
/// through all of them, and is written at most once.
///
/// - Important: Closures of steps must give the same result for the same record, whenever they run. They may be
///   called from several threads at once.
public struct MigrationStep: Sendable, CustomStringConvertible {
    /// What the step says of itself: all that can be known without running a closure.
    package private(set) var declaration: StepDeclaration
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
    /// What the step works on outside the primary store.
    package let attached: [any AttachedStore]
    /// Whether the step may look at records of the primary store, and change them.
    let usesRecords: Bool
    /// Says why the step cannot run now, in a sentence, or nil when it can.
    private(set) var readiness: Readiness

    /// What happens to a record that the step cannot convert; nil when the opening says so.
    private(set) var failurePolicy: RecordFailurePolicy?

    /// Says why a step cannot run now; gets the stores that are attached, by their names.
    package typealias Readiness = @Sendable (_ attached: (String) -> (any AttachedStore)?) throws -> String?

    init(
        _ declaration: StepDeclaration,
        _ action: Action,
        runsOnFreshStore: Bool = false,
        attaching attached: [any AttachedStore] = []
    ) {
        self.declaration = declaration
        self.action = action
        self.runsOnFreshStore = runsOnFreshStore
        self.attached = attached
        usesRecords = true
        readiness = { _ in nil }
    }

    /// Creates a step that another target builds in, and that also runs on a store that was just created.
    ///
    /// - Parameters:
    ///   - kind: What the step is, in a form that stays the same in all releases of Molt.
    ///   - words: What the step does, as plans and reports show it.
    ///   - parameters: All that the step was told, as text; ``Migration/fingerprint`` is made of it and the kind.
    ///   - faults: The faults of the step, a sentence each.
    ///   - attached: What it works on outside the primary store.
    ///   - usesRecords: Whether it looks at records of the primary store, or changes them.
    ///   - readiness: Says why the step cannot run now, in a sentence, or nil when it can.
    ///   - body: What it does.
    package init(
        kind: String,
        words: String,
        parameters: [String],
        faults: [String] = [],
        attaching attached: [any AttachedStore],
        usesRecords: Bool = false,
        readiness: @escaping Readiness = { _ in nil },
        _ body: @escaping @Sendable (MigrationContext) throws -> Void
    ) {
        declaration = .builtIn(kind: kind, words: words, parameters: parameters, faults: faults)
        action = .run(body)
        runsOnFreshStore = true
        self.attached = attached
        self.usesRecords = usesRecords
        self.readiness = readiness
    }

    /// The step with a name for a block that has no words of its own.
    func named(_ name: String) -> MigrationStep {
        guard case .run(nil, let revision) = declaration else { return self }
        var step = self
        step.declaration = .run(words: name, revision: revision)
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

    /// Whether the step may look at single records, so that it can fail for one: not a rename or deletion of a type.
    var looksAtRecords: Bool {
        switch (declaration, action) {
        case (_, .edit): true
        // What is built in has options of its own for that.
        case (.builtIn, _): false
        case (_, .run): usesRecords
        case (_, .renameType), (_, .deleteType): false
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
