internal import Foundation
package import MoltCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Puts other contents in the place of what a cache file has, whole or not at all.
///
/// The pages are written into the file itself, under its lock and in one transaction: who has the file open sees the old
/// contents until then, and afterwards that they are others. Where SQLite cannot write into a file, because it is
/// damaged, that is moved aside, and another one takes its place.
package struct StoreReplacement {
    /// The file, a link followed.
    private let files: BackupFiles
    private let storeName: String

    /// The copy of what is replaced that is kept where it is whole; nil for none.
    private let keeping: BackupRequest?
    /// What that copy is to have of attached stores; called with the lock held.
    private let attachedNow: () throws -> [JournalEntry]
    /// Called before each part of the copy; with the last one it is committed.
    private let atCopy: () -> Void

    /// Looks at nothing yet.
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
        files = BackupFiles(storeName)
    }

    /// What takes the place of the contents.
    package enum Contents {
        /// Those of another file, by its path.
        case file(String)
        /// None: the file is started afresh.
        case nothing

        /// Refuses a file that is not whole.
        fileprivate func check() throws(DamagedSource) {
            guard case .file(let path) = self, let reason = BackupCheck.damage(path) else { return }
            throw DamagedSource(reason: reason)
        }
    }

    /// What is to take the place of the contents is not whole, though it was before.
    struct DamagedSource: Error {
        var reason: String
    }

    /// Replaces the contents.
    ///
    /// - Parameters:
    ///   - whenLocked: Called with the lock held, before anything is replaced.
    ///   - waiting: Called again and again while another process holds the lock; throws to give up.
    /// - Returns: What was kept: the copy of a file that was whole, where that was wanted, or what is left of a damaged one;
    ///   nil when there was nothing.
    /// - Throws: What `waiting` throws; ``CacheError`` for a file that is not ours; ``DamagedSource``; ``SQLiteError``.
    @discardableResult
    func replace(
        with contents: Contents,
        whenLocked: () -> Void = {},
        waiting: () throws -> Void
    ) throws -> StoreBackup? {
        try HardLinks.check(files.path)
        if FileStatus.hasContent(files.path) { try FileProbe.refuseForeignJournal(files.path) }
        // Without a directory, the next lines fail with the reason.
        try? DurableDirectory.make(at: files.directory)
        files.removeLeftovers()
        if !FileStatus.hasContent(files.path) {
            // Written into, the empty file would be a cache without records if the power failed. And SQLite would remove
            // the log of an empty file, which may have all that is left.
            whenLocked()
            try contents.check()
            let isEmpty = { !FileStatus.hasContent(files.path) }
            return try describe(setAside(by: contents, ifStill: isEmpty, waiting: waiting))
        }
        var kept: StoreBackup?
        do {
            let damaged = try replacePages(with: contents, &kept, whenLocked, waiting)
            return kept ?? damaged
        } catch {
            // A copy of what is still there is of no use. After a failed disk, the commit may be found in the log later.
            let mayBeCommitted = (error as? SQLiteError)?.mayBeCommitted ?? false
            if let kept, !mayBeCommitted { try? DurableFile.remove(FileStatus.path(of: kept.url)) }
            guard let error = error as? SQLiteError, error.isDamage else { throw error }
            try contents.check()
            whenLocked()
            // Another process may have been here first.
            let isStillDamaged = { isDamaged(storeName) }
            return try describe(setAside(by: contents, ifStill: isStillDamaged, waiting: waiting))
        }
    }

    /// Describes a file that was set aside.
    private func describe(_ path: String?) -> StoreBackup? {
        path.flatMap { BackupName(($0 as NSString).lastPathComponent, of: files.name) }.flatMap(files.describe)
    }

    // MARK: Writing into the file

    /// - Parameter kept: Gets the copy of a file that was whole.
    /// - Returns: The copy of a damaged one.
    private func replacePages(
        with contents: Contents,
        _ kept: inout StoreBackup?,
        _ whenLocked: () -> Void,
        _ waiting: () throws -> Void
    ) throws -> StoreBackup? {
        let live = try Connection(files.path, mode: .readWrite)
        defer { live.close() }
        live.setBusyTimeout(milliseconds: 50)
        // Beside a damaged file it may be all that is left of some records, and SQLite would remove it.
        live.keepLog(true)
        // What was put back must survive a loss of power. Without a log the removal of a journal is the commit, and only
        // this has the directory synced after it.
        try live.execute("PRAGMA synchronous = EXTRA")
        // The size of the pages is known once the file was read.
        let isOurs = try live.integer("PRAGMA application_id") == FileFormat.applicationID
        let (source, part) = try open(contents, pageSize: live.integer("PRAGMA page_size"))
        defer { withExtendedLifetime(part) { source.close() } }
        let copy = try PageCopy(from: source, into: live)
        while true {
            do throws(SQLiteError) {
                try copy.lock()
                break
            } catch {
                guard error.isBusy else { throw error }
                try waiting()
                Thread.sleep(forTimeInterval: 0.001)
            }
        }
        if live.hasMoved { throw SQLiteError.moved }
        let (state, isTampered) = try lockedState(isOurs: isOurs)
        whenLocked()
        var damaged: StoreBackup?
        if isTampered || state == nil || isDamaged(storeName) {
            // Page by page: something may still be found in it.
            damaged = try BackupCopy(of: storeName, BackupRequest(.damaged, version: 0), isLocked: true).make()
        } else if var request = keeping, let state, !state.isFresh {
            request.version = state.version
            // Where changes are still to be made, those are what the copy is to have: it has them already.
            let entries = state.journal.isEmpty ? try attachedNow() : []
            request.attached = entries.isEmpty ? nil : entries
            kept = try BackupCopy(of: storeName, request, isLocked: true).make()
        }
        repeat { atCopy() } while try copy.step()
        try copy.finish()
        // Apple's own SQLite never asks the drive for that. Nobody locks the log.
        DiskSync.drive(of: files.path + "-wal")
        // It is done, whether or not others let the log be emptied now.
        live.keepLog(false)
        live.setBusyTimeout(milliseconds: 0)
        try? live.execute("PRAGMA journal_size_limit = 16777216; PRAGMA wal_checkpoint(TRUNCATE)")
        return damaged
    }

    /// Opens what is to be copied.
    ///
    /// - Returns: A connection, and the file that must live as long as it.
    private func open(_ contents: Contents, pageSize: Int64) throws -> (Connection, PartFile?) {
        switch contents {
        case .nothing:
            let blank = try Connection("", mode: .memory)
            // The mark makes a page of it: one that says whose file it is, and has nothing else.
            try blank.execute(
                "PRAGMA page_size = \(pageSize); PRAGMA application_id = \(FileFormat.applicationID)"
            )
            return (blank, nil)
        case .file(let path):
            let source = try Connection(path, mode: .readOnly)
            _ = try source.integer("PRAGMA user_version")
            // SQLite writes only pages of the same size into a file that has a log.
            guard try FileStatus.hasContent(files.path) && source.integer("PRAGMA page_size") != pageSize else {
                return (source, nil)
            }
            let (part, _) = try files.begin(.damaged, version: nil, at: Date())
            try source.execute("PRAGMA page_size = \(pageSize)")
            let repaging = try source.prepare("VACUUM INTO ?1")
            try repaging.bind(part.path, at: 1)
            try repaging.run()
            source.close()
            return (try Connection(part.path, mode: .readOnly), part)
        }
    }

    /// What the file says of itself while its lock is held.
    ///
    /// - Returns: No state when it cannot be read, or only by a newer release; and whether others have put triggers or
    ///   views of theirs into a file of ours.
    private func lockedState(isOurs: Bool) throws -> (StoreState?, isTampered: Bool) {
        do throws(CacheError) {
            return (try FileProbe.state(storeName), false)
        } catch {
            if isOurs, error.code == .foreignFile { return (nil, true) }
            guard error.code == .notADatabase || error.code == .storeFailed || error.code == .newerFormat else {
                throw error
            }
            return (nil, false)
        }
    }

    // MARK: Putting another file in its place

    /// Moves the file aside, with its log, and puts a copy of another one in its place.
    ///
    /// At every moment there is a file at the path, if there was one. It gets its other name first, so that the log, which
    /// is moved before another file takes its place and would be taken for that one's, has that name, too.
    ///
    /// - Parameter isAsBefore: Called with the lock held: whether the file is still what is to be moved aside.
    /// - Returns: Where the file is now; nil when there was nothing in it.
    package func setAside(
        by contents: Contents,
        ifStill isAsBefore: () throws -> Bool,
        waiting: () throws -> Void
    ) throws -> String? {
        let lock = try FileLock(directory: files.directory, waiting: waiting)
        guard try isAsBefore() else { throw SQLiteError.moved }
        let (part, _) = try files.begin(.damaged, version: nil, at: Date())
        let copy = try Connection(part.path, mode: .readWrite)
        try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        switch contents {
        case .nothing:
            try copy.execute("PRAGMA page_size = 8192; PRAGMA application_id = \(FileFormat.applicationID)")
        case .file(let path):
            // No process writes to it, and no log of it is made.
            let source = try Connection(path, mode: .immutable)
            do throws(SQLiteError) {
                try source.copy(into: copy)
            } catch {
                guard error.isDamage else { throw error }
                throw DamagedSource(reason: "it is damaged.")
            }
            source.close()
        }
        copy.close()
        let aside = files.path(of: files.unused(.damaged, version: nil, at: Date()).text)
        let hasContent = ["", "-wal", "-journal"].contains { FileStatus.hasContent(files.path + $0) }
        let isLinked = hasContent && link(files.path, aside) == 0
        if isLinked { try DurableFile.sync(directory: files.directory) }
        for suffix in ["-wal", "-journal"] where FileStatus.hasContent(files.path + suffix) {
            try DurableFile.move(files.path + suffix, to: aside + suffix)
        }
        // Those without content, and the index of the log, which SQLite makes again.
        for suffix in ["-wal", "-shm", "-journal"] { try DurableFile.remove(files.path + suffix) }
        // Not every file system has two names for one file.
        if hasContent, !isLinked, FileStatus.unfollowed(files.path) != nil {
            try DurableFile.move(files.path, to: aside)
        }
        try part.replace(files.path)
        _ = consume lock
        return hasContent ? aside : nil
    }

    /// Whether a file of ours is not whole.
    func isDamaged(_ path: String) -> Bool {
        BackupCheck.damage(path) != nil
    }
}
