extension MigrationReport {
    /// The reason and location of a failure to convert a record, without values, as a file keeps it.
    package struct RecordFailure: Equatable, Sendable {
        /// The migration that could not convert it.
        package var migration: MigrationID
        package var step: MoltError.StepPosition
        /// The first step of the migration that the quarantined record has not been through, counted from 1.
        ///
        /// The record is stored as it was before that step. It is 1 unless a block comes before the failed step.
        package var firstStep: Int
        /// The kind of failure.
        package var code: MoltError.Code
        /// The reason, in words; an error of the app is named by its type only.
        package var reason: String
        /// The property that the failure is about.
        package var property: String?

        /// Creates a failure.
        package init(
            migration: MigrationID,
            step: MoltError.StepPosition,
            firstStep: Int,
            code: MoltError.Code,
            reason: String
        ) {
            self.migration = migration
            self.step = step
            self.firstStep = firstStep
            self.code = code
            self.reason = reason
        }
    }

    /// A record that a step could not convert, and that did not stop the upgrade.
    public struct FailedRecord: Equatable, Sendable, Encodable {
        /// The outcome for a failed record.
        package enum Outcome: String, Sendable, Encodable {
            /// It was quarantined.
            case quarantined
            /// It was deleted according to the policy.
            case dropped
        }

        /// Its key before the migration.
        public let key: String
        /// Its type name before the migration.
        public let type: String
        package let outcome: Outcome
        /// The kind of failure.
        public let code: MoltError.Code
        /// The reason, in words; an error of the app is named by its type only.
        public let reason: String
        /// The property that the failure is about.
        public let property: String?

        /// Whether it was deleted, as the policy says; otherwise it was quarantined.
        public var isDropped: Bool { outcome == .dropped }

        init(_ record: Record, _ outcome: Outcome, _ failure: RecordFailure) {
            key = record.key
            type = record.typeName
            self.outcome = outcome
            code = failure.code
            reason = failure.reason
            property = failure.property
        }

        /// Writes the record's JSON.
        public func encode(to encoder: any Encoder) throws {
            try encoder.encode([
                "key": key, "type": type, "outcome": outcome, "code": code, "reason": reason, "property": property,
            ])
        }
    }

    /// The records that could not be converted, by migration; the first 1 000 of each step.
    public var failedRecords: [FailedRecord] {
        entries.flatMap { $0.steps.flatMap(\.failedRecords) }
    }
}

extension MigrationReport.RecordFailure: CustomStringConvertible {
    /// The migration, the step, the kind of failure and the reason.
    package var description: String {
        let location = property.map { ", property \"\($0)\"" } ?? ""
        return ErrorSummary.oneLine(
            "migration \(migration), step \(step.number) (\(step.summary))\(location): \(code): \(reason)"
        )
    }
}

extension MoltError {
    /// The error for a record that a migration could not convert.
    init(_ failure: MigrationReport.RecordFailure, key: String, type: String) {
        self.init(
            failure.code,
            failure.reason,
            migration: failure.migration,
            step: failure.step,
            key: key,
            type: type,
            property: failure.property
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
