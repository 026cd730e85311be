public import MoltCore

/// How settings are moved from one suite to another.
public enum SuiteMove {
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
    public enum Afterwards: Hashable, Sendable {
        /// They stay, for extensions and older releases.
        case keep
        /// They are removed, after the copy was read back from disk. What lost a conflict stays.
        case clean
    }

    /// A sign that a suite can be read, and is not only seen as empty.
    ///
    /// Settings are protected until a device was unlocked once after it was started; before that they read as empty. A
    /// suite that reads as empty though its file is there, or though it had settings after an earlier migration, is not
    /// trusted in any case. So most apps need no canary.
    public struct Canary: Sendable {
        let words: String
        let sign: Sign

        /// What is looked at.
        enum Sign: Sendable {
            case none
            case key(String)
            case when(@Sendable () -> Bool)
        }

        /// Trust what is seen.
        public static let none = Canary(words: "none", sign: .none)

        /// Wait until the source has a key, one that every earlier release has set at its first start.
        ///
        /// When the destination has it, there is nothing to wait for, either: set it there when the app knows that
        /// it was installed anew, as at the end of a welcome screen.
        public static func key(_ key: String) -> Canary {
            Canary(words: "the key \"\(key)\"", sign: .key(key))
        }

        /// Wait until a closure says true, as for `UIApplication.shared.isProtectedDataAvailable`.
        ///
        /// It is called on the thread that opens the store, each time before the migration would run.
        ///
        /// - Parameters:
        ///   - words: What is waited for, as a noun.
        ///   - isAlive: Says whether it is there.
        public static func when(_ words: String, _ isAlive: @escaping @Sendable () -> Bool) -> Canary {
            Canary(words: words, sign: .when(isAlive))
        }

        /// Why what is seen in a suite cannot be trusted yet; nil when it can.
        ///
        /// - Parameter suites: The suite, and where its settings may have been moved to.
        func reasonToWait(_ suites: Suite...) throws -> String? {
            let isAlive =
                switch sign {
                case .none: true
                case .key(let key): try suites.contains { try SuiteDomain($0).read()[key] != nil }
                case .when(let isAlive): isAlive()
                }
            return isAlive
                ? nil : "The settings in \(suites[0]) may not be readable yet: the migration waits for \(words)."
        }
    }
}

// What fingerprints are made of: it stays the same in all releases of Molt.

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
    /// Which keys are moved.
    public struct Keys: Sendable {
        /// What fingerprints are made of.
        let identity: [String]
        /// The keys that were named one by one; nil when others may be meant, too.
        let list: [String]?
        let includes: @Sendable (String) -> Bool

        /// All keys of the suite's own domain, but those that the system keeps there for itself.
        ///
        /// Those are what begins with `com.apple.`, as the settings that a device management delivers; what AppKit
        /// keeps, as `NSWindow Frame main`; and the languages and formats that were chosen for the app. Name them with
        /// ``only(_:)`` to move them all the same.
        public static let all = Keys(identity: ["all"], list: nil) { !isOfSystem($0) }

        /// These keys, those of the system too.
        public static func only(_ keys: [String]) -> Keys {
            var seen: Set<String> = []
            let list = keys.filter { seen.insert($0).inserted }
            return Keys(identity: ["only"] + list, list: list) { [seen] in seen.contains($0) }
        }

        /// All keys, as ``all`` has it, but these.
        public static func except(_ keys: [String]) -> Keys {
            let excepted = Set(keys)
            return Keys(identity: ["except"] + excepted.sorted(), list: nil) { key in
                !isOfSystem(key) && !excepted.contains(key)
            }
        }

        /// The keys for which a closure says true, which is asked of those of the system, too.
        ///
        /// - Parameters:
        ///   - words: Which ones these are; they are for who reads the code.
        ///   - includes: Says whether a key is moved. It must say the same at each opening.
        public static func matching(_ words: String, _ includes: @escaping @Sendable (String) -> Bool) -> Keys {
            Keys(identity: ["matching"], list: nil, includes: includes)
        }

        /// Whether a key is one that the system writes into an app's own domain.
        private static func isOfSystem(_ key: String) -> Bool {
            if key.hasPrefix("com.apple.") || chosenForApp.contains(key) { return true }
            // The prefix of AppKit and a word, as in "NSSplitView": an app's own "NSFWFilter" is none.
            let next = key.utf8.dropFirst(2).prefix(2).map { UInt8($0) }
            return key.hasPrefix("NS") && next.count == 2
                && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(next[0])
                && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next[1])
        }

        /// What the system's settings keep for one app; no prefix tells them from an app's own, as `AppleUserID`.
        private static let chosenForApp: Set<String> = [
            "AppleLanguages", "AppleLocale", "AppleKeyboards", "ApplePasscodeKeyboards", "AppleTextDirection",
            "AppleInterfaceStyle", "AppleMeasurementUnits", "AppleMetricUnits", "AppleTemperatureUnit",
            "AppleFirstWeekday", "AppleCollationOrder", "AppleShowScrollBars", "AppleAccentColor",
        ]
    }
}

extension Migration {
    /// Has the migration wait for a sign that settings can be read, besides what the system tells of itself.
    ///
    /// ```swift
    /// .defaultsV4ToV5(to: 1, suite: .standard, keys: [.tags]).waiting(for: .key("firstLaunch"), in: .standard)
    /// ```
    /// Until then it is deferred, with all others that work on the same suites. It is no part of the migration's
    /// fingerprint, and may be changed after the migration has shipped.
    ///
    /// - Parameters:
    ///   - canary: The sign.
    ///   - suite: The suite that it is looked for in; it is a fault of the registry when the migration does not work on
    ///     it.
    public func waiting(for canary: SuiteMove.Canary, in suite: Suite) -> Migration {
        waiting(for: suite) { attached in try canary.reasonToWait(attached(suite.attachedName) as? Suite ?? suite) }
    }
}
