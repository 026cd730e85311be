extension Connection {
    /// Copies the whole database, as this connection's snapshot sees it, over another one.
    ///
    /// - Parameter isStopped: Called after each quarter of a megabyte; ends the call, without a copy, if it returns true.
    func copy(into destination: Connection, isStopped: () -> Bool = { false }) throws(SQLiteError) {
        let copy = try PageCopy(from: self, into: destination)
        while try copy.step() {
            if isStopped() { return }
        }
        try copy.finish()
    }
}
