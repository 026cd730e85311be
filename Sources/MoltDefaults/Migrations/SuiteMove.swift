public import MoltCore

/// Options for moving settings from one suite to another.
public enum SuiteMove {
    /// The value that wins if both suites have different values under a key.
    public enum Conflict: Hashable, Sendable {
        /// The destination's value, because newer code has written it.
        case destinationWins
        /// The source's value.
        case sourceWins
        /// The value of the suite that was written last.
        ///
        /// Settings have no modification dates, so the app must have kept a date or an increasing number in both suites
        /// under the given key. A suite without one counts as older; if both are equal, the destination wins.
        case newest(by: String)
    }

    /// The treatment of the values in the source after the move.
    public enum Afterwards: Hashable, Sendable {
        /// They stay, for extensions and older releases.
        case keep
        /// They are removed after the copies were read back from disk; values that lost a conflict stay.
        case clean
    }

    /// A sign that a suite can be read, and does not merely appear empty.
    ///
    /// Until a device is first unlocked after a restart, protected settings read as empty. Molt never trusts a suite
    /// that reads as empty although its file exists, or although it had settings after an earlier migration, so most
    /// apps need no canary.
    public struct Canary: Sendable {
        let summary: String
        let sign: Sign

        enum Sign: Sendable {
            case none
            case key(String)
            case when(@Sendable () -> Bool)
        }

        /// No additional check.
        public static let none = Canary(summary: "none", sign: .none)

        /// Waits until the source has a key that every earlier release has set at its first launch.
        ///
        /// If the destination has the key, the wait ends, too. Set it there when the app knows that it is newly
        /// installed, for example at the end of a welcome screen.
        public static func key(_ key: String) -> Canary {
            Canary(summary: "the key \"\(key)\"", sign: .key(key))
        }

        /// Waits until a closure returns true, for example for `UIApplication.shared.isProtectedDataAvailable`.
        ///
        /// The closure is called on the thread that opens the store, each time before the migration would run.
        ///
        /// - Parameters:
        ///   - summary: The awaited condition, as a noun.
        ///   - isAlive: Returns whether the condition holds.
        public static func when(_ summary: String, _ isAlive: @escaping @Sendable () -> Bool) -> Canary {
            Canary(summary: summary, sign: .when(isAlive))
        }

        /// Why the suite's apparent content cannot be trusted yet; nil if it can.
        ///
        /// - Parameter suites: The suite, and the suites that its settings may have been moved to.
        func reasonToWait(_ suites: Suite...) throws -> String? {
            let isAlive =
                switch sign {
                case .none: true
                case .key(let key): try suites.contains { try SuiteDomain($0).read()[key] != nil }
                case .when(let isAlive): isAlive()
                }
            return isAlive
                ? nil : "The settings in \(suites[0]) may not be readable yet: the migration waits for \(summary)."
        }
    }
}

// Parts of fingerprints, which must stay the same in all releases of Molt.

extension SuiteMove.Conflict {
    var identity: [String] {
        switch self {
        case .destinationWins: ["destinationWins"]
        case .sourceWins: ["sourceWins"]
        case .newest(let key): ["newest", key]
        }
    }
}

extension SuiteMove.Afterwards {
    var identity: String {
        switch self {
        case .keep: "keep"
        case .clean: "clean"
        }
    }
}

extension SuiteMove.Canary {
    var identity: [String] {
        switch sign {
        case .none: ["none"]
        case .key(let key): ["key", key]
        case .when: ["when"]
        }
    }
}

extension SuiteMove {
    /// The keys to move.
    public struct Keys: Sendable {
        /// The keys' part of fingerprints.
        let identity: [String]
        /// The keys that are listed explicitly; nil for all and for a predicate.
        let list: [String]?
        let includes: @Sendable (String) -> Bool

        /// All keys of the suite's own domain, except those that the system keeps there.
        ///
        /// System keys are those that begin with `com.apple.`, such as managed settings; those of AppKit, such as
        /// `NSWindow Frame main`; and the languages and formats chosen for the app. To move them, list them with
        /// ``only(_:)``.
        public static let all = Keys(identity: ["all"], list: nil) { !isOfSystem($0) }

        /// The listed keys, including system keys.
        public static func only(_ keys: [String]) -> Keys {
            var seen: Set<String> = []
            let list = keys.filter { seen.insert($0).inserted }
            return Keys(identity: ["only"] + list, list: list) { [seen] in seen.contains($0) }
        }

        /// All keys, as ``all`` defines it, except the listed ones.
        public static func except(_ keys: [String]) -> Keys {
            let excepted = Set(keys)
            return Keys(identity: ["except"] + excepted.sorted(), list: nil) { key in
                !isOfSystem(key) && !excepted.contains(key)
            }
        }

        /// The keys for which a closure returns true, including system keys.
        ///
        /// - Parameters:
        ///   - summary: A description of the keys, for readers of the code.
        ///   - includes: Returns whether a key is moved. It must return the same result at each opening.
        public static func matching(_ summary: String, _ includes: @escaping @Sendable (String) -> Bool) -> Keys {
            Keys(identity: ["matching"], list: nil, includes: includes)
        }

        /// Whether the system writes this key into an app's own domain.
        private static func isOfSystem(_ key: String) -> Bool {
            if key.hasPrefix("com.apple.") || chosenForApp.contains(key) { return true }
            // AppKit's keys continue like "NSSplitView"; an app's own "NSFWFilter" is not one of them.
            let next = key.utf8.dropFirst(2).prefix(2).map { UInt8($0) }
            return key.hasPrefix("NS") && next.count == 2
                && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(next[0])
                && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next[1])
        }

        /// The system's settings for one app; no prefix distinguishes them from an app's own, such as `AppleUserID`.
        private static let chosenForApp: Set<String> = [
            "AppleLanguages", "AppleLocale", "AppleKeyboards", "ApplePasscodeKeyboards", "AppleTextDirection",
            "AppleInterfaceStyle", "AppleMeasurementUnits", "AppleMetricUnits", "AppleTemperatureUnit",
            "AppleFirstWeekday", "AppleCollationOrder", "AppleShowScrollBars", "AppleAccentColor",
        ]
    }
}

extension Migration {
    /// Makes the migration wait for a sign that settings can be read, in addition to the system's own signs.
    ///
    /// ```swift
    /// .defaultsV4ToV5(to: 1, suite: .standard, keys: [.tags]).waiting(for: .key("firstLaunch"), in: .standard)
    /// ```
    /// Until then the migration is deferred, with all others that work on the same suites. The sign is not part of the
    /// migration's fingerprint, and may be changed after the migration has shipped.
    ///
    /// - Parameters:
    ///   - canary: The sign.
    ///   - suite: The suite that is checked; the registry is invalid if the migration does not work on it.
    public func waiting(for canary: SuiteMove.Canary, in suite: Suite) -> Migration {
        waiting(for: suite) { attached in try canary.reasonToWait(attached(suite.attachedName) as? Suite ?? suite) }
    }
}
