extension Connection {
    /// Copies the whole database into another one, as it is in this connection's snapshot.
    func copy(into destination: Connection) throws(SQLiteError) {
        let copy = try PageCopy(from: self, into: destination)
        while try copy.step() {}
        try copy.finish()
    }
}
