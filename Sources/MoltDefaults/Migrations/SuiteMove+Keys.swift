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
