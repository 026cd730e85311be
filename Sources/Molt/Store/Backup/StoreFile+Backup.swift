internal import Foundation

extension StoreFile {
    /// Copies the last committed state of the file, without changes of an open transaction.
    ///
    /// - Throws: ``MoltError`` with the code `noSpaceForBackup` or `backupFailed`, or an error of the request's
    ///   `step`; no file is left in that case.
    package func makeBackup(_ request: BackupRequest) throws -> StoreBackup {
        guard !isInMemory else { throw MoltError.backupFailed("it is in memory.", store: storeName) }
        return try BackupCopy(of: path, request).make()
    }

    /// Returns the backups beside the file, newest first.
    func backups() throws -> [StoreBackup] {
        try isInMemory ? [] : files.backups()
    }

    /// Replaces the store's contents with a backup, atomically also for other processes that have the store open.
    ///
    /// The backup's state of suites is restored as a journal, which must be applied afterwards.
    ///
    /// - Parameters:
    ///   - request: What else is restored, and what is kept.
    ///   - waiting: Called repeatedly while another process holds the lock; throws to give up.
    /// - Returns: The suites in the backup that were left as they are.
    // Compiled once, and not again for each closure.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    @discardableResult
    package func restore<Failure: Error>(
        _ backup: StoreBackup,
        _ request: RestoreRequest,
        waiting: () throws(Failure) -> Void
    ) throws -> [String] {
        let files = files
        let source = try files.path(of: backup, isOwn: !request.isFromAnotherStore)
        let state = try BackupVerification.verify(backup, at: source)
        let unattached = try request.unattached(state.journal, in: backup)
        // The replacement makes everything that this connection has cached stale.
        close()
        do {
            let mark = try ownMark(otherThanAt: source)
            // What waits was taken out of suites that the backup need not have.
            let hasHandovers = (try? FileProbe.state(path).handovers.isEmpty) == false
            let copy =
                try unattached.isEmpty && mark == nil && !hasHandovers
                ? nil : self.copy(of: source, without: unattached, mark)
            // Earlier copies of replaced contents stay: the oldest may be the only one with some data.
            try withExtendedLifetime(copy) {
                _ = try StoreReplacement(
                    of: path,
                    keeping: request.keeping,
                    attachedNow: request.attachedNow,
                    atCopy: options.atCopy
                ).replace(with: .file(copy?.path ?? source), waiting: waiting)
            }
            return unattached
        } catch let error as StoreReplacement.DamagedSource {
            throw MoltError.backupUnusable(backup, error.reason)
        } catch let error as SQLiteError {
            if error == .suspended { throw MoltError.suspended() }
            let (problem, advice) = error.explanation
            throw MoltError.restoreFailed(backup, problem, advice: advice, underlying: error)
        } catch let error as DurableFile.Failure {
            throw MoltError.restoreFailed(backup, "\(error.reason).", underlying: error)
        }
    }

    /// The mark that says that the file was moved to its place, if a backup has none or another one; nil otherwise.
    private func ownMark(otherThanAt backup: String) throws -> Int64? {
        // A damaged file says nothing.
        guard let mark = try? mark(FileFormat.move) else { return nil }
        return try StoreFile(at: URL(fileURLWithPath: backup)).mark(FileFormat.move) == mark ? nil : mark
    }

    /// A copy of a backup that says nothing of some attached stores, removed with the object.
    ///
    /// The settings that wait in this file to be handed over wait in the copy, too: their suites no longer have them.
    ///
    /// - Parameter mark: That of this file, if it was moved to its place.
    private func copy(of backup: String, without unattached: [String], _ mark: Int64?) throws -> PartFile {
        let (part, _) = try files.begin(.replaced, version: nil, at: Date())
        try part.withDatabase { copy in
            try Connection(backup, mode: .immutable).copy(into: copy)
            try JournalTable.remove(unattached, from: copy)
            if let mark { try FileFormat.setMark(FileFormat.move, to: mark, of: copy) }
            do {
                let current = try Connection(path, mode: .readOnly)
                defer { current.close() }
                try HandoverTable.add(from: current, to: copy) { _, type in type == nil }
            } catch let error as SQLiteError where error.isDamage {
                // They stay in the file that is set aside.
            }
        }
        return part
    }

    func remove(_ backup: StoreBackup) throws {
        let files = files
        let path = try files.path(of: backup, isOwn: false)
        let name = (path as NSString).lastPathComponent
        guard DurableFile.isSame((path as NSString).deletingLastPathComponent, files.directory),
            let parsed = BackupName(name, of: files.name), files.describe(parsed) != nil
        else {
            throw MoltError.backupUnusable(backup, "it does not belong to this store, and was not removed.")
        }
        do {
            // A damaged file may have been moved together with its log.
            for suffix in StoreFiles.suffixes where parsed.kind == .damaged { try DurableFile.remove(path + suffix) }
            try DurableFile.remove(path)
        } catch {
            throw MoltError.backupUnusable(backup, "it cannot be removed: \(error.reason).", underlying: error)
        }
    }

    /// Whether the file is damaged, from a check of all pages.
    func isDamaged() -> Bool {
        !isInMemory && BackupVerification.damage(path) != nil
    }

    /// Moves the file's contents aside under another name, and leaves an empty cache.
    ///
    /// - Returns: The file that was kept. Its name ends with `aside` or, when it cannot be read, with `damaged`. nil
    ///   when there was no content, and for a suite, whose app would lose all settings.
    // Compiled once, and not again for each closure.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    func startAfresh<Failure: Error>(waiting: () throws(Failure) -> Void) throws -> StoreBackup? {
        guard primary == nil else { return nil }
        close()
        do {
            return try StoreReplacement(
                of: path,
                keeping: BackupRequest(.aside, version: 0),
                atCopy: options.atCopy
            ).replace(with: .nothing, waiting: waiting)
        } catch let error as SQLiteError {
            throw MoltError(error, store: path)
        } catch let error as DurableFile.Failure {
            throw FileStatus.failure(error.number, path: path)
        }
    }
}
