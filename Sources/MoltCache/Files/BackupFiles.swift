internal import Foundation
internal import MoltCore

/// The files beside a cache file that hold copies of it.
struct BackupFiles {
    /// The cache file, a link followed.
    let path: String
    /// Where it is.
    let directory: String
    /// Its name.
    let name: String

    /// Looks at nothing yet.
    init(_ storeName: String) {
        path = FileStatus.resolved(storeName)
        directory = (path as NSString).deletingLastPathComponent
        name = (path as NSString).lastPathComponent
    }

    /// The backups that can be looked at, or other files, the newest first.
    ///
    /// - Throws: ``CacheError`` with the code `noPermission` or `storeFailed` when the directory cannot be listed: that is
    ///   no proof that there are none.
    func list(_ kinds: [BackupName.Kind] = BackupName.Kind.backups) throws(CacheError) -> [StoreBackup] {
        try names().compactMap { text in
            guard let name = BackupName(text, of: name), kinds.contains(name.kind) else { return nil }
            return describe(name)
        }
        .sorted(by: >)
    }

    /// What a file says of itself; nil when it is none of ours, or cannot be read.
    func describe(_ name: BackupName) -> StoreBackup? {
        let path = path(of: name.text)
        guard let status = FileStatus.unfollowed(path), status.isFile else { return nil }
        // Nothing could be put back from a file that cannot be read.
        let found = try? FileProbe.look(path) { connection throws(SQLiteError) in
            (
                version: Int(try connection.integer("PRAGMA user_version")),
                attached: try JournalTable.stores(connection),
                count: try connection.prepare("SELECT value FROM molt_meta WHERE name = '\(Self.recordCount)'")
                    .first { Int($0.integer(0)) }
            )
        }
        guard let found else {
            // Somebody may still find something in it, or want it gone.
            guard name.kind == .damaged else { return nil }
            let url = URL(fileURLWithPath: path, isDirectory: false)
            return StoreBackup(url: url, schemaVersion: 0, date: name.date, size: status.size, isAutomatic: false)
        }
        return StoreBackup(
            url: URL(fileURLWithPath: path, isDirectory: false),
            schemaVersion: found.version,
            date: name.date,
            size: status.size,
            recordCount: found.count,
            isAutomatic: name.kind == .automatic,
            attachedStores: found.attached
        )
    }

    /// Where a backup is.
    ///
    /// A store may have been moved, with its backups, since the backup was listed, as an app's container is: what is not
    /// there any more is looked for beside the store.
    ///
    /// - Parameter isOwn: Whether it must be one of this store's, by its name and its directory.
    /// - Throws: ``MigrationError`` with the code `backupUnusable`.
    func path(of backup: StoreBackup, isOwn: Bool = true) throws(MigrationError) -> String {
        guard backup.url.isFileURL else { throw .backupUnusable(backup, "it is not the URL of a file.") }
        var path = FileStatus.path(of: backup.url)
        let text = (path as NSString).lastPathComponent
        let isNamed = BackupName(text, of: name) != nil
        if FileStatus.unfollowed(path) == nil, isNamed { path = self.path(of: text) }
        guard let status = FileStatus.unfollowed(path) else { throw .backupUnusable(backup, "there is no such file.") }
        guard status.isFile else { throw .backupUnusable(backup, "it is a link or a directory, and not a file.") }
        guard !FileStatus.isSame(path, self.path) else { throw .backupUnusable(backup, "it is the store itself.") }
        let isBeside = FileStatus.isSame((path as NSString).deletingLastPathComponent, directory)
        guard !isOwn || isNamed && isBeside else { throw .backupOfAnotherStore(backup, self.path) }
        return path
    }

    /// The paths that a store has for a moment beside its own, while it is put in its place or set aside; a kill may leave
    /// one.
    func momentaryNames() -> [String] {
        let beside = ((try? names()) ?? []).filter { text in
            BackupName.isPart(text, of: name) || BackupName(text, of: name)?.kind == .damaged
        }
        return (beside + [name + BackupName.part]).map { path(of: $0) }
    }

    /// Removes what killed processes have left of copies.
    func removeLeftovers() {
        // What cannot be listed is left to a later time: it takes room, and nothing else.
        for text in (try? names()) ?? [] where BackupName.isPart(text, of: name) {
            PartFile.removeLeftover(path(of: text))
        }
    }

    /// A name that no file has, and that is later than all that there are, also when the clock was put back.
    func unused(_ kind: BackupName.Kind, version: Int?, at date: Date) -> BackupName {
        // What cannot be listed may have any.
        let date = BackupName.later(date, than: (try? names()) ?? [], of: name)
        var name = BackupName(store: name, version: version, date: date, kind: kind)
        while [name.text, name.text + BackupName.part].contains(where: { FileStatus.unfollowed(path(of: $0)) != nil }) {
            let next = name.date.addingTimeInterval(0.0015)
            name = BackupName(store: self.name, version: version, date: next, kind: kind)
        }
        return name
    }

    /// Begins a file, and finds a name for it that no file has.
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
                // Another process was quicker.
                guard error.isExisting else { throw error }
            }
        }
    }

    /// The path of a file beside the store.
    func path(of name: String) -> String {
        directory == "/" ? "/\(name)" : "\(directory)/\(name)"
    }

    /// The names of the files beside the store; none where there is no directory.
    private func names() throws(CacheError) -> [String] {
        do {
            return try DirectoryListing.names(in: directory)
        } catch {
            let isForbidden = (error as? CocoaError)?.code == .fileReadNoPermission
            var failure = CacheError(
                isForbidden ? .noPermission : .storeFailed,
                "The backups of the cache at \(path) cannot be looked for: the directory cannot be listed. "
                    + "Check its permissions.",
                underlying: error
            )
            failure.path = path
            throw failure
        }
    }

    /// What a backup says of how many records it has.
    static let recordCount = "backup_records"
}
