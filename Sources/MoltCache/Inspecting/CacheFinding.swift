/// Something wrong that ``CodableCache/verify(at:progress:)-3raic`` has found in a cache file.
public struct CacheFinding: Hashable, Sendable {
    /// The part of the file that a finding is about.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// The pages of the file do not fit together, as SQLite's own check finds.
        case structure
        /// An index does not agree with the records: searches by it miss some, or find others.
        case index
        /// A record lacks its type's name, has a key that is no text, or a time that is no number.
        case record
        /// The content of a record is not JSON text, as it should be.
        case content
        /// The ledger, the journal or another table that Molt keeps beside the records cannot be read.
        case bookkeeping
    }

    /// The part of the file that the finding is about.
    public let kind: Kind
    /// The record's key; nil where it is not about one, or the key cannot be read.
    public let key: String?
    /// The name of the record's type; nil where it is not about one, or the name is lost.
    public let typeName: String?
    /// What was found, in words; never a value.
    public let message: String
}

extension CacheFinding: CustomStringConvertible {
    /// One line: the kind, the record and the message.
    public var description: String {
        let record = key.map { " \"\($0)\"" + (typeName.map { " of type \($0)" } ?? "") } ?? ""
        return "\(kind.rawValue)\(record): \(message)"
    }
}
