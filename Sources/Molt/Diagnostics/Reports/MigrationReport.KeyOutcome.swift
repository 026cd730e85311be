extension MigrationReport {
    /// The result of a step for one key of a suite, or for one file, which counts do not show.
    public struct KeyOutcome: Equatable, Sendable, Codable {
        /// The result for a key; new cases may be added, so switch over them with a `default`.
        public struct Outcome: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
            /// The stable name, as in reports.
            public let rawValue: String

            /// The stable name.
            public var description: String { rawValue }

            /// Creates an outcome from its stable name.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// A conversion gave it the new form.
            public static let converted = Outcome(rawValue: "converted")
            /// It already had the new form, or the same value.
            public static let alreadyCurrent = Outcome(rawValue: "already current")
            /// It has no value; the key may be misspelled.
            public static let absent = Outcome(rawValue: "absent")
            /// It could not be converted, and is unchanged.
            public static let notConvertible = Outcome(rawValue: "not convertible")
            /// It probably has an old form, and no migration converts it.
            public static let notNamed = Outcome(rawValue: "not named")
            /// A step set it to another value, or changed its content or form.
            public static let changed = Outcome(rawValue: "changed")
            /// It has another key; the reason names it.
            public static let renamed = Outcome(rawValue: "renamed")
            /// It was removed, by a step or by its policy for failures.
            public static let removed = Outcome(rawValue: "removed")
            /// The file is now a record of the store.
            public static let adopted = Outcome(rawValue: "adopted")
            /// It was copied to its new location, and is still at the old one.
            public static let copied = Outcome(rawValue: "copied")
            /// It is now at its new place only: in another suite, or in a record.
            public static let moved = Outcome(rawValue: "moved")
            /// The value at the new place was kept, the key was not moved, or a step does not name its value; the
            /// reason says why.
            public static let kept = Outcome(rawValue: "kept")
            /// It replaced the value at the new location.
            public static let replaced = Outcome(rawValue: "replaced")
            /// The file had expired, and was left behind.
            public static let expired = Outcome(rawValue: "expired")
            /// It could not be read, and is unchanged; another process may be able to read it.
            ///
            /// An archive of a class that the process does not have is such a value.
            public static let unreadable = Outcome(rawValue: "unreadable")
        }

        /// The attached store or directory of the key or file.
        public var store: String
        /// The key, or the file's name.
        public var key: String
        /// The outcome for the key.
        public var outcome: Outcome
        /// The reason, if the outcome needs one.
        public var reason: String?
        /// The location inside the value that the reason is about, such as `[2].name`.
        public var place: String?

        /// Creates an outcome.
        public init(store: String, key: String, outcome: Outcome, reason: String? = nil, place: String? = nil) {
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
