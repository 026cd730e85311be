/// Options for moving settings into a suite, from another one or from a property list file.
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
    public enum Afterwards: String, Hashable, Sendable {
        // The names of the cases are parts of fingerprints.

        /// They stay, for extensions and older releases.
        case keep
        /// They are removed after the copies were read back from disk; values that lost a conflict stay.
        ///
        /// - Important: On Apple's systems, a service writes settings a little after they are set. A loss of power in
        ///   between can lose the values at both places. To be safe, remove them in a later release instead.
        case clean
    }
}

extension SuiteMove.Conflict {
    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: [String] {
        switch self {
        case .destinationWins: ["destinationWins"]
        case .sourceWins: ["sourceWins"]
        case .newest(let key): ["newest", key]
        }
    }
}

extension SuiteMove.Afterwards {
    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: String {
        switch self {
        case .keep: "keep"
        case .clean: "clean"
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

        /// All keys of the source, except those that the system keeps there.
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

        /// All keys, as ``all`` defines it, except the listed ones and those that begin with one of the prefixes.
        ///
        /// ```swift
        /// .suiteToAppGroup(to: 4, from: .standard, into: group, keys: .except(["launches"], prefixes: ["IABTCF_"]))
        /// ```
        public static func except(_ keys: [String] = [], prefixes: [String] = []) -> Keys {
            let excepted = Set(keys)
            let prefixes = Set(prefixes).sorted()
            let identity = ["except"] + excepted.sorted() + (prefixes.isEmpty ? [] : ["prefixes"] + prefixes)
            return Keys(identity: identity, list: nil) { key in
                !isOfSystem(key) && !excepted.contains(key) && !prefixes.contains { key.hasPrefix($0) }
            }
        }

        /// The keys for which a closure returns true, without the system's, as ``all`` defines them.
        ///
        /// - Parameters:
        ///   - summary: A description of the keys, for readers of the code.
        ///   - includesSystemKeys: Whether the closure is also asked about the system's keys; false by default.
        ///   - includes: Returns whether a key is moved. It must return the same result at each opening.
        public static func matching(
            _ summary: String,
            includesSystemKeys: Bool = false,
            _ includes: @escaping @Sendable (String) -> Bool
        ) -> Keys {
            Keys(identity: ["matching"] + (includesSystemKeys ? ["system"] : []), list: nil) { key in
                (includesSystemKeys || !isOfSystem(key)) && includes(key)
            }
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
