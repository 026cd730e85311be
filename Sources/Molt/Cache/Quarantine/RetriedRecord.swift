extension CodableCache {
    /// A record in quarantine that was retried; see ``CodableCache/retryQuarantined(_:with:)``.
    public struct RetriedRecord: Equatable, Sendable, Identifiable {
        /// The outcome of a record.
        public enum Outcome: Sendable {
            /// The migrations converted it, and it is in the store.
            case converted
            /// A migration dropped it by design, and it is gone.
            case dropped
            /// A step hands over the records of its type: it is no longer in quarantine, and waits for the next
            /// opening.
            case handedOver
            /// A step could not convert it. It is still in quarantine, with the new reason.
            case failed
            /// It was converted, but another value has its key. It is still in quarantine.
            case keyExists
            /// It could not be tried, for the given reason. It is still in quarantine, unchanged.
            case notTried
        }

        /// The record's id in quarantine.
        public let id: Int64
        /// The record's key in quarantine.
        public let key: String
        /// The record's type name in quarantine.
        public let typeName: String
        /// The outcome of the record.
        public package(set) var outcome = Outcome.notTried
        /// The record's new key, when the migrations changed it.
        public package(set) var newKey: String?
        /// The reason why it was not tried.
        public package(set) var reason: String?
        var recordFailure: MigrationReport.RecordFailure?

        /// The reason why it could not be converted this time.
        public var failure: MoltError? { recordFailure.map { MoltError($0, key: key, type: typeName) } }

        init(_ record: QuarantinedRecord) {
            (id, key, typeName) = (record.id, record.key, record.typeName)
        }
    }
}

extension CodableCache.RetriedRecord: CustomStringConvertible {
    /// The outcome, the record, and the reason if it is still in quarantine, in one line; never a value.
    public var description: String {
        let outcome =
            switch outcome {
            case .converted: "converted"
            case .dropped: "dropped"
            case .handedOver: "to be handed over"
            case .failed: "failed"
            case .keyExists: "with a key that is in use"
            case .notTried: "not tried"
            }
        let isGone = [.converted, .dropped, .handedOver].contains(self.outcome)
        let newKey = newKey.map { isGone ? ", now \"\($0)\"" : ", which would be \"\($0)\"" } ?? ""
        let why = (recordFailure?.description ?? reason).map { ": \($0)" } ?? ""
        return ErrorSummary.oneLine("\(outcome): \"\(key)\" of type \(typeName) (id \(id))\(newKey)\(why)")
    }
}
