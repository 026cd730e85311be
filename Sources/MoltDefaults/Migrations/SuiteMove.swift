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
