extension MigrationReport {
    /// The result of a step for one key of a suite, or for one file, which counts do not show.
    public struct KeyOutcome: Equatable, Sendable, Encodable {
        /// The result for a key; new cases may be added, so switch over them with a `default`.
        public struct Outcome: Hashable, Sendable, Encodable, CustomStringConvertible {
            /// The stable name, as in reports.
            public let description: String

            private init(_ name: String) {
                description = name
            }

            /// Writes the stable name.
            public func encode(to encoder: any Encoder) throws {
                try description.encode(to: encoder)
            }

            /// A conversion gave it the new form.
            public static let converted = Outcome("converted")
            /// It already had the new form, or the same value.
            public static let alreadyCurrent = Outcome("already current")
            /// It has no value; the key may be misspelled.
            public static let absent = Outcome("absent")
            /// It could not be converted, and is unchanged.
            public static let notConvertible = Outcome("not convertible")
            /// It probably has an old form, and no migration converts it.
            public static let notNamed = Outcome("not named")
            /// A step set it to another value, or changed its content or form.
            public static let changed = Outcome("changed")
            /// It has another key; the reason names it.
            public static let renamed = Outcome("renamed")
            /// It was removed, by a step or by its policy for failures.
            public static let removed = Outcome("removed")
            /// The file is now a record of the store.
            public static let adopted = Outcome("adopted")
            /// It was copied to its new location, and is still at the old one.
            public static let copied = Outcome("copied")
            /// It is now at its new place only: in another suite, or in a record.
            public static let moved = Outcome("moved")
            /// The value at the new place was kept, the key was not moved, or a step does not name its value; the
            /// reason says why.
            public static let kept = Outcome("kept")
            /// It replaced the value at the new location.
            public static let replaced = Outcome("replaced")
            /// The file had expired, and was left behind.
            public static let expired = Outcome("expired")
            /// It could not be read, and is unchanged; another process may be able to read it.
            ///
            /// An archive of a class that the process does not have is such a value.
            public static let unreadable = Outcome("unreadable")
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
