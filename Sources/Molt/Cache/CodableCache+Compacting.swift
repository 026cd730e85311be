internal import Dispatch

extension CodableCache {
    /// Returns the space of removed records to the file system.
    ///
    /// ```swift
    /// let freed = try await cache.compact { print("\(Int($0 * 100)) %") }
    /// ```
    ///
    /// A file keeps the space of removed records for later ones, so call this only after large removals.
    ///
    /// The first compaction of a file rewrites it. That takes as long as copying the file, and needs free space for two
    /// copies of what is left. Nothing else can write to the file meanwhile. Later ones move pages in short
    /// transactions, between which others can write, and need next to no space. Records and open caches stay as they
    /// are. While another process reads, the file may shrink only after the call. A cache in memory has nothing to
    /// compact.
    ///
    /// Cancelling the task ends the call with the code `cancelled`.
    ///
    /// - Parameter progress: Called with the share of the work that is done, from 0 to 1.
    /// - Returns: The number of bytes by which the file shrinks.
    /// - Throws: ``MoltError``: `busy` if another process writes for too long; `readOnly`, `closed`, `suspended`,
    ///   `cancelled`; `storeFailed` if there is not enough space or the disk fails. What was moved by then stays moved.
    @discardableResult
    public func compact(progress: (@Sendable (Double) -> Void)? = nil) async throws -> Int {
        // A queue of its own, because other calls must not wait for it.
        try await DispatchQueue(label: "molt.compact").runCancellable { [self] isCancelled in
            try compactAndWait(progress: progress ?? { _ in }, isCancelled: isCancelled)
        }
    }

    /// Does what ``compact(progress:)`` does on the caller's thread, for a test.
    @discardableResult
    package func compactAndWait(
        progress: (Double) -> Void = { _ in },
        isCancelled: @escaping () -> Bool = { false }
    ) throws -> Int {
        try core.checkWritable()
        guard core.hasFile else { return 0 }
        return try FileCompaction(of: path)
            .run(isCancelled: isCancelled, progress: progress, timeout: configuration.accessTimeout)
    }
}

extension CacheFile {
    /// Returns the space of removed records in a file of any version to the file system, without upgrading it.
    ///
    /// - Throws: ``MoltError`` with the code `fileMissing`, and as ``CodableCache/compact(progress:)`` does.
    @discardableResult
    package func compactAndWait(progress: (Double) -> Void) throws -> Int {
        try FileCompaction(of: path).run(isCancelled: { false }, progress: progress, timeout: .seconds(5))
    }
}
