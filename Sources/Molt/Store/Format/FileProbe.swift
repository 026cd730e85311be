internal import Foundation

/// Examines the file at a path without writing to it and without leaving a file beside it.
///
/// The file is read through SQLite's immutable mode and never with plain reads: on POSIX systems, closing a file drops
/// all of this process's locks on it, including those of other open connections. SQLite knows its connections and
/// avoids that.
package struct FileProbe {
    private let files: StoreFiles
    private var path: String { files.path }
    /// The number of reads of a changing file before the probe takes locks instead.
    private static let attempts = 3
    private static let smallestDatabase = 512

    /// Reads the state of the store at a path; a missing file gives a fresh state.
    ///
    /// - Throws: ``MoltError`` with the code `notAFile`, `noPermission`, `notADatabase`, `foreignFile`, `newerFormat`,
    ///   `busy` or `storeFailed`.
    static func state(_ path: String) throws(MoltError) -> StoreState {
        try stateAndGeneration(path)?.state ?? .fresh
    }

    /// Reads the state and the file's generation; nil when the file is not a store yet.
    static func stateAndGeneration(_ path: String) throws(MoltError) -> (state: StoreState, generation: Int64)? {
        try look(path) { connection throws(SQLiteError) in
            (try LedgerTable.state(connection), try FileFormat.generation(of: connection))
        }
    }

    /// Runs a closure on one snapshot of a file that has our tables; it runs again when the file changes meanwhile.
    ///
    /// - Returns: The closure's result; nil when the file is missing or empty.
    @_semantics("optimize.sil.specialize.generic.never")  // Otherwise it is compiled once for each closure.
    package static func look<Found>(
        _ path: String,
        _ body: (Connection) throws(SQLiteError) -> Found
    ) throws(MoltError) -> Found? {
        try FileStatus.checkPath(path)
        // SQLite follows symbolic links, and keeps its other files beside the target.
        let files = StoreFiles(path)
        try files.checkCompanions()
        do throws(MoltError) {
            return try FileProbe(files: files).look(body)
        } catch {
            // At its end, an upgrade of a suite without a cache removes the file.
            guard try FileStatus.of(files.path) != nil else { return nil }
            throw error
        }
    }

    private func look<Found>(_ body: (Connection) throws(SQLiteError) -> Found) throws(MoltError) -> Found? {
        for _ in 0..<Self.attempts {
            guard let before = try check() else { return nil }
            if files.isBeingWritten { break }
            let found = Result { () throws(MoltError) -> Found? in try read(.immutable, body) }
            // In immutable mode a writer's changes may be seen in part, so the result counts only without a writer.
            if !files.isBeingWritten, try FileStatus.of(path) == before {
                return try found.get()
            }
        }
        try refuseForeign()
        if files.hasJournal {
            // A process was killed while switching the file to WAL mode. Only a connection that may write can roll that
            // back; it restores the file as it was.
            return try read(.readWrite, body)
        }
        return try read(.readOnly, body)
    }

    /// Checks the file's status, without reading its content.
    ///
    /// - Returns: The status; nil when the file is missing or empty.
    private func check() throws(MoltError) -> FileStatus? {
        guard let status = try FileStatus.of(path) else { return nil }
        guard status.isFile else {
            throw MoltError(
                .notAFile,
                "The path \(path) is a directory or a device, not a file.",
                advice: "Choose another path.",
                store: path
            )
        }
        try Self.checkReadable(path)
        guard status.size > 0 else { return try isStillEmpty() ? nil : check() }
        if status.size < Self.smallestDatabase, !hasJournalOfNewFile {
            // SQLite takes a file of one byte for an empty one.
            throw MoltError(.short, store: path)
        }
        return status
    }

    private static func checkReadable(_ path: String) throws(MoltError) {
        guard access(path, R_OK) == 0 else {
            throw MoltError(
                .noPermission,
                "The file at \(path) is not readable.",
                advice: "Check its permissions.",
                store: path
            )
        }
    }

    /// Whether a regular file is a store by its first bytes, or by the log beside it; the rest of it may be damaged.
    ///
    /// - Throws: ``MoltError`` with the code `noPermission` or `storeFailed` if it cannot be read, as on a locked
    ///   device.
    package static func isStore(_ path: String) throws(MoltError) -> Bool {
        try checkReadable(path)
        let found: [UInt8]?
        do throws(SQLiteError) {
            found = try Connection(path, mode: .immutable).fileBytes(at: 0, FileFormat.headerSize)
        } catch {
            throw MoltError(error, store: path)
        }
        guard let header = found else {
            throw MoltError(.storeFailed, "The file at \(path) cannot be read.", outcome: .unchanged, store: path)
        }
        if header.starts(with: FileFormat.beginning), header.number32(at: 68) == FileFormat.applicationID {
            return true
        }
        // The first page of a new file is in its log until the first checkpoint.
        return FileProbe(files: StoreFiles(path)).applicationIDsInLog.contains(FileFormat.applicationID)
    }

    /// Refuses an empty file that once had content: taking it for a new cache would lose the old one.
    ///
    /// - Returns: Whether the file is empty; another process may have written to it meanwhile.
    private func isStillEmpty() throws(MoltError) -> Bool {
        let hasLog = files.hasLog
        // A directory that cannot be listed does not prevent creating a cache.
        let hasBackup = (try? files.backups().isEmpty) == false
        guard hasLog || hasBackup else { return true }
        // The file is empty for a moment while another process creates it or restores a backup.
        let isFilled = try poll(every: .milliseconds(5), atMost: 40) { () throws(MoltError) -> Bool? in
            try FileStatus.of(path)?.size != 0 ? true : nil
        }
        guard isFilled == nil else { return false }
        throw MoltError(
            .notADatabase,
            "The file at \(path) is empty, but \(hasLog ? "its log" : "a backup of it") still exists, so its content was lost.",
            advice: (hasLog
                ? "Save what the log has with `CacheFile.salvage()` of the product MoltSalvage. " : "")
                + "Restore a backup with `CacheFile.restore(_:)`. `CacheFile.startAfresh()` sets the files "
                + "aside, and starts with an empty cache.",
            outcome: .unchanged,
            store: path,
            underlying: SQLiteError.short
        )
    }

    /// Refuses a foreign file before a connection that takes locks may create files beside it.
    private func refuseForeign() throws(MoltError) {
        for attempt in 1...Self.attempts {
            do throws(MoltError) {
                if try mayBeOurs() { return }
            } catch {
                // The log may have been restarted between the two reads.
                guard attempt < Self.attempts, (error.underlying as? SQLiteError)?.isDamage == true else { throw error }
            }
            // Another process may be running a checkpoint.
            Thread.sleep(forTimeInterval: 0.005)
        }
        throw FileFormat.foreign(path)
    }

    private func mayBeOurs() throws(MoltError) -> Bool {
        do throws(SQLiteError) {
            let connection = try Connection(path, mode: .immutable)
            // Keeps a snapshot of the first page, which answers all the queries here.
            try connection.begin()
            let owner = try connection.integer(.applicationID)
            if owner == FileFormat.applicationID { return true }
            guard owner == 0, try connection.schemaSize() == 0 else { return false }
            // A new file is an empty database until its first page is checkpointed.
            let owners = applicationIDsInLog
            return owners.isEmpty || owners.contains(FileFormat.applicationID)
        } catch {
            // Power was lost while the first page of a new file was written.
            if error.isDamage, hasJournalOfNewFile { return true }
            // During a checkpoint, or after a kill in one, the first page counts more pages than the file has. The log
            // still has all pages, including the first.
            let owners = applicationIDsInLog
            if error.isDamage, owners.contains(FileFormat.applicationID) { return true }
            throw MoltError(error, store: path)
        }
    }

    /// Whether the journal beside a file empties it, whatever it contains, because it had no page before.
    ///
    /// A power loss may then have left any part of the first page. Layout: sqlite.org/fileformat2.html, section 3. The
    /// header begins with a magic number of 8 bytes, and the original number of pages is at 16.
    private var hasJournalOfNewFile: Bool {
        // No process locks the journal itself, so reading and closing it drops no locks.
        guard let header = ByteSource(path: files.journal)?.read(at: 0, 20) else { return false }
        return header.starts(with: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) && header.number32(at: 16) == 0
    }

    /// The application ids in all copies of the first page in a write-ahead log.
    ///
    /// Layout: sqlite.org/fileformat2.html, section 4. The page size is at 8. After a header of 32 bytes, each frame is
    /// a header of 24 bytes, with the page number at 0, and a page. Checksums are ignored: a page that SQLite would not
    /// read still names the log's owner. Only a page whose beginning was lost with the power, which leaves zeros where
    /// SQLite writes its name and, at 96, its version, names none.
    private var applicationIDsInLog: Set<Int64> {
        // No process locks the log itself, so reading and closing it drops no locks.
        guard let log = ByteSource(path: files.log), let header = log.read(at: 0, 32),
            header.number32(at: 0) & 0xFFFF_FFFE == 0x377F_0682,
            // Frames of a damaged header cannot be found.
            header.number32(at: 8) >= Self.smallestDatabase
        else { return [] }
        var applicationIDs: Set<Int64> = []
        for frame in stride(from: 32, to: log.count, by: 24 + Int(header.number32(at: 8))) {
            guard log.read(at: frame, 4)?.number32(at: 0) == 1,
                let page = log.read(at: frame + 24, FileFormat.headerSize),
                page.starts(with: FileFormat.beginning), page.number32(at: 96) != 0
            else { continue }
            applicationIDs.insert(Int64(page.number32(at: 68)))
        }
        return applicationIDs
    }

    private func read<Found>(
        _ mode: Connection.Mode,
        _ body: (Connection) throws(SQLiteError) -> Found
    ) throws(MoltError) -> Found? {
        let connection: Connection
        do throws(SQLiteError) {
            connection = try Connection(path, mode: mode)
            connection.busyTimeout = 5_000
            try connection.begin()
        } catch {
            throw MoltError(error, store: path)
        }
        guard try FileFormat.recognize(connection, path: path) != nil else { return nil }
        do throws(SQLiteError) {
            return try body(connection)
        } catch {
            throw MoltError(error, store: path)
        }
    }
}
