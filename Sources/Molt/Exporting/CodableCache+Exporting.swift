public import Foundation

extension CodableCache {
    // MARK: Exporting

    /// Writes the records to a file that other devices, later releases and other programs can read.
    ///
    /// ```swift
    /// try await cache.export(to: url)
    /// try await cache.export(to: url, only: .types([Note.self, Tag.self]))
    /// try await cache.export(to: url, suites: [.standard])
    /// ```
    ///
    /// The file is one JSON text with today's schema version; the guide <doc:ExportingAndImporting> describes it. It
    /// has all records of one moment, as bytes, with their keys, types, dates and expiry. Records that still have to go
    /// through migrations on read are exported in today's form. Expired records and those in quarantine are left out.
    ///
    /// The file is written under another name in the same directory, so use a directory of the app: a document picker
    /// grants access to one file only. It gets its name at the end, and is then readable by its owner only. An export
    /// that fails or whose task is cancelled leaves nothing, and a file that was there before stays. A kill may leave a
    /// part of it, with the suffix `.molt-part`, which the next export to the same path removes. Other calls of the
    /// cache may go on meanwhile, unless the cache is in memory or can only be read.
    ///
    /// - Important: The file contains the values of your user.
    /// - Parameters:
    ///   - url: The file, which is replaced if it exists.
    ///   - selection: The records to export; all by default.
    ///   - suites: The suites whose settings are exported, too; none by default.
    ///   - progress: Called with the completed share, from 0 to 1. It must not use the cache.
    /// - Throws: ``MoltError`` with the code `malformedContent` for content that is not JSON text, `unreadableContent`
    ///   for a record that a migration on read cannot convert; ``finishBackfill()`` quarantines it if the failure
    ///   policy says so, and then it is left out; `recordMissing` for a key that does not exist, `deferred`,
    ///   `needsMigration` or `journalPending` for a suite that is unavailable or does not have today's form,
    ///   `cancelled`, or `notAFile`, `noPermission`, `readOnly`, `busy` or `storeFailed` if the file cannot be written;
    ///   and the errors of reading.
    @discardableResult
    public func export(
        to url: URL,
        only selection: RecordSelection = .all,
        suites: [Suite] = [],
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> ExportSummary {
        try await DispatchQueue(label: "molt.export").runCancellable { [self] isCancelled in
            let transfer = TransferProgress(work: "export", store: path, progress: progress, isCancelled: isCancelled)
            return try exportAndWait(to: url, only: selection, suites: suites, transfer)
        }
    }

    /// Does what ``export(to:only:suites:progress:)`` does on the caller's thread, for a tool or a test.
    @discardableResult
    package func exportAndWait(
        to url: URL,
        only selection: RecordSelection = .all,
        suites named: [Suite] = [],
        _ transfer: TransferProgress? = nil
    ) throws -> ExportSummary {
        let transfer = transfer ?? TransferProgress(work: "export", store: path)
        let suites = try transferred(named)
        let export = try RecordExport(
            of: path,
            selection,
            to: url,
            appVersion: configuration.appVersion,
            now: configuration.now(),
            transfer
        )
        export.version = exportedVersion
        export.onRead = report.onRead
        export.typeName = { [self] in typeName(ofStored: $0) }
        export.upgrade = { [self] record in isOutdated(record.version) ? try upgradedForExport(record) : record }
        export.suites = suites
        return try export.run { body in
            func read() throws -> ExportSummary {
                let summary = try core.readAlone { session in try body(session.connection) }
                return try summary ?? core.read { session in try body(session.connection) }
            }
            guard let suites else { return try read() }
            // Before the snapshot: an upgrade or import by another process changes the file and suites in several
            // parts.
            return try suites.locking(isCancelled: transfer.isCancelled, read)
        }
    }

    /// A record after the migrations on read.
    ///
    /// The export does not apply a failure policy: how many records fail is known only at the end of the backfill.
    private func upgradedForExport(_ record: StoreContents.StoredRecord) throws -> StoreContents.StoredRecord {
        do {
            return try upgraded(StoredContent(record)).stored
        } catch {
            var error = error
            error.outcome = .unchanged
            let backfill = isReadOnly ? "`finishBackfill()` in a cache that is not only readable" : "`finishBackfill()`"
            error.advice =
                "Call \(backfill) first: if the step or the registry has `onFailure(.quarantine())`, it moves the record "
                + "into quarantine, and an export leaves it out. Or export other records with `only:`."
            throw error
        }
    }

    /// - Returns: Nil if no suites are named.
    private func transferred(_ named: [Suite]) throws -> TransferredSuites? {
        guard !named.isEmpty else { return nil }
        guard !report.isNewer else {
            throw MoltError(
                .superseded,
                "A newer release of the app has upgraded the cache at \(path), so its settings may have a form that "
                    + "this one does not know.",
                advice: "Update the app.",
                outcome: .unchanged,
                store: path
            )
        }
        return TransferredSuites(named, migrations, configuration, store: path)
    }

    /// The version of records that this release reads and writes.
    ///
    /// In a store that a newer release has upgraded and that this release may write, it is not that of the store.
    private var exportedVersion: Int { isReadOnly ? version : migrations.version }

    // MARK: Importing

    /// Adds the records of an export, of a store's file or of a backup of one, upgraded to today's version.
    ///
    /// ```swift
    /// let summary = try await cache.import(from: url)
    /// try await cache.import(from: url, only: .keys(["john"]), onConflict: .newest)
    /// try await cache.import(from: url, suites: [.standard], onConflict: .replace)
    /// ```
    ///
    /// The records go through all migrations since the release that wrote them, in a temporary store, as when that
    /// release's store is opened: blocks run, too. Imports of files and directories are left out. Unless `suites`
    /// names some, so are migrations of settings, and blocks that also run on a new store. The result is then written
    /// in one transaction, with the dates of the records: all of it or, after an error, nothing. Records that a
    /// migration cannot convert go into the cache's quarantine if the policy of the step or the registry says so;
    /// without such a policy, one of them fails the import, even if it was not selected. Expired records are left out,
    /// as are those in the quarantine of a store.
    ///
    /// Settings of the named suites go through the migrations, too, in copies of the suites. Their values are committed
    /// with the records, and set after the commit. If the process is killed in between, they are set when the store is
    /// next opened. To migrations, the suites that are not named look empty; nothing in them is changed.
    ///
    /// The temporary directory needs space for the records and their upgrade. With a ``MoltConfiguration/sizeLimit``,
    /// the least recently used values are evicted after the import; imported ones count as used when they were set.
    ///
    /// - Important: A block's changes outside the store are made here, too.
    /// - Parameters:
    ///   - url: The file; its content tells whether it is an export or a store.
    ///   - selection: The records to import, by the keys and types that they have after the upgrade; all by default.
    ///   - suites: The suites of the export whose settings are imported; none by default. Each must be a suite that a
    ///     migration works on, or one of ``MoltConfiguration/suites``.
    ///   - policy: What happens if the cache, or a suite, has another value under a key; an error by default.
    ///     ``ConflictPolicy/merge(_:settings:)`` makes one value of both.
    ///   - progress: Called with the completed share, from 0 to 1. It must not use the cache.
    /// - Throws: ``MoltError`` with the code `superseded` for a file of a newer release, `tooOld` for one that the
    ///   registry does not support any more, `malformedExport` for a file that is neither an export nor a store, or is
    ///   damaged, `foreignFile` or `notADatabase` for a database that is no store, `newerFormat` for a later format,
    ///   `keyExists` for a conflict, `recordMissing` for a key or a suite that does not exist, `fileMissing`,
    ///   `readOnly` for a cache that can only be read, or `cancelled`; for settings, also `suiteNotNamed`,
    ///   `unsupported` for a cache in memory, and `deferred`, `needsMigration`, `journalPending` or `cannotStore`; the
    ///   error of the step or of the closure of `merge` that failed; and the errors of writing. The cache and the
    ///   suites are unchanged then, unless ``MoltError/outcome`` is `committed`: the settings are then set when the
    ///   store is next opened.
    @discardableResult
    public func `import`(
        from url: URL,
        only selection: RecordSelection = .all,
        suites: [Suite] = [],
        onConflict policy: ConflictPolicy<CodableCache> = .fail,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> ImportSummary {
        try await DispatchQueue(label: "molt.import").runCancellable { [self] isCancelled in
            let transfer = TransferProgress(work: "import", store: path, progress: progress, isCancelled: isCancelled)
            return try importAndWait(from: url, only: selection, suites: suites, onConflict: policy, transfer)
        }
    }

    /// Does what ``import(from:only:suites:onConflict:progress:)`` does on the caller's thread, for a tool or a test.
    @discardableResult
    package func importAndWait(
        from url: URL,
        only selection: RecordSelection = .all,
        suites named: [Suite] = [],
        onConflict policy: ConflictPolicy<CodableCache> = .fail,
        _ transfer: TransferProgress? = nil
    ) throws -> ImportSummary {
        let transfer = transfer ?? TransferProgress(work: "import", store: path)
        try core.checkWritable()
        let suites = try transferred(named)
        try suites?.checkAttached()
        let source = ImportSource(
            url: url,
            store: path,
            version: exportedVersion,
            migrations: .registered(migrations),
            configuration: configuration,
            suites: suites,
            transfer: transfer
        )
        let records = RecordImport(source: source, selection: selection, policy: policy) { [self] found in
            try upgraded(found).stored
        }
        return try records.run { body in
            func commit() throws -> ImportSummary {
                try core.write(body, suites == nil ? .later : .atCommit) { session, summary in
                    var summary = summary
                    summary.evicted = session.changes.count { $0.kind == .evicted }
                    hub.send(session.changes + [Change(key: nil, typeName: nil, kind: .imported)])
                    return summary
                }
            }
            guard let suites else { return try commit() }
            return try suites.changing(isCancelled: transfer.isCancelled, commit)
        }
    }
}
