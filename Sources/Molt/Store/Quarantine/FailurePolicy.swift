/// The policy for a record that a step cannot convert.
///
/// A step fails for a record if its closure throws, if the content is not valid JSON, or if one of Molt's own steps
/// cannot change it: a property is missing or already exists, or a value has another type. Errors that are not about a
/// single record always stop the upgrade: store failures, two records with the same key, cancellation.
///
/// A closure may run up to three times for a record that it cannot convert, because its state before the migration must
/// be computed: the second time as part of all steps, the third time as part of the steps before the migration.
/// Meanwhile it may run for other records on another thread. It must give the same result each time, or the upgrade
/// stops, and must not share state unsafely.
///
/// ```swift
/// Migration(to: 2, "split-full-name", .convert("Person", from: PersonV1.self, to: PersonV2.self) { old in
///     try PersonV2(old)
/// }.onFailure(.quarantine(upTo: 20)))
/// ```
public enum FailurePolicy: Equatable, Sendable {
    /// The upgrade stops and is rolled back; the error names the record.
    case stop
    /// The record is quarantined as it was before the migration, and the upgrade goes on, up to a limit.
    ///
    /// Reads no longer see it. It can be listed, restored, or migrated again by a release that can convert it.
    case quarantine(upTo: Limit = .standard)
    /// The record is deleted, up to a limit.
    ///
    /// - Important: The records are lost when the upgrade is committed.
    case drop(upTo: Limit = .standard)

    /// The number of records that may fail before the upgrade stops and is rolled back.
    ///
    /// The registry's policy applies to each migration separately, a step's policy to that step. The upgrade stops at
    /// the first record above the count; the share is checked at the end of the migration.
    public struct Limit: Equatable, Sendable, ExpressibleByIntegerLiteral {
        /// The maximum number of records; nil for no maximum, and negative numbers count as 0.
        public var count: Int?
        /// The maximum share of the records that the migration or step processes, from 0 to 1; nil for no maximum.
        ///
        /// A record that a block visits twice counts twice, but no more than all records of the store are counted.
        /// Negative values and NaN count as 0.
        public var share: Double?

        /// Creates a limit; both parts apply.
        ///
        /// - Parameters:
        ///   - count: The maximum number of records; no maximum by default.
        ///   - share: The maximum share of the records, from 0 to 1; no maximum by default.
        public init(count: Int? = nil, share: Double? = nil) {
            self.count = count
            self.share = share
        }

        /// Creates a limit on the number of records.
        public init(integerLiteral count: Int) {
            self.init(count: count)
        }

        /// 100 records, and at most half of all: a step that fails for more is probably wrong itself.
        public static let standard = Limit(count: 100, share: 0.5)
        /// Any number of records.
        public static let unlimited = Limit()

        /// Whether a number of failures exceeds the count.
        func isExceeded(by failed: Int) -> Bool {
            count.map { failed > $0 } ?? false
        }

        /// Whether a number of failures exceeds the share.
        func isExceeded(by failed: Int, of total: Int) -> Bool {
            guard let share else { return false }
            // The tolerance allows for rounding: 0.29 of 100 is slightly less than 29 in binary. NaN allows nothing.
            let allowed = share.isNaN ? 0 : share * Double(total) + Double(total) * 1e-9
            return Double(failed) > allowed
        }
    }

    /// What becomes of a failed record, if it does not stop the upgrade.
    var outcome: MigrationReport.FailedRecord.Outcome {
        if case .drop = self { .dropped } else { .quarantined }
    }

    /// Whether an upgrade may go on without the record, or the content of a setting, that an error is about.
    func tolerates(_ error: MoltError) -> Bool { self != .stop && error.isAboutRecord }

    /// The limit; nil if the first failure stops the upgrade.
    var limit: Limit? {
        switch self {
        case .stop: nil
        case .quarantine(let limit), .drop(let limit): limit
        }
    }
}

extension FailurePolicy.Limit: CustomStringConvertible {
    /// The limit as a string.
    public var description: String {
        let percent = share.map { "\(($0 * 1000).rounded() / 10) %".replacing(".0 %", with: " %") }
        let parts = [count.map(String.init), percent].compactMap(\.self)
        return parts.isEmpty ? "any number" : parts.joined(separator: " and ")
    }
}
