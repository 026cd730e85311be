internal import CMoltSQLite
internal import MoltCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// What SQLite said: a result code and its words, never a bound value.
package struct SQLiteError: Error, Hashable, Sendable {
    /// The primary result code, such as 13 for a full disk.
    package let resultCode: Int32
    /// The extended result code, such as 778 for a failed write.
    package let extendedCode: Int32
    /// SQLite's own words.
    package let message: String
    /// Why the system refused to read, write or open a file, as its error number; 0 when it did not.
    package let systemCode: Int32

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - extendedCode: The primary code is its low byte.
    ///   - systemCode: The system's error number; 0 for none.
    package init(extendedCode: Int32, message: String, systemCode: Int32 = 0) {
        self.resultCode = extendedCode & 0xFF
        self.extendedCode = extendedCode
        self.message = message
        self.systemCode = systemCode
    }
}

extension SQLiteError: CustomStringConvertible {
    /// The codes and SQLite's own words.
    package var description: String {
        let system = systemCode == 0 ? "" : ", system \(systemCode)"
        return "SQLite \(resultCode) (\(extendedCode)\(system)): \(message)"
    }
}

extension SQLiteError {
    /// A file has not even the first page of a database.
    static let short = SQLiteError(extendedCode: SQLITE_NOTADB, message: "the file is too short for a database")

    /// Another connection held the lock for too long.
    package static let busy = SQLiteError(extendedCode: SQLITE_BUSY, message: "database is locked")

    /// A value of ours cannot be given to SQLite.
    static let misuse = SQLiteError(extendedCode: SQLITE_MISUSE, message: "a value cannot be written")

    /// An update found fewer rows than were read before in the same transaction.
    static let lostRows = SQLiteError(extendedCode: SQLITE_CORRUPT, message: "rows are missing that were read before")

    /// The ids of a table do not grow from row to row.
    static let disorder = SQLiteError(extendedCode: SQLITE_CORRUPT, message: "rows are out of order")

    /// A table and an index of it do not have the same number of rows.
    static let unequalCounts = SQLiteError(
        extendedCode: SQLITE_CORRUPT,
        message: "an index has not as many rows as its table"
    )

    /// An index has other entries than its table, or has them out of order.
    static func wrongIndex(_ fault: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_CORRUPT, message: fault)
    }

    /// A row was found by an index, and has another key than the index says.
    static let wrongRow = SQLiteError(extendedCode: SQLITE_CORRUPT, message: "an index leads to the row of another key")

    /// A row was found by an index, and is not there.
    static let missingRow = SQLiteError(extendedCode: SQLITE_CORRUPT, message: "a row is missing that an index names")

    /// Changes are waiting for an attached store, and nothing says for which one.
    static let namelessStore = SQLiteError(
        extendedCode: SQLITE_CORRUPT,
        message: "the name of an attached store is missing"
    )

    /// The file is not at its path any more; SQLite itself only looks when it writes a rollback journal.
    package static let moved = SQLiteError(
        extendedCode: SQLITE_READONLY | (4 << 8),
        message: "attempt to write a file that has moved"
    )

    /// Whether another connection holds the lock.
    ///
    /// SQLite says that the locking protocol failed when many others came first, again and again.
    var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(resultCode) }
    /// Whether the file is damaged, or no database at all.
    package var isDamage: Bool { (resultCode == SQLITE_CORRUPT && !isUnsafeSchema) || resultCode == SQLITE_NOTADB }
    /// Whether the schema has something, as an index, with a function that SQLite lets nobody else's schema call.
    ///
    /// SQLite 3.40 counts `json_extract` among these; newer releases do not.
    var isUnsafeSchema: Bool {
        resultCode == SQLITE_CORRUPT && message.hasPrefix("malformed database schema (")
            && message.contains(" - unsafe use of ")
    }
    /// Whether what was to be committed may be on disk all the same: a call failed, and not for want of room.
    var mayBeCommitted: Bool { resultCode == SQLITE_IOERR && !isFull && !isAtLimit }
    /// Whether a statement was stopped because the time was over.
    package var isInterruption: Bool { resultCode == SQLITE_INTERRUPT }
    /// Whether two rows would have had the same key.
    package var isConstraint: Bool { resultCode == SQLITE_CONSTRAINT }

    /// Whether there is no room for what was to be written; SQLite only takes one of the system's reasons for that.
    var isFull: Bool {
        switch resultCode {
        case SQLITE_FULL: true
        case SQLITE_IOERR, SQLITE_CANTOPEN: systemCode == ENOSPC || systemCode == EDQUOT
        default: false
        }
    }
    /// Whether the file has come to the largest size that it may have.
    var isAtLimit: Bool { resultCode == SQLITE_IOERR && systemCode == EFBIG }

    /// What a person can do about it.
    var advice: String {
        switch resultCode {
        case _ where self == .moved:
            "The file was removed, moved or replaced while it was open. Nothing was written. Open the store again."
        case _ where isFull:
            "The disk is full. Free some space, and try again."
        case _ where isAtLimit:
            "There is no room: the file has come to the largest size that its volume, or this process, allows. Allow more, "
                + "or remove records, and try again."
        case _ where isUnsafeSchema:
            "The file has an index, or something else in its schema, that Molt did not make, and SQLite refuses it: \(message). "
                + "Remove it with any SQLite tool, as with DROP INDEX. The file was not changed."
        case SQLITE_IOERR:
            "The disk could not be read or written. Check the device, then open the store again."
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            "The file is damaged. Put a backup in its place with CodableCache.restore(_:at:), or save what can be read: add "
                + "the product MoltSalvage, and call CodableCache.salvage(at:). CodableCache.startAfresh(at:) keeps the file "
                + "aside and begins with an empty one."
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            "The file cannot be written. Check the permissions of the file and of its directory."
        case SQLITE_CANTOPEN:
            "The file, or one beside it, cannot be opened. Check the permissions of its directory, and that its volume is "
                + "not full."
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            "Another process is writing the file. Try again, or allow more time."
        case SQLITE_INTERRUPT:
            "The deadline has passed."
        case SQLITE_TOOBIG:
            "A key or content is larger than SQLite can hold."
        default:
            "The statement failed: \(message)."
        }
    }
}
