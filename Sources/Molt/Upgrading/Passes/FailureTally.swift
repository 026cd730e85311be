/// The records that an upgrade or a backfill could not convert, checked against the limits.
final class FailureTally {
    /// The scope of a limit: a migration, or a step with its own policy.
    private struct Scope: Hashable {
        var migration: String
        var step: Int?
    }

    struct Failures {
        fileprivate let limit: FailurePolicy.Limit
        fileprivate let first: MoltError
        fileprivate(set) var count = 0
    }

    /// The maximum number of records of one step in the report.
    private static let listLimit = 1_000

    /// The policy for steps without their own.
    private let policy: FailurePolicy
    private var failures: [Scope: Failures] = [:]
    /// The settings that could not be converted.
    private var settings: [Scope: Failures] = [:]
    /// The first failed records of each step.
    private var records: [ScheduledStep.ID: [MigrationReport.FailedRecord]] = [:]

    init(_ policy: FailurePolicy) {
        self.policy = policy
    }

    /// Whether a record could not be converted.
    var hasRecords: Bool { !failures.isEmpty }

    /// Counts and lists a record that failed.
    ///
    /// - Parameters:
    ///   - record: The record as it would be quarantined.
    ///   - failure: The reason for the report.
    ///   - error: The step's error, with its location.
    ///   - total: The number of records that the limit's migration or step processes.
    /// - Returns: What the step's policy does with the record.
    /// - Throws: ``MoltError`` with the code `tooManyFailures` if the limit is exceeded.
    func add(
        _ record: Record,
        _ failure: MigrationReport.RecordFailure,
        _ error: MoltError,
        at step: ScheduledStep,
        of total: @autoclosure () throws -> Int
    ) throws -> MigrationReport.FailedRecord.Outcome {
        let failed = count(error, at: step)
        guard !failed.limit.isExceeded(by: failed.count) else {
            // The step's type may have gained records of other types.
            let recordCount = max(failed.count, try total())
            throw tooMany(failed, "\(failed.count) of \(recordCount) records could not be converted so far")
        }
        return list(record, failure, at: step)
    }

    /// Counts a record that failed; ``check(_:_:steps:atMost:)`` compares the number with the limits.
    ///
    /// - Returns: The failures with the same limit.
    @discardableResult
    func count(_ error: MoltError, at step: ScheduledStep) -> Failures {
        count(error, at: step, in: &failures)
    }

    private func count(_ error: MoltError, at step: ScheduledStep, in failures: inout [Scope: Failures]) -> Failures {
        let scope = Scope(migration: step.migration.name, step: step.onFailure == nil ? nil : step.number)
        var failed = failures[scope] ?? Failures(limit: (step.onFailure ?? policy).limit ?? 0, first: error.underPolicy)
        failed.count += 1
        failures[scope] = failed
        return failed
    }

    /// Lists a record that was counted.
    ///
    /// - Returns: What the step's policy does with the record.
    @discardableResult
    func list(
        _ record: Record,
        _ failure: MigrationReport.RecordFailure,
        at step: ScheduledStep
    ) -> MigrationReport.FailedRecord.Outcome {
        let outcome = (step.onFailure ?? policy).outcome
        if records[step.id]?.count ?? 0 < Self.listLimit {
            records[step.id, default: []].append(MigrationReport.FailedRecord(record, outcome, failure))
        }
        return outcome
    }

    /// Counts a setting that could not be converted.
    ///
    /// - Throws: ``MoltError`` with the code `tooManyFailures` if there are more than the limit's count. Its share is
    ///   one of records.
    func count(setting error: MoltError, at step: ScheduledStep) throws {
        let failed = count(error, at: step, in: &settings)
        guard failed.limit.isExceeded(by: failed.count) else { return }
        throw tooMany(failed, "\(failed.count) settings could not be converted so far")
    }

    func records(of step: ScheduledStep) -> [MigrationReport.FailedRecord] {
        records[step.id] ?? []
    }

    /// Checks the limits when a migration has ended.
    ///
    /// - Parameters:
    ///   - counts: The counts of the migration.
    ///   - steps: The counts of its steps.
    ///   - records: The maximum number of distinct records that a migration can have read.
    /// - Throws: ``MoltError`` with the code `tooManyFailures`.
    func check(
        _ migration: Migration,
        _ counts: MigrationReport.Counts,
        steps: [MigrationReport.Counts],
        atMost records: @autoclosure () throws -> Int = .max
    ) throws {
        for step in [nil] + steps.indices.map({ $0 as Int? }) {
            guard let failed = failures[Scope(migration: migration.name, step: step)] else { continue }
            let total = min(step.map { steps[$0].read } ?? counts.read, try records())
            guard failed.limit.isExceeded(by: failed.count) || failed.limit.isExceeded(by: failed.count, of: total)
            else { continue }
            throw tooMany(failed, "\(failed.count) of \(total) records could not be converted")
        }
    }

    /// - Parameter problem: The part that could not be converted, in words.
    private func tooMany(_ failed: Failures, _ problem: String) -> MoltError {
        failed.first.leading(
            to: .tooManyFailures,
            "\(problem), and the limit is \(failed.limit).",
            advice: "This error describes the first failure; its cause is the underlying error. Correct the step, or "
                + "raise the limit."
        )
    }
}
