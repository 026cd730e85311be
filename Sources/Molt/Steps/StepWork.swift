/// What a step works on, and what it does there.
enum StepWork: Sendable {
    /// Changes records one by one, or the name of their type; such steps are fused.
    case records(RecordWork)
    /// Changes records of the whole store at once.
    case store(StoreWork)
    /// Changes a suite, whose ledger tells whether it has.
    case settings(SettingsWork)
    /// Makes records of what is in another place.
    case bring(BringWork)
    /// Runs a closure of the app, which may look for any record or setting.
    case block(RunStep, MigrationStep.Block)
    /// Only checks what the other steps of the migration have done.
    case check(MigrationStep.Block)

    /// The suites, files and directories that it works on.
    @inline(never)
    var attached: [AttachedStore] {
        switch self {
        case .settings(let work): work.attached
        case .bring(let work): work.source.map { [$0] } ?? []
        case .block(let declaration, _): declaration.suites.map(AttachedStore.suite)
        case .records, .store, .check: []
        }
    }

    /// Whether it may give a record, of whichever type, a key that another record has.
    var mayGiveKey: Bool {
        switch self {
        case .records(.edit(let edit, _)): edit.mayGiveKey
        case .settings(let work): work.usesRecords
        case .store, .bring, .block: true
        case .records, .check: false
        }
    }

    /// Whether it may read and change records of the primary store.
    var usesRecords: Bool {
        switch self {
        case .records, .store, .bring, .block, .check: true
        case .settings(let work): work.usesRecords
        }
    }

    /// Whether a closure of the app may decode or encode the content of records.
    var runsRecordClosure: Bool {
        switch self {
        case .records(.edit(let edit, _)): edit.runsClosure
        case .records(.handOver): true
        case .store(let work): work.runsClosure
        case .bring(let work): work.encodes
        case .block: true
        case .records, .settings, .check: false
        }
    }

    /// Whether a record or a setting that it cannot convert is subject to the failure policy.
    var hasFailurePolicy: Bool {
        switch self {
        case .records(let work): work.canFail
        case .settings(let work): work.hasFailurePolicy
        case .store, .block, .check: true
        case .bring(let work): work.canReject
        }
    }

    /// The change of each record of a type, or of the content of settings; nil for other work.
    @inline(never)
    var edit: RecordEdit? {
        switch self {
        case .records(.edit(let edit, _)), .settings(.edit(_, let edit)): edit
        case .records, .store, .settings, .bring, .block, .check: nil
        }
    }

    /// Where that change is made.
    var editedPlace: StepPlace? {
        switch self {
        case .records(.edit(_, let type)): .records(ofType: type)
        case .settings(.edit(let place, _)): StepPlace(place)
        case .records, .store, .settings, .bring, .block, .check: nil
        }
    }

    /// Adds a condition, if the work can have one.
    mutating func restrict(to condition: RecordCondition) {
        switch self {
        case .records(.edit(var edit, let type)):
            edit.conditions.append(condition)
            self = .records(.edit(edit, type: type))
        case .settings(.edit(let place, var edit)):
            edit.conditions.append(condition)
            self = .settings(.edit(place, edit))
        case .records, .store, .settings, .bring, .block, .check: break
        }
    }

    /// What to write instead of a condition, in a sentence; nil for work that can have one.
    var replacementForCondition: String? {
        switch self {
        case .records(.edit), .settings(.edit): nil
        case .records(.renameType): "Set `typeName` in `transform`."
        case .records(.deleteType): "Call `drop()` in `transform`."
        case .records(.handOver): "Give the records a type of their own in `transform`, and hand that over."
        case .store(.renameKeys): "Set `key` in `transform`."
        case .store(.extract), .settings(.moveToRecords): "Create the records in a block: `run`."
        case .settings(.removeKeys), .settings(.renameKeys), .settings(.changeForm):
            "Choose the settings in `changeSettings`."
        case .settings(.handOver): "Rename the settings in `changeSettings`, and hand over the new keys."
        case .settings(.convert), .settings(.receive), .bring: "Name the keys that it is for."
        case .settings(.block), .block, .check: "Check it in the closure."
        }
    }
}

/// What a step brings into the store.
struct BringWork: Sendable {
    /// The directory or file; nil for what a closure reads.
    var source: AttachedStore?
    /// The type of the records; nil for those of files, which may have any.
    var type: String?
    /// Whether it encodes values with the migration's coders.
    var encodes = false
    /// Whether the failure policy applies to what it cannot convert.
    var canReject = false
    /// Reads its source before the upgrade; nil for one that the upgrade reads.
    var fetch: (@Sendable (RecordCoding) async throws -> SpooledRecords)?
    var body: MigrationStep.Block
}

/// What a step does to records, one by one.
enum RecordWork: Sendable {
    case renameType(String, to: String)
    /// Deletes the records of a type, and also erases their bytes if it says so.
    case deleteType(String, erasing: Bool)
    /// Takes the records of a type out of the store.
    case handOver(String, HandOverRecordsStep)
    /// Changes each record of a type.
    case edit(RecordEdit, type: String)

    /// The type that it changes or deletes.
    var typeName: String {
        switch self {
        case .renameType(let type, _), .deleteType(let type, _), .handOver(let type, _), .edit(_, let type): type
        }
    }

    /// That type, and the one that its records get.
    var typeNames: Set<String> {
        switch self {
        case .renameType(let type, let newType): [type, newType]
        case .deleteType(let type, _), .handOver(let type, _), .edit(_, let type): [type]
        }
    }

    /// Whether it can fail for a single record.
    var canFail: Bool {
        switch self {
        case .edit: true
        case .renameType, .deleteType, .handOver: false
        }
    }
}

/// What a step does to the records of a type as a whole.
enum StoreWork: Sendable {
    /// Gives the records new keys, and merges those that would have the same.
    case renameKeys(RenameRecordKeysStep)
    /// Makes records of objects in the records.
    case extract(ExtractRecordsStep)

    /// The part of the work that concerns one record by itself, such as a document.
    enum Alone {
        case change(RecordWork)
        case extraction(ExtractRecordsStep)
    }

    var alone: Alone {
        switch self {
        case .renameKeys(let step): .change(.edit(step.edit, type: step.type))
        case .extract(let step): .extraction(step)
        }
    }

    /// The types of the records that it changes or makes.
    var typeNames: Set<String> {
        switch self {
        case .renameKeys(let step): [step.type]
        case .extract(let step): [step.type, step.newType]
        }
    }

    /// Whether two records of the type may become one.
    var mergesRecords: Bool {
        switch self {
        case .renameKeys: true
        case .extract: false
        }
    }

    /// Whether a closure of the app decides about records with the same key.
    var runsClosure: Bool {
        switch self {
        case .renameKeys(let step): step.policy.runsClosure
        case .extract(let step): step.policy.runsClosure
        }
    }
}
