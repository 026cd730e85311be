/// The records that an upgrade could not convert, and whether there are too many of them.
final class FailureTally {
    /// What one limit is about: a migration, or a step with a policy of its own.
    private struct Scope: Hashable {
        var migration: Int
        var step: Int?
    }

    /// The records of one step.
    private struct Failures {
        var scope: Scope
        var count = 0
        var records: [MigrationReport.FailedRecord] = []
    }

    /// How many records of one step the report names.
    private static let listLimit = 1_000

    private let options: MigrationOptions
    /// By migration, then by step.
    private var failures: [Int: [Int: Failures]] = [:]
    /// The limits that are about some failure.
    private var limits: [Scope: RecordFailurePolicy.Limit] = [:]
    /// The first record of each limit.
    private var firsts: [Scope: MigrationError] = [:]
    /// By migration, then by step: how many visits were to records that the step had visited before.
    private var repeated: [Int: [Int: Int]] = [:]

    init(_ options: MigrationOptions) {
        self.options = options
    }

    /// Counts a record.
    ///
    /// - Parameters:
    ///   - record: What the report says of it.
    ///   - error: What the step could not do, with its place.
    ///   - step: The step.
    ///   - total: How many records the limit's migration, or its step, looks at.
    /// - Throws: ``MigrationError`` with the code `tooManyFailures` when it is one too many.
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
                // Records of other types may have been given the one that the step looks at.
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

    /// Takes note of visits of a block to records that it had visited before: they make no share larger.
    func note(repeated count: Int, at step: UpgradeSchedule.Step) {
        repeated[step.migration, default: [:]][step.number, default: 0] += count
    }

    /// The records of a step, the first of them.
    func records(of step: UpgradeSchedule.Step) -> [MigrationReport.FailedRecord] {
        failures[step.migration]?[step.number]?.records ?? []
    }

    /// Looks whether a migration that has ended has kept to its shares.
    ///
    /// - Parameter records: How many records there can be at most of which a migration has seen each.
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
            let repeated = (repeated[migration] ?? [:]).reduce(0) { $0 + (step ?? $1.key == $1.key ? $1.value : 0) }
            let total = min(read - repeated, try records())
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

    /// Adds to what a step could not convert.
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
    /// The error for more records that cannot be converted than are allowed.
    ///
    /// - Parameters:
    ///   - isFinal: Whether all records were looked at.
    fileprivate static func tooManyFailures(
        _ failed: Int,
        of total: Int,
        isFinal: Bool,
        _ limit: RecordFailurePolicy.Limit,
        _ first: MigrationError?
    ) -> MigrationError {
        let place =
            first == nil
            ? "" : "The place is that of the first of them, and what went wrong there is the underlying error. "
        var error = MigrationError(
            .tooManyFailures,
            "\(failed) of \(total) records could not be converted\(isFinal ? "" : " so far"), and the limit is \(limit).",
            .rolledBack,
            advice: "\(place)Correct the step, or allow more.",
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
