extension MigrationReport {
    /// The result of a step for one key of a suite, or for one file, which counts do not show.
    public struct KeyOutcome: Equatable, Sendable, Encodable {
        /// The result for a key; new cases may be added, so switch over them with a `default`.
        ///
        /// The raw value is the stable name, as in reports.
        public enum Outcome: String, Sendable, Encodable, CustomStringConvertible {
            /// A conversion gave it the new form.
            case converted
            /// It already had the new form, or the same value.
            case alreadyCurrent = "already current"
            /// It has no value; the key may be misspelled.
            case absent
            /// It could not be converted, and is unchanged.
            case notConvertible = "not convertible"
            /// It probably has an old form, and no migration converts it.
            case notNamed = "not named"
            /// A step set it to another value, or changed its content or form.
            case changed
            /// It has another key; the reason names it.
            case renamed
            /// It was removed, by a step or by its policy for failures.
            case removed
            /// The file is now a record of the store.
            case adopted
            /// It was copied to its new location, and is still at the old one.
            case copied
            /// It is now at its new place only: in another suite, or in a record.
            case moved
            /// The value at the new place was kept, the key was not moved, or a step does not name its value or has a
            /// condition that it does not fulfil; the reason says why.
            case kept
            /// It replaced the value at the new location.
            case replaced
            /// The file had expired, and was left behind.
            case expired
            /// It could not be read, and is unchanged; another process may be able to read it.
            ///
            /// An archive of a class that the process does not have is such a value.
            case unreadable

            /// The stable name.
            public var description: String { rawValue }
        }

        /// The suite, file or directory of the key or file.
        public package(set) var store: String
        /// The key, or the file's name.
        public package(set) var key: String
        /// The outcome for the key.
        public package(set) var outcome: Outcome
        /// The reason, if the outcome needs one.
        public package(set) var reason: String?
        /// The location inside the value that the reason is about, such as `[2].name`.
        public package(set) var place: String?

        /// Creates an outcome.
        package init(store: String, key: String, outcome: Outcome, reason: String? = nil, place: String? = nil) {
            self.store = store
            self.key = key
            self.outcome = outcome
            self.reason = reason
            self.place = place
        }
    }
}

extension MigrationReport.KeyOutcome: CustomStringConvertible {
    /// The key, its store, the outcome and the reason, in one line; never a value.
    public var description: String {
        ErrorSummary.oneLine("\"\(key)\" of \(store): \(outcome)" + (reason.map { ": \($0)" } ?? ""))
    }
}
