package import Foundation

/// Exports and imports for tools that do not know the migrations of a store: records stay as they are.
extension CacheFile {
    /// Writes the records to a file as an export.
    ///
    /// - Throws: ``MoltError`` as ``CodableCache/export(to:only:suites:progress:)`` does, or with the code
    ///   `needsMigration` if records still have to go through migrations on read.
    package func exportAndWait(to url: URL, only selection: RecordSelection) throws -> ExportSummary {
        let transfer = TransferProgress(work: "export", store: path)
        let export = try RecordExport(of: name, selection, to: url, appVersion: "", now: Date(), transfer)
        return try export.run { body in
            try look { connection throws(SQLiteError) in
                do {
                    return Result<ExportSummary, any Error>.success(try body(connection))
                } catch let error as SQLiteError {
                    throw error
                } catch {
                    return .failure(error)
                }
            }.get()
        }
    }

    /// Adds the records of an export or a store that has the same version.
    ///
    /// - Throws: ``MoltError`` as ``CodableCache/import(from:only:suites:onConflict:progress:)`` does, or with the
    ///   code `needsMigration` if records of the store still have to go through migrations on read.
    package func importAndWait(
        from url: URL,
        only selection: RecordSelection,
        onConflict policy: ConflictPolicy<CodableCache>
    ) throws -> ImportSummary {
        try checkExists()
        let store = StoreFile(at: self.url, createsFile: false)
        let state = try store.state()
        if let waiting = state.ledger.first(where: { $0.outcome == .onRead }) {
            throw MoltError.waiting(for: waiting, store: path)
        }
        let configuration = MoltConfiguration()
        let core = try CacheCore(
            store,
            version: state.version,
            registryVersion: state.version,
            configuration: configuration
        )
        defer { core.close() }
        let source = ImportSource(
            url: url,
            store: path,
            version: state.version,
            migrations: .recorded(state.ledger),
            configuration: configuration,
            transfer: TransferProgress(work: "import", store: path)
        )
        let records = RecordImport(source: source, selection: selection, policy: policy)
        return try records.run { body in try core.write(body) { _, summary in summary } }
    }
}
