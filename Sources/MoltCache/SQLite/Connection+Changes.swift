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

    /// The header of the file's WAL index, which all processes share in memory; nil where that cannot be read.
    ///
    /// - Important: For a connection that has read the file in WAL mode: another one would make the index. What it leads
    ///   to is there until the connection is closed.
    var logIndex: LogIndex? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        // The first region, of the size that SQLite gives to each; not made when there is none.
        guard map(file, 0, LogIndex.regionSize, 0, &region) == SQLITE_OK, let region else { return nil }
        return LogIndex(region)
    }
}

/// The header of a WAL index: two copies of 48 bytes with the number of frames, their checksum and a counter of
/// transactions (https://sqlite.org/walformat.html, "The WAL-Index Header").
///
/// A commit is visible to others from the moment in which it has changed the header. So while the header is the same,
/// nobody has committed; to look at it takes neither a lock nor a call to the system.
struct LogIndex: @unchecked Sendable {
    /// The size of the parts in which a WAL index is mapped into memory, in bytes.
    fileprivate static let regionSize: Int32 = 32_768

    // Sendable: the memory is only read here, and other processes write it at any time anyway.
    private let region: UnsafeRawPointer

    fileprivate init(_ region: UnsafeMutableRawPointer) {
        self.region = UnsafeRawPointer(region)
    }

    /// The header as it is now; one that is being written has two copies that differ, and equals none before.
    var mark: Mark {
        Mark(
            first: region.loadUnaligned(as: SIMD8<UInt64>.self),
            second: region.loadUnaligned(fromByteOffset: 64, as: SIMD4<UInt64>.self)
        )
    }

    /// Both copies of a header.
    struct Mark: Equatable {
        fileprivate let first: SIMD8<UInt64>
        fileprivate let second: SIMD4<UInt64>
    }
}
