extension CodableCache {
    /// A fault that ``CodableCache/verify(at:progress:)-9aj1u`` found in a cache file.
    public struct Finding: Hashable, Sendable {
        /// The part of the file with the fault.
        public enum Kind: String, Hashable, Sendable, Codable {
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

extension CodableCache.Finding: CustomStringConvertible {
    /// One line: the kind, the record and the message.
    public var description: String {
        let record = key.map { " \"\($0)\"" + (typeName.map { " of type \($0)" } ?? "") } ?? ""
        return ErrorSummary.oneLine("\(kind.rawValue)\(record): \(message)")
    }
}
