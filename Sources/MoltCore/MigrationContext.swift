/// The whole store, lent to a block: read any record, create, change and delete.
///
/// ```swift
/// migrations.register(to: 1, "full-name") { migration in
///     try migration.enumerate("Person") { old, new in
///         new["fullName"] = .string("\(try old.string("firstName")) \(try old.string("lastName"))")
///     }
/// }
/// ```
///
/// Everything happens in the transaction of the upgrade: what the block throws undoes all of it. A block may catch what
/// left the store as it was, as a key that exists. It cannot go on after anything else, as an enumeration that failed
/// when it had changed records: every later call throws that error again, and so does the upgrade.
///
/// A context must not be used after its block has returned: its calls then throw an error with the code
/// `contextExpired`.
public final class MigrationContext {
    /// The version that the store had before this migration.
    public let oldVersion: Int
    /// The version that this migration brings the store to.
    public let version: Int

    /// The version that a record is at when this block has changed it.
    let recordVersion: Int
    /// The migration that the block is a step of.
    let migration: Migration
    /// The step that the block is.
    let step: UpgradeSchedule.Step
    /// What the steps of an upgrade share.
    let scope: UpgradeScope
    /// The coders that records are made with.
    var coding: RecordCoding { scope.coding }
    private var isExpired = false
    /// What left the store half changed: the block cannot catch it and go on.
    var failure: (any Error)?
    /// Why the upgrade stops after all, when too many records could not be converted.
    var limitError: MigrationError?
    /// The first id of the records that this block creates: `enumerate` does not visit those.
    let firstCreatedID: Int64
    /// The id of the next record that this block creates.
    var nextID: Int64
    /// The enumerations that are under way, the innermost last.
    var enumerations: [Enumeration] = []
    /// Whether the store keeps originals of records that this block has changed.
    var hasOriginals = false
    /// For types that this block renamed before it changed any record, the name that they had when it started.
    ///
    /// Stays as it is once an original was kept: kept records have the names of that moment.
    var originalTypeNames: [ExactName: String] = [:]
    /// Numbers for changes that are deferred: one for each pass of this block.
    private var nextStage = 0
    /// What the block has done to records.
    var counts = RecordCounts()
    /// How many records could not be converted.
    var failureCount = 0
    /// For each type, how many records the enumeration of it visited that visited the most.
    var mostVisited: [ExactName: Int] = [:]
    /// How many enumerations there were.
    var enumerationCount = 0
    /// How often a type was renamed.
    var renameCount = 0
    /// The types that the block named and that had no record.
    private(set) var unmatchedNames: [UnmatchedName] = []
    /// What became of each key that the block worked on.
    var keys: [KeyOutcome] = []
    /// The attached stores that the block has asked for.
    var usedAttachments: Set<String> = []
    /// What the block could not read of records that it asked for by their keys.
    private var unreadable: [UnreadableText] = []
    /// What it can reach outside the store.
    var attachments: Attachments { scope.attachments }
    /// How the upgrade runs.
    var options: MigrationOptions { scope.options }

    init(_ pending: PendingMigration, _ step: UpgradeSchedule.Step, _ scope: UpgradeScope) throws {
        migration = pending.migration
        self.step = step
        oldVersion = pending.oldVersion
        version = pending.migration.version
        recordVersion = pending.recordVersion
        self.scope = scope
        let lastID = max(try scope.records.lastRecordID(), scope.options.lastReservedID)
        guard lastID < Int64.max else {
            throw MigrationError(
                .storeFailed,
                "The store has a record of the last id that there can be, so that none can be added. It is damaged.",
                underlying: MigrationError.Damage()
            )
        }
        nextID = lastID + 1
        firstCreatedID = nextID
    }

    /// Ends the use of the context.
    func expire() {
        isExpired = true
    }

    /// The number of another pass of this block.
    func newStage() -> Int {
        defer { nextStage += 1 }
        return nextStage
    }

    /// Forgets what was kept for `enumerate`.
    ///
    /// - Throws: What the block should not have caught.
    func finish() throws {
        if let failure = failure ?? unreadable.lazy.compactMap(\.failure).first { throw failure }
        try attachments.check(usedAttachments)
        if hasOriginals { try scope.records.forgetOriginals() }
        if enumerationCount > 1 { scope.failures.note(repeated: counts.read - (try visitedCount()), at: step) }
    }

    /// How many records were visited, each counted once.
    ///
    /// One that was visited by two type names counts twice, but never more than there were.
    private func visitedCount() throws -> Int {
        let records = try scope.records.count(ofType: nil) + counts.dropped + counts.quarantined - counts.created
        return min(counts.read, mostVisited.values.reduce(0, +), max(0, records))
    }

    /// Reads or changes the store; what it could not do ends the block, unless it is a key that exists.
    ///
    /// SQLite, for one, gives up the whole transaction when a disk is full: what came after would be kept by itself.
    func perform<Value>(_ body: (any RecordTransaction) throws -> Value) throws -> Value {
        guard !isExpired else {
            throw MigrationError(
                .contextExpired,
                "The migration's context was used after its block had returned. Do all work inside the block."
            )
        }
        if let failure { throw failure }
        do {
            return try body(scope.records)
        } catch {
            if (error as? MigrationError)?.code != .keyExists { failure = error }
            throw error
        }
    }

    /// Takes note of a type that has no record, unless no type has.
    func noteMissing(_ type: String) throws {
        guard !unmatchedNames.contains(where: { RecordObject.isSame($0.type, type) }) else { return }
        let names = try types
        guard !names.isEmpty, !names.contains(where: { RecordObject.isSame($0, type) }) else { return }
        unmatchedNames.append(UnmatchedName(type: type, nearest: UnmatchedName.nearest(to: type, among: names)))
    }

    // MARK: Looking

    /// The names of the types that have at least one record, sorted.
    public var types: [String] {
        get throws { try perform { try $0.typeNames() } }
    }

    /// The number of records of a type.
    public func count(ofType type: String) throws -> Int {
        try perform { try $0.count(ofType: type) }
    }

    /// The record with a key as it is now, or nil.
    public func record(forKey key: String) throws -> Record? {
        guard var record = try perform({ try $0.record(forKey: key) }) else { return nil }
        try record.read()
        if let text = record.unreadable { unreadable.append(text) }
        return record
    }
}
