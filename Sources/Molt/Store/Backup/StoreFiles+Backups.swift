internal import Foundation

/// The copies of a cache file beside it: backups, and files that were kept aside.
extension StoreFiles {
    /// The files of some kinds that can be read, newest first.
    ///
    /// - Throws: ``MoltError`` with the code `noPermission` or `storeFailed` when the directory cannot be listed,
    ///   which does not prove that there are none.
    func backups(_ kinds: [BackupName.Kind] = BackupName.Kind.backups) throws(MoltError) -> [StoreBackup] {
        try backupNames(kinds).compactMap(describe).ordered { $1 < $0 }
    }

    private func backupNames(_ kinds: [BackupName.Kind]) throws(MoltError) -> [BackupName] {
        try names().compactMap { BackupName($0, of: name) }.filter { kinds.contains($0.kind) }
    }

    /// All copies, for a report, also those that cannot be read.
    func copies() throws(MoltError) -> [StoreBackup] {
        try backupNames(BackupName.Kind.allCases).compactMap { describe($0) ?? unread($0) }.ordered { $1 < $0 }
    }

    /// Reads a backup's description; nil when the file is not ours or cannot be read.
    func describe(_ name: BackupName) -> StoreBackup? {
        guard let unread = unread(name) else { return nil }
        // An unreadable file cannot be restored.
        let found = try? FileProbe.look(path(of: name.text)) { connection throws(SQLiteError) in
            var backup = unread
            backup.version = Int(try connection.integer(.userVersion))
            // The journal may have several changes to one suite.
            for suite in try JournalTable.stores(connection) where !backup.suites.contains(suite) {
                backup.suites.append(suite)
            }
            backup.recordCount = try FileFormat.recordCount(of: connection)
            return backup
        }
        // A person may still recover something from a damaged one, or want it deleted.
        return found ?? (name.kind == .damaged ? unread : nil)
    }

    /// The description of a file that is not read; nil if it is none.
    private func unread(_ name: BackupName) -> StoreBackup? {
        let path = path(of: name.text)
        guard let status = FileStatus.unfollowed(path), status.isFile else { return nil }
        return StoreBackup(
            url: URL(fileURLWithPath: path, isDirectory: false),
            version: 0,
            date: name.date,
            size: status.size,
            isAutomatic: name.kind == .automatic
        )
    }

    /// The current path of a backup.
    ///
    /// A store may have been moved with its backups since the backup was listed, for example with an app's container; a
    /// missing backup is therefore looked up beside the store.
    ///
    /// - Parameter isOwn: Whether the backup must belong to this store, by its name and its directory.
    /// - Throws: ``MoltError`` with the code `backupUnusable`.
    func path(of backup: StoreBackup, isOwn: Bool = true) throws(MoltError) -> String {
        guard backup.url.isFileURL else { throw .backupUnusable(backup, "it is not the URL of a file.") }
        var path = FileStatus.path(of: backup.url)
        let text = (path as NSString).lastPathComponent
        let isNamed = BackupName(text, of: name) != nil
        if FileStatus.unfollowed(path) == nil, isNamed { path = self.path(of: text) }
        guard let status = FileStatus.unfollowed(path) else { throw .backupUnusable(backup, "there is no such file.") }
        guard status.isFile else { throw .backupUnusable(backup, "it is a link or a directory, and not a file.") }
        guard !DurableFile.isSame(path, self.path) else { throw .backupUnusable(backup, "it is the store itself.") }
        let isBeside = DurableFile.isSame((path as NSString).deletingLastPathComponent, directory)
        guard !isOwn || isNamed && isBeside else { throw .backupOfAnotherStore(backup, self.path) }
        return path
    }

    /// Removes partial copies left by killed processes.
    func removeLeftovers() {
        // When the listing fails, leftovers only take up space until a later call.
        for text in (try? names()) ?? [] where BackupName.isPart(text, of: name) {
            PartFile.removeLeftover(path(of: text))
        }
    }

    /// An unused name, later than all existing ones even when the clock was set back.
    func unused(_ kind: BackupName.Kind, version: Int?, at date: Date) -> BackupName {
        // Without a listing, any existing name is possible.
        let date = BackupName.later(date, than: (try? names()) ?? [], of: name)
        var name = BackupName(store: name, version: version, date: date, kind: kind)
        while [name.text, name.text + BackupName.part].contains(where: { FileStatus.unfollowed(path(of: $0)) != nil }) {
            let next = name.date.addingTimeInterval(0.0015)
            name = BackupName(store: self.name, version: version, date: next, kind: kind)
        }
        return name
    }

    func begin(
        _ kind: BackupName.Kind,
        version: Int?,
        at date: Date
    ) throws(DurableFile.Failure) -> (PartFile, BackupName) {
        while true {
            let name = unused(kind, version: version, at: date)
            do throws(DurableFile.Failure) {
                return (try PartFile(path(of: name.text + BackupName.part)), name)
            } catch {
                // Another process took the name first.
                guard error.isExisting else { throw error }
            }
        }
    }

    private func names() throws(MoltError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return []
        } catch {
            let isForbidden = (error as? CocoaError)?.code == .fileReadNoPermission
            throw MoltError(
                isForbidden ? .noPermission : .storeFailed,
                "The backups of the cache at \(path) cannot be listed: the directory cannot be read. "
                    + "Check its permissions.",
                store: path,
                underlying: error
            )
        }
    }
}
