extension MigrationStep {
    /// Creates a step that works on suites or directories, and also runs on a store that was just created.
    ///
    /// - Parameters:
    ///   - kind: The step's identity, which must never change.
    ///   - summary: The description in plans and reports.
    ///   - parameters: All parameters of the step as strings; together with the kind they determine
    ///     ``Migration/fingerprint``.
    ///   - faults: The faults of the step, one sentence each.
    ///   - attached: The attached stores that it works on.
    ///   - settings: The suite that it changes, if it changes no records; the suite's ledger tells whether it has.
    ///   - losses: The data that it removes.
    ///   - keys: The keys of settings that it converts.
    ///   - isOldForm: Whether a value probably has the form from which it converts them.
    ///   - destination: Where it moves or copies a setting of another suite.
    ///   - usesRecords: Whether it reads or changes records of the primary store.
    ///   - runsClosure: Whether it runs a closure of the app.
    ///   - body: The step's work.
    init(
        kind: String,
        summary: String,
        parameters: [String],
        faults: [String] = [],
        attaching attached: [AttachedStore],
        changing settings: Suite? = nil,
        losses: [MigrationReport.DataLoss] = [],
        converting keys: [String] = [],
        from isOldForm: (@Sendable (PropertyListValue) -> Bool)? = nil,
        moving destination: (@Sendable (_ key: String, _ suite: String) -> Destination?)? = nil,
        usesRecords: Bool = false,
        runsClosure: Bool = false,
        _ body: @escaping Block
    ) {
        let declaration = AttachedStoreStep(
            name: kind,
            summary: summary,
            parameters: parameters,
            faults: faults,
            losses: losses
        )
        let attachment = Attachment(
            settings: settings,
            converts: Set(keys).contains,
            isOldForm: isOldForm,
            usesRecords: usesRecords,
            isBlock: runsClosure,
            destination: destination
        )
        self.init(declaration, .run(body), attaching: attached, attachment)
    }
}

/// The declaration of a step that works on suites or directories, without its closure.
struct AttachedStoreStep: StepDeclaration {
    /// The step's identity, which must never change.
    var name: String
    var summary: String
    var parameters: [String]
    var faults: [String]
    var losses: [MigrationReport.DataLoss]

    var description: String { summary }
    var identity: [String] { [name] + parameters }

    func check(_ check: inout StepCheck) {
        for fault in faults { check.add(fault) }
        // It may set or remove any setting.
        check.forgetSettings()
    }
}
