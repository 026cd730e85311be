internal import Foundation

/// Gives the space of removed records back, on a connection of its own.
///
/// Records keep their ids, and the file its generation, so caches that have the file open can go on.
package struct FileCompaction {
    private let path: String
    private let connection: Connection
    /// The number of bytes that can be written in a directory; nil if unknown.
    package var freeSpace: (String) -> Int64? = FreeSpace.bytes
    /// The number of pages that one transaction moves.
    package var slice = 256

    /// Opens a file that has our tables.
    ///
    /// - Throws: ``MoltError`` with the code `fileMissing`, or that of a file that cannot be used.
    package init(of path: String) throws(MoltError) {
        let state = try FileProbe.state(path)
        if let layout = state.laterLayout { throw FileFormat.newer(path, Int64(layout), isReadable: true) }
        guard !state.isFresh else { throw MoltError.noCache(at: path) }
        self.path = path
        do throws(SQLiteError) {
            connection = try Connection(path, mode: .readWrite)
            try connection.set(.journalSizeLimit, to: Connection.largestLog)
            try connection.set(.checkpointFullSync, to: "ON")
        } catch {
            throw MoltError(error, store: path)
        }
    }

    /// Removes the free pages: in slices if the file is made for it, and otherwise by rewriting the file.
    ///
    /// - Parameters:
    ///   - isCancelled: Called between slices, and while the file is rewritten.
    ///   - progress: Called with the share that is done.
    ///   - timeout: The time to wait while another connection writes.
    /// - Returns: The number of bytes by which the file shrinks.
    /// - Throws: ``MoltError``: `busy`, `cancelled`, or the store's error. Slices that are done stay done.
    package func run(isCancelled: @escaping () -> Bool, progress: (Double) -> Void, timeout: Duration) throws -> Int {
        defer { connection.close() }
        connection.isOver = isCancelled
        connection.busyTimeout = 50
        do {
            let before = try connection.byteCount
            progress(0)
            // In a file that is made for slices, the mode is 2.
            if try connection.integer(.autoVacuum) == 2 {
                try removeFreePages(progress, timeout, isCancelled)
            } else {
                try rewrite(timeout)
            }
            progress(1)
            let freed = max(0, Int(clamping: before - (try connection.byteCount)))
            // Another connection may have written more than was freed, or may still read; the file then shrinks at a
            // later checkpoint.
            connection.isOver = nil
            _ = try? connection.emptyLog()
            return freed
        } catch let error as SQLiteError {
            if error.isInterruption, isCancelled() { throw Self.cancelled }
            throw MoltError(error, store: path)
        }
    }

    private static var cancelled: MoltError { MoltError(.cancelled, "The compaction was cancelled.") }

    private func removeFreePages(_ progress: (Double) -> Void, _ timeout: Duration, _ isCancelled: () -> Bool) throws {
        let all = try connection.integer(.freePageCount)
        var left = all
        while left > 0 {
            if isCancelled() { throw Self.cancelled }
            let patience = Patience(timeout)
            let wait = { [path] in try patience.wait(forWriterOf: path) }
            try retryWhileBusy(wait) { () throws(SQLiteError) in try connection.beginWriting() }
            defer { connection.rollBack() }
            if connection.hasMoved { throw SQLiteError.moved }
            try connection.removeFreePages(upTo: slice)
            try connection.commit()
            let count = try connection.integer(.freePageCount)
            // Other writers may free more than a slice in the meantime.
            progress(max(0, 1 - Double(count) / Double(all)))
            left = min(left - Int64(slice), count)
            // Lets a waiting writer in.
            if left > 0 { Thread.sleep(forTimeInterval: 0.005) }
        }
    }

    /// Rewrites the whole file, and prepares it for compaction in slices.
    private func rewrite(_ timeout: Duration) throws {
        try checkSpace("The first compaction of a cache rewrites")
        try connection.set(.autoVacuum, to: "INCREMENTAL")
        let patience = Patience(timeout)
        try rewriteWhole { try patience.wait(forWriterOf: path) }
    }

    /// - Parameter what: The beginning of the sentence that says what needs the space.
    private func checkSpace(_ what: String) throws {
        let directory = StoreFiles(path).directory
        // One copy in a temporary file, and one in the log.
        let pages = try connection.integer(.pageCount) - connection.integer(.freePageCount)
        let needed = try pages * connection.integer(.pageSize) * 2
        guard let free = freeSpace(directory), free < needed else { return }
        throw MoltError(
            .storeFailed,
            "\(what) its file, which needs \(needed) bytes in \(directory), and only \(free) bytes are free.",
            advice: "Free some space, and try again.",
            outcome: .unchanged,
            store: path,
            underlying: DurableFile.Failure(number: ENOSPC)
        )
    }

    private func rewriteWhole(_ waiting: () throws -> Void) throws {
        if connection.hasMoved { throw SQLiteError.moved }
        try retryWhileBusy(waiting) { () throws(SQLiteError) in try connection.rewrite() }
    }

    // MARK: Erasing

    /// Removes all bytes of deleted records from the file and its log.
    ///
    /// A rewritten file has no free space, in which values that were overwritten or removed earlier might still be. The
    /// mark then says so, because another connection may keep the log from being emptied for a long time.
    ///
    /// - Parameter reach: Called before the file is rewritten, and before the mark is removed.
    /// - Throws: ``MoltError``, for example `busy` if another connection is reading; the mark is then still there.
    package func erase(until deadline: Instant?, reach: () throws -> Void) throws {
        defer { connection.close() }
        connection.interrupt(at: deadline)
        // Short reads of other processes end in that time; others keep the log until the next opening.
        connection.busyTimeout = 100
        StoreFiles(path).removeLeftovers()
        try reach()
        try withErrors(of: path) {
            if try FileFormat.mark(FileFormat.erasure, of: connection) != FileFormat.erasureInLog {
                try checkSpace("Erasing deleted records rewrites")
                let generation = try FileFormat.generation(of: connection)
                try rewriteWhole { throw SQLiteError.busy }
                // If another upgrade has begun since, it may have deleted more, and the next erasing rewrites again.
                try FileFormat.noteErasure(ifStill: generation, connection)
            }
            guard try connection.emptyLog() else {
                throw MoltError(
                    .busy,
                    "Another connection is still reading the cache at \(path).",
                    advice: "The next opening tries again.",
                    store: path
                )
            }
        }
        try reach()
        try withErrors(of: path) { try FileFormat.endErasure(connection) }
    }
}

extension Patience {
    /// Called repeatedly while another connection writes to a cache.
    ///
    /// - Throws: ``MoltError`` with the code `busy` after the timeout.
    func wait(forWriterOf path: String) throws {
        try wait(
            orThrow: MoltError(
                .busy,
                "Another process wrote to the cache at \(path) for more than \(timeout).",
                advice: "Try again.",
                outcome: .unchanged
            )
        )
    }
}
