/// An import of the records of an export, or of a store's file, into an open store.
///
/// The records first go into a temporary store. What has become of them there is then written into the open store in
/// one transaction.
struct RecordImport {
    let source: ImportSource
    let selection: RecordSelection
    let policy: ConflictPolicy<CodableCache>
    /// Gives a record of the open store today's form.
    var upgrade: @Sendable (StoredContent) throws -> StoreContents.StoredRecord = { $0.stored }

    private var path: String { source.path }

    /// Runs a closure in a write transaction of the open store.
    typealias Write = (_ body: (CacheSession) throws -> ImportSummary) throws -> ImportSummary

    func run(_ write: Write) throws -> ImportSummary {
        do {
            return try runPhases(write)
        } catch {
            let failure = error as? MoltError
            if let failure, failure.mayBeCommitted || failure.outcome == .committed { throw failure }
            // An error of the upgrade says how an upgrade is stopped.
            try source.transfer.check()
            guard var failure else { throw error }
            failure.outcome = .unchanged
            throw failure
        }
    }

    private func runPhases(_ write: Write) throws -> ImportSummary {
        let upgraded = try source.upgraded()
        var summary = ImportSummary(version: upgraded.version, report: upgraded.report)
        if selection == .all { summary.expired = summary.report.expiredCount }
        summary.dropped = summary.report.counts.dropped
        let merge = ImportMerge(
            path: path,
            selection: selection,
            rule: ConflictRule(
                path: path,
                policy: policy,
                coding: source.migrations.registry?.coding ?? .standard,
                upgrade: upgrade
            ),
            transfer: source.transfer,
            readCount: upgraded.readCount
        )
        return try withErrors(of: path) {
            let connection = try upgraded.open()
            defer { connection.close() }
            let settings = upgraded.settings
            try settings?.upgrade(by: JournalTable.entries(connection))
            return try write { session in
                var summary = try merge.run(from: connection, into: session, summary)
                try settings?.merge(into: session, policy, &summary)
                return summary
            }
        }
    }
}
