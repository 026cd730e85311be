internal import Foundation

/// Moves a store's file to another place, with all that is in it.
///
/// While it works, it has the old file for itself. Within a volume, one rename is the whole move. A file on another
/// volume is copied to a temporary name, sealed, and removed once the copy has its final name. A sealed file has a
/// later format, so no release writes to it; it and its copy have one random mark, which proves where the copy came
/// from.
struct StoreMove {
    /// The names of the marks of a sealed file and its copy.
    private static let mark = "move"
    /// The format of a sealed file.
    static let sealedFormat: Int64 = 1_000_000

    private let old: StoreFiles
    private let new: StoreFiles
    private let protection: String?
    /// Whether the file is copied even within a volume, for tests.
    var isCopied = false

    /// - Parameter protection: The protection class that the file gets; nil for the one that it has.
    init(from path: String, to newPath: String, protection: String?) {
        old = StoreFiles(path)
        new = StoreFiles(newPath)
        self.protection = protection
    }

    /// Whether the new file is a finished copy of the old one, which only has to be removed.
    static func isFinished(from path: String, to newPath: String) throws(MoltError) -> Bool {
        let found: Int64?? = try FileProbe.look(path) { connection throws(SQLiteError) in try seal(of: connection) }
        return try isCopy(newPath, with: found ?? nil)
    }

    /// The mark of a sealed file; nil for any other.
    private static func seal(of connection: Connection) throws(SQLiteError) -> Int64? {
        guard try FileFormat.number(of: connection) == sealedFormat else { return nil }
        return try FileFormat.mark(mark, of: connection)
    }

    /// Whether a file is the copy of the one with a seal.
    private static func isCopy(_ path: String, with seal: Int64?) throws(MoltError) -> Bool {
        guard let seal else { return false }
        return try FileProbe.look(path) { connection throws(SQLiteError) in
            try FileFormat.mark(mark, of: connection) == seal
        } ?? false
    }

    /// Moves the file, or finishes a move that was interrupted.
    ///
    /// - Parameters:
    ///   - reach: Called between the parts of the work.
    ///   - waiting: Called repeatedly while another process uses a file; throws to give up.
    /// - Throws: ``MoltError`` with the code `busy` from `waiting`, or the code of a file that cannot be used; the old
    ///   file is then still there.
    func run(reach: (String) throws -> Void, waiting: () throws -> Void) throws {
        do {
            try DurableFile.makeDirectory(at: new.directory)
            let lock = try FileLock(directory: new.directory, waiting: waiting)
            let result = Result { try runLocked(reach, waiting) }
            _ = consume lock
            try result.get()
        } catch let error as SQLiteError {
            // It was moved while this process waited.
            if error == .moved { return }
            throw MoltError(error, store: old.path)
        } catch let error as DurableFile.Failure {
            // So was the new file made.
            if error.isExisting { return }
            throw FileStatus.failure(error.number, path: new.path)
        }
    }

    private func runLocked(_ reach: (String) throws -> Void, _ waiting: () throws -> Void) throws {
        // Another process may have been faster.
        guard try FileStatus.of(old.path) != nil else { return }
        let connection = try openAlone(waiting)
        defer { connection.close() }
        // The old file is locked, so no other connection may read it.
        let seal = try Self.seal(of: connection)
        if try Self.isCopy(new.path, with: seal) { return try removeOld() }
        guard try removeBlank(waiting) else { return }
        AttemptLog(of: old.path).clear()
        old.removeLeftovers()
        new.removeLeftovers()
        try reach("before the file is moved")
        if seal != nil || isCopied {
            try copy(connection, seal, reach)
        } else {
            try rename(connection, reach)
        }
    }

    /// Opens the old file with its log folded into it, and keeps all others from using it.
    private func openAlone(_ waiting: () throws -> Void) throws -> Connection {
        let connection = try Connection(old.path, mode: .readWrite)
        connection.busyTimeout = 50
        try connection.execute(
            "PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON"
        )
        try retryWhileBusy(waiting) { () throws(SQLiteError) in
            do throws(SQLiteError) {
                // The first is not possible while another connection is open, which may be opened after it.
                try connection.execute(
                    "PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT"
                )
                guard try connection.text("PRAGMA journal_mode") == "delete" else { throw .busy }
            } catch {
                // Others must be able to end what they do; the lock is released by the next read.
                try? connection.execute("PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema")
                throw error
            }
        }
        if connection.hasMoved { throw SQLiteError.moved }
        return connection
    }

    /// Removes a new file without our tables, which has no data.
    ///
    /// - Returns: Whether the new place is free.
    private func removeBlank(_ waiting: () throws -> Void) throws -> Bool {
        guard try FileStatus.of(new.path) != nil else { return true }
        let blank = try Connection(new.path, mode: .readWrite)
        defer { blank.close() }
        blank.busyTimeout = 50
        try retryWhileBusy(waiting) { () throws(SQLiteError) in try blank.execute("BEGIN EXCLUSIVE") }
        defer { blank.rollBack() }
        guard try !FileFormat.recognize(blank, path: new.path) else { return false }
        for suffix in StoreFiles.suffixes + [""] { try DurableFile.remove(new.path + suffix) }
        return true
    }

    private func rename(_ connection: Connection, _ reach: (String) throws -> Void) throws {
        if let protection { try FileProtection.set(protection, of: old.path) }
        do throws(DurableFile.Failure) {
            try DurableFile.move(old.path, toUnused: new.path)
        } catch {
            guard error.number == EXDEV else { throw error }
            return try copy(connection, nil, reach)
        }
        try reach("after the file was renamed")
    }

    // MARK: To another volume

    /// - Parameter seal: The mark of the old file, if it is sealed already.
    private func copy(_ connection: Connection, _ seal: Int64?, _ reach: (String) throws -> Void) throws {
        let mark = seal ?? Int64.random(in: 1...Int64.max)
        let part = try new.begin(.aside, version: nil, at: Date()).0
        try part.withDatabase { copy in
            try connection.copy(into: copy)
            try Self.setFormat(FileFormat.number, mark, of: copy)
        }
        try part.sync()
        if let protection { try FileProtection.set(protection, of: part.path) }
        try reach("before the old file is sealed")
        try Self.setFormat(Self.sealedFormat, mark, of: connection)
        try reach("before the copy gets its name")
        try part.publish(as: new.path)
        try reach("before the old file is removed")
        try removeOld()
    }

    /// Marks a file as one of a format, and as one of the two files of a move.
    private static func setFormat(_ format: Int64, _ mark: Int64, of connection: Connection) throws(SQLiteError) {
        // Only a format that this release does not write says which one can read it.
        let reader =
            format > FileFormat.number
            ? "INSERT OR REPLACE INTO molt_meta(name, value) VALUES('reader_format', \(FileFormat.number))"
            : "DELETE FROM molt_meta WHERE name = 'reader_format'"
        try connection.execute(
            """
            BEGIN IMMEDIATE;
            INSERT OR REPLACE INTO molt_meta(name, value) VALUES('file_format', \(format)), ('\(Self.mark)', \(mark));
            \(reader);
            COMMIT
            """
        )
    }

    private func removeOld() throws {
        for suffix in [""] + StoreFiles.suffixes { try DurableFile.remove(old.path + suffix) }
    }
}
