/// The records that an upgrade could not convert, and whether there are too many of them.
final class FailureTally {
    /// What one limit is about: a migration, or a step with a policy of its own.
    private struct Scope: Hashable {
        var migration: Int
        var step: Int?
    }

    /// What was counted for one limit.
    private struct Count {
        var failed = 0
        var limit: RecordFailurePolicy.Limit
        /// The error for the first record.
        var first: MigrationError
    }

    /// How many records of one step the report names.
    private static let listLimit = 1_000

    private let options: MigrationOptions
    private var counts: [Scope: Count] = [:]
    /// By migration, then by step.
    private var records: [Int: [Int: [MigrationReport.FailedRecord]]] = [:]

    init(_ options: MigrationOptions) {
        self.options = options
    }

    /// Counts a record.
    ///
    /// - Parameters:
    ///   - record: What the report says of it.
    ///   - error: What the step could not do, with its place.
    ///   - step: The step.
    ///   - total: How many records there are to look at.
    /// - Throws: ``MigrationError`` with the code `tooManyFailures` when it is one too many.
    func add(
        _ record: MigrationReport.FailedRecord,
        _ error: MigrationError,
        at step: UpgradeSchedule.Step,
        of total: @autoclosure () throws -> Int
    ) throws {
        let scope = scope(of: step)
        let limit = options.policy(of: step).limit ?? 0
        var count = counts[scope] ?? Count(limit: limit, first: error)
        count.failed += 1
        guard !limit.isExceeded(by: count.failed) else {
            throw MigrationError.tooManyFailures(count.failed, of: try total(), isFinal: false, limit, count.first)
        }
        counts[scope] = count
        if records[step.migration]?[step.number]?.count ?? 0 < Self.listLimit {
            records[step.migration, default: [:]][step.number, default: []].append(record)
        }
    }

    /// The records of a step, the first of them.
    func records(of step: UpgradeSchedule.Step) -> [MigrationReport.FailedRecord] {
        records[step.migration]?[step.number] ?? []
    }

    /// Looks whether a migration that has ended has kept to its shares.
    ///
    /// - Throws: ``MigrationError`` with the code `tooManyFailures`.
    func check(_ migration: Int, _ entry: MigrationReport.Entry) throws {
        guard records[migration] != nil else { return }
        let scopes = [nil] + entry.steps.indices.map { $0 as Int? }
        for step in scopes {
            guard let count = counts[Scope(migration: migration, step: step)] else { continue }
            let total = step.map { entry.steps[$0].counts.read } ?? entry.counts.read
            guard count.limit.isExceeded(by: count.failed, of: total) else { continue }
            throw MigrationError.tooManyFailures(count.failed, of: total, isFinal: true, count.limit, count.first)
        }
    }

    private func scope(of step: UpgradeSchedule.Step) -> Scope {
        Scope(migration: step.migration, step: step.onFailure == nil ? nil : step.number)
    }
}

extension MigrationError {
    /// The error for more records that cannot be converted than are allowed.
    ///
    /// - Parameter isFinal: Whether all records were looked at.
    fileprivate static func tooManyFailures(
        _ failed: Int,
        of total: Int,
        isFinal: Bool,
        _ limit: RecordFailurePolicy.Limit,
        _ first: MigrationError
    ) -> MigrationError {
        var error = MigrationError(
            .tooManyFailures,
            "\(failed) of \(total) records could not be converted\(isFinal ? "" : " so far"), and the limit is \(limit). "
                + "The upgrade was rolled back. The place is that of the first of them, and what went wrong there is the "
                + "underlying error. Correct the step, or allow more.",
            underlying: first
        )
        error.store = first.store
        error.migration = first.migration
        error.step = first.step
        error.recordKey = first.recordKey
        error.recordType = first.recordType
        error.property = first.property
        return error
    }
}
