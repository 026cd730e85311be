internal import CMoltSQLite
public import Foundation

/// A failure of a cache file, or of a value in it: a code to act on, and a message that says what to do.
///
/// No description of the error contains a value: the underlying error is named by its type only. Keys may be named.
///
/// ```swift
/// do {
///     cache = try CodableCache(at: url)
/// } catch let error as CacheError where error.code == .busy {
///     print(error.message)
/// }
/// ```
public struct CacheError: Error, Sendable {
    /// The kind of failure.
    public var code: Code
    /// The failure, its place and cause, and the remedy, in full sentences.
    public var message: String
    /// The path of the cache file.
    public var path: String?
    /// The key of the record.
    public var key: String?
    /// The type name that the record was written as.
    public var storedType: String?
    /// The type that the caller asked for.
    public var requestedType: String?
    /// The error thrown further down: the error of SQLite, or of a coder.
    ///
    /// - Important: A coder's error may contain a value; keep it out of logs that must not contain users' data.
    public var underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: Full sentences: what happened and what to do. Never a value.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// Creates an error about a file, or about a record in it.
    package init(
        _ code: Code,
        _ message: String,
        path: String,
        key: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.init(code, message, underlying: underlying)
        self.path = path
        self.key = key
    }

    /// The kinds of failure; new ones may be added, so switch over them with a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The code's stable name.
        public let rawValue: String

        /// The code's stable name.
        public var description: String { rawValue }

        /// Creates a code from its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The path leads to a directory, or to something else that is not a regular file.
        public static let notAFile = Code(rawValue: "notAFile")
        /// The process lacks permission to read or create the file or its directory.
        public static let noPermission = Code(rawValue: "noPermission")
        /// The file or its volume is read-only.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The file is not an SQLite database.
        public static let notADatabase = Code(rawValue: "notADatabase")
        /// The database, or something in it or beside it, was not made by Molt.
        public static let foreignFile = Code(rawValue: "foreignFile")
        /// The file has a format that only a newer release of Molt knows.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The content cannot be decoded as the requested type; the stored bytes are kept.
        public static let unreadableContent = Code(rawValue: "unreadableContent")
        /// The value cannot be encoded.
        public static let notEncodable = Code(rawValue: "notEncodable")
        /// Another process held the file longer than the time allowed.
        public static let busy = Code(rawValue: "busy")
        /// Reading or writing failed, for example because the disk is full or the file is damaged.
        public static let storeFailed = Code(rawValue: "storeFailed")
        /// Key and value together exceed SQLite's limit, which is 1 000 000 000 bytes by default.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// There is no file, and the configuration does not allow creating one.
        public static let fileMissing = Code(rawValue: "fileMissing")
        /// A file already exists where a new one was to be created; it was not touched.
        public static let fileExists = Code(rawValue: "fileExists")
        /// The file was removed, moved or replaced while the cache had it open.
        public static let fileReplaced = Code(rawValue: "fileReplaced")
        /// The quarantine has no record with this id.
        public static let notQuarantined = Code(rawValue: "notQuarantined")
        /// A record cannot be put back because its key is in use.
        public static let keyTaken = Code(rawValue: "keyTaken")
        /// The app has suspended its access to stores; see `StoreAccess`.
        public static let suspended = Code(rawValue: "suspended")
        /// The cache was closed.
        public static let closed = Code(rawValue: "closed")
    }
}

extension CacheError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
    /// One line: the code, the message, the context, and the underlying error without its values.
    public var description: String {
        errorText.line
    }

    /// A tree: the code, one line for each known detail, and the underlying error below.
    public var debugDescription: String {
        errorText.tree
    }

    /// The message.
    public var errorDescription: String? { ErrorSummary.oneLine(message) }
}

extension CacheError: CustomReflectable {
    /// The same as the description, so that a dump shows no values either.
    public var customMirror: Mirror { errorText.mirror(of: self) }
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

extension SQLiteError: ValueFreeError, NumberedError {
    package var number: Int32 { resultCode }
}

extension CacheError {
    /// Creates the error for a failure of SQLite in a cache file.
    package init(_ error: SQLiteError, path: String) {
        let code: Code =
            switch error.resultCode {
            case _ where error == .moved: .fileReplaced
            case _ where error == .suspended: .suspended
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
                "The file at \(path) is not a SQLite database, or its beginning is damaged. If it was a cache, "
                    + "restore a backup with CodableCache.restore(_:at:), or save what can be read: add the product "
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
    /// Creates the error for a failure of SQLite during an upgrade.
    init(_ error: SQLiteError, store: String) {
        if error.isInterruption {
            self = .deadlinePassed
            underlying = error
        } else if error == .suspended {
            self = .suspended()
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
