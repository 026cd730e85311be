/// What a step works on, and what it does there.
enum StepWork: Sendable {
    /// Changes records one by one, or the name of their type; such steps are fused.
    case records(RecordWork)
    /// Gives the records of a type new keys.
    case renameKeys(RenameRecordKeysStep)
    /// Makes records of objects in other records.
    case extract(ExtractRecordsStep)
    /// Changes a suite, whose ledger tells whether it has.
    case settings(SettingsWork)
    /// Makes records of the files in a directory.
    case adopt(AttachedDirectory, MigrationStep.Block)
    /// Runs a closure of the app, which may look for any record or setting.
    case block(RunStep, MigrationStep.Block)
    /// Only checks what the other steps of the migration have done.
    case check(MigrationStep.Block)
    /// Changes no contents: the file is moved before the upgrade.
    case moveStore(MoveStoreStep)

    /// The suites, files and directories that it works on.
    var attached: [AttachedStore] {
        switch self {
        case .settings(.receive(let source, let suite, _, _)): [source, .suite(suite)]
        case .settings(let work): [.suite(work.suite)]
        case .adopt(let directory, _): [.directory(directory)]
        case .block(let declaration, _): declaration.suites.map(AttachedStore.suite)
        case .records, .renameKeys, .extract, .check, .moveStore: []
        }
    }

    /// The change of each record of a type, or of the content of settings; nil for other work.
    var edit: RecordEdit? {
        switch self {
        case .records(.edit(let edit, _)), .settings(.edit(_, let edit)): edit
        case .records, .renameKeys, .extract, .settings, .adopt, .block, .check, .moveStore: nil
        }
    }
}

/// What a step does to records, one by one.
enum RecordWork: Sendable {
    case renameType(String, to: String)
    /// Deletes the records of a type, and also erases their bytes if it says so.
    case deleteType(String, erasing: Bool)
    /// Changes each record of a type.
    case edit(RecordEdit, type: String)

    /// The type that it changes or deletes.
    var typeName: String {
        switch self {
        case .renameType(let type, _), .deleteType(let type, _), .edit(_, let type): type
        }
    }
}

/// What a step does to the settings of a suite.
enum SettingsWork: Sendable {
    /// Changes the content of settings.
    case edit(SettingsPlace, RecordEdit)
    /// Changes the form in which settings are stored.
    case changeForm(SettingsPlace, ChangeFormStep)
    case removeKeys(RemoveKeysStep)
    /// Renames keys, or copies their values.
    case renameKeys(RenameKeysStep)
    /// Makes records of settings.
    case moveToRecords(SettingsPlace, MoveToRecordsStep)
    /// Converts some keys from the form of another library.
    case convert(Suite, keys: Set<String>, isOldForm: @Sendable (PropertyListValue) -> Bool, MigrationStep.Block)
    /// Moves or copies settings into a suite, from another one or from a file.
    case receive(from: AttachedStore, Suite, newPlace: NewPlace, MigrationStep.Block)
    /// Runs a closure of the app, which may look for any setting of a suite.
    case block(Suite, MigrationStep.Block)

    /// The place that a setting of a suite gets, by the name of that one as an attached store; nil if it gets none.
    typealias NewPlace = @Sendable (_ key: String, _ suite: String) -> Destination?

    /// The place to which a setting is moved or copied.
    struct Destination: Sendable {
        var suite: Suite
        var key: String
        /// Whether the setting also stays where it was.
        var isCopy: Bool
    }

    /// The suite that it changes.
    var suite: Suite {
        switch self {
        case .edit(let place, _), .changeForm(let place, _), .moveToRecords(let place, _): place.suite
        case .removeKeys(let declaration): declaration.suite
        case .renameKeys(let declaration): declaration.place.suite
        case .convert(let suite, _, _, _), .receive(_, let suite, _, _), .block(let suite, _): suite
        }
    }

    /// Whether it converts a key, or changes the setting's content.
    func converts(_ key: String) -> Bool {
        switch self {
        case .edit(let place, _), .changeForm(let place, _), .moveToRecords(let place, _): place.includes(key)
        case .convert(_, let keys, _, _): keys.contains(key)
        case .removeKeys, .renameKeys, .receive, .block: false
        }
    }

    /// Whether it may change the setting of a key that its suite has, or the key.
    func mayChange(_ key: String) -> Bool {
        switch self {
        case .removeKeys(let declaration): declaration.places.contains { $0.includes(key) }
        case .renameKeys(let declaration): declaration.place.includes(key)
        case .block: true
        case .edit, .changeForm, .moveToRecords, .convert, .receive: converts(key)
        }
    }

    /// Where a setting is, or is too, after the step; nil if the step brings it nowhere.
    ///
    /// - Parameter suite: The setting's suite, by its name as an attached store.
    func newPlace(of key: String, in suite: String) -> Destination? {
        switch self {
        case .renameKeys(let declaration): declaration.destination(of: key, in: suite)
        case .receive(_, _, let newPlace, _): newPlace(key, suite)
        case .edit, .changeForm, .removeKeys, .moveToRecords, .convert, .block: nil
        }
    }
}
