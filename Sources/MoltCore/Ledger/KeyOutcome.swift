/// What a step did with one key of a suite, or with one file: the part of a report that counts would hide.
public struct KeyOutcome: Hashable, Sendable, Codable {
    /// What became of a key; new ones may be added, so switch over them with a `default`.
    public struct Outcome: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The stable text, as a report shows it.
        public let rawValue: String

        /// The stable text.
        public var description: String { rawValue }

        /// Creates an outcome from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// It was converted to the new form.
        public static let converted = Outcome(rawValue: "converted")
        /// It had the new form already.
        public static let alreadyCurrent = Outcome(rawValue: "already current")
        /// There is none.
        public static let absent = Outcome(rawValue: "absent")
        /// It could not be converted, and was left as it was.
        public static let notConvertible = Outcome(rawValue: "not convertible")
        /// It was converted but for parts that were set aside.
        public static let salvaged = Outcome(rawValue: "salvaged")
        /// A step of the app's own has set it.
        public static let changed = Outcome(rawValue: "changed")
        /// It has another key now.
        public static let renamed = Outcome(rawValue: "renamed")
        /// It was removed.
        public static let removed = Outcome(rawValue: "removed")
        /// It was brought into the store from outside.
        public static let adopted = Outcome(rawValue: "adopted")
        /// It was copied to its new place, and is at the old one, too.
        public static let copied = Outcome(rawValue: "copied")
        /// It was brought to its new place, and removed from the old one.
        public static let moved = Outcome(rawValue: "moved")
        /// What was at the new place already was kept.
        public static let kept = Outcome(rawValue: "kept")
        /// It replaced what was at the new place.
        public static let replaced = Outcome(rawValue: "replaced")
        /// It had expired, and was left behind.
        public static let expired = Outcome(rawValue: "expired")
        /// It could not be read, and was left as it was.
        public static let unreadable = Outcome(rawValue: "unreadable")
    }

    /// The attached store or the directory that it is in.
    public var store: String
    /// The key, or the file's name.
    public var key: String
    /// What became of it.
    public var outcome: Outcome
    /// Why, where that is not plain.
    public var reason: String?
    /// Where inside the value, as `[2].name`; the reason is about that part.
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
