internal import Dispatch
package import Foundation

extension CodableCache {
    /// Returns the space of removed records to the file system.
    ///
    /// ```swift
    /// let freed = try cache.compact()
    /// print("\(freed) bytes are free again.")
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
    /// - Parameter progress: Called with the share of the work that is done, from 0 to 1.
    /// - Returns: The number of bytes by which the file shrinks.
    /// - Throws: ``MoltError``: `busy` if another process writes for too long; `readOnly`, `closed`, `suspended`;
    ///   `storeFailed` if there is not enough space or the disk fails. What was moved by then stays moved.
    @discardableResult
    public func compact(progress: (Double) -> Void = { _ in }) throws -> Int {
        try compact(progress) { false }
    }

    /// Returns the space of removed records to the file system, on a queue of its own.
    ///
    /// ```swift
    /// let freed = try await cache.compact { print("\(Int($0 * 100)) %") }
    /// ```
    ///
    /// Cancelling the task ends the call with the code `cancelled`; what was moved by then stays moved.
    ///
    /// - Parameter progress: Called on that queue with the share of the work that is done, from 0 to 1.
    /// - Returns: The number of bytes by which the file shrinks.
    /// - Throws: ``MoltError`` as the other `compact(progress:)` does, and `cancelled`.
    @discardableResult
    public func compact(progress: @escaping @Sendable (Double) -> Void = { _ in }) async throws -> Int {
        // A queue of its own, because other calls must not wait for it.
        try await DispatchQueue(label: "molt.compact").runCancellable { [self] isCancelled in
            try compact(progress, isCancelled)
        }
    }

    private func compact(_ progress: (Double) -> Void, _ isCancelled: @escaping () -> Bool) throws -> Int {
        try core.checkWritable()
        guard core.hasFile else { return 0 }
        return try FileCompaction(of: path)
            .run(isCancelled: isCancelled, progress: progress, timeout: configuration.accessTimeout)
    }

    /// Returns the space of removed records in a file of any version to the file system, without upgrading it.
    ///
    /// - Throws: ``MoltError`` with the code `fileMissing`, and as `compact(progress:)` does.
    @discardableResult
    package static func compact(at url: URL, progress: (Double) -> Void) throws -> Int {
        try FileCompaction(of: FileStatus.path(of: url))
            .run(isCancelled: { false }, progress: progress, timeout: .seconds(5))
    }
}
