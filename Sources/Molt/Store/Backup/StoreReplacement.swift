internal import Foundation

/// Replaces the contents of a cache file, completely or not at all.
///
/// The pages are written into the file itself, under its lock and in one transaction. A process that has the file open
/// sees the old contents until the commit, and then that they were replaced. When SQLite cannot write into a damaged
/// file, the file is moved aside and another takes its place.
package struct StoreReplacement {
    /// The files beside the store; its path is resolved if it is a link.
    private let files: StoreFiles
    private let storeName: String
    /// The request for a copy of intact contents before they are replaced; nil for no copy.
    private let keeping: BackupRequest?
    /// Returns the changes of attached stores to keep in that copy; called with the lock held.
    private let attachedNow: () throws -> [JournalEntry]
    /// Called before each part of the copy is written; the last part commits.
    private let atCopy: () -> Void

    package init(
        of storeName: String,
        keeping: BackupRequest? = nil,
        attachedNow: @escaping () throws -> [JournalEntry] = { [] },
        atCopy: @escaping () -> Void = {}
    ) {
        self.storeName = storeName
        self.keeping = keeping
        self.attachedNow = attachedNow
        self.atCopy = atCopy
        files = StoreFiles(storeName)
    }

    package enum Contents {
        /// The contents of another file, given by its path.
        case file(String)
        /// No contents: the file becomes an empty cache.
        case nothing

        fileprivate func check() throws(DamagedSource) {
            guard case .file(let path) = self, let reason = BackupVerification.damage(path) else { return }
            throw DamagedSource(reason: reason)
        }
    }

    /// The file with the new contents turned out to be damaged after it had passed its check.
    struct DamagedSource: Error {
        var reason: String
    }

    /// Replaces the contents.
    ///
    /// Interrupted upgrades of the old contents, and interrupted work after their commits, do not count for the new
    /// ones.
    ///
    /// - Parameter waiting: Called repeatedly while another process holds the lock; throws to give up.
    /// - Returns: The requested copy of intact contents, or the damaged file; nil when there were none.
    /// - Throws: The error of `waiting`; ``MoltError`` for a foreign file; ``DamagedSource``; ``SQLiteError``.
    @discardableResult
    func replace(with contents: Contents, waiting: () throws -> Void) throws -> StoreBackup? {
        // On failure, the next lines report the reason.
        try? DurableFile.makeDirectory(at: files.directory)
        files.removeLeftovers()
        if !files.hasContent {
            // An empty file that is written in place would be a cache without records after a power loss. SQLite would
            // also delete its log, which may hold all remaining data.
            try contents.check()
            return try describe(setAside(by: contents, ifStill: { !files.hasContent }, waiting: waiting))
        }
        var kept: StoreBackup?
        do {
            let damaged = try replacePages(with: contents, &kept, waiting)
            return kept ?? damaged
        } catch {
            // The copy is useless while the contents are still there. After an I/O error, the log may still contain the
            // commit.
            let mayBeCommitted = (error as? SQLiteError)?.mayBeCommitted ?? false
            if let kept, !mayBeCommitted { try? DurableFile.remove(FileStatus.path(of: kept.url)) }
            guard let error = error as? SQLiteError, error.isDamage else { throw error }
            try contents.check()
            // Another process may have replaced it first.
            return try describe(setAside(by: contents, ifStill: { isDamaged }, waiting: waiting))
        }
    }

    private func describe(_ path: String?) -> StoreBackup? {
        path.flatMap { BackupName(($0 as NSString).lastPathComponent, of: files.name) }.flatMap(files.describe)
    }

    // MARK: Writing into the file

    /// - Parameter kept: Set to the copy of intact contents.
    /// - Returns: The copy of damaged contents.
    private func replacePages(
        with contents: Contents,
        _ kept: inout StoreBackup?,
        _ waiting: () throws -> Void
    ) throws -> StoreBackup? {
        let live = try Connection(files.path, mode: .readWrite)
        defer { live.close() }
        live.busyTimeout = 50
        // SQLite would delete the log on close. Beside a damaged file, it may hold the only copy of some records.
        live.keepLog(true)
        // The new contents must survive a power loss. Without a log, deleting the journal is the commit, and only EXTRA
        // syncs the directory after that.
        try live.set(.synchronous, to: "EXTRA")
        // The page size is known only after the first read.
        let isOurs = try live.integer(.applicationID) == FileFormat.applicationID
        let pageSize = try live.integer(.pageSize)
        let source = try open(contents, pageSize: pageSize)
        defer { source.close() }
        // SQLite cannot change the page size in WAL mode. All releases write the same one.
        if try source.integer(.pageSize) != pageSize {
            // A database of another app is refused first.
            _ = try lockedState(isOurs: isOurs)
            throw isDamaged ? SQLiteError.wrongPageSize : .otherPageSize
        }
        let copy = try PageCopy(from: source, into: live)
        try retryWhileBusy(waiting, copy.lock)
        if live.hasMoved { throw SQLiteError.moved }
        let (state, isTampered) = try lockedState(isOurs: isOurs)
        var damaged: StoreBackup?
        if isTampered || state == nil || isDamaged {
            // Copied page by page, because some records may still be recoverable.
            damaged = try BackupCopy(of: storeName, BackupRequest(.damaged, version: 0), isLocked: true).make()
        } else if var request = keeping, let state, !state.isFresh {
            request.version = state.version
            // With changes pending, the journal in the file already has the right state, and the copy includes it.
            let entries = state.journal.isEmpty ? try attachedNow() : []
            request.attached = entries.isEmpty ? nil : entries
            kept = try BackupCopy(of: storeName, request, isLocked: true).make()
        }
        repeat { atCopy() } while try copy.step()
        files.clearAttempts()
        try copy.finish()
        // Apple's SQLite never asks the drive to flush its cache. Nobody locks the log, so opening it is safe.
        DurableFile.flushDrive(of: files.log)
        // The commit is done, even if other processes prevent the checkpoint.
        live.keepLog(false)
        live.busyTimeout = 0
        try? live.set(.journalSizeLimit, to: Connection.largestLog)
        _ = try? live.emptyLog()
        return damaged
    }

    private func open(_ contents: Contents, pageSize: Int64) throws -> Connection {
        switch contents {
        case .nothing:
            let blank = try Connection("", mode: .memory)
            try blank.execute(FileFormat.blank(pageSize: Int(pageSize)))
            return blank
        case .file(let path):
            let source = try Connection(path, mode: .readOnly)
            // The page size is known only after the first read.
            _ = try source.integer(.userVersion)
            return source
        }
    }

    /// Reads the file's state while its lock is held.
    ///
    /// - Returns: The state, or nil when it is unreadable or in a newer format; and whether foreign triggers or views
    ///   were added to a file of ours.
    private func lockedState(isOurs: Bool) throws -> (StoreState?, isTampered: Bool) {
        do throws(MoltError) {
            return (try FileProbe.state(storeName), false)
        } catch {
            if isOurs, error.code == .foreignFile { return (nil, true) }
            guard error.code == .notADatabase || error.code == .storeFailed || error.code == .newerFormat else {
                throw error
            }
            return (nil, false)
        }
    }

    // MARK: Replacing the file

    /// Moves the file aside with its log, and puts another file in its place.
    ///
    /// A file that existed is never missing at the path. It gets a second name first, so that it and its log stay
    /// together. Its log is moved before the new file takes its place, which would otherwise adopt the log.
    ///
    /// - Parameter isAsBefore: Called with the lock held; whether the file is still the one to move aside.
    /// - Returns: The new path of the file; nil when it had no content.
    // Compiled once, and not again for each closure.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package func setAside<Failure: Error>(
        by contents: Contents,
        ifStill isAsBefore: () throws -> Bool,
        waiting: () throws(Failure) -> Void
    ) throws -> String? {
        let lock = try FileLock(directory: files.directory, waiting: waiting)
        guard try isAsBefore() else { throw SQLiteError.moved }
        let (part, _) = try files.begin(.damaged, version: nil, at: Date())
        try part.withDatabase { copy in
            switch contents {
            case .nothing:
                try copy.execute(FileFormat.blank(pageSize: 8_192))
            case .file(let path):
                do {
                    // No process writes to this file, and it must not get a log.
                    try Connection(path, mode: .immutable).copy(into: copy)
                } catch let error as SQLiteError where error.isDamage {
                    throw DamagedSource(reason: "it is damaged.")
                }
            }
        }
        let aside = files.path(of: files.unused(.damaged, version: nil, at: Date()).text)
        let hasContent = files.hasContent || files.hasLog || files.hasJournal
        let isLinked = hasContent && link(files.path, aside) == 0
        if isLinked { try DurableFile.sync(directory: files.directory) }
        for suffix in ["-wal", "-journal"] where FileStatus.hasContent(files.path + suffix) {
            try DurableFile.move(files.path + suffix, to: aside + suffix)
        }
        // The empty ones, and the index of the log, which SQLite rebuilds.
        for suffix in StoreFiles.suffixes { try DurableFile.remove(files.path + suffix) }
        // Some file systems have no hard links.
        if hasContent, !isLinked, FileStatus.unfollowed(files.path) != nil {
            try DurableFile.move(files.path, to: aside)
        }
        files.clearAttempts()
        try part.replace(files.path)
        _ = consume lock
        return hasContent ? aside : nil
    }

    private var isDamaged: Bool { BackupVerification.damage(storeName) != nil }
}
