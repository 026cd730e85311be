/// What happens to a record that a step cannot convert.
///
/// That is a record for which a step's closure throws, whose content is no JSON text, or that a step of Molt cannot
/// change: a property is missing or taken, a value has another type. What is not about a single record always stops the
/// upgrade: a store that fails, two records with the same key, a cancellation.
///
/// A closure may run up to three times for a record that it cannot convert, to find out what the record was before the
/// migration: a second time with all steps, and those before the migration a third time. Meanwhile it may run for other
/// records on another thread. It must give the same result each time, and share nothing that is not safe to share; when
/// it gives another result, the upgrade stops.
///
/// ```swift
/// Migration(to: 2, "split-full-name", .convert("Person", from: PersonV1.self, to: PersonV2.self) { old in
///     try PersonV2(old)
/// }.onFailure(.quarantine(upTo: 20)))
/// ```
public enum RecordFailurePolicy: Hashable, Sendable {
    /// The upgrade stops and is rolled back; the error names the record.
    case stop
    /// The record is set aside as it was before the migration, and the upgrade goes on, up to a limit.
    ///
    /// It is not seen by reads any more. It can be listed, tried again with a release that can convert it, or put back.
    case quarantine(upTo: Limit = .standard)
    /// The record is deleted, up to a limit.
    ///
    /// - Important: The records are gone when the upgrade is committed.
    case drop(upTo: Limit = .standard)

    /// How many records one migration may fail to convert before the upgrade stops after all, and is rolled back.
    ///
    /// The policy of an opening counts for each migration by itself, that of a step for the step. The upgrade stops
    /// with the first record that is one too many; whether a share is kept to is known when the migration ends.
    public struct Limit: Hashable, Sendable, ExpressibleByIntegerLiteral {
        /// How many records at most; nil for any number.
        ///
        /// Fewer than none count as none.
        public var count: Int?
        /// Which share of the records that the migration, or the step, looks at, from 0 to 1; nil for all of them.
        ///
        /// A record that a block visits twice counts once. Less than 0, and what is no number, counts as 0.
        public var share: Double?

        /// Creates a limit; both parts of it must be kept to.
        public init(count: Int? = nil, share: Double? = nil) {
            self.count = count
            self.share = share
        }

        /// Creates a limit of a number of records.
        public init(integerLiteral count: Int) {
            self.init(count: count)
        }

        /// 100 records, and no more than half of them: a step that fails for more is most probably wrong itself.
        public static let standard = Limit(count: 100, share: 0.5)
        /// Any number of records.
        public static let none = Limit()

        /// Whether so many records are too many, however many there are in all.
        func isExceeded(by failed: Int) -> Bool {
            count.map { failed > $0 } ?? false
        }

        /// Whether so many records of so many are too many.
        func isExceeded(by failed: Int, of total: Int) -> Bool {
            guard let share else { return false }
            // 0.29 of 100 is a little less than 29 in binary. What is no number allows nothing.
            let allowed = share.isNaN ? 0 : share * Double(total) + Double(total) * 1e-9
            return Double(failed) > allowed
        }
    }

    /// How many records are too many; nil when one is.
    var limit: Limit? {
        switch self {
        case .stop: nil
        case .quarantine(let limit), .drop(let limit): limit
        }
    }
}

extension RecordFailurePolicy.Limit: CustomStringConvertible {
    /// The limit in words.
    public var description: String {
        let percent = share.map { "\(($0 * 1000).rounded() / 10) %".replacing(".0 %", with: " %") }
        let parts = [count.map(String.init), percent].compactMap(\.self)
        return parts.isEmpty ? "any number" : parts.joined(separator: " and ")
    }
}
