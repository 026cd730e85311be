internal import Foundation
public import MoltCore

/// What became of records in quarantine that were tried again.
public struct QuarantineReport: Hashable, Sendable, Codable {
    /// What became of one record.
    public enum Outcome: String, Hashable, Sendable, Codable {
        /// The migrations could convert it, and it is in the store.
        case converted
        /// A migration dropped it, as its code says, and it is gone.
        case dropped
        /// A step could not convert it: it is still in quarantine, with the reason of this time.
        case failed
        /// It could be converted, but another value has its key: it is still in quarantine.
        case keyTaken
        /// It could not be tried, for the reason given: it is still in quarantine, as it was.
        case notTried
    }

    /// A record that was tried again.
    public struct Entry: Hashable, Sendable, Codable {
        /// What it was called in quarantine.
        public var id: Int64
        /// The key that it had there.
        public var key: String
        /// The type name that it had there.
        public var typeName: String
        /// What became of it.
        public var outcome: Outcome
        /// The key that the migrations gave it, when that is another one.
        public var newKey: String?
        /// Why it could not be converted this time.
        public var failure: RecordFailure?
        /// Why it was not tried.
        public var reason: String?
    }

    /// The records, in the order in which they were set aside.
    public var entries: [Entry] = []
    /// How many records blocks of migrations created, and that are in the store now.
    public var created = 0

    /// How many records have an outcome.
    public func count(of outcome: Outcome) -> Int {
        entries.count { $0.outcome == outcome }
    }
}

extension QuarantineReport: CustomStringConvertible {
    /// The counts, then a line for each record that is still in quarantine; no values.
    public var description: String {
        let counts = [
            (count(of: .converted), "converted"), (count(of: .dropped), "dropped"), (created, "created"),
            (count(of: .failed), "failed"), (count(of: .keyTaken), "with a key that is taken"),
            (count(of: .notTried), "not tried"),
        ]
        let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        var lines = ["quarantine: " + (words.isEmpty ? "nothing to try" : words.joined(separator: ", "))]
        for entry in entries where ![.converted, .dropped].contains(entry.outcome) {
            let newKey = entry.newKey.map { ", which would be \"\($0)\"" } ?? ""
            let why = (entry.failure?.description ?? entry.reason).map { ": \($0)" } ?? ""
            let record = "\(entry.id), \"\(entry.key)\" of type \(entry.typeName)\(newKey)"
            lines.append(ErrorSummary.oneLine("  \(entry.outcome.rawValue): \(record)\(why)"))
        }
        return lines.joined(separator: "\n")
    }
}
