internal import Foundation

/// Copies a cache file to a backup beside it.
///
/// A separate connection reads the file, so the copy does not include the writes of an open transaction. The copy has a
/// temporary name until all of it is on disk.
struct BackupCopy {
    private let files: StoreFiles
    private let storeName: String
    private let request: BackupRequest
    private let isLocked: Bool

    /// - Parameter isLocked: Whether the caller's connection holds the write lock and has not written anything.
    init(of storeName: String, _ request: BackupRequest, isLocked: Bool = false) {
        self.storeName = storeName
        self.request = request
        self.isLocked = isLocked
        files = StoreFiles(storeName)
    }

    /// - Throws: ``MoltError`` with the code `noSpaceForBackup` or `backupFailed`, or the error of the request's
    ///   `step`; no file is left then.
    func make() throws -> StoreBackup {
        let (source, size) = try openSource()
        guard files.directory.utf8.count + 1 + BackupName.longest(of: files.name) <= FileStatus.longestPath else {
            throw MoltError.backupFailed(
                "the path of the backup would exceed \(FileStatus.longestPath) bytes.",
                advice: "Use a shorter path for the cache.",
                store: storeName
            )
        }
        files.removeLeftovers()
        let extra = request.attached?.reduce(0) { $0 + $1.changes.count } ?? 0
        try request.checkSpace(for: size + Int64(extra), in: files.directory, store: storeName)
        do {
            let (part, wanted) = try files.begin(request.kind, version: version, at: request.policy.now())
            let count = try fill(part, from: source, size)
            source.close()
            let name = try publish(part, as: wanted)
            let path = files.path(of: name.text)
            return StoreBackup(
                url: URL(fileURLWithPath: path, isDirectory: false),
                version: request.version,
                date: name.date,
                size: FileStatus.unfollowed(path)?.size ?? Int(size),
                recordCount: count,
                isAutomatic: request.kind == .automatic,
                suites: (request.attached ?? []).map(\.store)
            )
        } catch let error as DurableFile.Failure {
            throw error.isOutOfSpace
                ? noSpace(size, error)
                : failure(("no file can be written in \(files.directory): \(error.reason).", nil), error)
        }
    }

    /// Opens the file with a snapshot.
    ///
    /// - Returns: The connection, and the number of bytes to copy.
    private func openSource() throws -> (Connection, size: Int64) {
        do throws(SQLiteError) {
            let source = try Connection(
                files.path,
                mode: isLocked && !files.hasLog && !files.hasJournal ? .immutable : .readOnly
            )
            source.busyTimeout = 5_000
            // One read transaction: the copy is a snapshot, and concurrent writes do not restart it.
            try source.begin()
            let size = try source.byteCount
            // Forces the first read of the file.
            _ = try source.schemaSize()
            return (source, size)
        } catch {
            if request.kind == .damaged, error.isDamage { throw error }
            // Reading a file in use needs write access to the -shm file beside it.
            guard error.isFull || error.isAtLimit else { throw failure(error.explanation, error) }
            throw noSpace(Int64(FileStatus.unfollowed(files.path)?.size ?? 0), error)
        }
    }

    /// Publishes the copy under its name, or under the next unused one.
    private func publish(_ part: PartFile, as wanted: BackupName) throws(DurableFile.Failure) -> BackupName {
        var name = wanted
        while true {
            do throws(DurableFile.Failure) {
                try part.publish(as: files.path(of: name.text))
                if BackupName.Kind.backups.contains(name.kind) { DeviceBackup.exclude(files.path(of: name.text)) }
                return name
            } catch {
                guard error.isExisting else { throw error }
                // Another backup took the name while this one was written.
                name = files.unused(request.kind, version: version, at: name.date)
            }
        }
    }

    /// Copies the pages, adds the data that only a backup has, and counts the records for the kinds that store it.
    private func fill(_ part: PartFile, from source: Connection, _ size: Int64) throws -> Int? {
        do {
            try part.withDatabase { connection in
                let copy = try PageCopy(from: source, into: connection)
                repeat { try request.step() } while try copy.step()
                try copy.finish()
            }
            try part.markAsRollbackJournaled()
            guard [.automatic, .manual, .replaced].contains(request.kind) else { return nil }
            return try part.withDatabase(complete)
        } catch let error as SQLiteError {
            if error.isFull || error.isAtLimit { throw noSpace(size, error) }
            throw request.kind == .damaged ? error : failure(error.explanation, error)
        }
    }

    /// Marks the copy as a backup, and stores the current state of attached stores in it.
    private func complete(_ connection: Connection) throws(SQLiteError) -> Int {
        let count = try connection.recordCount()
        // A copy of a later layout stays as it is.
        guard try FileFormat.number(of: connection) <= FileFormat.number else { return count }
        try connection.begin()
        if let attached = request.attached {
            try JournalTable.clear(connection)
            try JournalTable.add(attached, to: connection)
        }
        try FileFormat.markAsBackup(connection, recordCount: count)
        try connection.commit()
        return count
    }

    private var version: Int? { request.kind == .damaged ? nil : request.version }

    private func noSpace(_ size: Int64, _ error: any Error) -> MoltError {
        var full = MoltError.noSpace(for: size, free: nil, in: files.directory, store: storeName, kind: request.kind)
        full.underlying = error
        return full
    }

    private func failure(_ reason: (problem: String, advice: String?), _ error: any Error) -> MoltError {
        if error as? SQLiteError == .suspended { return .suspended() }
        return .backupFailed(reason.problem, advice: reason.advice, store: storeName, underlying: error)
    }
}
