internal import Foundation

/// The file of an import, and the temporary store that is made of it.
///
/// The store is upgraded as any store is, blocks included, so that its records have today's form.
final class ImportSource {
    let url: URL
    /// The open store's path.
    let store: String
    /// The open store's version.
    let version: Int
    let migrations: Migrations
    let configuration: MoltConfiguration
    /// The suites whose settings are imported, too; nil for none.
    let suites: TransferredSuites?
    let transfer: TransferProgress

    init(
        url: URL,
        store: String,
        version: Int,
        migrations: Migrations,
        configuration: MoltConfiguration,
        suites: TransferredSuites? = nil,
        transfer: TransferProgress
    ) {
        self.url = url
        self.store = store
        self.version = version
        self.migrations = migrations
        self.configuration = configuration
        self.suites = suites
        self.transfer = transfer
    }

    /// The migrations that the records must have been through.
    enum Migrations {
        /// Those of a registry; the import runs those that are missing.
        case registered(MigrationRegistry)
        /// Those in the ledger of the open store; none can run.
        case recorded([LedgerEntry])

        var registry: MigrationRegistry? {
            if case .registered(let registry) = self { registry } else { nil }
        }

        fileprivate var ledger: [LedgerEntry]? {
            if case .recorded(let ledger) = self { ledger } else { nil }
        }
    }

    /// The time of the last use of records in the temporary store, which tells them from those that migrations create.
    static let imported = -1.0

    var path: String { FileStatus.path(of: url) }

    /// The temporary store, upgraded to the open store's version; it is removed with the last reference to this object.
    final class Upgraded {
        private let copy: ScratchCopy
        /// The version of the file.
        let version: Int
        /// The number of records that were read from an export; 0 for a store's file, which is copied.
        let readCount: Int
        let report: MigrationReport
        let settings: ImportedSettings?

        fileprivate init(
            _ copy: ScratchCopy,
            version: Int,
            readCount: Int,
            _ report: MigrationReport,
            _ settings: ImportedSettings?
        ) {
            (self.copy, self.version, self.readCount) = (copy, version, readCount)
            (self.report, self.settings) = (report, settings)
        }

        func open(_ mode: Connection.Mode = .readOnly) throws(SQLiteError) -> Connection {
            try Connection(copy.url.path, mode: mode)
        }
    }

    /// Makes the temporary store of the file, and upgrades it.
    func upgraded() throws -> Upgraded {
        let isStore = try isStore()
        let size = isStore ? StoreFile(at: url).byteCount : try FileStatus.of(path).map { Int64($0.size) }
        let copy = try ScratchCopy(of: url, for: .import, byteCount: size ?? 0)
        do {
            let read = try isStore ? (head: copyStore(copy), count: 0) : writeStore(copy.url)
            let settings = try suites.map { try ImportedSettings(read.head.settings ?? [:], of: $0, path: path) }
            let report = try upgrade(copy.url, from: read.head.version, settings)
            return Upgraded(copy, version: read.head.version, readCount: read.count, report, settings)
        } catch {
            throw copy.ofOriginal(error)
        }
    }

    /// Whether the file is a database; anything else must be an export.
    private func isStore() throws -> Bool {
        guard path.hasPrefix("/"), let status = try FileStatus.of(path) else {
            throw error(.fileMissing, "There is no export and no store at \(path).", advice: "Check the path.")
        }
        guard status.isFile else {
            throw error(.notAFile, "The path \(path) is a directory or a device.", advice: Self.choice)
        }
        guard !ExportTarget.isFile(of: store, path) else {
            throw error(.unsupported, "The cache at \(path) cannot be imported into itself.", advice: Self.choice)
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
        guard !state.isFresh else { throw error(.fileMissing, "The file at \(path) is empty.", advice: Self.choice) }
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
                guard try rows.add(record, used: Self.imported) else {
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
            case .notADatabase, .foreignFile: error.advice = Self.choice
            default: break
            }
            throw error
        }
    }

    private static let choice = "Choose an export, another store, or a backup of one."

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
