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
        /// Changes each record of a type.
        case edit(RecordEdit, type: String)
        case run(Block)
        /// Does nothing to the contents: the file is moved before the upgrade.
        case moveStore
    }

    /// The suites and directories that the step works on.
    let attached: [AttachedStore]
    /// What the step does with them, if that is its purpose; nil for a step on records.
    private let attachment: Attachment?

    /// The use of suites and directories by a step.
    struct Attachment: Sendable {
        /// The suite whose settings the step alone changes, and whose ledger tells whether it has.
        var settings: Suite?
        /// Whether it converts a key, or changes the setting's content.
        var converts: @Sendable (String) -> Bool = { _ in false }
        /// Whether a value probably has an old form from which it converts the settings that it names.
        var isOldForm: (@Sendable (PropertyListValue) -> Bool)?
        /// Whether it reads or changes records of the primary store.
        var usesRecords = false
        /// Whether it runs a closure of the app that may look for any setting.
        var isBlock = false
        /// Where it moves or copies a setting of another suite; nil if it does neither.
        var destination: (@Sendable (_ key: String, _ suite: String) -> Destination?)?
        /// Whether a setting that it cannot convert is subject to the failure policy.
        var hasFailurePolicy = false
    }

    /// The place to which a step moves or copies a setting.
    struct Destination: Sendable {
        var suite: Suite
        var key: String
        /// Whether the setting also stays where it was.
        var isCopy: Bool
    }

    /// The suite whose settings the step alone changes, and whose ledger tells whether it has; nil for other steps.
    package var settings: Suite? { attachment?.settings }

    /// Whether the step converts a key of its suite, or changes the setting's content.
    func convertsKey(_ key: String) -> Bool { attachment?.converts(key) ?? false }

    /// The suite into which the step moves a setting of another suite, by the name of that one as an attached store.
    func destination(of key: String, in suite: String) -> Suite? {
        guard let destination = attachment?.destination?(key, suite), !destination.isCopy else { return nil }
        return destination.suite
    }

    /// Where a setting is, or is too, after the step, by the name of its suite as an attached store; nil if the step
    /// brings it nowhere.
    func newPlace(of key: String, in suite: String) -> Destination? {
        (declaration as? RenameKeysStep)?.destination(of: key, in: suite) ?? attachment?.destination?(key, suite)
    }

    /// Whether only its run shows which settings the step brings into its suites.
    var bringsUnknownSettings: Bool {
        isBlock || settings != nil && attached.contains { $0.suite == nil }
    }

    /// The settings that the step moves into records.
    package var movedSettings: SettingsPlace? { (declaration as? MoveToRecordsStep)?.place.settings }

    /// Whether it erases the bytes of the records that it deletes.
    var isErasing: Bool { (declaration as? DeleteTypeStep)?.isErasing == true }

    /// Whether a value probably has an old form from which the step converts settings; nil for other steps.
    var isOldForm: (@Sendable (PropertyListValue) -> Bool)? { attachment?.isOldForm }

    /// The policy for records that the step cannot convert; nil for that of the registry.
    private(set) var failurePolicy: RecordFailurePolicy?

    init(
        _ declaration: any StepDeclaration,
        _ action: Action,
        attaching attached: [AttachedStore] = [],
        _ attachment: Attachment? = nil
    ) {
        self.declaration = declaration
        self.action = action
        self.attached = attached
        self.attachment = attachment
    }

    /// Creates a step that its declaration fully describes.
    init(_ step: any RecordStep) {
        self.init(step, at: step.place, step.edit)
    }

    /// Creates a step that changes each record of a type, or the content of settings.
    init(_ declaration: any StepDeclaration, at place: Place, _ edit: RecordEdit) {
        switch place.kind {
        case .records(let type): self.init(declaration, .edit(edit, type: type.text))
        case .settings(let settings): self.init(declaration, changing: settings) { try $0.change(settings, edit) }
        }
    }

    /// Creates a step that changes the content or the form of settings.
    init(
        _ declaration: any StepDeclaration,
        changing place: SettingsPlace,
        _ body: @escaping Block
    ) {
        let attachment = Attachment(settings: place.suite, converts: place.includes, hasFailurePolicy: true)
        self.init(declaration, .run(body), attaching: [.suite(place.suite)], attachment)
    }

    /// Creates a step that changes a suite.
    init(
        _ declaration: any StepDeclaration,
        changing suite: Suite,
        _ body: @escaping Block
    ) {
        self.init(declaration, .run(body), attaching: [.suite(suite)], Attachment(settings: suite))
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
    /// block, it applies to the records that `enumerate` visits; see ``MigrationContext/enumerate(_:_:)``.
    ///
    /// A setting cannot be quarantined. With that policy, it stays as it was before the migration, later steps of the
    /// migration leave it out, and the report lists it as not convertible. With `drop`, it is removed. The limit's
    /// share has no effect on settings. Migrations that convert settings of other libraries have an argument
    /// `unconvertible` instead, and no policy has an effect on them.
    ///
    /// The registry is invalid if the step processes neither records nor the content of settings, such as a rename of a
    /// type, or if the limit is out of range.
    public func onFailure(_ policy: RecordFailurePolicy) -> MigrationStep {
        var step = self
        step.failurePolicy = policy
        return step
    }

    /// Whether the step also runs on a store that was just created, because it imports data from elsewhere.
    public var runsOnFreshStore: Bool {
        attachment != nil || (declaration as? RunStep)?.onFreshStore == true
    }

    /// Whether the step is a closure that may look for any record or setting.
    package var isBlock: Bool { declaration is RunStep || attachment?.isBlock == true }

    /// Whether the step works on records or the content of settings, and its declaration has the names that it needs.
    package var isDeclared: Bool {
        (attachment == nil || declaration is any RecordStep) && !isCheck
            && !(declaration is RunStep || declaration is TransformStep || declaration is ConvertStep)
    }

    /// Whether the step runs a closure of the app that may decode or encode the content of records or settings.
    var runsContentClosure: Bool { declaration.runsClosure }

    /// Changes a record if the step is one that changes single records.
    package func change(_ record: inout Record) throws {
        if case .edit(let edit, _) = action { try edit.apply(&record) }
    }

    /// Whether the step may read and change records of the primary store.
    var usesRecords: Bool {
        if case .moveStore = action { false } else { attachment?.usesRecords ?? true }
    }

    /// Whether the step reads or changes more than one record at a time, and does not only add some.
    var needsStore: Bool {
        guard case .run = action else { return false }
        return usesRecords && !isCheck && movedSettings == nil && !(declaration is ExtractRecordsStep)
    }

    /// Whether the step processes single records and by its declaration changes only their content.
    var changesOnlyContent: Bool {
        if case .edit(let edit, _) = action { !edit.mayDrop } else { false }
    }

    /// Whether the step processes single records or settings and can fail for one; renaming a type cannot.
    var processesRecords: Bool {
        switch action {
        case .edit: true
        // Steps on suites and directories have their own options for what they cannot convert.
        case .run: attachment?.hasFailurePolicy ?? true
        case .renameType, .deleteType, .moveStore: false
        }
    }

    /// The step's description in plans and reports.
    public var description: String {
        declaration.description
    }
}
