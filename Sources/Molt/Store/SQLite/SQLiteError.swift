internal import CMoltSQLite
internal import Foundation

/// A failure that SQLite reports: a result code and a message, never a bound value.
package struct SQLiteError: Error, Equatable, Sendable {
    /// The primary result code, such as 13 for a full disk.
    package let resultCode: Int32
    /// The extended result code, such as 778 for a failed write.
    let extendedCode: Int32
    /// SQLite's message.
    package let message: String
    /// The system's error number when it refused to read, write or open a file; 0 otherwise.
    let systemCode: Int32

    /// - Parameters:
    ///   - extendedCode: The extended result code; its low byte is the primary code.
    ///   - systemCode: The system's error number; 0 for none.
    init(extendedCode: Int32, message: String, systemCode: Int32 = 0) {
        self.resultCode = extendedCode & 0xFF
        self.extendedCode = extendedCode
        self.message = message
        self.systemCode = systemCode
    }
}

extension SQLiteError: ValueFreeError {
    package var number: Int32? { resultCode }

    /// The codes and SQLite's message.
    package var description: String {
        let system = systemCode == 0 ? "" : ", system \(systemCode)"
        return "SQLite \(resultCode) (\(extendedCode)\(system)): \(message)"
    }
}

extension SQLiteError {
    static let short = SQLiteError(extendedCode: SQLITE_NOTADB, message: "the file is too short for a database")

    package static let busy = SQLiteError(extendedCode: SQLITE_BUSY, message: "database is locked")

    /// An update found fewer rows than were read earlier in the same transaction.
    static let lostRows = damage("rows are missing that were read before")
    package static let disorder = damage("rows are out of order")
    static let wrongRow = damage("an index leads to the row of another key")
    static let missingRow = damage("a row is missing that an index names")
    static let unequalIndex = damage("a table and its index have different numbers of rows")
    static let malformedReplaces = damage("a row of the ledger does not tell which migrations it replaces")
    static let missingTypeName = damage("the name of a type is missing")
    static let sharedTypeName = damage("two types have the same name")
    static let malformedKey = damage("a key is not text")
    /// The journal has changes for an attached store whose name is missing.
    static let missingStoreName = damage("a row of the journal does not name its suite")
    /// The header of a damaged file has another page size than all releases write.
    static let wrongPageSize = damage("the page size is wrong")

    private static func damage(_ message: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_CORRUPT, message: message)
    }

    /// An intact file cannot get the pages of another one.
    static let otherPageSize = SQLiteError(
        extendedCode: SQLITE_MISMATCH,
        message: "the two files have different page sizes"
    )

    /// The file is no longer at its path; SQLite itself checks that only before writing a rollback journal.
    package static let moved = SQLiteError(
        extendedCode: SQLITE_READONLY | (4 << 8),
        message: "attempt to write a file that has moved"
    )

    /// The app has suspended its access to stores.
    static let suspended = SQLiteError(extendedCode: SQLITE_ABORT, message: "access to stores is suspended")

    /// SQLITE_IOERR_VNODE, from Apple's SQLite only: the open file was linked, renamed or removed.
    static let changedVnode = SQLITE_IOERR | 27 << 8

    /// Whether another connection holds the lock.
    ///
    /// SQLITE_PROTOCOL means that this connection lost the race for a lock too often.
    var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(resultCode) }
    @inline(never)
    var isDamage: Bool { (resultCode == SQLITE_CORRUPT && !isUnsafeSchema) || resultCode == SQLITE_NOTADB }
    /// Whether the schema uses a function that SQLite bars from untrusted schemas, for example in an index.
    ///
    /// SQLite 3.40 counts `json_extract` among them; newer releases do not.
    @inline(never)
    var isUnsafeSchema: Bool {
        resultCode == SQLITE_CORRUPT && message.hasPrefix("malformed database schema (")
            && message.contains(" - unsafe use of ")
    }
    /// Whether a failed commit may be on disk all the same: a system call failed, and not for lack of space.
    var mayBeCommitted: Bool { resultCode == SQLITE_IOERR && !isFull && !isAtLimit }
    /// Whether a statement was interrupted at its deadline.
    package var isInterruption: Bool { resultCode == SQLITE_INTERRUPT }
    package var isConstraint: Bool { resultCode == SQLITE_CONSTRAINT }

    /// Whether space ran out; SQLite itself recognizes only one of the system's error codes for that.
    var isFull: Bool {
        switch resultCode {
        case SQLITE_FULL: true
        case SQLITE_IOERR, SQLITE_CANTOPEN: systemCode == ENOSPC || systemCode == EDQUOT
        default: false
        }
    }
    /// Whether SQLite may have failed to create the file that holds the locks of readers.
    var mayBeWithoutLockFile: Bool {
        resultCode == SQLITE_CANTOPEN || resultCode == SQLITE_READONLY || isFull || isShared
    }
    /// Whether the file that readers and writers share could not be opened, enlarged or mapped.
    private var isShared: Bool {
        // SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE and SQLITE_IOERR_SHMMAP.
        [18, 19, 21].contains { extendedCode == SQLITE_IOERR | $0 << 8 }
    }
    var isAtLimit: Bool { resultCode == SQLITE_IOERR && systemCode == EFBIG }

    /// The explanation when the system refuses a file for another reason than its permissions.
    static let refusal = (
        problem: "The system refuses the file, as iOS refuses a protected file while the device is locked.",
        advice: "Try again when it is unlocked."
    )

    /// What went wrong, and what to do, in full sentences.
    var explanation: (problem: String, advice: String?) {
        switch resultCode {
        case _ where self == .moved:
            ("The file was removed, moved or replaced while it was open.", "Open the store again.")
        case _ where self == .suspended:
            ("The app has suspended its access to stores.", "Try again after `StoreAccess.resume()`.")
        case _ where isFull:
            ("The disk is full.", "Free some space, and try again.")
        case _ where isAtLimit:
            (
                "The file has reached the largest size that its volume or this process allows.",
                "Raise the limit, or remove records, and try again."
            )
        case _ where systemCode == EPERM:
            Self.refusal
        case _ where isUnsafeSchema:
            (
                "The file has an index, or something else in its schema, that Molt did not make, and SQLite refuses it: \(message).",
                "Remove it with any SQLite tool, as with DROP INDEX."
            )
        case SQLITE_IOERR:
            ("The disk cannot be read or written.", "Check the device, then open the store again.")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            ("The file is damaged.", Self.rescue)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            ("The file cannot be written.", "Check the permissions of the file and of its directory.")
        case SQLITE_CANTOPEN:
            (
                "The file, or one beside it, cannot be opened.",
                "Check the permissions of its directory, and that its volume is not full." + FileProtection.advice
            )
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
            ("Another process is writing the file.", "Try again, or allow more time.")
        case SQLITE_INTERRUPT:
            ("The deadline has passed.", nil)
        case SQLITE_TOOBIG:
            ("A key or content is larger than SQLite can hold.", nil)
        default:
            ("The statement failed: \(message).", nil)
        }
    }

    /// What to do about a damaged file.
    static let rescue =
        "Restore a backup with `CacheFile.restore(_:)`, or save what can be read: add the product MoltSalvage, "
        + "and call `CacheFile.salvage()`. `CacheFile.startAfresh()` sets the file aside, and starts "
        + "with an empty cache."
}

/// Runs a closure, and throws an error of SQLite as one of a store.
func withErrors<Value>(of store: String, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as SQLiteError { throw MoltError(error, store: store) }
}

extension MoltError {
    /// Whether a commit that failed may be on disk.
    var mayBeCommitted: Bool { (underlying as? SQLiteError)?.mayBeCommitted ?? false }

    /// Creates the error for a failure of SQLite in a cache file.
    package init(_ error: SQLiteError, store: String) {
        let code: Code =
            switch error.resultCode {
            case _ where error == .moved: .fileReplaced
            case _ where error == .suspended: .suspended
            case _ where error.isInterruption: .deadlinePassed
            case _ where error.isFull: .storeFailed
            case _ where error.isUnsafeSchema: .foreignFile
            case _ where error.isBusy: .busy
            case SQLITE_READONLY: .readOnly
            case SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN: .noPermission
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_TOOBIG: .tooLarge
            default: .storeFailed
            }
        switch code {
        case .suspended:
            self = .suspended()
            self.store = store
        case .deadlinePassed:
            self = .deadlinePassed
            (self.store, underlying) = (store, error)
        case .notADatabase:
            self.init(
                code,
                "The file at \(store) is not a SQLite database, or its beginning is damaged.",
                advice: "If it was never a cache, choose another path. Otherwise r\(SQLiteError.rescue.dropFirst())",
                outcome: .unchanged,
                store: store,
                underlying: error
            )
        default:
            let (problem, advice) = error.explanation
            self.init(
                code,
                "The cache at \(store) cannot be used. \(problem)",
                advice: advice,
                outcome: [.fileReplaced, .foreignFile].contains(code) ? .unchanged : nil,
                store: store,
                underlying: error
            )
        }
    }
}
