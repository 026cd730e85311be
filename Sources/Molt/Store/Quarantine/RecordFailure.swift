extension MigrationReport {
    /// The reason and location of a failure to convert a record, without values.
    public struct RecordFailure: Equatable, Sendable, Codable {
        /// The migration that could not convert it.
        public var migration: MigrationID
        /// The step that failed.
        public var step: MoltError.StepPosition
        /// The first step of the migration that the quarantined record has not been through, counted from 1.
        ///
        /// The record is stored as it was before that step. It is 1 unless a block comes before the failed step.
        public var firstStep: Int
        /// The kind of failure.
        public var code: MoltError.Code
        /// The reason, in words; an error of the app is named by its type only.
        public var reason: String
        /// The property that the failure is about.
        public var property: String?

        /// Creates a failure.
        public init(
            migration: MigrationID,
            step: MoltError.StepPosition,
            firstStep: Int,
            code: MoltError.Code,
            reason: String,
            property: String? = nil
        ) {
            self.migration = migration
            self.step = step
            self.firstStep = firstStep
            self.code = code
            self.reason = reason
            self.property = property
        }
    }

    /// A record that a step could not convert, and that did not stop the upgrade.
    public struct FailedRecord: Equatable, Sendable, Codable {
        /// The outcome for a failed record.
        public enum Outcome: String, Hashable, Sendable, Codable {
            /// It was quarantined.
            case quarantined
            /// It was deleted according to the policy.
            case dropped
        }

        /// Its key before the migration.
        public var key: String
        /// Its type name before the migration.
        public var type: String
        /// Its outcome.
        public var outcome: Outcome
        /// The kind of failure.
        public var code: MoltError.Code
        /// The reason, in words; an error of the app is named by its type only.
        public var reason: String
        /// The property that the failure is about.
        public var property: String?

        init(_ record: Record, _ outcome: Outcome, _ failure: RecordFailure) {
            key = record.key
            type = record.typeName
            self.outcome = outcome
            code = failure.code
            reason = failure.reason
            property = failure.property
        }
    }

    /// The records that could not be converted, by migration; the first 1 000 of each step.
    public var failedRecords: [FailedRecord] {
        entries.flatMap { $0.steps.flatMap(\.failedRecords) }
    }
}

extension MigrationReport.RecordFailure: CustomStringConvertible {
    /// The migration, the step, the kind of failure and the reason.
    public var description: String {
        let location = property.map { ", property \"\($0)\"" } ?? ""
        return ErrorSummary.oneLine(
            "migration \(migration), step \(step.number) (\(step.summary))\(location): \(code): \(reason)"
        )
    }
}

extension MigrationReport.FailedRecord: CustomStringConvertible {
    /// The outcome, the record and the reason, in one line; never a value.
    public var description: String {
        let location = property.map { ", property \"\($0)\"" } ?? ""
        return ErrorSummary.oneLine("\(outcome.rawValue): \"\(key)\" of type \(type)\(location): \(code): \(reason)")
    }
}
