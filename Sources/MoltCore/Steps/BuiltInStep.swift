extension MigrationStep {
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
        let declaration = BuiltInStep(
            name: kind,
            words: words,
            parameters: parameters,
            faults: faults,
            usesRecords: usesRecords
        )
        self.init(declaration, .run(body), attaching: attached, readiness: readiness)
    }
}

/// The declaration of a step that another target builds in; what it does is beside it.
struct BuiltInStep: StepDeclaration {
    static let kind = "builtIn"

    /// What the step is, in a form that stays the same in all releases of Molt.
    var name: String
    var words: String
    var parameters: [String]
    var faults: [String]
    var usesRecords: Bool

    var description: String { words }
    var identity: [String] { [name] + parameters }

    func check(_ check: inout StepCheck) {
        for fault in faults { check.add(fault) }
    }
}
