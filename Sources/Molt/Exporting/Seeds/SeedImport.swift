internal import Foundation

/// An import of a file that the app ships into a store that an opening has upgraded.
///
/// The file and what the store remembers of earlier ones are upgraded in temporary stores. Everything is then written
/// in one transaction, together with the digest of the file.
final class SeedImport {
    private let name: String
    private let url: URL
    /// Whether records of earlier files that this one lacks are removed.
    private let removesOthers: Bool
    private let store: StoreFile
    /// The report of the upgrade.
    private let report: MigrationReport
    private let registry: MigrationRegistry
    private let configuration: MoltConfiguration

    init(
        _ name: String,
        at url: URL,
        removingOthers: Bool,
        into store: StoreFile,
        _ report: MigrationReport,
        _ registry: MigrationRegistry,
        _ configuration: MoltConfiguration
    ) {
        self.name = name
        self.url = url
        removesOthers = removingOthers
        self.store = store
        self.report = report
        self.registry = registry
        self.configuration = configuration
    }

    private var path: String { FileStatus.path(of: url) }

    /// - Returns: What was done; nil if the store has had the file already.
    func run() throws -> MigrationReport.Seed? {
        do {
            return try withErrors(of: path, apply)
        } catch {
            // An error of an import says how an import is stopped.
            try configuration.checkCancellation()
            throw (error as? MoltError).map(ofSeed) ?? error
        }
    }

    private func apply() throws -> MigrationReport.Seed? {
        let digest = try SeedDeclaration.digest(of: url)
        while true {
            let entry = try store.seedEntry(name)
            if let entry, entry.digest == digest {
                // A later upgrade tries again.
                if entry.version < report.to { try? refresh(entry) }
                return nil
            }
            let file = try source(url, registry).upgraded()
            defer { withExtendedLifetime(file) {} }
            let memory = try entry.map(memory)
            let connection = try file.open(.readWrite)
            defer { connection.close() }
            var result: MigrationReport.Seed?
            try write { session, table in
                // Another process may have applied a file meanwhile.
                guard try table.entry(name)?.digest == entry?.digest else { return }
                let seed = try merge(file, connection, memory ?? SeedMemory(), into: session)
                try table.set(SeedTable.Entry(digest: digest, version: report.to, records: seed.records), of: name)
                result = seed.result
                try configuration.reach(.beforeCommit, "of the seed")
            }
            guard let result else { continue }
            try configuration.reach(.afterCommit, "of the seed")
            return result
        }
    }

    /// Takes what the store remembers through the migrations of an upgrade, which a later release may not have.
    private func refresh(_ entry: SeedTable.Entry) throws {
        guard let records = try memory(entry).text(original: url, transfer) else { return }
        try write { _, table in
            guard try table.entry(name)?.digest == entry.digest else { return }
            try table.set(SeedTable.Entry(digest: entry.digest, version: report.to, records: records), of: name)
        }
    }

    private func memory(_ entry: SeedTable.Entry) throws -> SeedMemory {
        try SeedMemory(entry.records, of: url) { source($0, registry.onFailure(.quarantine())) }
    }

    private func source(_ url: URL, _ registry: MigrationRegistry) -> ImportSource {
        ImportSource(
            url: url,
            store: store.storeName,
            version: registry.version,
            migrations: .registered(registry),
            configuration: configuration,
            transfer: transfer
        )
    }

    private var transfer: TransferProgress {
        TransferProgress(
            work: "opening",
            store: store.storeName,
            isCancelled: { [configuration] in (try? configuration.checkCancellation()) == nil }
        )
    }

    // MARK: The transaction

    /// Runs a closure in a write transaction of the store.
    private func write(_ body: (CacheSession, SeedTable) throws -> Void) throws {
        // The app's clock may use the store, so it is read before the lock is taken.
        let now = configuration.now().timeIntervalSince1970
        let patience = Patience(configuration)
        let isSame = try store.withWriteTransactionOfSameStore(until: configuration.lastInstant) { _ in
            guard let connection = store.connection else { return }
            let session = CacheSession(connection, of: shared)
            session.begin(at: now)
            try session.beginWrite()
            try body(session, SeedTable(creatingIn: connection))
            try session.endWrite()
        } waiting: {
            try patience.wait(for: store)
        }
        guard !isSame else { return }
        throw MoltError(
            .storeChanged,
            "The store was upgraded or replaced meanwhile.",
            advice: "Open it again.",
            store: store.storeName
        )
    }

    private var shared: CacheSession.Shared {
        CacheSession.Shared(
            path: store.storeName,
            version: report.to,
            registryVersion: registry.version,
            generation: store.generation,
            uses: configuration.sizeLimit.map { UseLog(sizeLimit: $0) },
            types: nil,
            mismatches: configuration.mismatches,
            checkedShapes: CheckedShapes(),
            readable: nil
        )
    }

    /// Merges the file into the store.
    ///
    /// - Parameter connection: The temporary store of the file, to which what earlier files had is added.
    /// - Returns: What was done, and an export of what the files have had so far.
    private func merge(
        _ file: ImportSource.Upgraded,
        _ connection: Connection,
        _ memory: SeedMemory,
        into session: CacheSession
    ) throws -> (result: MigrationReport.Seed, records: [UInt8]) {
        let migrator = Migrator(registry, configuration: configuration, mode: .opening)
        let upgrader = migrator.upgrader(for: report.onRead, of: store.storeName)
        let rule = SeedRule(memory, of: name) { found in
            try (upgrader.map { try found.upgraded(by: $0) } ?? found).stored
        }
        let merge = ImportMerge(path: path, selection: .all, rule: rule, transfer: transfer, readCount: file.readCount)
        var summary = ImportSummary(version: file.version, report: file.report)
        summary.expired = file.report.expiredCount
        rule.note(try merge.run(from: connection, into: session, summary))
        // What the file lacks stays in memory, unless it is removed here: an earlier file may bring it back then.
        var others: [String] = []
        try withErrors(of: path) {
            // For speed alone: nothing else uses the temporary store.
            try connection.begin()
            try connection.prepare(.deleteExpired, session.now).run()
            let rows = StoreRows(connection, ofTransaction: true)
            for record in memory.records {
                if try rows.add(record, used: ImportSource.imported) { others.append(record.stored.key) }
            }
        }
        let removed = removesOthers ? try others.filter { try rule.remove($0, from: session) } : []
        try withErrors(of: path) {
            for key in removed { try connection.prepare(.remove, session.now, key).run() }
            try connection.commit()
        }
        return (rule.result, try SeedMemory.text(of: connection, original: url, transfer))
    }

    // MARK: Errors

    /// An error that names the seed, and says what to do about it.
    private func ofSeed(_ error: MoltError) -> MoltError {
        var error = error
        error.problem = "The seed \"\(name)\" was not applied. \(error.problem)"
        if [.superseded, .tooOld, .migrationMissing].contains(error.code) {
            error.advice = "Ship a file that a release with the same migrations has exported."
        }
        if error.code == .malformedExport { error.advice = "Ship a file that was exported again." }
        error.store = store.storeName
        return error
    }
}
