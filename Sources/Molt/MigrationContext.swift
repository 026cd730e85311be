/// Gives a block access to the whole store, to read, create, change and delete records.
///
/// ```swift
/// migrations.register(to: 1, "full-name") { migration in
///     try migration.enumerate("Person") { old, new in
///         new["fullName"] = .string("\(try old.string("firstName")) \(try old.string("lastName"))")
///     }
/// }
/// ```
///
/// All changes belong to the upgrade's transaction: an error that the block throws undoes all of them. A block may
/// catch an error that left the store unchanged, such as a key that exists. Any other error is sticky, such as that of
/// an enumeration that failed after it changed records: every later call throws it again, and so does the upgrade.
///
/// Do not use a context after its block has returned: a call then stops the process.
public final class MigrationContext {
    /// The version that the store had before this migration.
    public let oldVersion: Int
    /// The version that this migration brings the store to.
    public let version: Int
    /// The names of those of the migrations it replaces that the store has been through; see
    /// ``Migration/init(to:_:merging:revision:_:)``.
    public let appliedMigrations: Set<String>

    let step: ScheduledStep
    let runner: StepRunner
    var recordVersion: Int { step.pending.recordVersion }
    var migration: Migration { step.migration }
    let coding: RecordCoding
    /// What the records that it adds have to go through at once, because the other records have been through it.
    private(set) lazy var arrival = RecordArrival(missedSteps, storeName: runner.storeName)
    /// The steps that what it brings in has missed.
    var missedSteps: MissedSteps { runner.missedSteps(after: step) }
    private var isExpired = false
    /// The error that left the store half changed; it is sticky, so the block cannot catch it and go on.
    var failure: (any Error)?
    /// The first id of the records that this block creates; `enumerate` skips those records.
    let firstCreatedID: Int64
    var nextID: Int64
    /// The enumerations in progress, the innermost last.
    var enumerations: [Enumeration] = []
    /// Whether the block has changed records of which it can find the originals.
    var hasOriginals = false
    /// The original names of the types that this block renamed before it changed any record.
    ///
    /// Fixed once an original is stored, because stored originals have the type names of that moment.
    var originalTypeNames: [ExactName: String] = [:]
    /// The number of the next round of postponed changes.
    private var nextRound = 0
    var counts = MigrationReport.Counts()
    /// The number of deleted records by their type.
    private var deleted: [ExactName: Int] = [:]
    /// The number of records by their type that became one with others.
    private var merged: [ExactName: Int] = [:]
    var failureCount = 0
    /// The number of records in the source of an import that are not in the store after it.
    var missingCount = 0
    /// The number of renamed types, counting repetitions, and of changes of records that the block has created.
    var uncountedChanges = 0
    var unmatchedNames: [MigrationReport.UnmatchedName] = []
    /// The contents of visited records, which are written together before anything else is read or changed.
    var unwritten = RecordContents(rows: [], buffers: [[]])
    var keys: [MigrationReport.KeyOutcome] = []
    /// The keys of settings that it could not convert; what earlier steps of the migration did to them is taken back.
    var unconvertedKeys: Set<String> = []
    /// The data that the step has removed from settings by its declaration, and the removed settings with a prefix.
    var settingLosses: [MigrationReport.DataLoss] = []
    var usedStores: Set<String> = []
    /// The suites among them.
    var usedSuites: Set<String> = []
    var attachedWork: AttachedWork { runner.attachedWork }
    var configuration: MoltConfiguration { runner.configuration }

    init(_ step: ScheduledStep, _ runner: StepRunner) throws {
        self.step = step
        self.runner = runner
        coding = step.migration.coding
        oldVersion = step.pending.oldVersion
        version = step.migration.version
        appliedMigrations = runner.applied.intersection(step.migration.replaces)
        let lastID = try runner.records.lastRecordID()
        guard lastID < Int64.max else {
            throw MoltError(
                .storeFailed,
                "The store is damaged: a record has the largest possible id, so no record can be added.",
                advice: SQLiteError.rescue,
                underlying: MoltError.Damage()
            )
        }
        nextID = lastID + 1
        firstCreatedID = nextID
        runner.records.beginBlock(isLarge: lastID > Int64(runner.configuration.hooks.batchSize))
    }

    /// The policy for a record or a setting that the step cannot convert.
    var failurePolicy: FailurePolicy { step.onFailure ?? runner.registry.failurePolicy }

    /// Does the work of a step that is not fused with others.
    func run(_ work: StepWork) throws {
        switch work {
        case .store(.renameKeys(let step)): try renameKeys(step.type, to: step.newKey, onConflict: step.policy)
        case .store(.extract(let step)): try extract(step)
        case .settings(let work): try run(work)
        case .bring(let work): try work.body(self)
        case .block(_, let body), .check(let body): try body(self)
        case .records: break
        }
    }

    func expire() {
        isExpired = true
    }

    func newRound() -> Int {
        defer { nextRound += 1 }
        return nextRound
    }

    /// Forgets the originals that were kept for `enumerate`; throws a sticky error that the block caught.
    func finish() throws {
        if let failure = failure { throw failure }
        try attachedWork.check(usedStores)
        if hasOriginals { try runner.records.forgetOriginals() }
    }

    /// Reads or changes the store; an error ends the block, unless its code is `keyExists`.
    ///
    /// A full disk, for one, makes SQLite roll back the whole transaction: later changes would be committed on their
    /// own.
    ///
    /// - Parameters:
    ///   - point: Where a test may make it fail, as the store itself could.
    ///   - writesFirst: Whether the contents of visited records are written first.
    func perform<Value>(
        at point: @autoclosure () -> UpgradePoint? = nil,
        writingFirst writesFirst: Bool = true,
        _ body: (StoreTransaction) throws -> Value
    ) throws -> Value {
        precondition(!isExpired, "A migration's context was used after its block had returned.")
        if let failure { throw failure }
        do {
            if let atPoint = configuration.hooks.atPoint, let point = point() { try atPoint(point) }
            if writesFirst, !unwritten.rows.isEmpty {
                try runner.records.writeKeepingOriginals(unwritten)
                unwritten.rows.removeAll(keepingCapacity: true)
                unwritten.buffers[0].removeAll(keepingCapacity: true)
            }
            return try body(runner.records)
        } catch {
            if (error as? MoltError)?.code != .keyExists { failure = error }
            throw error
        }
    }

    // MARK: Notes for the report

    /// The data that the block has removed.
    var losses: [MigrationReport.DataLoss] {
        deleted.ordered { $0.key.text < $1.key.text }.map {
            MigrationReport.DataLoss(.records, $0.key.text, count: $0.value)
        }
            + merged.ordered { $0.key.text < $1.key.text }.map { .merged($0.key.text, count: $0.value) }
            + keys.filter { $0.outcome == .removed && !isListed($0) }.map { MigrationReport.DataLoss(.setting, $0.key) }
            + settingLosses
    }

    /// Whether a removed setting is part of the loss of settings with a prefix.
    private func isListed(_ key: MigrationReport.KeyOutcome) -> Bool {
        settingLosses.contains { $0.kind == .settings && key.key.utf8.starts(with: $0.name.dropLast().utf8) }
    }

    func noteDeleted(_ count: Int, ofType type: String) {
        counts.dropped += count
        if count > 0 { deleted[ExactName(type), default: 0] += count }
    }

    /// Notes the loss of a record that became one with another, or of an object that did not become a record.
    func noteMerged(ofType type: String) {
        merged[ExactName(type), default: 0] += 1
    }

    /// Notes a record before and after a change in a dry run; nil before it was created and after it was deleted.
    ///
    /// - Parameter replaces: Whether it takes the place of the last note of the record.
    func note(_ before: Record?, _ after: Record?, replacing replaces: Bool = false) {
        runner.notes?.noteLost(before, after, by: step.id)
        runner.notes?.add(before, after, by: step.id, replacing: replaces)
    }

    /// Notes a type that has no record, unless the store is empty.
    func noteMissing(_ type: String) throws {
        guard runner.findsUnmatchedNames,
            !unmatchedNames.contains(where: { ExactName.isSame($0.type, type) })
        else { return }
        let names = try types
        guard !names.isEmpty, !names.contains(where: { ExactName.isSame($0, type) }) else { return }
        unmatchedNames.append(MigrationReport.UnmatchedName(type: type, among: names))
    }

    /// Notes a property that no visited record has.
    func noteMissing(_ path: PropertyPath, of type: String, _ count: Int) {
        guard runner.findsUnmatchedNames else { return }
        unmatchedNames.append(
            MigrationReport.UnmatchedName(type: type, property: path, recordCount: count, nearest: nil)
        )
    }

    /// Notes the property by which a policy compares records, if none has it.
    func noteMissing(_ sought: SoughtProperty, of type: String) {
        guard runner.findsUnmatchedNames, sought.isMissing, let path = sought.path else { return }
        unmatchedNames.append(
            MigrationReport.UnmatchedName(
                type: type,
                property: path,
                recordCount: sought.count,
                nearest: path.nearest(in: sought.samples)
            )
        )
    }

    /// Notes the outcomes for keys of a suite; one for an absent key names a similar key that may be meant.
    func note(_ outcomes: [MigrationReport.KeyOutcome], among names: @autoclosure () throws -> [String]) throws {
        var outcomes = outcomes
        // On a new device, all keys may be absent.
        let absent = outcomes.indices.filter { outcomes[$0].outcome == .absent }.prefix(10)
        if runner.findsUnmatchedNames, !absent.isEmpty {
            let others = Set(try names()).subtracting(outcomes.map(\.key)).sorted()
            for index in absent {
                let nearest = MigrationReport.UnmatchedName.nearest(to: outcomes[index].key, among: others)
                outcomes[index].reason = nearest.map { "the nearest key is \"\($0)\"" }
            }
        }
        for index in outcomes.indices where outcomes[index].outcome == .absent {
            let (key, suite) = (outcomes[index].key, outcomes[index].store)
            guard let move = runner.registry.move(of: key, in: suite, before: migration) else { continue }
            outcomes[index].reason = "migration \(move.by) moves it into \(move.to): name that suite"
        }
        keys += outcomes
    }

    /// Notes the outcomes for the settings of a place; those that a step has removed by a prefix count as one loss.
    func note(
        _ outcomes: [MigrationReport.KeyOutcome],
        of place: SettingsPlace,
        among names: @autoclosure () throws -> [String]
    ) throws {
        let removed = outcomes.count { $0.outcome == .removed }
        if place.isPrefix, removed > 0 {
            settingLosses.append(MigrationReport.DataLoss(.settings, place.label, count: removed))
        }
        if outcomes.contains(where: { $0.outcome == .changed }) {
            settingLosses += step.declared.declaration.losses.filter { $0.kind != .setting && $0.kind != .settings }
        }
        guard outcomes.isEmpty, place.isPrefix else { return try note(outcomes, among: names()) }
        var absent = MigrationReport.KeyOutcome(store: place.suite.attachedName, key: place.label, outcome: .absent)
        if runner.findsUnmatchedNames {
            let prefix = place.name.text
            let beginnings = Set(try names().map { String($0.prefix(prefix.count)) }).sorted()
            let nearest = MigrationReport.UnmatchedName.nearest(to: prefix, among: beginnings)
            absent.reason = nearest.map { "the nearest prefix is \"\($0)\"" }
        }
        keys.append(absent)
    }

    // MARK: Looking

    /// The names of the types that have at least one record, sorted.
    public var types: [String] {
        get throws { try perform { try $0.typeNames() } }
    }

    /// The number of records of a type.
    ///
    /// - Throws: ``MoltError`` with the code `storeFailed`.
    public func count(ofType type: String) throws -> Int {
        try perform { try $0.count(ofType: type) }
    }

    /// The record with a key in its current state, or nil.
    ///
    /// - Throws: ``MoltError`` with the code `malformedContent` if the content is not JSON text, or that of the store.
    public func record(forKey key: String) throws -> Record? {
        guard var record = try perform({ try $0.record(forKey: key) }) else { return nil }
        record.coding = coding
        try record.read()
        return record
    }
}
