/// The records that an upgrade could not convert, checked against the limits.
final class FailureTally {
    /// The scope of a limit: a migration, or a step with its own policy.
    private struct Scope: Hashable {
        var migration: Int
        var step: Int?
    }

    private struct Failures {
        var scope: Scope
        var count = 0
        var records: [MigrationReport.FailedRecord] = []
    }

    /// The maximum number of records of one step in the report.
    private static let listLimit = 1_000

    private let options: MigrationOptions
    /// Indexed by migration and step.
    private var failures: [Int: [Int: Failures]] = [:]
    /// The limits of scopes with failures.
    private var limits: [Scope: RecordFailurePolicy.Limit] = [:]
    private var firsts: [Scope: MigrationError] = [:]

    init(_ options: MigrationOptions) {
        self.options = options
    }

    /// Counts a record.
    ///
    /// - Parameters:
    ///   - record: The record's entry in the report.
    ///   - error: The step's error, with its location.
    ///   - step: The step.
    ///   - total: The number of records that the limit's migration or step processes.
    /// - Throws: ``MigrationError`` with the code `tooManyFailures` if the limit is exceeded.
    func add(
        _ record: MigrationReport.FailedRecord,
        _ error: MigrationError,
        at step: UpgradeSchedule.Step,
        of total: @autoclosure () throws -> Int
    ) throws {
        let scope = note(1, at: step)
        if firsts[scope] == nil { firsts[scope] = error }
        let limit = limits[scope] ?? 0
        let count = count(of: scope)
        guard !limit.isExceeded(by: count) else {
            throw MigrationError.tooManyFailures(
                count,
                // The step's type may have gained records of other types.
                of: max(count, try total()),
                isFinal: false,
                limit,
                firsts[scope]
            )
        }
        if failures[step.migration]?[step.number]?.records.count ?? 0 < Self.listLimit {
            failures[step.migration]?[step.number]?.records.append(record)
        }
    }

    /// The first failed records of a step.
    func records(of step: UpgradeSchedule.Step) -> [MigrationReport.FailedRecord] {
        failures[step.migration]?[step.number]?.records ?? []
    }

    /// Checks the limits that are shares when a migration has ended.
    ///
    /// - Parameter records: The maximum number of distinct records that a migration can have read.
    /// - Throws: ``MigrationError`` with the code `tooManyFailures`.
    func check(
        _ migration: Int,
        _ entry: MigrationReport.Entry,
        atMost records: @autoclosure () throws -> Int
    ) throws {
        guard failures[migration] != nil else { return }
        for step in [nil] + entry.steps.indices.map({ $0 as Int? }) {
            let scope = Scope(migration: migration, step: step)
            guard let limit = limits[scope] else { continue }
            let read = step.map { entry.steps[$0].counts.read } ?? entry.counts.read
            let total = min(read, try records())
            let count = count(of: scope)
            guard limit.isExceeded(by: count, of: total) else { continue }
            var error = MigrationError.tooManyFailures(
                count,
                of: total,
                isFinal: true,
                limit,
                firsts[scope]
            )
            error.migration = entry.migration
            throw error
        }
    }

    private func note(_ count: Int, at step: UpgradeSchedule.Step) -> Scope {
        let scope = Scope(migration: step.migration, step: step.onFailure == nil ? nil : step.number)
        limits[scope] = options.policy(of: step).limit ?? 0
        failures[step.migration, default: [:]][step.number, default: Failures(scope: scope)].count += count
        return scope
    }

    private func count(of scope: Scope) -> Int {
        (failures[scope.migration] ?? [:]).values.reduce(0) { $0 + ($1.scope == scope ? $1.count : 0) }
    }
}

extension MigrationError {
    /// The error for more failures than a limit allows.
    ///
    /// - Parameters:
    ///   - isFinal: Whether all records were processed.
    fileprivate static func tooManyFailures(
        _ failed: Int,
        of total: Int,
        isFinal: Bool,
        _ limit: RecordFailurePolicy.Limit,
        _ first: MigrationError?
    ) -> MigrationError {
        let place =
            first == nil
            ? "" : "This error describes the first failure; its cause is the underlying error. "
        var error = MigrationError(
            .tooManyFailures,
            "\(failed) of \(total) records could not be converted\(isFinal ? "" : " so far"), and the limit is \(limit).",
            nil,
            advice: "\(place)Correct the step, or raise the limit.",
            underlying: first
        )
        error.store = first?.store
        error.migration = first?.migration
        error.step = first?.step
        error.recordKey = first?.recordKey
        error.recordType = first?.recordType
        error.property = first?.property
        return error
    }
}
