internal import Foundation

extension DefaultsStoreFiles {
    /// The suite's readable backups, or files of other kinds, newest first.
    ///
    /// - Throws: ``MoltError`` with the code `noPermission` or `unreadable` if the directory cannot be listed,
    ///   because it may contain backups.
    func backups(_ kinds: [BackupName.Kind] = BackupName.Kind.backups) throws(MoltError) -> [StoreBackup] {
        let directory = try directory
        return try names(in: directory).compactMap { text in
            // An unreadable file could not be restored.
            guard let name = BackupName(text, of: suite.domainName), kinds.contains(name.kind),
                let (content, size) = try? content(at: directory.appending(path: text))
            else { return nil }
            return StoreBackup(
                url: directory.appending(path: text, directoryHint: .notDirectory),
                schemaVersion: content.ledger.version,
                date: name.date,
                size: size,
                recordCount: content.count,
                isAutomatic: name.kind == .automatic,
                attachedStores: content.entries.map(\.store).filter { $0 != suite.attachedName }
            )
        }
        .sorted(by: >)
    }

    private func names(in directory: URL) throws(MoltError) -> [String] {
        do {
            return try DirectoryListing.names(in: directory.path)
        } catch {
            let isForbidden = (error as? CocoaError)?.code == .fileReadNoPermission
            var failure = MoltError(
                isForbidden ? .noPermission : .unreadable,
                "The backups of the suite cannot be listed: the directory \(directory.path) cannot be read. "
                    + "Check its permissions.",
                underlying: error
            )
            failure.store = suite.domainName
            throw failure
        }
    }

    /// Writes a backup; call it with the lock.
    func write(_ content: SuiteBackupContent, _ request: BackupRequest) throws -> StoreBackup {
        let directory = try directory
        let manager = FileManager.default
        // Leftovers of killed processes only take space, so errors are ignored.
        let names = (try? manager.contentsOfDirectory(atPath: directory.path)) ?? []
        for text in names
        where BackupName.isPart(text, of: suite.domainName) {
            try? manager.removeItem(at: directory.appending(path: text))
        }
        try request.step()
        let bytes = try content.encoded()
        try request.checkSpace(for: Int64(bytes.count), in: directory.path, store: suite.attachedName)
        var date = BackupName.later(request.policy.now(), than: names, of: suite.domainName)
        while true {
            let name = BackupName(
                store: suite.domainName,
                version: request.version,
                date: date,
                kind: request.kind
            )
            let url = directory.appending(path: name.text, directoryHint: .notDirectory)
            do {
                try DurableFile.create(url.path, with: bytes, by: url.path + BackupName.part)
            } catch  where error.isExisting {
                date = name.date.addingTimeInterval(0.0015)
                continue
            } catch  where error.isOutOfSpace {
                throw MoltError.noSpace(
                    for: Int64(bytes.count),
                    free: nil,
                    in: directory.path,
                    store: suite.attachedName,
                    kind: request.kind,
                    underlying: error
                )
            } catch {
                throw MoltError.backupFailed(
                    "the file at \(url.path) cannot be written: \(error.reason).",
                    store: suite.attachedName,
                    underlying: error
                )
            }
            if BackupName.Kind.backups.contains(name.kind) { DeviceBackup.exclude(url.path) }
            return StoreBackup(
                url: url,
                schemaVersion: request.version,
                date: name.date,
                size: bytes.count,
                recordCount: content.count,
                isAutomatic: request.kind == .automatic,
                attachedStores: content.entries.map(\.store).filter { $0 != suite.attachedName }
            )
        }
    }

    /// The content of a backup of the suite.
    ///
    /// - Parameter isOwn: Whether the backup's name, directory and content must be those of this suite. If false, the
    ///   content of another suite's backup is returned as if it were this suite's.
    /// - Throws: ``MoltError`` with the code `backupUnusable`.
    func content(of backup: StoreBackup, isOwn: Bool = true) throws(MoltError) -> SuiteBackupContent {
        do {
            guard backup.url.isFileURL else { throw MoltError(.unreadable, "it is not the URL of a file.") }
            let directory = try directory
            var url = backup.url.standardizedFileURL
            let isNamed = BackupName(url.lastPathComponent, of: suite.domainName) != nil
            // The suite's files may have moved since the backup was listed, for example with the app's container.
            if isNamed, !FileManager.default.fileExists(atPath: url.path) {
                url = directory.appending(path: url.lastPathComponent, directoryHint: .notDirectory)
            }
            if !isOwn { return try content(at: url, ofAny: true).content }
            let isBeside =
                url.deletingLastPathComponent().resolvingSymlinksInPath().path
                == directory.resolvingSymlinksInPath().path
            guard isNamed, isBeside else {
                throw MoltError.backupOfAnotherStore(backup, suite.attachedName)
            }
            return try content(at: url).content
        } catch let error as MoltError where error.code == .backupUnusable {
            throw error
        } catch let error as MoltError {
            throw .backupUnusable(backup, error.message, underlying: error)
        } catch {
            throw .backupUnusable(backup, "it cannot be read.", underlying: error)
        }
    }

    private func content(at url: URL, ofAny: Bool = false) throws -> (content: SuiteBackupContent, size: Int) {
        let type = try FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
        guard type == .typeRegular else {
            throw MoltError(.unreadable, "it is a link or a directory, and not a file.")
        }
        let bytes = try Data(contentsOf: url)
        var content = try SuiteBackupContent(file: bytes)
        // The first entry belongs to the suite that was backed up.
        if ofAny, let first = content.entries.first, first.store != suite.attachedName {
            content.entries.removeAll { $0.store == suite.attachedName }
            content.entries[0].store = suite.attachedName
        }
        guard content.entries.first?.store == suite.attachedName else {
            throw MoltError(.unreadable, "it is one of another suite.")
        }
        return (content, bytes.count)
    }

    /// Removes a backup of this suite; refuses any other file.
    func remove(_ backup: StoreBackup) throws {
        let name = backup.url.lastPathComponent
        let all = try backups(BackupName.Kind.allCases)
        guard let known = all.first(where: { $0.url.lastPathComponent == name }), backup.url.isFileURL,
            known.url.standardizedFileURL == backup.url.standardizedFileURL
                || !FileManager.default.fileExists(atPath: backup.url.path)
        else {
            throw MoltError.backupUnusable(backup, "it is none of this suite, and was not removed.")
        }
        do throws(DurableFile.Failure) {
            try DurableFile.remove(known.url.path)
        } catch {
            throw MoltError.backupUnusable(backup, "it cannot be removed: \(error.reason).", underlying: error)
        }
    }
}
