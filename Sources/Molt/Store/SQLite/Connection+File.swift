internal import CMoltSQLite

/// Raw reads go through SQLite's own layer: closing another descriptor would drop this process's locks.
extension Connection {
    package func fileSize() throws(SQLiteError) -> Int {
        let (file, methods) = try openFile()
        var size: sqlite3_int64 = 0
        let code = methods.xFileSize?(file, &size) ?? SQLITE_CANTOPEN
        guard code == SQLITE_OK else { throw error(code) }
        return Int(clamping: size)
    }

    /// Bytes of the file, zero-filled past its end; nil after a read error.
    package func fileBytes(at offset: Int, _ count: Int) throws(SQLiteError) -> [UInt8]? {
        let (file, methods) = try openFile()
        guard let read = methods.xRead else { throw error(SQLITE_CANTOPEN) }
        var bytes = [UInt8](repeating: 0, count: count)
        let code = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32(count), Int64(offset)) }
        // The second code is SQLITE_IOERR_SHORT_READ, at the end of the file.
        return code == SQLITE_OK || code == SQLITE_IOERR | 2 << 8 ? bytes : nil
    }

    private func openFile() throws(SQLiteError) -> (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) {
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &pointer)
        guard code == SQLITE_OK, let file = pointer, let methods = file.pointee.pMethods?.pointee else {
            throw error(code == SQLITE_OK ? SQLITE_CANTOPEN : code)
        }
        return (file, methods)
    }
}
