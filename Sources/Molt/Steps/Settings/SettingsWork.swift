/// What a step does to the settings of a suite.
enum SettingsWork: Sendable {
    case edit(SettingsPlace, RecordEdit)
    case changeForm(SettingsPlace, ChangeFormStep)
    case removeKeys(RemoveSettingsStep)
    case handOver(HandOverSettingsStep)
    /// Renames keys, or copies their values.
    case renameKeys(RenameSettingsStep)
    case moveToRecords(SettingsPlace, MoveToRecordsStep)
    /// Converts some keys from the form of another library.
    case convert(Suite, keys: Set<String>, isOldForm: @Sendable (PropertyListValue) -> Bool, MigrationStep.Block)
    /// Moves or copies settings into a suite, from another one or from a file.
    case receive(from: AttachedStore, Suite, destinationOfKey: DestinationOfKey, MigrationStep.Block)
    /// Runs a closure of the app, which may look for any setting of a suite.
    case block(Suite, MigrationStep.Block)

    /// Where a setting is moved or copied, by its key and the name of its suite as an attached store; nil if it is not.
    typealias DestinationOfKey = @Sendable (_ key: String, _ suite: String) -> Destination?

    /// The suite and the key to which a setting is moved or copied.
    struct Destination: Sendable {
        var suite: Suite
        var key: String
        /// Whether the setting also stays where it was.
        var isCopy: Bool
    }

    /// The suites and files that it works on.
    var attached: [AttachedStore] {
        switch self {
        case .receive(let source, let suite, _, _): [source, .suite(suite)]
        case .edit, .changeForm, .removeKeys, .handOver, .renameKeys, .moveToRecords, .convert, .block: [.suite(suite)]
        }
    }

    var suite: Suite {
        switch self {
        case .edit(let place, _), .changeForm(let place, _), .moveToRecords(let place, _): place.suite
        case .removeKeys(let declaration): declaration.suite
        case .handOver(let declaration): declaration.suite
        case .renameKeys(let declaration): declaration.place.suite
        case .convert(let suite, _, _, _), .receive(_, let suite, _, _), .block(let suite, _): suite
        }
    }

    /// Whether it also reads or changes records.
    var usesRecords: Bool {
        switch self {
        case .moveToRecords: true
        case .edit, .changeForm, .removeKeys, .handOver, .renameKeys, .convert, .receive, .block: false
        }
    }

    /// Whether it is a closure of the app.
    var isBlock: Bool {
        switch self {
        case .block: true
        case .edit, .changeForm, .removeKeys, .handOver, .renameKeys, .moveToRecords, .convert, .receive: false
        }
    }

    /// Whether a setting that it cannot convert is subject to the failure policy.
    var hasFailurePolicy: Bool {
        switch self {
        case .edit, .changeForm, .moveToRecords: true
        // Conversions and moves have options of their own for what they cannot convert.
        case .removeKeys, .handOver, .renameKeys, .convert, .receive, .block: false
        }
    }

    /// Whether what it takes out of a suite is in the store's file instead, before and after the suite is changed.
    var takesSettings: Bool {
        switch self {
        case .moveToRecords, .handOver: true
        case .edit, .changeForm, .removeKeys, .renameKeys, .convert, .receive, .block: false
        }
    }

    /// Whether only its run shows which settings it brings into the suite.
    var bringsUnknownSettings: Bool {
        switch self {
        case .receive(let source, _, _, _): source.suite == nil
        case .block: true
        case .edit, .changeForm, .removeKeys, .handOver, .renameKeys, .moveToRecords, .convert: false
        }
    }

    /// Whether it converts a key, or changes the setting's content.
    func converts(_ key: String) -> Bool {
        switch self {
        case .edit(let place, _), .changeForm(let place, _), .moveToRecords(let place, _): place.includes(key)
        case .convert(_, let keys, _, _): keys.contains(key)
        case .removeKeys, .handOver, .renameKeys, .receive, .block: false
        }
    }

    /// Whether it may change the setting of a key that its suite has, or the key.
    func mayChange(_ key: String) -> Bool {
        switch self {
        case .removeKeys(let declaration): declaration.places.contains { $0.includes(key) }
        case .handOver(let declaration): declaration.places.contains { $0.includes(key) }
        case .renameKeys(let declaration): declaration.place.includes(key)
        case .block: true
        case .edit, .changeForm, .moveToRecords, .convert, .receive: converts(key)
        }
    }

    /// Whether its declaration names a key, before or after the step.
    func names(_ key: String) -> Bool {
        switch self {
        case .renameKeys(let declaration): declaration.place.includes(key) || declaration.newPlace.includes(key)
        case .block: false
        // A step that receives all keys names none.
        case .receive(let source, _, let destinationOfKey, _):
            destinationOfKey(key, source.name) != nil && destinationOfKey("\u{0}", source.name) == nil
        case .edit, .changeForm, .removeKeys, .handOver, .moveToRecords, .convert: mayChange(key)
        }
    }

    /// Where a setting is, or is too, after the step; nil if the step brings it nowhere.
    ///
    /// - Parameter suite: The setting's suite, by its name as an attached store.
    func destination(of key: String, in suite: String) -> Destination? {
        switch self {
        case .renameKeys(let declaration): declaration.destination(of: key, in: suite)
        case .receive(_, _, let destinationOfKey, _): destinationOfKey(key, suite)
        case .edit, .changeForm, .removeKeys, .handOver, .moveToRecords, .convert, .block: nil
        }
    }
}
