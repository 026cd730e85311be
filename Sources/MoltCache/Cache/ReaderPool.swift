internal import Foundation
internal import MoltCore

/// The connections of a cache that only read: each read has one for itself.
final class ReaderPool: Sendable {
    private struct State {
        var idle: [CacheSession] = []
        var countInUse = 0
        var isClosed = false
        /// Called when the pool is closed and no connection is in use.
        var atEnd: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    private let open: @Sendable () throws(SQLiteError) -> CacheSession
    /// How many connections stay open while nobody reads; more are open only while as many read at the same time.
    private let idleLimit = min(4, ProcessInfo.processInfo.activeProcessorCount)

    /// - Parameter open: Opens a connection; called on the thread that reads.
    init(_ open: @escaping @Sendable () throws(SQLiteError) -> CacheSession) {
        self.open = open
    }

    /// Lends a connection to a closure; the one that was used last, whose pages are most likely in memory.
    ///
    /// - Parameter otherwise: Called when there is none: with the failure to open one, or nil when the pool is closed.
    func withReader<Value>(
        _ body: (CacheSession) throws -> Value,
        otherwise: (SQLiteError?) throws -> Value
    ) throws -> Value {
        let (isOpen, idle) = state.withLock { state -> (Bool, CacheSession?) in
            guard !state.isClosed else { return (false, nil) }
            state.countInUse += 1
            return (true, state.idle.popLast())
        }
        guard isOpen else { return try otherwise(nil) }
        let session: CacheSession
        do throws(SQLiteError) {
            if let idle { session = idle } else { session = try open() }
        } catch {
            takeBack(nil)
            return try otherwise(error)
        }
        defer { takeBack(session) }
        return try body(session)
    }

    private func takeBack(_ session: CacheSession?) {
        let (isKept, atEnd) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            state.countInUse -= 1
            guard !state.isClosed else { return (false, state.countInUse == 0 ? state.atEnd : nil) }
            guard let session, state.idle.count < idleLimit else { return (false, nil) }
            state.idle.append(session)
            return (true, nil)
        }
        if !isKept { session?.close() }
        atEnd?()
    }

    /// Closes all connections; those that are in use when they are given back.
    ///
    /// - Parameter body: Called once, when no connection is open any more.
    func close(then body: @escaping @Sendable () -> Void) {
        let (idle, isOver) = state.withLock { state in
            defer { state.idle = [] }
            // Closed before, it has nobody to call any more.
            let isFirst = !state.isClosed
            state.isClosed = true
            if isFirst, state.countInUse > 0 { state.atEnd = body }
            return (state.idle, isFirst && state.countInUse == 0)
        }
        for session in idle { session.close() }
        if isOver { body() }
    }
}
