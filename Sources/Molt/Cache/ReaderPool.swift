internal import Foundation

/// The read-only connections of a cache; each read has one to itself.
final class ReaderPool: Sendable {
    private struct State {
        var idle: [CacheSession] = []
        var countInUse = 0
        var isClosed = false
        var atEnd: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    private let open: @Sendable () throws(SQLiteError) -> CacheSession
    /// The number of connections kept open while idle; more are open only during as many concurrent reads.
    ///
    /// Counted once for the process: on Linux, each count reads two files.
    private static let idleLimit = min(4, ProcessInfo.processInfo.activeProcessorCount)

    /// - Parameter open: Opens a connection; called on the reading thread.
    init(_ open: @escaping @Sendable () throws(SQLiteError) -> CacheSession) {
        self.open = open
    }

    /// Lends a connection to a closure: the last one used, whose pages are most likely in memory.
    ///
    /// - Parameter otherwise: Called without a connection: with the failure to open one, or nil when the pool is
    ///   closed.
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
            guard let session, state.idle.count < Self.idleLimit, !StoreAccess.isSuspended else { return (false, nil) }
            state.idle.append(session)
            return (true, nil)
        }
        if !isKept { session?.close() }
        atEnd?()
    }

    /// Closes the connections that are not in use; while stores are suspended, the others are closed when returned.
    func closeIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for session in idle { session.close() }
    }

    /// Closes all connections; those in use are closed when they are returned.
    ///
    /// - Parameter body: Called once, when no connection is open.
    func close(then body: @escaping @Sendable () -> Void) {
        let (idle, isOver) = state.withLock { state in
            defer { state.idle = [] }
            // Only the first call gets its closure called.
            let isFirst = !state.isClosed
            state.isClosed = true
            if isFirst, state.countInUse > 0 { state.atEnd = body }
            return (state.idle, isFirst && state.countInUse == 0)
        }
        for session in idle { session.close() }
        if isOver { body() }
    }
}
