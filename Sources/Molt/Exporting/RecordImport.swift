internal import Foundation

/// An import of the records of an export, or of a store's file, into an open store.
///
/// The records first go into a temporary store, which is upgraded as any store is, blocks included. What has become of
/// them is then written into the open store in one transaction.
struct RecordImport {
    let source: URL
    /// The open store's path.
    let store: String
    /// The open store's version.
    let version: Int
    let migrations: Migrations
    let configuration: MoltConfiguration
    let selection: RecordSelection
    /// The suites whose settings are imported, too; nil for none.
    var suites: TransferredSuites?
    let policy: ConflictPolicy<CodableCache>
    /// Gives a record of the open store today's form.
    var upgrade: @Sendable (StoredContent) throws -> StoreContents.StoredRecord = { $0.stored }
    let transfer: TransferProgress

    /// The migrations that the records must have been through.
    enum Migrations {
        /// Those of a registry; the import runs those that are missing.
        case registered(MigrationRegistry)
        /// Those in the ledger of the open store; none can run.
        case recorded([LedgerEntry])

        fileprivate var registry: MigrationRegistry? {
            if case .registered(let registry) = self { registry } else { nil }
        }

        fileprivate var ledger: [LedgerEntry]? {
            if case .recorded(let ledger) = self { ledger } else { nil }
        }
    }

    /// The time of the last use of records in the temporary store, which tells them from those that migrations create.
    static let imported = -1.0

    private var path: String { FileStatus.path(of: source) }

    /// Runs a closure in a write transaction of the open store.
    typealias Write = (_ body: (CacheSession) throws -> ImportSummary) throws -> ImportSummary

    func run(_ write: Write) throws -> ImportSummary {
        do {
            return try runPhases(write)
        } catch {
            let failure = error as? MoltError
            if let failure, failure.mayBeCommitted || failure.outcome == .committed { throw failure }
            // An error of the upgrade says how an upgrade is stopped.
            try transfer.check()
            guard var failure else { throw error }
            failure.outcome = .unchanged
            throw failure
        }
    }

    private func runPhases(_ write: Write) throws -> ImportSummary {
        let isStore = try isStore()
        let size = isStore ? StoreFile(at: source).byteCount : try FileStatus.of(path).map { Int64($0.size) }
        let copy = try ScratchCopy(of: source, for: .import, byteCount: size ?? 0)
        defer { withExtendedLifetime(copy) {} }
        var summary: ImportSummary
        var settings: ImportedSettings?
        let read: (head: ExportFormat.Head, count: Int)
        do {
            read = try isStore ? (copyStore(copy), 0) : writeStore(copy.url)
            if let suites {
                settings = try ImportedSettings(read.head.settings ?? [:], of: suites, path: path)
            }
            let report = try upgrade(copy.url, from: read.head.version, settings)
            summary = ImportSummary(version: read.head.version, report: report)
        } catch {
            throw copy.ofOriginal(error)
        }
        if selection == .all { summary.expired = summary.report.expiredCount }
        summary.dropped = summary.report.counts.dropped
        let merge = ImportMerge(
            path: path,
            selection: selection,
            policy: policy,
            coding: migrations.registry?.coding ?? .standard,
            upgrade: upgrade,
            transfer: transfer,
            readCount: read.count
        )
        return try withErrors(of: path) {
            let connection = try Connection(copy.url.path, mode: .readOnly)
            defer { connection.close() }
            try settings?.upgrade(by: JournalTable.entries(connection))
            return try write { [settings] session in
                var summary = try merge.run(from: connection, into: session, summary)
                try settings?.merge(into: session, policy, &summary)
                return summary
            }
        }
    }

    /// Whether the file is a database; anything else must be an export.
    private func isStore() throws -> Bool {
        guard path.hasPrefix("/"), let status = try FileStatus.of(path) else {
            throw error(.fileMissing, "There is no export and no store at \(path).")
        }
        guard status.isFile else {
            throw error(.notAFile, "The path \(path) is a directory or a device, not an export or a store.")
        }
        guard !ExportTarget.isFile(of: store, path) else {
            throw error(.unsupported, "The cache at \(path) cannot be imported into itself.")
        }
        // Read through SQLite: closing a file would drop the locks that this process has on a store.
        let bytes = try withErrors(of: path) { try Connection(path, mode: .immutable).fileBytes(at: 0, 16) }
        return bytes?.elementsEqual(FileFormat.beginning) == true
    }

    // MARK: The temporary store

    /// Copies a store, without its quarantine, what it has to hand over, and its unfinished work on suites.
    ///
    /// - Returns: The head of an export of it.
    private func copyStore(_ copy: ScratchCopy) throws -> ExportFormat.Head {
        try advising { try copy.fill(transfer.check) }
        let state = try StoreFile.state(at: copy.url)
        guard !state.isFresh else { throw error(.fileMissing, "The store at \(path) is empty.") }
        try check(state.version)
        if let ownLedger = migrations.ledger { try check(state.ledger, against: ownLedger) }
        try writing {
            let connection = try Connection(copy.url.path, mode: .readWrite)
            defer { connection.close() }
            try connection.set(.synchronous, to: "OFF")
            try connection.begin()
            try LedgerTable.checkRows(connection)
            try QuarantineTable(of: connection)?.removeAll()
            // The file of the store keeps them, unless another one has taken its place.
            if !isSetAside { try HandoverTable(of: connection)?.removeAll() }
            try JournalTable.clear(connection)
            // What suites held there says nothing about those that are here.
            try LedgerTable.forgetAttached(connection)
            try connection.prepare(.touchAll, Self.imported).run()
            try connection.commit()
        }
        return ExportFormat.Head(version: state.version, migrations: state.ledger.map(ExportedMigration.init))
    }

    /// Makes a store of an export.
    ///
    /// - Returns: The head of the export, and the number of its records.
    private func writeStore(_ url: URL) throws -> (head: ExportFormat.Head, count: Int) {
        let reader = try ExportReader(path)
        let head = try reader.head()
        try check(head.version)
        if let ownLedger = migrations.ledger { try check(ledger(of: head), against: ownLedger) }
        var count = 0
        try writing {
            let connection = try Connection(url.path, mode: .readWrite)
            defer { connection.close() }
            try connection.set(.pageSize, to: 8_192)
            try connection.set(.journalMode, to: "OFF")
            try connection.set(.synchronous, to: "OFF")
            try connection.begin()
            try connection.execute(FileFormat.creation)
            let rows = StoreRows(connection, ofTransaction: true)
            while let (record, offset) = try reader.next(version: head.version) {
                guard try add(record, to: rows) else {
                    var error = reader.malformed("two records have the same key", at: offset)
                    error.key = record.stored.key
                    throw error
                }
                count += 1
                // The merge is the second half.
                try transfer.check(after: count, of: Int(2 * Double(count) / reader.fraction))
            }
            try LedgerTable.add(ledger(of: head), version: head.version, to: connection)
            try connection.commit()
        }
        return (head, count)
    }

    /// Adds a record to the temporary store.
    ///
    /// - Returns: Whether its key was free.
    private func add(_ record: StoreContents.DatedRecord, to rows: StoreRows) throws -> Bool {
        let stored = record.stored
        let stamp = try StoreRows.Stamp(
            typeID: rows.addType(stored.typeName),
            version: stored.version,
            created: record.created,
            updated: record.updated,
            used: Self.imported
        )
        return try stored.lend { try rows.add($0, stamp) }
    }

    /// The ledger that the store of an export had, apart from dates and counts.
    private func ledger(of head: ExportFormat.Head) -> [LedgerEntry] {
        let listed = Set(head.migrations.map(\.name))
        // The store may have deferred a migration of settings, which does not concern the records.
        let others = (migrations.registry?.importing(includesSettings: false).migrations ?? []).filter {
            $0.version <= head.version && $0.steps.isEmpty && !listed.contains($0.name)
        }
        return (head.migrations + others.map { ExportedMigration($0.id) }).map { migration in
            var row = migration.row
            // It was marked as applied before earlier ones ran.
            if row.version > head.version { row.outcome = .marked }
            return row
        }
    }

    /// Throws if records of a version cannot be imported.
    private func check(_ found: Int) throws {
        let oldest = migrations.registry?.oldestSupportedVersion ?? version
        guard found > version || found < oldest else { return }
        let reason: String
        let advice: String
        switch (found > version, migrations.registry) {
        case (true, nil): (reason, advice) = ("the store has version \(version)", "Upgrade the store first.")
        case (true, _):
            reason = "this release knows versions up to \(version)"
            advice =
                isSetAside
                ? "It was set aside when another store took its place. Keep it, update the app, and import it then; or "
                    + "put it back with `CacheFile.restore(_:)`, and open it with the newer release."
                : "Update the app."
        case (false, nil):
            reason = "the store has version \(version)"
            advice = "Import it with the app's own tool, which has the migrations."
        case (false, _):
            reason = "the oldest version that the registry supports is \(oldest)"
            advice = "Import it with an earlier release, and export it again."
        }
        var error = error(
            found > version ? .superseded : .tooOld,
            "The file at \(path) has version \(found), and \(reason).",
            advice: advice
        )
        // Without a registry, the message has both versions, and the labels would say something else.
        if migrations.registry != nil {
            (error.storeVersion, error.registryVersion) = (found, found > version ? version : oldest)
        }
        throw error
    }

    /// Whether the file is a store that was set aside beside the open one.
    private var isSetAside: Bool {
        let name = (path as NSString).lastPathComponent
        let kind = BackupName(name, of: (store as NSString).lastPathComponent)?.kind
        return kind == .replaced || kind == .aside
    }

    /// Throws if records have not been through the same migrations as those of the open store.
    private func check(_ ledger: [LedgerEntry], against own: [LedgerEntry]) throws {
        if let waiting = ledger.first(where: { $0.outcome == .onRead }) {
            throw MoltError.waiting(for: waiting, store: path)
        }
        func missing(_ rows: [LedgerEntry], in history: History) -> [String] {
            rows.filter { $0.outcome.isApplied && !history.covers($0) }.map(\.name)
        }
        let others = missing(ledger, in: History(own)) + missing(own, in: History(ledger))
        guard let other = others.min() else { return }
        throw error(
            .migrationMissing,
            "Migration \"\(other)\" was applied to only one of the file at \(path) and the store at \(store).",
            advice: "Import it with the app's own tool, which has the migrations."
        )
    }

    /// Upgrades the temporary store, and nothing else; what becomes of settings is in its journal.
    private func upgrade(_ url: URL, from version: Int, _ settings: ImportedSettings?) throws -> MigrationReport {
        guard let registry = migrations.registry else {
            return MigrationReport(store: path, from: version, to: version, isFresh: false, startedAt: Date())
        }
        let suites = settings?.standIns ?? configuration.suites
        let store = StoreFile(at: url, attaching: configuration.attachedStores(suites))
        store.options.isDurable = false
        defer { store.close() }
        let migrator = Migrator(
            registry.importing(includesSettings: settings != nil),
            configuration: configuration.unfollowed(stoppedBy: transfer.isCancelled),
            mode: .importing(includesSettings: settings != nil)
        )
        var report = try advising { try migrator.migrate(store) }
        report.store = path
        return report
    }

    // MARK: Errors

    /// Runs a closure whose errors are about the app's own store, with advice for an import instead.
    private func advising<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch var error as MoltError {
            switch error.code {
            case .lateMigration, .partlyReplaced, .migrationMissing, .deferred:
                error.advice = "Export the records with a release that has the same migrations."
            case .notADatabase, .foreignFile: error.advice = "Choose an export, a store or a backup of one."
            default: break
            }
            throw error
        }
    }

    private func error(_ code: MoltError.Code, _ problem: String, advice: String? = nil) -> MoltError {
        MoltError(code, problem, advice: advice, outcome: .unchanged, store: path)
    }

    /// Runs a closure that writes the temporary store.
    private func writing(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as SQLiteError {
            if failure == .suspended { throw MoltError.suspended() }
            // A copy has the damage of the file.
            if failure.isDamage { throw MoltError(failure, store: path) }
            let (problem, advice) = failure.explanation
            let directory = FileManager.default.temporaryDirectory.path
            var error = error(
                .storeFailed,
                "The temporary store for the import cannot be written in \(directory). \(problem)",
                advice: advice
            )
            error.underlying = failure
            throw error
        }
    }
}
