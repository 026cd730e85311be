internal import Foundation

/// A connection of a cache, with its prepared statements and look-ups; used by one thread at a time.
///
/// Each transaction compares the file's generation with the one at opening: a file that was upgraded or replaced since
/// is neither read nor written.
///
/// Sendable because only one thread at a time has it: the holder of the writer's lock, or the borrower of a reader from
/// its pool. It is handed over under the same lock.
final class CacheSession: @unchecked Sendable {
    private let shared: Shared
    /// The status of the file when it was opened without locks; nil for a connection with locks.
    let unlocked: FileStatus?
    let rows: StoreRows
    /// The time of the current call by the configuration's clock, in seconds since 1970; it may go backwards.
    var now = 0.0
    /// The ticket of the current call's reads.
    private var ticket: ReadableKeys.Ticket = 0

    /// The connection's data version at the last check for other connections' commits.
    private var dataVersion: UInt32?
    private var lastTime = 0.0
    /// The data version for which the readable keys hold.
    private var readableVersion: UInt32?
    /// The data version after the last write of the backfill.
    private var backfilledVersion: UInt32?

    // MARK: The current write

    /// The total size of all contents; nil without a limit.
    private var size: Int64?
    /// The key that was written last.
    private(set) var key: String?
    private(set) var changes: [CodableCache.Change] = []
    /// The keys whose values leave the memory layer at the commit.
    private(set) var changedKeys = ChangedKeys()
    /// Whether the stored content size is already cleared.
    private var isSizeForgotten = false
    /// The uses that the current write stores.
    private var writtenUses: [Int64: Double] = [:]
    /// The types compared by the current write; they become known at its commit.
    private var newTypes: [ObjectIdentifier] = []
    /// The types with another shape than the stored one, whose values were written all the same.
    private(set) var shapeChanges: [MoltError] = []
    /// The records that were quarantined.
    private(set) var unreadable: [MoltError] = []
    /// The hashes of the keys of values.
    private var written: [Int] = []
    /// The hashes of the keys of content that is not of one of the app's types.
    private var rawWritten: [Int] = []

    init(_ connection: Connection, of shared: Shared, unlocked: FileStatus? = nil) {
        self.shared = shared
        self.unlocked = unlocked
        rows = StoreRows(connection, ofTransaction: false)
    }

    /// The values that all sessions of a cache share.
    struct Shared: Sendable {
        let path: String
        let version: Int
        /// The version of the app's migrations.
        let registryVersion: Int
        let generation: Int64
        let uses: UseLog?
        /// The names that types get by migrations that records only go through when they are read; nil if they keep
        /// theirs.
        let types: TypesOnRead?
        let mismatches: MoltConfiguration.MismatchPolicy
        let checkedShapes: CheckedShapes
        /// The keys whose records need not be looked at before values are written over them; nil if none are.
        let readable: ReadableKeys?
    }

    var connection: Connection { rows.connection }
    private var statements: Statements<RowQuery> { rows.statements }

    func close() {
        statements.removeAll()
        connection.close()
    }

    // MARK: Transactions

    /// Begins a call.
    func begin(at now: Double) {
        self.now = now
        if let readable = shared.readable { ticket = readable.ticket }
    }

    /// Runs a closure on one snapshot of the file.
    func read<Value>(_ body: (CacheSession) throws -> Value) throws -> Value {
        defer { connection.rollBack() }
        try statements[.begin].run()
        try checkGeneration()
        let value = try body(self)
        try statements[.commit].run()
        return value
    }

    /// Takes the file's lock for a write.
    func lock() throws(SQLiteError) {
        beginChanges()
        try statements[.beginWrite].run()
    }

    /// Begins a write of the locked file, which ``commit()`` or ``abandonWrite()`` ends.
    func beginWrite() throws {
        if noticeCommits() { try checkGeneration() }
        forgetReadable(unlessAt: connection.dataVersion)
        guard let uses = shared.uses else {
            size = nil
            if !isSizeForgotten { try statements[.forgetSize].run() }
            // Assumes the commit; a failed write resets it.
            isSizeForgotten = true
            return
        }
        writtenUses = uses.pending
        for (id, time) in writtenUses {
            let statement = try statements[.touch]
            try statement.bind(time, at: 1)
            try statement.bind(id, at: 2)
            try statement.run()
        }
        size = try contentSize()
    }

    /// Evicts what exceeds the size limit, and stores the size.
    func endWrite() throws(SQLiteError) {
        guard let uses = shared.uses else { return }
        try evict(to: Int64(uses.sizeLimit))
        try statements[.saveSize].run(binding: size ?? 0)
    }

    /// Commits a write; no other connection can have committed since it began.
    func commit() throws(SQLiteError) {
        try statements[.commit].run()
        dataVersion = connection.dataVersion
        readableVersion = dataVersion
        // A reader may have read one of them before the commit.
        if !rawWritten.isEmpty { shared.readable?.remove(rawWritten) }
        shared.checkedShapes.insert(newTypes)
        shared.uses?.remove(writtenUses)
    }

    /// Whether no other connection has committed since this session's commit.
    func isLastToCommit() -> Bool {
        // The pragma begins a read, in which SQLite notices other commits. When in doubt, assume one.
        guard let dataVersion, (try? statements[.dataVersion].run()) != nil else { return false }
        return connection.dataVersion == dataVersion
    }

    /// Rolls back a failed write, and clears the look-ups: types that it added are gone.
    func abandonWrite() {
        connection.rollBack()
        // What was not written is not known to be readable.
        if !written.isEmpty { shared.readable?.remove(written) }
        beginChanges()
        rows.forgetTypes()
        isSizeForgotten = false
        dataVersion = nil
    }

    private func beginChanges() {
        changes.removeAll(keepingCapacity: true)
        changedKeys.removeAll()
        newTypes.removeAll()
        shapeChanges.removeAll()
        unreadable.removeAll()
        written.removeAll(keepingCapacity: written.count <= 4_096)
        rawWritten.removeAll(keepingCapacity: rawWritten.count <= 4_096)
        key = nil
    }

    /// The error for a file that has been begun anew, and has no tables until it is opened; nil if it has them.
    func changed(after error: SQLiteError) -> MoltError? {
        guard !error.isBusy, (try? FileFormat.hasTables(connection)) == false else { return nil }
        return try? storeChanged()
    }

    /// Throws unless the file still has the generation at opening; the caller is in a transaction.
    private func checkGeneration() throws {
        // A deferred transaction begins with its first read.
        try check(generation: try statements[.generation].first { $0.integer(0) } ?? 0)
    }

    /// Throws when a row belongs to another generation.
    private func check(generation found: Int64) throws {
        if found != shared.generation { throw try storeChanged() }
    }

    private func storeChanged() throws(SQLiteError) -> MoltError {
        let stored = Int(try connection.integer(.userVersion))
        return MoltError(
            .storeChanged,
            "While the cache at \(shared.path) was open, another process, or another cache in this process, upgraded "
                + "it, restored a backup or started afresh (version \(shared.version) before, \(stored) now).",
            advice: "Open it again.",
            store: shared.path,
            storeVersion: stored,
            registryVersion: shared.registryVersion
        )
    }

    /// Clears cached state if another connection has committed.
    ///
    /// - Returns: Whether one may have.
    private func noticeCommits() -> Bool {
        let seen = connection.dataVersion
        if seen != nil, seen == dataVersion { return false }
        isSizeForgotten = false
        dataVersion = seen
        return true
    }

    /// Forgets the readable keys, unless no other connection has committed since they were read or written.
    private func forgetReadable(unlessAt version: UInt32?) {
        if version == nil || version != readableVersion { shared.readable?.removeAll() }
        readableVersion = version
    }

    /// Notes that the file was not written since the cache was opened; the caller has a snapshot.
    func noteOpening() {
        readableVersion = connection.dataVersion
    }

    // MARK: Size and uses

    /// The time for a write, later than all before: uses are ordered by their times.
    private func useTime() -> Double {
        if let uses = shared.uses { return uses.next(after: now) }
        lastTime = max(now, lastTime.nextUp)
        return lastTime
    }

    /// The total size of all contents: stored by writers that have a limit, otherwise summed.
    func contentSize() throws(SQLiteError) -> Int64 {
        let kept = try statements[.contentSize].first { $0.isNull(0) ? nil : $0.integer(0) }
        // A size outside this range is damage; sum again.
        if let kept, let kept, 0...(1 << 48) ~= kept { return kept }
        return try statements[.sumSizes].first { $0.integer(0) } ?? 0
    }

    // MARK: Reading

    /// The content under a key; nil when there is none or it has expired.
    func content(_ key: String) throws -> StoredContent? {
        let statement = try statements[.get]
        var bytes = key
        return try bytes.withUTF8 { utf8 in
            defer {
                statement.reset()
                statement.unbind(1)
            }
            try statement.bind(inPlace: UnsafeRawBufferPointer(utf8), as: .text, at: 1)
            guard try statement.step() else { return nil }
            try check(generation: statement.integer(0))
            return statement.isNull(1) ? nil : try found(statement, key)
        }
    }

    /// The content of a row found by its key; nil when it has expired.
    private func found(_ row: Statement, _ key: String) throws(SQLiteError) -> StoredContent? {
        guard !row.isNull(2) else { throw .missingRow }
        // A damaged index entry may lead to another record.
        guard row.isText(4, key) else { throw .wrongRow }
        // SQLite's own comparisons would rank a value that is not a number, which is damage, after any time.
        let expiration = row.real(6)
        if let expiration, expiration <= now, row.isNumber(6) { return nil }
        let typeName = try rows.typeName(id: row.integer(5))
        if let types = shared.types, types.name(of: typeName) == nil { return nil }
        var found = StoredContent(row, from: 2, key: key, typeName: typeName, expiration: expiration)
        found.ticket = ticket
        shared.uses?.add(found.id, at: now)
        return found
    }

    /// The times of the creation and the last write of the live record under a key, in seconds since 1970.
    func dates(_ key: String) throws(SQLiteError) -> (created: Double, updated: Double)? {
        let statement = try statements[.dates]
        try statement.bind([now, key])
        return try statement.first { ($0.real(0) ?? 0, $0.real(1) ?? 0) }
    }

    /// The stored type name of the value under a key, read without its content; nil when there is no live value.
    func typeName(_ key: String) throws(SQLiteError) -> String? {
        let statement = try statements[.nameOfKey]
        try statement.bind([now, key])
        guard let name = try statement.first({ row throws(SQLiteError) in try row.typeName(0) }) else { return nil }
        return shared.types.map { $0.name(of: name) } ?? name
    }

    /// Calls a closure with each content of a type, in the order of insertion.
    func forEachContent(ofType type: String, _ body: (StoredContent) throws(SQLiteError) -> Void) throws(SQLiteError) {
        var names = TypeNamesInRows()
        try listing(.rowsOfType, orAll: .rowsOfType, type).eachRow { row throws(SQLiteError) in
            var content = try StoredContent(
                row,
                key: row.key(2),
                typeName: names.name(row, 3),
                expiration: row.real(4)
            )
            content.ticket = ticket
            try body(content)
        }
    }

    func keys(ofType type: String?) throws(SQLiteError) -> [String] {
        var keys: [String] = []
        try listing(.keysOfType, orAll: .keys, type).eachRow { row throws(SQLiteError) in
            keys.append(try row.key(0))
        }
        return keys
    }

    /// The next keys of a type whose records were last written after a version, by id.
    func keys(
        changedSince version: Int,
        ofType type: String,
        after position: Int64,
        through last: Int64
    ) throws(SQLiteError) -> [(id: Int64, key: String)] {
        let statement = try listing(.keysChanged, orAll: .keysChanged, type)
        try statement.bind([version, position, last], from: 3)
        var keys: [(id: Int64, key: String)] = []
        try statement.eachRow { row throws(SQLiteError) in keys.append((row.integer(0), try row.key(1))) }
        return keys
    }

    func count(ofType type: String?) throws(SQLiteError) -> Int {
        Int(try listing(.countOfType, orAll: .liveCount, type).first { $0.integer(0) } ?? 0)
    }

    /// A statement about the live records of a type, or another one if they are of all types.
    private func listing(_ query: RowQuery, orAll all: RowQuery, _ type: String?) throws(SQLiteError) -> Statement {
        let statement: Statement
        if let types = shared.types {
            statement = try connection.prepare(query.sql(ofType: types.condition(for: type, connection)))
        } else {
            statement = try statements[type == nil ? all : query]
            if let type { try statement.bind(rows.typeID(type), at: 2) }
        }
        try statement.bind(now, at: 1)
        return statement
    }

    // MARK: Writing

    /// Writes a value, or content that is not of one of the app's types.
    ///
    /// - Parameter isChecked: Whether the record under the key may be replaced, whatever it is.
    /// - Throws: ``UncheckedRecord`` if it has to be looked at first.
    func set(_ key: String, _ content: EncodedContent, isChecked: Bool = false) throws {
        if let first = content.firstShape { try compareShape(first, of: content.typeName) }
        changedKeys.insert(key)
        self.key = key
        let stamp = try stamp(rows.addType(content.typeName))
        let (data, isData, expiration) = (content.data, content.isData, content.expiration)
        try LentRecord.with(key, data, isData: isData, expiration: expiration) { row in
            try put(row, stamp, as: content.type, isChecked: isChecked)
        }
        changes.append(CodableCache.Change(key: key, typeName: content.typeName, kind: .set))
        try evictIfTooLarge(key, content.data.count)
    }

    /// Writes a record with its dates, at the cache's version; ``changes`` does not list it.
    ///
    /// - Parameter used: The time of its last use, in seconds since 1970; nil for that of its last write.
    func set(_ record: StoreContents.DatedRecord, used: Double? = nil) throws {
        let stored = record.stored
        changedKeys.insert(stored.key)
        key = stored.key
        let stamp = try stamp(of: record, used: used)
        try stored.lend { try put($0, stamp, as: nil) }
        try evictIfTooLarge(stored.key, stored.content.count)
    }

    /// Adds a record with its dates, at the cache's version, unless its key is in use, be it by an expired record;
    /// ``changes`` does not list it.
    ///
    /// This takes one statement, where looking for the key first takes two.
    ///
    /// - Returns: Whether it was added; also false, without a look at the key, if no record ever had its type.
    func add(_ record: StoreContents.DatedRecord) throws -> Bool {
        let stored = record.stored
        key = stored.key
        // A record that is not added must not leave the name of its type behind.
        guard try rows.typeID(stored.typeName) != nil else { return false }
        let stamp = try stamp(of: record)
        guard try stored.lend({ try rows.add($0, stamp) }) else { return false }
        changedKeys.insert(stored.key)
        if shared.readable != nil { stored.lend { rawWritten.append(ReadableKeys.hash(of: $0.key)) } }
        if let size { self.size = size &+ Int64(stored.content.count) }
        try evictIfTooLarge(stored.key, stored.content.count)
        return true
    }

    private func stamp(of record: StoreContents.DatedRecord, used: Double? = nil) throws -> StoreRows.Stamp {
        try StoreRows.Stamp(
            typeID: rows.addType(record.stored.typeName),
            version: shared.version,
            created: record.created,
            updated: record.updated,
            used: used ?? min(record.updated, now)
        )
    }

    /// Applies the changes of a batch, in order.
    ///
    /// - Parameter isChecked: Whether the records under its keys may be replaced, whatever they are.
    /// - Throws: ``UncheckedRecord`` if one of them has to be looked at first.
    /// - Returns: Whether ``changes`` lists them; otherwise the batch itself lists all changes.
    func apply(_ batch: EncodedBatch, isChecked: Bool) throws -> Bool {
        let listsChanges = !batch.isOnlySetting || shared.uses != nil
        var types: [Int64?] = Array(repeating: nil, count: batch.forms.count)
        for chunk in batch.chunks {
            try chunk.bytes.withUnsafeBufferPointer { bytes in
                var rest = UnsafeRawBufferPointer(bytes)[...]
                for row in chunk.rows {
                    let key = UnsafeRawBufferPointer(rebasing: rest.prefix(row.keyCount))
                    rest = rest.dropFirst(row.keyCount)
                    let content = UnsafeRawBufferPointer(rebasing: rest.prefix(row.contentCount))
                    rest = rest.dropFirst(row.contentCount)
                    guard let form = row.form.map(Int.init) else {
                        _ = try remove(String(decoding: key, as: UTF8.self), as: .removed)
                        continue
                    }
                    try set(key, content, row, batch.forms[form], type: &types[form], isChecked: isChecked)
                    guard listsChanges else { continue }
                    let text = String(decoding: key, as: UTF8.self)
                    changes.append(CodableCache.Change(key: text, typeName: batch.forms[form].typeName, kind: .set))
                    try evictIfTooLarge(text, content.count)
                }
            }
        }
        return listsChanges
    }

    private func set(
        _ key: UnsafeRawBufferPointer,
        _ content: UnsafeRawBufferPointer,
        _ row: EncodedBatch.Row,
        _ form: EncodedBatch.Form,
        type: inout Int64?,
        isChecked: Bool
    ) throws {
        if let first = form.firstShape { try compareShape(first, of: form.typeName) }
        changedKeys.insert(String(decoding: key, as: UTF8.self))
        let id: Int64
        if let type { id = type } else { id = try rows.addType(form.typeName) }
        type = id
        do {
            let expiration = row.expiration.isNaN ? nil : row.expiration
            let row = LentRecord(key: key, content: content, isData: form.isData, expiration: expiration)
            try put(row, stamp(id), as: form.type, isChecked: isChecked)
        } catch {
            self.key = String(decoding: key, as: UTF8.self)
            throw error
        }
    }

    /// What a value that is written now has in common with others of its type.
    private func stamp(_ typeID: Int64) -> StoreRows.Stamp {
        StoreRows.Stamp(typeID: typeID, version: shared.version, created: nil, updated: now, used: useTime())
    }

    /// Writes a record under its key.
    ///
    /// - Parameters:
    ///   - type: The type of the value; nil for content that is not of one of the app's types.
    ///   - isChecked: Whether the record under the key may be replaced, whatever it is.
    private func put(
        _ row: LentRecord,
        _ stamp: StoreRows.Stamp,
        as type: CheckedType?,
        isChecked: Bool = false
    ) throws {
        guard let readable = shared.readable else { return try put(row, stamp) }
        let hash = ReadableKeys.hash(of: row.key)
        guard let type else {
            rawWritten.append(hash)
            return try put(row, stamp)
        }
        written.append(hash)
        guard !readable.write(hash, type.id) else { return try put(row, stamp, isLikelyOfSameType: true) }
        guard !isChecked else { return try put(row, stamp) }
        // A record that is added replaces none, and is not looked for twice.
        var new = stamp
        new.created = stamp.updated
        if try rows.add(row, new) {
            if let size { self.size = size &+ Int64(row.content.count) }
        } else if let found = try? typeName(String(decoding: row.key, as: UTF8.self)), type.mayHaveWritten(found) {
            // A record whose type is lost to damage is replaced: no type can read it.
            throw UncheckedRecord()
        } else {
            try put(row, stamp)
        }
    }

    /// - Parameter isLikelyOfSameType: Whether there is a record under the key, and most likely one of the same type.
    private func put(
        _ row: LentRecord,
        _ stamp: StoreRows.Stamp,
        isLikelyOfSameType: Bool = false
    ) throws(SQLiteError) {
        if let size {
            let old = try statements[.oldSize]
            try old.bind(copying: row.key, as: .text, at: 1)
            self.size = size &+ Int64(row.content.count) &- (try old.first { $0.integer(0) } ?? 0)
        }
        if isLikelyOfSameType, try rows.replace(row, stamp) { return }
        try rows.set(row, stamp)
    }

    /// Evicts a value that exceeds the limit by itself; as the most recently used, it would go last.
    private func evictIfTooLarge(_ key: String, _ count: Int) throws(SQLiteError) {
        if let limit = shared.uses?.sizeLimit, count > limit { _ = try remove(key, as: .evicted) }
    }

    // MARK: Removing

    /// Removes the record under a key and notes the change; an expired record is noted as `expired`.
    ///
    /// - Returns: Whether there was a live record.
    func remove(_ key: String, as kind: CodableCache.Change.Kind) throws(SQLiteError) -> Bool {
        changedKeys.insert(key)
        let statement = try statements[.remove]
        try statement.bind(now, at: 1)
        try statement.bind(key, at: 2)
        var wasLive = false
        try statement.eachRow { row throws(SQLiteError) in
            wasLive = row.integer(3) == 0
            noteRemoval(row, wasLive ? kind : .expired)
        }
        return wasLive
    }

    /// Removes all expired records.
    ///
    /// - Returns: The number of removed records.
    func removeExpired() throws(SQLiteError) -> Int {
        let statement = try statements[.removeExpired]
        try statement.bind(now, at: 1)
        var count = 0
        try statement.eachRow { row throws(SQLiteError) in
            count += 1
            changedKeys.insert(row.text(0))
            noteRemoval(row, .expired)
        }
        return count
    }

    func removeAll(ofType type: String?) throws(SQLiteError) {
        changedKeys.insertAll()
        if let type {
            try statements[.removeType].run(binding: rows.typeID(type))
            if size != nil { size = try statements[.sumSizes].first { $0.integer(0) } }
        } else {
            try statements[.removeAll].run()
            if size != nil { size = 0 }
        }
        changes.append(CodableCache.Change(key: nil, typeName: type, kind: .removedAll))
    }

    /// Removes expired records, then the least recently used, until the contents fit.
    func evict(to limit: Int64) throws(SQLiteError) {
        guard let total = size, total > limit else { return }
        _ = try removeExpired()
        guard let remaining = size, remaining > limit else { return }
        // Only caches with a limit need the index, and only from their first eviction on; see FileFormat.
        try connection.execute(RowQuery.indexUses.sql)
        while let size, size > limit {
            guard let key = try statements[.oldest].first({ $0.text(0) }) else { return }
            let count = changes.count
            _ = try remove(key, as: .evicted)
            // Without progress, the loop would not end.
            guard changes.count > count else { throw .missingRow }
        }
    }

    private func noteRemoval(_ row: Statement, _ kind: CodableCache.Change.Kind) {
        // Overflow is allowed: the stored size may be damaged, and must not trap.
        if let size { self.size = size &- row.integer(2) }
        changes.append(CodableCache.Change(key: row.text(0), typeName: row.isNull(1) ? nil : row.text(1), kind: kind))
    }

    // MARK: Backfill and quarantine

    /// Notes that the write which was just committed is one of the backfill.
    func noteBackfill() {
        backfilledVersion = dataVersion
    }

    /// Whether nobody has written since the last write of the backfill; asked in its next one.
    var onlyBackfillHasWritten: Bool { backfilledVersion != nil && backfilledVersion == dataVersion }

    var isSizeLimited: Bool { shared.uses != nil }

    /// Writes upgraded records, except those that were written since they were read.
    ///
    /// - Parameters:
    ///   - states: The states in which the records were read.
    ///   - note: Receives the index of each record that was written.
    func upgrade(
        _ contents: RecordContents,
        readAs states: [ContentSource.ReadState],
        _ note: (Int) -> Void
    ) throws(SQLiteError) {
        try rows.write(contents, readAs: states) { index in
            if let size { self.size = size &+ Int64(contents.rows[index].range.count - states[index].size) }
            note(index)
        }
    }

    /// Moves records that cannot be converted to quarantine, or deletes them, unless they were written since they were
    /// read.
    ///
    /// - Returns: For each record, whether it was still as it was read.
    func remove(_ failed: [FailedRow]) throws(SQLiteError) -> [Bool] {
        let postponed = PostponedChanges(connection)
        var areRemoved: [Bool] = []
        for row in failed {
            let search = try statements[.rowAsRead]
            try search.bind([row.id, row.version, row.updated])
            let found = try search.first { ($0.text(0), $0.integer(1)) }
            areRemoved.append(found != nil)
            guard let (key, count) = found else { continue }
            let kind = row.failure.map { PostponedChange.Kind.quarantine($0) } ?? .drop
            try postponed.add(PostponedChange(round: 0, id: row.id, kind: kind))
            changedKeys.insert(key)
            if let size { self.size = size &- count }
        }
        if !postponed.isEmpty { _ = try postponed.apply(0, types: rows.allTypes) }
        try postponed.finish()
        return areRemoved
    }

    /// A record that cannot be converted, as it was read.
    struct FailedRow {
        var id: Int64
        var version: Int
        /// The time of its last write.
        var updated: Double?
        /// The reason for the quarantine; nil to delete the record.
        var failure: MigrationReport.RecordFailure?
    }

    // MARK: The keys that records lose

    /// Notes a key that a migration has taken from a record.
    ///
    /// - Parameters:
    ///   - newKey: The record's new key; by default nil, for one that was dropped.
    ///   - version: The version of that migration; by default that of the store.
    func noteDropped(
        _ key: String,
        ofType type: String,
        newKey: String? = nil,
        version: Int? = nil
    ) throws(SQLiteError) {
        try DroppedKeyTable(creatingIn: connection)
            .add(key, ofType: type, newKey: newKey, version: version ?? shared.version, now: now)
    }

    func removeDroppedKeys(olderThan lifetime: Duration) throws(SQLiteError) {
        try DroppedKeyTable(of: connection)?.remove(before: now - lifetime.seconds)
    }

    // MARK: Quarantine

    /// Moves a record from quarantine into the store, as migrations converted it; its key must be free.
    func putBack(_ record: StoreContents.StoredRecord, quarantinedAs id: Int64) throws {
        guard let quarantine = try QuarantineTable(of: connection), let dates = try quarantine.dates(of: id) else {
            throw SQLiteError.missingRow
        }
        _ = try remove(record.key, as: .expired)
        let stamp = try StoreRows.Stamp(
            typeID: rows.addType(record.typeName),
            version: record.version,
            created: dates.created,
            updated: dates.updated,
            used: useTime()
        )
        try record.lend { try put($0, stamp, as: nil) }
        try quarantine.remove(id)
        changes.append(CodableCache.Change(key: record.key, typeName: record.typeName, kind: .set))
    }

    /// Copies records into quarantine before values are written over them, which their types cannot read.
    func quarantine(_ records: [UnreadableRecord], within limit: UnreadablePolicy.Limit) throws(SQLiteError) {
        guard !records.isEmpty else { return }
        let quarantine = try QuarantineTable(creatingIn: connection)
        let applied = try LedgerTable.rows(connection).filter(\.outcome.isApplied)
        for record in records {
            // One that is still as it was before a migration on read has not been through that one and later ones.
            let missed =
                record.isOutdated
                ? applied.firstIndex { $0.outcome == .onRead && $0.version > record.version } : nil
            let last = applied[..<(missed ?? applied.endIndex)].last
            let cause = OverwrittenRecord(
                last: last.map { MigrationID(name: $0.name, version: $0.version) },
                reason: record.error.reasonInQuarantine
            )
            try quarantine.add(record.id, cause, now: now)
            unreadable.append(record.error.ofOverwriting)
        }
        try quarantine.evict(to: limit)
    }

    // MARK: Shapes

    /// Compares the shape of a value with the stored one, inside the transaction that writes the value, and stores it.
    ///
    /// A shape stored at another schema version is ignored.
    func compareShape(_ first: FirstShape, of typeName: String) throws {
        guard !shared.checkedShapes.contains(first.type) else { return }
        let shape = first.shape
        let table = ShapeTable(connection)
        let kept = try table.shape(of: typeName, version: shared.version)
        if let kept {
            let differences = shape.differences(from: kept)
            // Without a live record of the type, no record has the other shape.
            if !differences.isEmpty, try hasRecords(ofType: typeName) {
                let change = MoltError.shapeChanged(of: typeName, version: shared.version, differences, in: shared.path)
                if shared.mismatches == .fail { throw change }
                shapeChanges.append(change)
                newTypes.append(first.type)
                return
            }
            let all = differences.isEmpty ? kept.merged(with: shape) : shape
            if all != kept { try table.keep(all, of: typeName, version: shared.version) }
        } else {
            #if DEBUG
                try warnOfOtherName(of: shape, typeName, table)
            #endif
            try table.keep(shape, of: typeName, version: shared.version)
        }
        newTypes.append(first.type)
    }

    #if DEBUG
        /// Warns, on standard error, of a new type whose values have the shape of another one with records.
        private func warnOfOtherName(of shape: TypeShape, _ typeName: String, _ table: ShapeTable) throws(SQLiteError) {
            guard case .object(let object) = shape.form, !object.properties.isEmpty,
                try !hasRecords(ofType: typeName)
            else { return }
            for (other, otherShape) in try table.shapes(version: shared.version) {
                var renamed = otherShape
                renamed.name = shape.name
                guard !ExactName.isSame(other, typeName), shape.differences(from: renamed).isEmpty,
                    try hasRecords(ofType: other)
                else { continue }
                DebugWarning.print(TypeNames.warning(of: other, as: typeName))
            }
        }
    #endif

    private func hasRecords(ofType type: String) throws(SQLiteError) -> Bool {
        let statement = try statements[.hasType]
        // Expired records are never read.
        try statement.bind([now, rows.typeID(type)])
        return try statement.first { $0.integer(0) } ?? 0 != 0
    }
}

/// A write has to look at the record that it replaces, which its type may not be able to read.
struct UncheckedRecord: Error {}

/// The keys changed by a write; beyond a limit, only the fact that any key may have changed.
struct ChangedKeys {
    private static let limit = 4_096
    private(set) var keys: [String]? = []

    mutating func insert(_ key: @autoclosure () -> String) {
        guard let count = keys?.count else { return }
        if count < Self.limit { keys?.append(key()) } else { keys = nil }
    }

    mutating func insertAll() {
        keys = nil
    }

    /// Removes all keys, and keeps their memory, which is small because their number is limited.
    mutating func removeAll() {
        keys?.removeAll(keepingCapacity: true)
        keys = keys ?? []
    }
}
