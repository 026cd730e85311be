internal import CMoltSQLite

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension Connection {
    /// Copies the whole database into another one, as it is in this connection's snapshot.
    func copy(into destination: Connection) throws(SQLiteError) {
        let copy = try PageCopy(from: self, into: destination)
        while try copy.step() {}
        try copy.finish()
    }

    /// Whether the disk, or what this process may write, was at its end when the last call failed.
    var isOutOfSpace: Bool {
        let number = sqlite3_system_errno(handle)
        return sqlite3_errcode(handle) & 0xFF == SQLITE_FULL || [ENOSPC, EDQUOT, EFBIG].contains(number)
    }
}
