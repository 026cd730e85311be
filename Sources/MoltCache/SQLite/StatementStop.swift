/// Interrupts the statements of a connection when a closure returns true.
final class StatementStop {
    private let connection: Connection

    /// Calls the closure while statements run on the connection, until ``end()`` is called.
    init(on connection: Connection, when isOver: @escaping () -> Bool) {
        self.connection = connection
        connection.isOver = isOver
    }

    convenience init(on connection: Connection, at time: ContinuousClock.Instant) {
        self.init(on: connection) { ContinuousClock.now >= time }
    }

    /// Removes the limit.
    func end() {
        connection.isOver = nil
    }
}
