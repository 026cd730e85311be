internal import Dispatch

extension CacheFile {
    /// Checks the whole file for damage.
    ///
    /// ```swift
    /// for finding in try await CacheFile(at: url).verify() { print(finding) }
    /// ```
    ///
    /// The check covers the structure of the file, the indexes, each record and Molt's own tables; values are not
    /// decoded. It writes nothing and takes no write lock, so other processes may use the file meanwhile. A file with
    /// findings is damaged: restore a backup, or salvage its records with the product MoltSalvage.
    ///
    /// Cancelling the task, for example when a background task's time is over, ends the check.
    ///
    /// - Parameter progress: Called from time to time with the completed share, from 0 to 1.
    /// - Returns: At most 1000 findings; empty when the file is whole.
    /// - Throws: ``MoltError`` with the code `fileMissing` when there is no cache, or with the code for a file that is
    ///   not a cache or is entirely unreadable; `CancellationError`.
    public func verify(progress: (@Sendable (Double) -> Void)? = nil) async throws -> [Finding] {
        try await DispatchQueue(label: "molt.verify").runCancellable { isCancelled in
            try verifyAndWait(progress: progress ?? { _ in }, isCancelled: isCancelled)
        }
    }

    /// Does what ``verify(progress:)`` does on the caller's thread, for a tool or a test.
    package func verifyAndWait(
        progress: @escaping (Double) -> Void = { _ in },
        isCancelled: @escaping () -> Bool = { false }
    ) throws -> [Finding] {
        do throws(MoltError) {
            return try Self.look(path) { connection throws(SQLiteError) in
                var check = CacheVerification(connection, progress: progress, isCancelled: isCancelled)
                try check.run()
                return check.findings
            }
        } catch {
            if (error.underlying as? SQLiteError)?.isInterruption == true { throw CancellationError() }
            throw error
        }
    }

    /// A fault that ``verify(progress:)`` found.
    public struct Finding: Equatable, Sendable {
        /// The part of the file with the fault.
        public enum Kind: String, Sendable {
            /// SQLite's own integrity check found a fault in the pages.
            case structure
            /// An index does not agree with the records: searches by it miss records, or find wrong ones.
            case index
            /// A record lacks its type name, has a key that is not text, or a time that is not a number.
            case record
            /// The content of a record is not valid JSON text.
            case content
            /// The ledger, the journal or another of Molt's own tables cannot be read.
            case bookkeeping
        }

        /// The part of the file with the fault.
        public let kind: Kind
        /// The record's key; nil when the finding is not about a record, or the key cannot be read.
        public let key: String?
        /// The record's type name; nil when the finding is not about a record, or the name is lost.
        public let typeName: String?
        /// A description of the fault; never a value.
        public let message: String
    }
}

extension CacheFile.Finding: CustomStringConvertible {
    /// One line: the kind, the record and the message.
    public var description: String {
        let record = key.map { " \"\($0)\"" + (typeName.map { " of type \($0)" } ?? "") } ?? ""
        return ErrorSummary.oneLine("\(kind.rawValue)\(record): \(message)")
    }
}
