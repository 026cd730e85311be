internal import Foundation

extension CodableCache {
    /// The outcomes of a retry of records in quarantine.
    public struct QuarantineReport: Equatable, Sendable, Codable {
        /// The outcome of one record.
        public enum Outcome: String, Hashable, Sendable, Codable {
            /// The migrations converted it, and it is in the store.
            case converted
            /// A migration dropped it by design, and it is gone.
            case dropped
            /// A step could not convert it. It is still in quarantine, with the new reason.
            case failed
            /// It was converted, but another value has its key. It is still in quarantine.
            case keyExists
            /// It could not be tried, for the given reason. It is still in quarantine, unchanged.
            case notTried
        }

        /// A record that was retried.
        public struct Entry: Equatable, Sendable, Codable {
            /// The record's id in quarantine.
            public var id: Int64
            /// The record's key in quarantine.
            public var key: String
            /// The record's type name in quarantine.
            public var typeName: String
            /// The outcome of the record.
            public var outcome: Outcome
            /// The record's new key, when the migrations changed it.
            public var newKey: String?
            /// The reason why it could not be converted this time.
            public var failure: MigrationReport.RecordFailure?
            /// The reason why it was not tried.
            public var reason: String?
        }

        /// The records, in the order in which they were quarantined.
        public var entries: [Entry] = []

        /// Returns the number of records with an outcome.
        public func count(of outcome: Outcome) -> Int {
            entries.count { $0.outcome == outcome }
        }
    }
}

extension CodableCache.QuarantineReport: CustomStringConvertible {
    /// The counts, then a line for each record that is still in quarantine, without values.
    public var description: String {
        let outcomes: [CodableCache.QuarantineReport.Outcome] = [.converted, .dropped, .failed, .keyExists, .notTried]
        let summary = outcomes.map { ($0, count(of: $0)) }.filter { $0.1 > 0 }.map { "\($0.1) \($0.0.text)" }
        var lines = ["quarantine: " + (summary.isEmpty ? "nothing to try" : summary.joined(separator: ", "))]
        for entry in entries where ![.converted, .dropped].contains(entry.outcome) {
            let newKey = entry.newKey.map { ", which would be \"\($0)\"" } ?? ""
            let why = (entry.failure?.description ?? entry.reason).map { ": \($0)" } ?? ""
            let record = "\"\(entry.key)\" of type \(entry.typeName) (id \(entry.id))\(newKey)"
            lines.append(ErrorSummary.oneLine("  \(entry.outcome.text): \(record)\(why)"))
        }
        return lines.joined(separator: "\n")
    }
}

extension CodableCache.QuarantineReport.Outcome {
    fileprivate var text: String {
        switch self {
        case .converted: "converted"
        case .dropped: "dropped"
        case .failed: "failed"
        case .keyExists: "with a key that is taken"
        case .notTried: "not tried"
        }
    }
}
