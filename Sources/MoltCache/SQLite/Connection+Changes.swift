internal import CMoltSQLite

extension Connection {
    /// Grows when this connection commits, and when it finds at the begin of a read that another one has committed.
    ///
    /// Unlike `PRAGMA data_version` it costs no statement; and it is not made up for the connection's own commits. Nil when
    /// SQLite does not tell.
    var dataVersion: UInt32? {
        var version: UInt32 = 0
        // Of the main database, as below: without its name, for which SQLite would compare strings.
        let code = sqlite3_file_control(handle, nil, SQLITE_FCNTL_DATA_VERSION, &version)
        return code == SQLITE_OK ? version : nil
    }

    /// What the file's log was last known as by whoever has committed last; nil where that cannot be read.
    ///
    /// The header of the WAL index, which all processes share in memory: two copies of 48 bytes with the number of frames,
    /// their checksum and a counter of transactions (https://sqlite.org/walformat.html, "The WAL-Index Header"). A commit
    /// is visible to others from the moment in which it has changed them. So while they are the same, nobody has committed;
    /// to look at them takes neither a lock nor a call to the system.
    ///
    /// - Important: For a connection that has read the file in WAL mode: another one would make the index.
    var logMark: LogMark? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        // The first region, of the size that SQLite gives to each; not made when there is none.
        guard map(file, 0, LogMark.regionSize, 0, &region) == SQLITE_OK, let region else { return nil }
        return LogMark(region)
    }
}

/// The header of a WAL index, both copies.
struct LogMark: Equatable {
    /// The size of the parts in which a WAL index is mapped into memory, in bytes.
    static let regionSize: Int32 = 32_768

    private let first: SIMD8<UInt64>
    private let second: SIMD4<UInt64>

    /// Copies the header; one that is being written has two copies that differ, and is the same as none before.
    init(_ region: UnsafeRawPointer) {
        first = region.loadUnaligned(as: SIMD8<UInt64>.self)
        second = region.loadUnaligned(fromByteOffset: 64, as: SIMD4<UInt64>.self)
    }
}
