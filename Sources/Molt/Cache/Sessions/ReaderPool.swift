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
    /// It does not depend on the number of processors: opening a connection takes as long as thirty reads, and a thread
    /// that waits for a processor keeps its connection.
    private static let idleLimit = 4

    /// - Parameter open: Opens a connection; called on the reading thread.
    init(_ open: @escaping @Sendable () throws(SQLiteError) -> CacheSession) {
        self.open = open
    }

    /// Lends a connection: the last one used, whose pages are most likely in memory; ``takeBack(_:)`` must follow.
    ///
    /// - Returns: Nil when the pool is closed.
    func lend() throws(SQLiteError) -> CacheSession? {
        let (isOpen, idle) = state.withLock { state -> (Bool, CacheSession?) in
            guard !state.isClosed else { return (false, nil) }
            state.countInUse += 1
            return (true, state.idle.popLast())
        }
        guard isOpen else { return nil }
        if let idle { return idle }
        do throws(SQLiteError) {
            return try open()
        } catch {
            takeBack(nil)
            throw error
        }
    }

    /// Receives a connection that was lent; nil if it could not be opened.
    func takeBack(_ session: CacheSession?) {
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
