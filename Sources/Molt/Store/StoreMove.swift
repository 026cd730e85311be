internal import Foundation

/// Moves a store's file to another place, with all that is in it.
///
/// While it works, it has the old file for itself. Within a volume, it marks the file and renames it. A file on another
/// volume is copied to a temporary name, sealed, and removed once the copy has its final name. A sealed file has a
/// later format, so no release writes to it; it and its copy have one random mark, which proves where the copy came
/// from.
///
/// The mark stays in the file, and a later rename keeps it: an earlier place may still have a sealed file with it. A
/// seal is always a new mark, because it also proves that the copy is complete. At the new place, the mark proves that
/// the store was moved there. At the old one, after a kill before the rename or once the file was moved back, it means
/// nothing.
package struct StoreMove {
    private static let sealedFormat: Int64 = 1_000_000

    private let old: StoreFiles
    private let new: StoreFiles
    /// Whether the file is copied even within a volume, for tests.
    package var isCopied = false
    /// Called while the file is copied; throws to stop.
    package var checking: () throws -> Void = {}
    /// Called repeatedly while another process moves a store into the same directory; throws to give up.
    package var locking: () throws -> Void = {}
    /// Called repeatedly while another process uses the file at a path; throws to give up.
    package var waiting: (_ path: String) throws -> Void = { _ in }
    /// Called between the parts of the work.
    package var reach: (String) throws -> Void = { _ in }

    package init(from path: String, to newPath: String) {
        old = StoreFiles(path)
        new = StoreFiles(newPath)
    }

    private static var newMark: Int64 { .random(in: 1...Int64.max) }

    /// The mark of a sealed file; nil for any other.
    static func seal(at path: String) throws(MoltError) -> Int64? {
        try FileProbe.look(path) { connection throws(SQLiteError) in try seal(of: connection) } ?? nil
    }

    private static func seal(of connection: Connection) throws(SQLiteError) -> Int64? {
        guard try FileFormat.number(of: connection) == sealedFormat else { return nil }
        return try FileFormat.mark(FileFormat.move, of: connection)
    }

    /// Whether a file is the copy of the one with a seal.
    private static func isCopy(_ path: String, with seal: Int64?) throws(MoltError) -> Bool {
        guard let seal else { return false }
        return try FileProbe.look(path) { connection throws(SQLiteError) in
            try FileFormat.mark(FileFormat.move, of: connection) == seal
        } ?? false
    }

    /// The state of a file that is to be moved, which may be sealed already.
    static func state(at path: String) throws(MoltError) -> StoreState {
        // An app cannot see the container that it lost, and the system may have removed the directory.
        guard try FileStatus.of(path) != nil else { return .fresh }
        let state = try FileProbe.state(path)
        if let layout = state.laterLayout, layout != sealedFormat {
            throw FileFormat.newer(path, Int64(layout), isReadable: true)
        }
        return state
    }

    /// Moves the file, or finishes a move that was interrupted.
    ///
    /// - Returns: Whether it has renamed the file, which can be undone.
    /// - Throws: ``MoltError`` with the code `busy` from `waiting`, or the code of a file that cannot be used; the old
    ///   file is then still there.
    @discardableResult
    package func run() throws -> Bool {
        do {
            try DurableFile.makeDirectory(at: new.directory)
            let lock = try FileLock(directory: new.directory, waiting: locking)
            let result = Result { try runLocked() }
            _ = consume lock
            return try result.get()
        } catch let error as SQLiteError {
            // It was moved while this process waited.
            if error == .moved { return false }
            throw MoltError(error, store: old.path)
        } catch let error as DurableFile.Failure {
            // Another process made the new file.
            if error.isExisting { return false }
            throw FileStatus.failure(error.number, path: new.path)
        }
    }

    private func runLocked() throws -> Bool {
        // Another process may have been faster.
        guard try FileStatus.of(old.path) != nil else { return false }
        // A file that cannot be moved does not change.
        for files in [old, new] where access(files.directory, W_OK) != 0 {
            throw FileStatus.failure(errno, path: files.path)
        }
        try refuseStrayLog()
        let connection = try openAlone(old.path)
        defer { connection.close() }
        // The old file is locked, so no other connection may read it.
        let seal = try Self.seal(of: connection)
        if try Self.isCopy(new.path, with: seal) {
            try removeOld()
            return false
        }
        guard try makeRoom() else { return false }
        AttemptLog(of: old.path).clear()
        AttemptLog(ofWorkIn: old).move(to: AttemptLog(ofWorkIn: new))
        old.removeLeftovers()
        new.removeLeftovers()
        try reach("before the file is moved")
        if seal == nil, !isCopied, try rename(connection) { return true }
        try copy(connection, seal)
        return false
    }

    /// Opens a file with its log folded into it, and keeps all others from using it.
    private func openAlone(_ path: String) throws -> Connection {
        let connection = try Connection(path, mode: .readWrite)
        connection.busyTimeout = 50
        try connection.set(.synchronous, to: "EXTRA")
        try connection.set(.fullSync, to: "ON")
        try connection.set(.checkpointFullSync, to: "ON")
        let wait = { try waiting(path) }
        try retryWhileBusy(wait) { () throws(SQLiteError) in
            do throws(SQLiteError) {
                // The journal mode can be changed only while no other connection, in any process, has the file open.
                // The lock then keeps out those that are opened later.
                try connection.set(.journalMode, to: "DELETE")
                try connection.lockAlone()
                guard try connection.text(.journalMode) == "delete" else { throw .busy }
            } catch {
                // Others must be able to end what they do; the lock is released by the next read.
                try? connection.set(.lockingMode, to: "NORMAL")
                _ = try? connection.schemaSize()
                throw error
            }
        }
        if connection.hasMoved { throw SQLiteError.moved }
        return connection
    }

    /// Removes a new file that has no data.
    ///
    /// - Returns: Whether the new place is free.
    private func makeRoom() throws -> Bool {
        guard try FileStatus.of(new.path) != nil else {
            try refuseStrayLog()
            for suffix in StoreFiles.suffixes { try DurableFile.remove(new.path + suffix) }
            return true
        }
        guard try !FileFormat.hasData(new.path) else { return false }
        let empty = try openAlone(new.path)
        defer { empty.close() }
        // Another process may have written to it until it was locked.
        guard try FileFormat.recognize(empty, path: new.path) == nil || !FileFormat.hasData(empty) else { return false }
        for suffix in StoreFiles.suffixes + [""] { try DurableFile.remove(new.path + suffix) }
        return true
    }

    /// Refuses a log or a journal without its file: SQLite would apply it to the file that is moved.
    private func refuseStrayLog() throws {
        guard try FileStatus.of(new.path) == nil, new.isBeingWritten else { return }
        let name = new.hasLog ? new.log : new.journal
        throw MoltError(
            .notADatabase,
            "The store at \(old.path) cannot be moved to \(new.path): there is no file there, but \(name) is left over "
                + "from one.",
            advice: "Remove \(name), or keep it elsewhere, and open the store again.",
            outcome: .unchanged,
            store: old.path
        )
    }

    /// - Returns: False if the new place is on another volume.
    private func rename(_ connection: Connection) throws -> Bool {
        if try FileFormat.mark(FileFormat.move, of: connection) == nil {
            try FileFormat.setMark(FileFormat.move, to: Self.newMark, of: connection)
        }
        // A connection that keeps its lock keeps its journal, too, whose header is zeros now.
        try? DurableFile.remove(old.journal)
        try reach("before the file is renamed")
        do throws(DurableFile.Failure) {
            try DurableFile.move(old.path, toUnused: new.path)
        } catch {
            if error.number == EXDEV { return false }
            if error.isExisting { throw error }
            throw FileStatus.failure(error.number, path: new.path)
        }
        try reach("after the file was renamed")
        return true
    }

    // MARK: To another volume

    /// - Parameter seal: The mark of the old file, if it is sealed already.
    private func copy(_ connection: Connection, _ seal: Int64?) throws {
        let mark = seal ?? Self.newMark
        let part = try new.begin(.aside, version: nil, at: Date()).0
        try withErrors(of: new.path) {
            try part.withDatabase { copy in
                var stop: (any Error)?
                try connection.copy(into: copy) {
                    do { try checking() } catch { stop = error }
                    return stop != nil
                }
                if let stop { throw stop }
                try FileFormat.setFormat(FileFormat.number, move: mark, of: copy)
            }
        }
        try part.sync()
        try reach("before the old file is sealed")
        try FileFormat.setFormat(Self.sealedFormat, move: mark, of: connection)
        try reach("before the copy gets its name")
        try part.publish(as: new.path)
        try reach("before the old file is removed")
        try removeOld()
    }

    private func removeOld() throws {
        do throws(DurableFile.Failure) {
            for suffix in [""] + StoreFiles.suffixes { try DurableFile.remove(old.path + suffix) }
        } catch {
            throw FileStatus.failure(error.number, path: old.path)
        }
    }
}
