public import Foundation

/// `Codable` values under string keys, in one file that is upgraded when it is opened.
///
/// ```swift
/// let migrations: MigrationRegistry = [
///     Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person")),
/// ]
/// let cache = try CodableCache(at: url, migrations: migrations)
/// try cache.set(person, forKey: "john")
/// let john = try cache.value(Person.self, forKey: "john")
/// ```
///
/// A cache may be used from any thread and any actor. Several caches, in one process or in many, may have the same file
/// open, and each sees the others' writes. When another process upgrades the file, every later call throws
/// ``MoltError`` with the code `storeChanged` until the cache is opened again.
///
/// Keys may contain any Unicode and have any length. They are compared by their bytes: two spellings of the same letter
/// are two keys. A value is stored with the name of its type, see `RecordType`, but can be read as any type that can
/// decode it.
public final class CodableCache: Sendable {
    /// The report of the upgrade when the cache was opened.
    public let report: MigrationReport
    /// The schema version that values are read and written at.
    public let version: Int
    /// Whether the file can only be read: it was opened with ``init(reading:migrations:configuration:)``.
    ///
    /// Every writing call then throws ``MoltError`` with the code `readOnly`.
    public let isReadOnly: Bool
    /// The file's path, or ":memory:".
    public let path: String
    let configuration: MoltConfiguration

    let core: CacheCore
    let hub = ChangeHub()
    /// Whether shapes of types are compared; false when no one would receive the result.
    private let checksShapes: Bool
    let migrations: MigrationRegistry
    /// The coders of values: those of the registry.
    private let coding: RecordCoding
    private let documentUpgrade = Locked<DocumentUpgrade?>(nil)
    private let lastTypeName = Locked(TypeNames())
    /// Whether values keep the properties of the stored content that their type does not declare.
    private let keepsUnknown: Bool
    /// What is known of the properties that types declare.
    private let declaredNames = DeclaredNames()
    /// Lives as long as the cache: a test's copy of a file is removed with its last user.
    private let retained: (any Sendable)?
    /// Sends records through the migrations that they lack when they are read; nil if no record lacks any.
    let upgrader: RecordUpgrader?
    /// Upgrades the records that still have to go through migrations on read; nil if there were none.
    private let sweep: Backfill?
    /// `async` calls wait for the disk here, so that they block no thread of the cooperative pool.
    let queue = DispatchQueue(label: "molt.cache")

    /// Opens a cache file and upgrades it first; creates the file when there is none.
    ///
    /// Missing parent directories are created. An up-to-date file is not written to.
    ///
    /// - Parameters:
    ///   - url: The file. While it is open, SQLite keeps two more beside it, with the suffixes `-wal` and `-shm`.
    ///   - migrations: The migrations to run; none by default.
    ///   - configuration: How the cache works.
    /// - Throws: ``MoltError`` when the file cannot be used or upgraded, or a seed cannot be applied; the file is then
    ///   unchanged, unless ``MoltError/outcome`` is `committed`.
    public convenience init(
        at url: URL,
        migrations: MigrationRegistry = MigrationRegistry(),
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws {
        try self.init(StoreFile(at: url, configuration), migrations: migrations, configuration: configuration)
    }

    /// Opens a cache file that must exist, and upgrades it first.
    ///
    /// - Throws: ``MoltError`` as ``init(at:migrations:configuration:)`` does, or with the code `fileMissing`.
    public convenience init(
        existing url: URL,
        migrations: MigrationRegistry = MigrationRegistry(),
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws {
        try self.init(
            StoreFile(at: url, configuration, createsFile: false),
            migrations: migrations,
            configuration: configuration
        )
    }

    /// Opens a cache file of any version only to read it, without upgrading it.
    ///
    /// Use it in a process that must not upgrade the file, or when an upgrade is impossible: in a widget that runs
    /// before the app, on a full disk, on a read-only volume.
    ///
    /// ```swift
    /// let cache = try CodableCache(reading: url, migrations: migrations)
    /// let john = try cache.value(Person.self, forKey: "john")
    /// ```
    ///
    /// Values, keys, types and counts are those that the upgraded file would have: each record that is read goes
    /// through the pending migrations in memory. Nothing is written to the file, and no write lock is taken. Settings
    /// are neither read nor changed. When another process upgrades the file, later calls throw ``MoltError`` with the
    /// code `storeChanged` until it is opened again; if no lock for reading can be taken, because the volume is full or
    /// read-only, they do so after any change. On a read-only volume, the whole store must be in its file: a log that
    /// an app has left beside it cannot be read there.
    ///
    /// A pending migration may only rename or delete types and change the content of single records. A record that a
    /// step cannot convert counts, and reading it throws, whatever the failure policy. A file that a newer release has
    /// upgraded can be read if all newer migrations declare it: see ``Migration/olderReleases(may:)``.
    ///
    /// The options for upgrades, such as ``MoltConfiguration/process``, have no effect. ``keys(changedSince:of:_:)``
    /// throws `needsMigration` while there are pending migrations.
    ///
    /// - Parameters:
    ///   - url: The file, which must exist.
    ///   - migrations: The migrations that records go through; none by default.
    ///   - configuration: How the cache works.
    /// - Throws: ``MoltError`` with the code `needsMigration` if a pending migration needs an upgrade of the whole
    ///   file, such as one with a block; it names the migration. With the code `fileMissing`, `superseded`, `tooOld`,
    ///   `lateMigration`, or that of a file that cannot be used.
    public convenience init(
        reading url: URL,
        migrations: MigrationRegistry = MigrationRegistry(),
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws {
        let store = StoreFile(at: url, configuration, createsFile: false)
        store.options.readsLaterLayouts = true
        try self.init(store, migrations: migrations, configuration: configuration, mode: .reading)
    }

    /// Opens an empty cache in memory, for previews and tests; it runs the same code as a file.
    ///
    /// - Throws: ``MoltError`` when a step that imports data from elsewhere fails.
    public convenience init(
        inMemory migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws {
        var configuration = configuration
        // No other process could upgrade it.
        if !configuration.process.upgrades { configuration.process = .tool }
        let store = StoreFile(inMemoryWith: configuration.attachedStores)
        store.options.keepsHandovers = false
        try self.init(store, migrations: migrations, configuration: configuration)
    }

    /// Opens a store, for example one in memory that already has records.
    ///
    /// - Parameters:
    ///   - mode: The mode of the run: `opening`, `atOnce` or `reading`.
    ///   - retained: An object that the store's file needs; it lives as long as the cache.
    package init(
        _ store: sending StoreFile,
        migrations: MigrationRegistry,
        configuration: MoltConfiguration,
        mode: RunMode = .opening,
        retaining retained: (any Sendable)? = nil
    ) throws {
        try Self.check(configuration.sizeLimit, of: store)
        let migrator = Migrator(migrations, configuration: configuration, mode: mode)
        let reading = try migrator.reading(of: store)
        isReadOnly = reading != nil
        report = try reading?.report ?? migrator.migrate(store)
        var configuration = configuration
        // The opening that could be cancelled is over.
        configuration.isCancelled = { false }
        configuration.fetched = [:]
        let isUpgraded = reading == nil && !report.isNewer
        keepsUnknown = configuration.keepsUnknownProperties || !isUpgraded
        version = max(report.to, migrations.version)
        path = store.storeName
        self.migrations = migrations
        self.configuration = configuration
        coding = migrations.coding
        self.retained = retained
        // The shapes in a newer store are those of newer models.
        checksShapes = configuration.checksShapes && isUpgraded
        do {
            core = try CacheCore(
                store,
                version: report.to,
                registryVersion: migrations.version,
                configuration: configuration,
                reading: reading
            )
        } catch {
            configuration.monitor?.openingFailed(with: error)
            throw error
        }
        upgrader = reading?.upgrader ?? migrator.upgrader(for: report.onRead, of: path)
        // What a reader upgrades is not written.
        sweep = reading?.upgrader == nil ? upgrader.map { [core, hub] in Backfill($0, core, hub, configuration) } : nil
        if configuration.runsBackfill, configuration.process.upgrades, isUpgraded { sweep?.start() }
    }

    private static func check(_ sizeLimit: Int?, of store: borrowing StoreFile) throws {
        guard let sizeLimit, sizeLimit <= 0 else { return }
        throw MoltError(
            .unsupported,
            "A cache with a size limit of \(sizeLimit) bytes would keep no value.",
            advice: "Set a limit above 0, or nil for none.",
            outcome: .unchanged,
            store: store.storeName
        )
    }

    deinit {
        close()
    }

    var checkedShapes: CheckedShapes { core.checkedShapes }

    /// Closes the cache.
    ///
    /// Later calls throw ``MoltError`` with the code `closed`. Closing again does nothing.
    ///
    /// Closing the last connection moves everything from the log into the file, which can then be copied. A read in
    /// progress on another thread keeps the file open until it ends, even after this call has returned. Sequences of
    /// changes end.
    public func close() {
        core.close()
        hub.finish()
        sweep?.stop()
    }
}

extension CodableCache: CustomStringConvertible {
    /// The path and the schema version.
    public var description: String { "CodableCache(\(path), version \(version))" }
}

extension CodableCache {
    /// Opens a cache file on a queue of its own, so that no thread of the caller's pool is blocked.
    ///
    /// Cancelling the task stops the upgrade before the next record and rolls it back.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - migrations: The migrations to run; none by default.
    ///   - configuration: How the cache works; its monitor reports the progress.
    /// - Throws: ``MoltError`` as ``init(at:migrations:configuration:)`` does, or with the code `cancelled`.
    public static func open(
        at url: URL,
        migrations: MigrationRegistry = MigrationRegistry(),
        configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> CodableCache {
        try await open(at: url, migrations: migrations, configuration: configuration, mode: .opening)
    }

    /// Opens a cache file on a queue of its own, for a tool or a test also after an upgrade of all records at once.
    package static func open(
        at url: URL,
        migrations: MigrationRegistry,
        configuration: MoltConfiguration,
        mode: RunMode
    ) async throws -> CodableCache {
        let configuration = try await configuration.fetchingRecords(of: migrations, for: url)
        return try await DispatchQueue(label: "molt.open").runCancellable { isCancelled in
            var configuration = configuration
            configuration.cancel(when: isCancelled)
            return try CodableCache(
                StoreFile(at: url, configuration),
                migrations: migrations,
                configuration: configuration,
                mode: mode
            )
        }
    }
}

extension StoreFile {
    package convenience init(at url: URL, _ configuration: MoltConfiguration, createsFile: Bool = true) {
        self.init(at: url, createsFile: createsFile, attaching: configuration.attachedStores)
        options.pageLimit = configuration.hooks.pageLimit
        options.isDurable = configuration.hooks.isDurable
    }
}

extension CodableCache {
    // MARK: Setting

    /// Stores a value under a key, replacing any previous value.
    ///
    /// A record of the value's type that this type cannot read is put into quarantine first: see
    /// ``MoltConfiguration/unreadableValues``.
    ///
    /// `Data` is stored as raw data, everything else as JSON text. An optional is stored as its wrapped value, under
    /// that type's name; nil is stored as `null`; it does not remove the key.
    ///
    /// - Parameters:
    ///   - value: The value; its type's name is stored with it.
    ///   - key: The key.
    ///   - expiry: When the value expires; by default as configured.
    /// - Throws: ``MoltError`` with the code `notEncodable`, `tooLarge`, `closed`, `busy`, `fileReplaced` or
    ///   `storeFailed`; ``MoltError`` with the code `storeChanged` or, see ``MoltConfiguration/mismatches``,
    ///   `shapeChanged`.
    public func set<Value: Encodable>(_ value: Value, forKey key: String, expiry: Expiry? = nil) throws {
        // The lock is not held while the app's own code encodes.
        var names = lastTypeName.withLock { $0 }
        let before = names.lastType
        let content = try encode(value, key: key, expiry: expiry, isChecked: checkedShapes.contains, &names)
        if names.lastType != before { lastTypeName.withLock { [names] last in last = names } }
        if let unknown = content.unknown { return try set(key, content, keeping: unknown) }
        do {
            try change { try $0.set(key, content) }
        } catch is UncheckedRecord {
            var batch = EncodedBatch()
            batch.set(key, content)
            try write(batch, isChecked: true)
        }
    }

    /// Removes the value under a key.
    ///
    /// - Returns: Whether there was a value that had not expired.
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `readOnly`, `suspended`, `storeChanged` or
    ///   `storeFailed`.
    @discardableResult
    public func remove(forKey key: String) throws -> Bool {
        try change { try $0.remove(key, as: .removed) }
    }

    // MARK: Reading

    /// The value under a key; nil when there is none or it has expired.
    ///
    /// The value may have been stored as another type, as long as this one can decode it. Recently read values are kept
    /// in memory, except for class instances, which can be mutated.
    ///
    /// - Throws: ``MoltError`` with the code `unreadableContent`, naming the stored type, when the content is damaged
    ///   or has another shape; the stored bytes are kept. ``MoltError`` with the code `closed`, `busy` or
    ///   `storeFailed`; ``MoltError`` with the code `storeChanged`.
    public func value<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self,
        forKey key: String
    ) throws -> Value? {
        guard configuration.memory != nil, !(type is AnyClass) else { return try uncached(type, forKey: key) }
        if let box = try core.remembered(type, key) { return box.value(as: type) }
        return try readAndRemember(type, forKey: key)
    }

    private func readAndRemember<Value: Decodable & Sendable>(_ type: Value.Type, forKey key: String) throws -> Value? {
        let (found, ticket) = try core.lookUp(key)
        guard let found else { return nil }
        let value = try decode(type, found)
        if let ticket { core.remember(value, of: found, ticket) }
        return value
    }

    /// The value under a key, for types that are not `Sendable`; nil when there is none or it has expired.
    ///
    /// Values of such types are never kept in memory.
    ///
    /// - Throws: The errors of ``value(_:forKey:)-(_,String)`` for types that are `Sendable`.
    public func value<Value: Decodable>(_ type: Value.Type = Value.self, forKey key: String) throws -> Value? {
        try uncached(type, forKey: key)
    }

    private func uncached<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
        guard let found = try core.lookUp(key).content else { return nil }
        return try decode(type, found)
    }

    /// The value under a key with its dates, size, expiry and type name; nil when there is none.
    ///
    /// - Throws: The errors of reading the value.
    public func entry<Value: Decodable>(_ type: Value.Type = Value.self, forKey key: String) throws -> Entry<Value>? {
        let row = try core.read { try (content: $0.content(key), dates: $0.dates(key)) }
        guard let stored = row.content, let dates = row.dates else { return nil }
        let found = try upgraded(stored)
        return Entry(
            value: try decode(type, found),
            key: found.key,
            typeName: found.typeName,
            expiration: found.expiration.map { Date(timeIntervalSince1970: $0) },
            created: Date(timeIntervalSince1970: dates.created),
            updated: Date(timeIntervalSince1970: dates.updated),
            size: found.data.count
        )
    }

    /// Whether there is a live value under a key; the call neither reads the value nor counts as a use.
    ///
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `suspended`, `storeChanged` or `storeFailed`.
    public func contains(_ key: String) throws -> Bool {
        try typeName(forKey: key) != nil
    }

    /// The stored type name of the value under a key; nil when there is none.
    ///
    /// - Throws: ``MoltError`` with the code `closed`, `busy`, `suspended`, `storeChanged` or `storeFailed`.
    public func typeName(forKey key: String) throws -> String? {
        try core.read { try $0.typeName(key) }
    }

    // MARK: Raw data

    /// The raw data under a key; nil when there is none or it has expired.
    ///
    /// - Throws: ``MoltError`` with the code `unreadableContent` when the content is not raw data.
    public func data(forKey key: String) throws -> Data? {
        guard let found = try core.lookUp(key).content.map(upgraded) else { return nil }
        guard found.isData else { throw unreadable(Data.self, found, nil) }
        return found.data
    }

    // MARK: Documents

    /// Stores a document that an earlier release wrote, such as one from another device or an old export.
    ///
    /// ```swift
    /// try cache.set(document: message.body, ofType: "Person", writtenAt: message.version, forKey: message.id)
    /// ```
    ///
    /// It goes through the cache's migrations to versions later than its own before it is stored; see
    /// ``DocumentUpgrade``. If a step drops it or deletes its type, it is not stored, and a value under the key stays.
    ///
    /// It replaces a value under the key, also one that was set later. The type name is not checked: a document with a
    /// misspelled one is stored under that name. A ``DocumentUpgrade`` with `types` refuses it.
    ///
    /// Documents that a step extracts from it are stored with it. If there is a different value under the key of one,
    /// `onConflict` of the step decides; it sees both with today's properties. By default, the call throws.
    ///
    /// - Parameters:
    ///   - document: JSON text.
    ///   - typeName: The name that the document's type had at that version.
    ///   - version: The schema version of the store or app that wrote it.
    ///   - key: The key, which a step may change.
    ///   - expiry: When the value expires; by default as configured. A step may change it.
    /// - Returns: What was stored, or that it was dropped.
    /// - Throws: ``MoltError`` with the code `superseded` if a newer release wrote the document, with `tooOld` if the
    ///   registry cannot upgrade it, with `malformedContent` if it is not JSON, with `keyExists` if a value has the key
    ///   of an extracted document and the policy does not decide, or with that of the step that failed; and the errors
    ///   of ``set(_:forKey:expiry:)``. Nothing is stored then.
    @discardableResult
    public func set(
        document: Data,
        ofType typeName: String,
        writtenAt version: Int,
        forKey key: String,
        expiry: Expiry? = nil
    ) throws -> DocumentUpgrade.Output {
        let expiration = (expiry ?? configuration.defaultExpiry)
            .expiration(from: configuration.now().timeIntervalSince1970)
        let upgrade = try documents()
        let documents = try upgrade.documents(
            from: document,
            ofType: typeName,
            writtenAt: version,
            forKey: key,
            expiration: expiration.map { Date(timeIntervalSince1970: $0) }
        )
        guard documents.contains(where: { !$0.isDropped || $0.handedOverBy != nil }) else {
            return upgrade.output(of: documents[0], from: document)
        }
        return try change { session in
            var documents = documents
            for document in documents {
                guard let step = document.handedOverBy else { continue }
                let record = StoreContents.StoredRecord(document.record)
                try HandoverTable(creatingIn: session.connection).add(record, from: HandoverSource(step))
            }
            for index in documents.indices where !documents[index].isDropped {
                guard try merge(&documents[index], session) else { continue }
                let record = documents[index].record
                // An unchanged document is stored byte for byte as it was passed.
                let content = EncodedContent(
                    data: documents[index].isChanged ? Data(record.writtenContent) : document,
                    isData: record.isData,
                    typeName: record.typeName,
                    expiration: record.expirationSeconds
                )
                try session.set(record.key, content)
            }
            return upgrade.output(of: documents[0], from: document)
        }
    }

    /// Merges an extracted document with the value under its key, if there is one.
    ///
    /// - Returns: Whether the document is to be stored.
    private func merge(_ document: inout DocumentSteps.Document, _ session: CacheSession) throws -> Bool {
        guard document.isExtracted, let found = try session.content(document.record.key) else { return true }
        return try document.merge(into: Record(upgraded(found).stored), store: path)
    }

    // MARK: Migrations on read

    /// Upgrades all records that still have to go through migrations on read, and returns when they are written.
    ///
    /// ```swift
    /// for record in try await cache.finishBackfill() { print(record) }
    /// ```
    ///
    /// By default the cache does so by itself after it is opened; see ``MoltConfiguration/runsBackfill``. The call then
    /// waits for it, and does the rest without pauses: not for an app that uses the cache, nor to save power; see
    /// ``MoltConfiguration/backfillPace``. It does nothing if there are none. Reads and writes may go on meanwhile.
    ///
    /// Do not call it in a monitor's closure or in a closure of a migration. Each batch of records is a transaction of
    /// its own. After an interruption, the next opening or call goes on with the records that were not upgraded yet. At
    /// the end, the ledger counts the migrations as run. Cancelling the task stops the call before the next record; the
    /// cache then continues in the background.
    ///
    /// - Returns: The records that could not be converted, and that the policy of the step or the registry quarantined
    ///   or dropped.
    /// - Throws: For another record that cannot be converted, the ``MoltError`` of the step, after all other records
    ///   were upgraded; such a record keeps its content. ``MoltError`` with the code `closed`, `busy`, `suspended`,
    ///   `storeFailed`, `storeChanged`, `deadlinePassed` or, for a cache that is only readable, `readOnly`;
    ///   `CancellationError`.
    @discardableResult
    public func finishBackfill() async throws -> [MigrationReport.FailedRecord] {
        // A queue of its own, because other calls must not wait for the backfill.
        try await DispatchQueue(label: "molt.backfill.wait").runCancellable { [self] isCancelled in
            try backfillAndWait(isCancelled: isCancelled)
        }
    }

    /// Does what ``finishBackfill()`` does on the caller's thread, for a tool or a test.
    @discardableResult
    package func backfillAndWait(
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> [MigrationReport.FailedRecord] {
        if isReadOnly, upgrader != nil { throw core.readOnly }
        return try sweep?.finish(isCancelled: isCancelled) ?? []
    }

    // MARK: Helpers

    /// Writes in one transaction, and notifies the listeners in the order of the writes.
    ///
    /// - Parameter changes: Called only when there are listeners.
    @discardableResult
    func change<Value: Sendable>(
        _ body: @Sendable (CacheSession) throws -> Value,
        telling changes: @Sendable (CacheSession, Value) -> [CodableCache.Change] = { session, _ in session.changes }
    ) throws -> Value {
        let (value, shapeChanges, unreadable) = try core.write(body) { session, value in
            hub.send(changes(session, value))
            return (value, session.shapeChanges, session.unreadable)
        }
        // Outside the lock: the monitor may use the cache.
        for change in shapeChanges { configuration.monitor?.sendAfterwards(.shapeChanged(change)) }
        for error in unreadable { configuration.monitor?.sendAfterwards(.quarantined(error)) }
        return value
    }

    /// Encodes a value for storage; the first of its type comes with its shape.
    ///
    /// An optional is stored as its wrapped value, so that migrations and listings by type find it.
    func encode<Value: Encodable>(
        _ value: Value,
        key: String,
        expiry: Expiry?,
        isChecked: (ObjectIdentifier) -> Bool,
        _ names: inout TypeNames
    ) throws -> EncodedContent {
        // Checking the type first, here and below, avoids a copy of the value.
        let isOptional = !names.isCachedNonOptional(Value.self) && Value.self is any AnyOptional.Type
        if isOptional, let wrapped = (value as? any AnyOptional)?.anyWrapped as? any Encodable {
            return try encode(wrapped, key: key, expiry: expiry, isChecked: isChecked, &names)
        }
        let now = configuration.now().timeIntervalSince1970
        let expiration = (expiry ?? configuration.defaultExpiry).expiration(from: now)
        let typeName = names.name(of: Value.self, isOptional: isOptional)
        if Value.self == Data.self, let data = value as? Data {
            return EncodedContent(data: data, isData: true, typeName: typeName, expiration: expiration)
        }
        do {
            let data = try coding.encoder.encode(value)
            let isFirst = checksShapes && !isChecked(ObjectIdentifier(Value.self))
            return EncodedContent(
                data: data,
                isData: false,
                typeName: typeName,
                expiration: expiration,
                type: CheckedType(Value.self),
                firstShape: isFirst ? firstShape(of: value, content: data) : nil,
                unknown: keepsUnknown ? UnknownProperties(of: Swift.type(of: value), coding, declaredNames) : nil
            )
        } catch {
            throw MoltError(
                .notEncodable,
                CodingProblem(error, encoding: Value.self).text()
                    + " The value of type \(Value.self) for \"\(key)\" was not stored.",
                store: path,
                key: key,
                requestedType: String(describing: Value.self),
                underlying: error
            )
        }
    }

    /// The shape of a value; for an optional, the shape of the wrapped value, as that is stored.
    private func firstShape<Value: Encodable>(of value: Value, content: Data) -> FirstShape {
        var shape = TypeShape.of(value, coding: coding, content: content)
        shape.isOptional = false
        #if DEBUG
            warnOfKeys(of: RecordTypeName.of(Value.self), shape, in: content)
        #endif
        return FirstShape(type: ObjectIdentifier(Value.self), shape: shape)
    }

    #if DEBUG
        /// Warns, on standard error, of steps to the newest version that have taken keys for elements.
        private func warnOfKeys(of type: String, _ shape: TypeShape, in content: Data) {
            let steps = migrations.stepsOnElements(of: type, newest: migrations.version)
            guard !steps.isEmpty else { return }
            for warning in steps.warningsAboutDictionaryKeys(shape, in: Array(content)) { DebugWarning.print(warning) }
        }
    #endif

    func decode<Value: Decodable>(_ type: Value.Type, _ stored: StoredContent) throws(MoltError) -> Value {
        let value = try decode(type, upgraded: upgrader == nil ? stored : upgraded(stored))
        core.readable?.add(stored.key, type, stored.ticket)
        return value
    }

    private func decode<Value: Decodable>(_ type: Value.Type, upgraded found: StoredContent) throws(MoltError) -> Value
    {
        if found.isData { return try data(type, found) }
        do {
            return try coding.decoder.decode(type, fromStored: found.data)
        } catch {
            throw unreadable(type, found, error)
        }
    }

    // Not inlined: the cast needs the metadata of an optional, which would be fetched for other content, too.
    @inline(never)
    private func data<Value>(_ type: Value.Type, _ found: StoredContent) throws(MoltError) -> Value {
        guard let data = found.data as? Value else { throw unreadable(type, found, nil) }
        return data
    }

    /// The name that records of a stored type have when they are read; nil if they are left out.
    func typeName(ofStored name: String) -> String? { upgrader.map { $0.name(ofType: name) } ?? name }

    /// Whether records of a version lack migrations that they go through when they are read.
    func isOutdated(_ version: Int) -> Bool { upgrader.map { version < $0.doneFrom } ?? false }

    /// The content after the migrations that it lacks; nothing is written.
    func upgraded(_ stored: StoredContent) throws(MoltError) -> StoredContent {
        guard let upgrader else { return stored }
        do throws(MoltError) {
            return try stored.upgraded(by: upgrader)
        } catch {
            throw MoltError(
                .unreadableContent,
                "The content of \"\(stored.key)\" cannot be upgraded as it is read.",
                store: path,
                key: stored.key,
                type: stored.typeName,
                underlying: error
            )
        }
    }

    private func unreadable(_ type: Any.Type, _ found: StoredContent, _ underlying: (any Error)?) -> MoltError {
        let form = found.isData ? "raw data" : "JSON text"
        let isOtherType = found.typeName != RecordTypeName.of(type)
        let advice =
            isOtherType
            ? "Read it as the type that it was written as, or add a migration that converts it."
            : report.isNewer
                ? "If the newer release wrote it, this one cannot read everything that it writes; see `KeepingUnknown` "
                    + "for enums."
                : "If an earlier release wrote it, the type has another shape or other coders now: add a migration that "
                    + "converts it. If this release did, the type's `encode(to:)` and `init(from:)` disagree."
        let problem = underlying.map { CodingProblem($0, decoding: type, from: Array(found.data)).text() + " " } ?? ""
        return MoltError(
            .unreadableContent,
            "\(problem)The content of \"\(found.key)\", \(form) that was written as \(found.typeName), cannot be "
                + "read as \(type).",
            advice: advice,
            store: path,
            key: found.key,
            type: found.typeName,
            requestedType: String(describing: type),
            underlying: underlying
        )
    }

    /// The upgrade of single documents, made at the first use.
    private func documents() throws -> DocumentUpgrade {
        if let made = documentUpgrade.withLock({ $0 }) { return made }
        let made = try DocumentUpgrade(migrations)
        documentUpgrade.withLock { $0 = made }
        return made
    }
}

extension CodableCache {
    /// A value with what the cache knows about it.
    public struct Entry<Value> {
        /// The value.
        public let value: Value
        /// The key.
        public let key: String
        /// The stored type name.
        public let typeName: String
        /// When it expires; nil for never.
        public let expiration: Date?
        /// When the key was first set.
        public let created: Date
        /// When the key was last set.
        public let updated: Date
        /// The size of the stored content in bytes.
        public let size: Int
    }
}

extension CodableCache.Entry: Sendable where Value: Sendable {}
extension CodableCache.Entry: Equatable where Value: Equatable {}
