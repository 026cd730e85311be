/// Why a record could not be converted, and where; it never holds a value.
public struct RecordFailure: Hashable, Sendable, Codable {
    /// The migration that could not convert it.
    public var migration: MigrationID
    /// The step of that migration.
    public var step: MigrationError.StepPosition
    /// The first step of the migration that is not done to the record, counted from 1.
    ///
    /// The record is as it was before that step. It is 1 unless a block comes before the step that failed.
    public var firstStep: Int
    /// What kind of failure it was.
    public var code: MigrationError.Code
    /// What was wrong, in words; an error of the app's by its type only.
    public var reason: String
    /// The property that it was about.
    public var property: String?

    /// Creates a failure.
    public init(
        migration: MigrationID,
        step: MigrationError.StepPosition,
        firstStep: Int,
        code: MigrationError.Code,
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

    /// Takes what an error says that values have no part in.
    init(_ error: MigrationError, in migration: Migration, step: Int, firstStep: Int) {
        self.migration = migration.id
        self.step = MigrationError.StepPosition(number: step + 1, words: migration.steps[step].description)
        self.firstStep = firstStep + 1
        code = error.code
        // That of a closure's error says only what became of the upgrade.
        let cause = error.code == .stepFailed ? error.underlying : nil
        reason = cause.map { ErrorSummary.oneLine(ErrorSummary.line(of: $0)) } ?? ErrorSummary.oneLine(error.message)
        property = error.property
    }
}

extension RecordFailure: CustomStringConvertible {
    /// The migration, the step, the kind of failure and the reason.
    public var description: String {
        let place = property.map { ", property \"\($0)\"" } ?? ""
        return ErrorSummary.oneLine(
            "migration \(migration), step \(step.number) (\(step.words))\(place): \(code): \(reason)"
        )
    }
}

extension MigrationReport {
    /// A record that a step could not convert, and that did not stop the upgrade.
    public struct FailedRecord: Hashable, Sendable, Codable {
        /// What became of it.
        public enum Outcome: String, Hashable, Sendable, Codable {
            /// It was set aside.
            case quarantined
            /// It was deleted, as the policy says.
            case dropped
        }

        /// Its key before the migration.
        public var key: String
        /// Its type name before the migration.
        public var type: String
        /// What became of it.
        public var outcome: Outcome
        /// What kind of failure it was.
        public var code: MigrationError.Code
        /// What was wrong, in words; an error of the app's by its type only.
        public var reason: String
        /// The property that it was about.
        public var property: String?

        init(key: String, type: String, outcome: Outcome, _ failure: RecordFailure) {
            self.key = key
            self.type = type
            self.outcome = outcome
            code = failure.code
            reason = failure.reason
            property = failure.property
        }
    }

    /// The records that could not be converted, migration by migration; of each step the first 1 000.
    public var failedRecords: [FailedRecord] {
        entries.flatMap { $0.steps.flatMap(\.failedRecords) }
    }
}
