import Foundation

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
    private let recordVersion: Int
    private let migration: Migration
    private let step: UpgradeSchedule.Step
    private let scope: UpgradeScope
    private let atPoint: UpgradeHook?
    /// The coders that records are made with.
    var coding: RecordCoding { scope.coding }
    private var isExpired = false
    /// What left the store half changed: the block cannot catch it and go on.
    private var failure: (any Error)?
    /// Why the upgrade stops after all, when too many records could not be converted.
    private(set) var limitError: MigrationError?
    /// The first id of the records that this block creates: `enumerate` does not visit those.
    private let firstCreatedID: Int64
    private var nextID: Int64
    /// The enumerations that are under way, the innermost last.
    private var enumerations: [Enumeration] = []
    private var hasOriginals = false
    /// For types that this block renamed before it changed any record, the name that they had when it started.
    ///
    /// Stays as it is once an original was kept: kept records have the names of that moment.
    private var originalTypeNames: [String: String] = [:]
    /// Numbers for changes that are deferred: one for each pass of this block.
    private var nextStage = 0
    private(set) var counts = RecordCounts()
    /// How many records could not be converted.
    private var failureCount = 0
    /// For each type, how many records the enumeration of it visited that visited the most.
    private var mostVisited: [String: Int] = [:]
    private var enumerationCount = 0
    /// How often a type was renamed.
    private var renameCount = 0
    /// What became of each key that the block worked on.
    var keys: [KeyOutcome] = []
    /// The attached stores that the block has asked for.
    var usedAttachments: Set<String> = []
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
        atPoint = scope.options.atPoint
        let lastID = max(try scope.transaction.lastRecordID(), scope.options.lastReservedID)
        guard lastID < Int64.max else {
            throw MigrationError(
                .storeFailed,
                "The store has a record of the last id that there can be, so that none can be added. It is damaged."
            )
        }
        nextID = lastID + 1
        firstCreatedID = nextID
    }

    /// Ends the use of the context.
    func expire() {
        isExpired = true
    }

    /// Forgets what was kept for `enumerate`.
    ///
    /// - Throws: What the block should not have caught.
    func finish() throws {
        if let failure { throw failure }
        try attachments.check(usedAttachments)
        if hasOriginals { try scope.transaction.forgetOriginals() }
        if enumerationCount > 1 { scope.failures.note(repeated: counts.read - (try visitedCount()), at: step) }
    }

    /// How many records were visited, each counted once.
    ///
    /// One that was visited by two type names counts twice, but never more than there were.
    private func visitedCount() throws -> Int {
        let records = try scope.transaction.count(ofType: nil) + counts.dropped + counts.quarantined - counts.created
        return min(counts.read, mostVisited.values.reduce(0, +), max(0, records))
    }

    /// Reads or changes the store; what it could not do ends the block, unless it is a key that exists.
    ///
    /// SQLite, for one, gives up the whole transaction when a disk is full: what came after would be kept by itself.
    func perform<Value>(_ body: (any MigrationTransaction) throws -> Value) throws -> Value {
        guard !isExpired else {
            throw MigrationError(
                .contextExpired,
                "The migration's context was used after its block had returned. Do all work inside the block."
            )
        }
        if let failure { throw failure }
        do {
            return try body(scope.transaction)
        } catch {
            if (error as? MigrationError)?.code != .keyExists { failure = error }
            throw error
        }
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
        return record
    }

    // MARK: Enumerating

    /// Visits each record of a type, with what it was and what it becomes side by side.
    ///
    /// - Parameters:
    ///   - type: The type name as it is now. An unknown one visits nothing.
    ///   - body: Gets the record as it was when the block started, and the record to change. Call `new.drop()` to
    ///     delete it. Records that this block created are not visited; nor are those that it deleted. A new key or
    ///     type name of a record is written when all records have been visited.
    /// - Throws: ``MigrationError``: what `body` throws is its underlying error. When a record was changed before, the
    ///   block cannot catch it and go on: the upgrade fails with it.
    public func enumerate(
        _ type: String,
        _ body: (_ old: Record, _ new: inout Record) throws -> Void
    ) throws {
        let changes = changeCount
        do {
            try visitAll(type, body)
        } catch {
            // Some records are changed and some are not; their new keys and type names are not written.
            if changeCount != changes { failure = failure ?? error }
            throw error
        }
    }

    /// Grows with each record that was changed, deleted, added or set aside, and with each type that was renamed.
    private var changeCount: Int {
        counts.changed + counts.dropped + counts.created + counts.quarantined + renameCount
    }

    private func visitAll(
        _ type: String,
        _ body: (_ old: Record, _ new: inout Record) throws -> Void
    ) throws {
        let batch = RecordBatch(capacity: scope.options.batchSize, coding: coding)
        let stage = nextStage
        nextStage += 1
        var hasDeferred = false
        var visited = 0
        enumerationCount += 1
        enumerations.append(Enumeration(looksForOriginals: hasOriginals))
        let level = enumerations.count - 1
        defer {
            enumerations.removeLast()
            mostVisited[type] = max(mostVisited[type] ?? 0, visited)
        }
        var after: Int64 = 0
        while true {
            try scope.options.checkCancellation()
            try perform { try $0.read(into: batch, type: type, after: after, through: firstCreatedID - 1) }
            guard batch.count > 0 else { break }
            enumerations[level].isBatchStale = false
            enumerations[level].isBatchIncomplete = false
            var seen = 0
            for index in 0..<batch.count {
                // What is visited must not depend on where batches end.
                if enumerations[level].isBatchIncomplete { break }
                try scope.options.checkCancellation()
                let id = batch.records[index].id
                after = id
                seen += 1
                enumerations[level].current = id
                enumerations[level].isCurrentDeleted = false
                enumerations[level].isCurrentWritten = false
                if enumerations[level].isBatchStale {
                    let record = try perform { try $0.record(id: id) }
                    guard let record, record.typeName == type else { continue }
                    batch.records[index] = record
                }
                counts.read += 1
                visited += 1
                hasDeferred = try visit(&batch.records[index], level, stage, body) || hasDeferred
            }
            scope.meter.advance(by: seen)
        }
        if hasDeferred { try perform { try $0.applyDeferredChanges(stage: stage) } }
    }

    /// - Returns: Whether a change waits for the end of the enumeration.
    private func visit(
        _ record: inout Record,
        _ level: Int,
        _ stage: Int,
        _ body: (_ old: Record, _ new: inout Record) throws -> Void
    ) throws -> Bool {
        let typeName = record.typeName
        var read: Record?
        var revision = record.revision
        let changes = changeCount
        var isAtPoint = false
        do {
            try record.read()
            let old = try original(of: record, level)
            read = old
            revision = record.revision
            if let atPoint {
                isAtPoint = true
                try atPoint(UpgradePoint(.record, "\(old.key) of type \(typeName)"))
                isAtPoint = false
            }
            try body(old, &record)
            if let failure = record.failure { throw failure }
        } catch {
            var old = read ?? record
            if read == nil { old.typeName = originalTypeNames[typeName] ?? typeName }
            let error = recordError(error, key: old.key, type: typeName)
            guard !isAtPoint, changeCount == changes, try setAside(old, now: typeName, error) else {
                throw error
            }
            return false
        }
        if let failure { throw failure }
        if enumerations[level].isCurrentDeleted { return false }
        if record.isDropped {
            try delete(id: record.id)
            return false
        }
        guard record.revision != revision else { return false }
        guard !enumerations[level].isCurrentWritten else {
            throw lostUpdate(key: read?.key ?? record.key, type: typeName)
        }
        let isRetyped = record.typeName != typeName
        if isRetyped {
            // Written when this enumeration ends, and seen by those around it.
            for outer in 0..<level { enumerations[outer].isBatchIncomplete = true }
        }
        return try write(record, isRetyped: isRetyped, stage: stage)
    }

    /// Sets a record aside as it was when the block started, where the policy says so.
    ///
    /// What the closure did to an attached store before it threw could not be taken back.
    private func setAside(_ old: Record, now typeName: String, _ error: MigrationError) throws -> Bool {
        let policy = scope.options.policy(of: step)
        guard policy != .stop, failure == nil, usedAttachments.isEmpty, StepFailure.isAboutRecord(error) else {
            return false
        }
        let error = StepFailure.error(error, migration, step.number, store: scope.storeName)
        let cause = RecordFailure(error, in: migration, step: step.number, firstStep: step.number)
        let isDropped = if case .drop = policy { true } else { false }
        do {
            let record = MigrationReport.FailedRecord(
                key: old.key,
                type: old.typeName,
                outcome: isDropped ? .dropped : .quarantined,
                cause
            )
            try scope.failures.add(record, error, at: step, of: count(ofType: typeName) + failureCount)
            failureCount += 1
        } catch {
            failure = failure ?? error
            limitError = error as? MigrationError
            throw error
        }
        if isDropped {
            try delete(id: old.id)
            return true
        }
        touch(old.id, isDeleted: true)
        counts.quarantined += 1
        let stage = nextStage
        nextStage += 1
        try perform { transaction in
            try transaction.deferQuarantine(
                DeferredQuarantine(stage: stage, id: old.id, typeName: old.typeName, failure: cause)
            )
            try transaction.applyDeferredChanges(stage: stage)
        }
        return true
    }

    private func original(of record: Record, _ level: Int) throws -> Record {
        var original = record
        if enumerations[level].looksForOriginals, let kept = try perform({ try $0.original(id: record.id) }) {
            original = kept
            try original.read()
        }
        guard let typeName = originalTypeNames[original.typeName] else { return original }
        original.typeName = typeName
        return original
    }

    /// The error for a record that the closure changed twice, where one of the changes would be lost.
    private func lostUpdate(key: String, type: String) -> MigrationError {
        var error = MigrationError(
            .stepFailed,
            "The closure changed the record that it visits, and that record was also written by update, or by an "
                + "enumeration inside the closure: one of the two changes would be lost. Make both on `new`."
        )
        error.recordKey = key
        error.recordType = type
        return error
    }

    private func recordError(_ error: any Error, key: String, type: String) -> MigrationError {
        var named = StepFailure.named(error, store: scope.storeName)
        guard named.code != .cancelled else { return named }
        named.recordKey = named.recordKey ?? key
        named.recordType = named.recordType ?? type
        return named
    }

    // MARK: Changing

    /// Adds a record, which `enumerate` does not visit.
    func insert(_ record: inout Record, _ expiration: Date?) throws {
        record.expiration = expiration
        try perform { try $0.insert(record, id: nextID, version: recordVersion) }
        nextID += 1
        counts.created += 1
    }

    /// Writes back a record that ``record(forKey:)`` gave: its content, its expiry, its key and its type name.
    ///
    /// Inside `enumerate`, do not update the record that is visited and change `new`, too: that is an error, because
    /// one of the two changes would be lost.
    ///
    /// - Throws: ``MigrationError`` with the code `recordMissing` when it was deleted in the meantime, `keyExists`
    ///   when another record has its new key, or what a subscript of the record could not do.
    public func update(_ record: Record) throws {
        if let failure = record.failure { throw failure }
        guard let stored = try perform({ try $0.record(id: record.id) }) else {
            throw record.error(.recordMissing, "The record was deleted, so it cannot be updated.")
        }
        if record.isDropped { return try delete(id: record.id) }
        // Before anything is written: the block may catch this and go on.
        if let key = record.changedKey, let other = try perform({ try $0.record(forKey: key) }), other.id != record.id {
            throw stored.error(
                .keyExists,
                "The record cannot get the key \"\(key)\", which another record of type \(other.typeName) has. Give it a "
                    + "key of its own, or delete the other record first."
            )
        }
        // A copy from before its type was renamed does not bring the old name back.
        let isRetyped = record.hasNewTypeName && record.typeName != stored.typeName
        let stage = nextStage
        nextStage += 1
        if try write(record, isRetyped: isRetyped, stage: stage) {
            try perform { try $0.applyDeferredChanges(stage: stage) }
        }
        guard isRetyped else { return }
        for level in enumerations.indices { enumerations[level].isBatchIncomplete = true }
    }

    /// Deletes the record with a key.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func delete(_ key: String) throws -> Bool {
        guard let record = try perform({ try $0.record(forKey: key) }) else { return false }
        try delete(id: record.id)
        return true
    }

    /// Deletes all records of a type.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func deleteAll(ofType type: String) throws -> Int {
        for level in enumerations.indices {
            enumerations[level].isBatchStale = true
            let current = try perform { try $0.record(id: enumerations[level].current) }
            if current?.typeName == type { enumerations[level].isCurrentDeleted = true }
        }
        let count = try perform { try $0.deleteType(type) }
        counts.dropped += count
        return count
    }

    /// Renames a type for all its records; onto a name that others have, makes the two one type.
    public func renameType(_ name: String, to newName: String) throws {
        let names = try types
        guard name != newName else { return }
        guard names.contains(name) else { return }
        renameCount += 1
        if hasOriginals || names.contains(newName) {
            hasOriginals = true
            try perform { try $0.keepOriginals(ofType: name) }
        } else {
            originalTypeNames[newName] = originalTypeNames.removeValue(forKey: name) ?? name
        }
        try perform { try $0.renameType(name, to: newName) }
        for level in enumerations.indices {
            enumerations[level].isBatchStale = true
            enumerations[level].isBatchIncomplete = true
            enumerations[level].looksForOriginals = hasOriginals
        }
    }

    /// Renames a property of all records of a type that have it.
    ///
    /// - Returns: How many records had it.
    /// - Throws: ``MigrationError`` with the code `propertyExists` when a record has both.
    @discardableResult
    public func renameProperty(_ type: String, _ path: String..., to newName: String) throws -> Int {
        var renamed = 0
        let step = MigrationStep.renameEdit(type, path, to: newName, ifMissing: .skip)
        try enumerate(type) { _, new in
            let revision = new.revision
            try step.apply(&new)
            if new.revision != revision { renamed += 1 }
        }
        return renamed
    }

    // MARK: Writing

    /// Writes a record, and defers the change of its key and type name.
    ///
    /// - Returns: Whether something was deferred.
    private func write(_ record: Record, isRetyped: Bool, stage: Int) throws -> Bool {
        if record.id < firstCreatedID { hasOriginals = true }
        touch(record.id)
        counts.changed += 1
        return try perform { transaction in
            if record.id < firstCreatedID { try transaction.keepOriginal(id: record.id) }
            try transaction.write(record, version: recordVersion)
            if let key = record.changedKey {
                try transaction.deferChange(DeferredChange(stage: stage, id: record.id, kind: .key(key)))
            }
            if isRetyped {
                try transaction.deferChange(DeferredChange(stage: stage, id: record.id, kind: .type(record.typeName)))
            }
            return record.changedKey != nil || isRetyped
        }
    }

    private func delete(id: Int64) throws {
        touch(id, isDeleted: true)
        try perform { try $0.delete(id: id) }
        counts.dropped += 1
    }

    /// Tells the enumerations under way that a record is no longer as they may have read it.
    private func touch(_ id: Int64, isDeleted: Bool = false) {
        for level in enumerations.indices {
            if id == enumerations[level].current {
                enumerations[level].isCurrentDeleted = enumerations[level].isCurrentDeleted || isDeleted
                enumerations[level].isCurrentWritten = true
            } else if id > enumerations[level].current {
                enumerations[level].isBatchStale = true
                enumerations[level].looksForOriginals = true
            }
        }
    }
}
