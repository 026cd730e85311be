extension Suite {
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

        /// Whether the system writes this key into an app's own domain.
        package static func isOfSystem(_ key: String) -> Bool {
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
