internal import CMoltSQLite
public import Foundation
package import MoltCore

/// What went wrong with a cache file or with a value in it: a code to act on and a message that says what to do.
///
/// No description of this error holds a value: `description`, `debugDescription` and `errorDescription` name the
/// underlying error by its type only. Keys may be named.
///
/// ```swift
/// do {
///     cache = try CodableCache(at: url)
/// } catch let error as CacheError where error.code == .busy {
///     print(error.message)
/// }
/// ```
public struct CacheError: Error, Sendable {
    /// What kind of failure it is.
    public var code: Code
    /// What happened, to which thing, why, and what to do, in full sentences.
    public var message: String
    /// The cache, by its file's path.
    public var path: String?
    /// The key of the record.
    public var key: String?
    /// The type name that the record was written as.
    public var storedType: String?
    /// The type that was asked for.
    public var requestedType: String?
    /// What was thrown further down: a ``SQLiteError``, or what a coder threw.
    ///
    /// - Important: A coder's error may hold a value; do not log it where users' data must not go.
    public var underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: What kind of failure it is.
    ///   - message: Full sentences: what happened and what to do. Never a value.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The kinds of failure; new ones may be added, so switch over them with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String

        /// The code's stable text.
        public var description: String { rawValue }

        /// Creates a code from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There is a directory, or something else that is not a file, at the path.
        public static let notAFile = Code(rawValue: "notAFile")
        /// The file, or its directory, may not be read or made.
        public static let noPermission = Code(rawValue: "noPermission")
        /// The file, or its volume, can only be read.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The file is not an SQLite database.
        public static let notADatabase = Code(rawValue: "notADatabase")
        /// The file is a database of another app, or has something in it or beside it that Molt did not make.
        public static let foreignFile = Code(rawValue: "foreignFile")
        /// The file is laid out in a way that only a newer release of Molt knows.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The content cannot be decoded as the type asked for; the stored bytes stay.
        public static let unreadableContent = Code(rawValue: "unreadableContent")
        /// The value cannot be encoded.
        public static let notEncodable = Code(rawValue: "notEncodable")
        /// Another process held the file for longer than the time allowed.
        public static let busy = Code(rawValue: "busy")
        /// Reading or writing failed: disk full, damaged file.
        public static let storeFailed = Code(rawValue: "storeFailed")
        /// The value, with its key, is larger than SQLite can hold: 1 000 000 000 bytes, unless it was built otherwise.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// There is no file, and the configuration says that none is to be made.
        public static let fileMissing = Code(rawValue: "fileMissing")
        /// There is a file already where a new one was to be made; it was not touched.
        public static let fileExists = Code(rawValue: "fileExists")
        /// The file has another name on its volume, a hard link; each name would have a log of its own.
        public static let hardLinked = Code(rawValue: "hardLinked")
        /// The file was removed, moved or replaced while the cache had it open.
        public static let fileReplaced = Code(rawValue: "fileReplaced")
        /// No record in quarantine has the id.
        public static let notQuarantined = Code(rawValue: "notQuarantined")
        /// A record cannot be put back: there is a value under its key.
        public static let keyTaken = Code(rawValue: "keyTaken")
        /// The cache was closed.
        public static let closed = Code(rawValue: "closed")
    }
}

extension CacheError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
    /// One line: the code, the message, the place, and the underlying error without its values.
    public var description: String {
        errorText.line
    }

    /// A tree: the code, then one line for each thing that is known, the underlying error below.
    public var debugDescription: String {
        errorText.tree
    }

    /// The message.
    public var errorDescription: String? { message }
}

extension CacheError: DescribedError {
    package var errorText: ErrorText {
        let details = [("path", path), ("key", key), ("stored type", storedType), ("requested type", requestedType)]
        return ErrorText(
            type: "CacheError",
            code: code.rawValue,
            message: message,
            details: details.compactMap { label, text in text.map { (label: label, text: $0) } },
            underlying: underlying
        )
    }
}

extension SQLiteError: ValueFreeError {}

extension CacheError {
    /// The error for a failure of SQLite in a cache file.
    package init(_ error: SQLiteError, path: String) {
        let code: Code =
            switch error.resultCode {
            case _ where error == .moved: .fileReplaced
            case _ where error.isFull: .storeFailed
            case _ where error.isUnsafeSchema: .foreignFile
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
            case SQLITE_READONLY: .readOnly
            case SQLITE_PERM, SQLITE_AUTH, SQLITE_CANTOPEN: .noPermission
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_TOOBIG: .tooLarge
            default: .storeFailed
            }
        if code == .notADatabase {
            self.init(
                code,
                "The file at \(path) is no SQLite database, or its beginning is damaged. If it was a cache, put a "
                    + "backup in its place with CodableCache.restore(_:at:), or save what can be read: add the product "
                    + "MoltSalvage, and call CodableCache.salvage(at:). CodableCache.startAfresh(at:) keeps it aside and begins "
                    + "with an empty one. Otherwise choose another path. The file was not changed.",
                underlying: error
            )
        } else {
            self.init(code, "The cache at \(path) could not be used. \(error.advice)", underlying: error)
        }
        self.path = path
    }
}

extension MigrationError {
    /// The error for a failure of SQLite during an upgrade.
    init(_ error: SQLiteError, store: String) {
        if error.isInterruption {
            self = .deadlinePassed
            underlying = error
        } else {
            self.init(
                error.isBusy ? .busy : .storeFailed,
                "The store at \(store) could not be upgraded. \(error.advice)",
                underlying: error
            )
        }
        self.store = store
    }
}
