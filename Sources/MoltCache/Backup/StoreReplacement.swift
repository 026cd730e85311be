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
    enum Contents {
        /// Those of another file, and what is to be done to attached stores besides.
        case file(String, adding: [JournalEntry])
        /// None: a file that is to be started afresh.
        case nothing
    }

    /// What is to take the place of the contents is not whole, though it was before.
    struct DamagedSource: Error {
        var reason: String
    }

    /// Replaces the contents.
    ///
    /// - Parameters:
    ///   - isExpected: Called with the lock held; nil for a file that cannot be read.
    ///   - waiting: Called again and again while another process holds the lock; throws to give up.
    /// - Returns: What was kept of a file that was whole; nil when that was not wanted, or there was none.
    /// - Throws: What the two throw; ``CacheError`` for a file that is not ours; ``DamagedSource``; ``SQLiteError``.
    @discardableResult
    func replace(
        with contents: Contents,
        checking isExpected: (StoreState?) throws -> Void,
        waiting: () throws -> Void
    ) throws -> StoreBackup? {
        try HardLinks.check(files.path)
        if FileStatus.hasContent(files.path) { try FileProbe.refuseForeignJournal(files.path) }
        // Without one the next lines say what is wrong.
        try? DurableDirectory.make(at: files.directory)
        files.removeLeftovers()
        if case .file(let path, let more) = contents, !FileStatus.hasContent(files.path) {
            // Whole or not at all: written into, it would be there and have nothing when the power fails. And SQLite would
            // remove the log of an empty file, which may have all that is left.
            try isExpected(FileStatus.hasContent(files.path + "-wal") ? nil : .fresh)
            if let reason = BackupCheck.damage(path) { throw DamagedSource(reason: reason) }
            let isEmpty = { !FileStatus.hasContent(files.path) }
            _ = try setAside(by: path, adding: more, ifStill: isEmpty, waiting: waiting)
            return nil
        }
        var kept: StoreBackup?
        do {
            try replacePages(with: contents, &kept, checking: isExpected, waiting: waiting)
            return kept
        } catch {
            // A copy of what is still there is of no use. A commit that the disk has failed may be found in the log later.
            let mayBeCommitted = (error as? SQLiteError)?.mayBeCommitted ?? false
            if let kept, !mayBeCommitted { try? DurableFile.remove(FileStatus.path(of: kept.url)) }
            guard let error = error as? SQLiteError, error.isDamage, case .file(let path, let more) = contents else {
                throw error
            }
            if let reason = BackupCheck.damage(path) { throw DamagedSource(reason: reason) }
            try isExpected(nil)
            // Another process may have been here first.
            let isStillDamaged = { isDamaged(storeName) }
            _ = try setAside(by: path, adding: more, ifStill: isStillDamaged, waiting: waiting)
            return nil
        }
    }

    // MARK: Writing into the file

    private func replacePages(
        with contents: Contents,
        _ kept: inout StoreBackup?,
        checking isExpected: (StoreState?) throws -> Void,
        waiting: () throws -> Void
    ) throws {
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
        try isExpected(state)
        if isTampered || state == nil || isDamaged(storeName) {
            try keepDamaged()
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
        case .file(let path, let more):
            let source = try Connection(path, mode: .readOnly)
            _ = try source.integer("PRAGMA user_version")
            // SQLite writes only pages of the same size into a file that has a log.
            let isRepaged = try FileStatus.hasContent(files.path) && source.integer("PRAGMA page_size") != pageSize
            guard isRepaged || !more.isEmpty else { return (source, nil) }
            let (part, _) = try files.begin(.damaged, version: nil, at: Date())
            if isRepaged {
                try source.execute("PRAGMA page_size = \(pageSize)")
                let repaging = try source.prepare("VACUUM INTO ?1")
                try repaging.bind(part.path, at: 1)
                try repaging.run()
            } else {
                try source.copy(into: Connection(part.path, mode: .readWrite))
            }
            source.close()
            try add(more, to: Connection(part.path, mode: .readWrite))
            return (try Connection(part.path, mode: .readOnly), part)
        }
    }

    /// Adds what is to be done to attached stores to a copy that nobody else has.
    private func add(_ more: [JournalEntry], to connection: Connection) throws(SQLiteError) {
        guard !more.isEmpty else { return }
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN")
        try FileFormat.modernize(connection)
        try JournalTable.add(more, to: connection)
        try connection.execute("COMMIT")
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

    /// Keeps a copy of a damaged file, page by page: someone may still find something in it.
    private func keepDamaged() throws {
        _ = try BackupCopy(of: storeName, BackupRequest(.damaged, version: 0), isLocked: true).make()
    }

    // MARK: Putting another file in its place

    /// Moves the file aside, with its log, and puts a copy of another one in its place.
    ///
    /// At every moment there is a file at the path, if there was one. It gets its other name first, so that the log, which
    /// is moved before another file takes its place and would be taken for that one's, has that name, too.
    ///
    /// - Parameters:
    ///   - path: The other file.
    ///   - more: What is to be done to attached stores, besides what the other file says.
    ///   - isAsBefore: Called with the lock held: whether the file is still what is to be moved aside.
    /// - Returns: Where the file is now; nil when there was nothing in it.
    package func setAside(
        by path: String,
        adding more: [JournalEntry] = [],
        ifStill isAsBefore: () throws -> Bool,
        waiting: () throws -> Void
    ) throws -> String? {
        let lock = try FileLock(directory: files.directory, waiting: waiting)
        guard try isAsBefore() else { throw SQLiteError.moved }
        let (part, _) = try files.begin(.damaged, version: nil, at: Date())
        let copy = try Connection(part.path, mode: .readWrite)
        try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        // Nobody writes to it, and no log of it is made.
        let source = try Connection(path, mode: .immutable)
        do throws(SQLiteError) {
            try source.copy(into: copy)
        } catch {
            guard error.isDamage else { throw error }
            throw DamagedSource(reason: "it is damaged.")
        }
        source.close()
        try add(more, to: copy)
        copy.close()
        let aside = files.path(of: files.unused(.damaged, version: nil, at: Date()).text)
        let hasContent = ["", "-wal", "-journal"].contains { FileStatus.hasContent(files.path + $0) }
        let isLinked = hasContent && link(files.path, aside) == 0
        if isLinked { try DurableFile.sync(directory: files.directory) }
        for suffix in ["-wal", "-journal"] where FileStatus.hasContent(files.path + suffix) {
            try DurableFile.move(files.path + suffix, to: aside + suffix)
        }
        // Those without content, and the index of the log, which SQLite makes anew.
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
