/// Where settings are kept: the app's own ones, or those of a named suite.
///
/// ```swift
/// let shared = Suite("group.com.example.app")
/// try shared.set("dark", forKey: "theme")
/// ```
///
/// What is read is the suite's own persistent domain: never registered defaults, launch arguments or the settings of
/// all apps.
public struct Suite: Hashable, Sendable, CustomStringConvertible {
    /// The name that `UserDefaults(suiteName:)` takes; nil for the app's own settings.
    package let name: String?
    /// The suite that this one stands in for, as a test's copy of it; nil for all others.
    private let original: Original?

    /// What attached stores are known by.
    private struct Original: Hashable, Sendable {
        var attachedName: String
        var isAppGroup: Bool
    }

    /// The app's own settings: what `UserDefaults.standard` writes.
    public static let standard = Suite(name: nil)

    /// The settings of a name: of an app group, say.
    ///
    /// A name that cannot be used is an error when the suite is; see ``validate()``.
    public init(_ name: String) {
        self.init(name: name)
    }

    private init(name: String?, original: Original? = nil) {
        self.name = name
        self.original = original
    }

    /// The settings of another name, to be attached under the name of this suite.
    ///
    /// Given to an opening, they take the place of what the registry's steps name.
    package func standIn(named name: String) -> Suite {
        Suite(name: name, original: Original(attachedName: attachedName, isAppGroup: isAppGroup))
    }

    /// The name as it was given, or `standard`.
    public var description: String { name ?? "standard" }

    /// "standard", or "suite" and the name; the same for two suites that keep their settings in one domain.
    public var attachedName: String {
        if let original { return original.attachedName }
        return isSameDomain(as: .standard) ? "standard" : "suite \(self)"
    }

    /// The suite as code names it, which is the same in every process; ``attachedName`` is not.
    var declaredName: String {
        name.map { "suite \($0)" } ?? "standard"
    }

    /// Whether the suite is one that an app shares with its extensions, by its name: every other one is private to each.
    ///
    /// The names of app groups begin with `group.`, or on macOS with the ten characters of a team.
    var isAppGroup: Bool {
        if let original { return original.isAppGroup }
        guard let name, !isSameDomain(as: .standard) else { return false }
        let team = name.prefix { $0 != "." }
        let isTeam =
            team.utf8.count == 10 && team.utf8.count < name.utf8.count
            && team.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        return name.hasPrefix("group.") || isTeam
    }
}
