/// Why a record is in quarantine.
package enum QuarantineCause: Equatable, Sendable {
    /// A migration could not convert it.
    case migration(MigrationReport.RecordFailure)
    /// A value was written over it that had its type, which could not read it.
    case write(OverwrittenRecord)

    /// The problem in words, and the property that it is about.
    package var reason: String {
        switch self {
        case .migration(let failure): failure.reason
        case .write(let record): record.reason
        }
    }

    /// The migration that could not convert it; nil if a write quarantined it.
    package var failure: MigrationReport.RecordFailure? {
        if case .migration(let failure) = self { failure } else { nil }
    }
}

/// What is known of a record that was quarantined before another value was written over it.
package struct OverwrittenRecord: Equatable, Sendable {
    /// The last migration that it has been through, in the order of the ledger; nil if the store had none.
    package var last: MigrationID?
    /// Why its type could not read it, without values.
    package var reason: String
}

extension QuarantineCause: CustomStringConvertible {
    /// The migration, the step, the kind of failure and the reason; or the reason and that a write quarantined it.
    package var description: String {
        switch self {
        case .migration(let failure): failure.description
        case .write(let record):
            ErrorSummary.oneLine("overwritten: \(MoltError.Code.unreadableContent): \(record.reason)")
        }
    }
}

extension MoltError {
    /// The error for a record that is in quarantine.
    init(_ cause: QuarantineCause, key: String, type: String) {
        switch cause {
        case .migration(let failure): self.init(failure, key: key, type: type)
        case .write(let record): self.init(.unreadableContent, record.reason, key: key, type: type)
        }
    }
}

extension QuarantineCause {
    /// The values of the columns of a failure, in the order of ``QuarantineTable/failureColumns``.
    ///
    /// For a write, they say that the record has been through a migration to the end of its steps, and that none
    /// failed: the number of the step is 0. So a retry goes on after that migration.
    var columns: [any SQLiteValue] {
        switch self {
        case .migration(let failure):
            failure.columns
        case .write(let record):
            [
                record.last?.name ?? "", record.last?.version ?? 0, Self.largestNumber, 0, "",
                MoltError.Code.unreadableContent.rawValue, record.reason, String?.none,
            ]
        }
    }

    /// The columns, from one of a row on.
    init(_ row: Statement, from first: Int32) {
        let migration = MigrationID(name: row.text(first), version: Int(clamping: row.integer(first + 1)))
        let (code, reason) = (MoltError.Code(rawValue: row.text(first + 5)), row.text(first + 6))
        guard row.integer(first + 2) != Int64(Self.largestNumber) || row.integer(first + 3) != 0 else {
            self = .write(OverwrittenRecord(last: migration.name.isEmpty ? nil : migration, reason: reason))
            return
        }
        var failure = MigrationReport.RecordFailure(
            migration: migration,
            step: MoltError.StepPosition(number: Int(clamping: row.integer(first + 3)), summary: row.text(first + 4)),
            firstStep: Int(clamping: row.integer(first + 2)),
            code: code,
            reason: reason
        )
        failure.property = row.isNull(first + 7) ? nil : row.text(first + 7)
        self = .migration(failure)
    }

    /// The largest number of a version or a step.
    static let largestNumber = Int(Int32.max)

    /// Whether its numbers can be those of versions and steps; the file may have been edited by others.
    var isSound: Bool {
        switch self {
        case .migration(let failure):
            [failure.migration.version, failure.firstStep, failure.step.number]
                .allSatisfy { 1...Self.largestNumber ~= $0 }
        case .write(let record): record.last.map { 1...Self.largestNumber ~= $0.version } ?? true
        }
    }
}
