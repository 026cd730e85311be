/// How settings are moved from one suite to another.
public enum SuiteMove {
    /// Which keys are moved.
    public struct Keys: Sendable {
        let words: String
        /// The keys that were named one by one; nil when others may be meant, too.
        let list: [String]?
        let includes: @Sendable (String) -> Bool

        /// All keys of the suite's own domain, but those that the system keeps there for itself.
        ///
        /// Those begin with `Apple`, `NS` or `com.apple.`: the languages that were chosen for the app, the settings
        /// that a device management delivers, which come to the standard settings only.
        public static let all = Keys(words: "all", list: nil) { key in
            !["Apple", "NS", "com.apple."].contains { key.hasPrefix($0) }
        }

        /// These keys, whatever they begin with.
        public static func only(_ keys: [String]) -> Keys {
            let set = Set(keys)
            return Keys(words: "only \(keys.joined(separator: ", "))", list: keys) { set.contains($0) }
        }

        /// All keys, as ``all`` has it, but these.
        public static func except(_ keys: [String]) -> Keys {
            let set = Set(keys)
            return Keys(words: "all but \(keys.joined(separator: ", "))", list: nil) { key in
                all.includes(key) && !set.contains(key)
            }
        }

        /// The keys for which a closure says true.
        ///
        /// - Parameter words: Which ones these are, as the migration declares it.
        public static func matching(_ words: String, _ includes: @escaping @Sendable (String) -> Bool) -> Keys {
            Keys(words: words, list: nil, includes: includes)
        }
    }

    /// Which value stays when both suites have one under a key, and the two are not the same.
    public enum Conflict: Hashable, Sendable {
        /// The one that is at the new place: it is what newer code has written.
        case destinationWins
        /// The one that is moved.
        case sourceWins
        /// The one of the suite that was written last.
        ///
        /// Settings do not say when they were written, so the app must have kept a date, or a number that grows, in
        /// both suites under the key given. A suite without one is the older one; of equals the destination wins.
        case newest(by: String)
    }

    /// What becomes of the values at the old place.
    public enum Source: Hashable, Sendable {
        /// They stay, for extensions and older releases.
        case keep
        /// They are removed, after the copy was read back from disk. What lost a conflict stays.
        case clean
    }

    /// How the migration knows that it sees the source as it is, and not as empty because it cannot be read yet.
    ///
    /// Settings are protected until a device was unlocked once after it was started; before that they read as empty. A
    /// source that had something after an earlier migration and now has nothing is not trusted in any case.
    public struct Canary: Sendable {
        let words: String
        /// Says whether what is seen can be trusted: the keys of the source and of the destination.
        let isAlive: @Sendable (_ source: Set<String>, _ destination: Set<String>) throws -> Bool

        /// Trust what is seen.
        public static let none = Canary(words: "none") { _, _ in true }

        /// Wait until the source has a key, one that every earlier release has set at its first start.
        ///
        /// When the destination has it, there is nothing to wait for, either: set it there when the app knows that
        /// it was installed anew, as at the end of a welcome screen.
        public static func key(_ key: String) -> Canary {
            Canary(words: "the key \(key)") { $0.contains(key) || $1.contains(key) }
        }

        /// Wait until a closure says true, as for `UIApplication.shared.isProtectedDataAvailable`.
        ///
        /// - Parameter words: What is waited for, as a noun.
        public static func when(_ words: String, _ isAlive: @escaping @Sendable () throws -> Bool) -> Canary {
            Canary(words: words) { _, _ in try isAlive() }
        }
    }
}
