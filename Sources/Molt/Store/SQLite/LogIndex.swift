internal import CMoltSQLite

extension Connection {
    /// The header of the file's WAL index, which all processes share in memory; nil when it is unavailable.
    ///
    /// - Important: Only for a connection that has read the file in WAL mode: any other would create the index. The
    ///   memory is valid until the connection is closed.
    var logIndex: LogIndex? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        // The first region, of SQLite's fixed size; not created when missing.
        guard map(file, 0, LogIndex.regionSize, 0, &region) == SQLITE_OK, let region else { return nil }
        return LogIndex(region)
    }
}

/// The header of a WAL index: two copies of 48 bytes with the number of frames, their checksum and a transaction
/// counter (https://sqlite.org/walformat.html, "The WAL-Index Header").
///
/// A commit becomes visible to others when it changes the header. An unchanged header therefore means no commit, and
/// reading it takes neither a lock nor a system call.
struct LogIndex: @unchecked Sendable {
    /// The size, in bytes, of the regions in which a WAL index is mapped.
    fileprivate static let regionSize: Int32 = 32_768

    // Sendable: the memory is only read here, and other processes write it at any time anyway.
    private let region: UnsafeRawPointer

    fileprivate init(_ region: UnsafeMutableRawPointer) {
        self.region = UnsafeRawPointer(region)
    }

    /// The current header; during a write its two copies differ, so it equals no earlier mark.
    var mark: Mark {
        Mark(
            first: region.loadUnaligned(as: SIMD8<UInt64>.self),
            second: region.loadUnaligned(fromByteOffset: 64, as: SIMD4<UInt64>.self)
        )
    }

    struct Mark: Equatable {
        fileprivate let first: SIMD8<UInt64>
        fileprivate let second: SIMD4<UInt64>
    }
}
