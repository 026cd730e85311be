/// Where settings are kept: the app's own ones, or those of a named suite.
///
/// ```swift
/// let shared = Suite.suite("group.com.example.app")
/// try shared.set("dark", forKey: "theme")
/// ```
///
/// What is read is the suite's own persistent domain: never registered defaults, launch arguments or the settings of
/// all apps.
public struct Suite: Hashable, Sendable, CustomStringConvertible {
    /// The name that `UserDefaults(suiteName:)` takes; nil for the app's own settings.
    package let name: String?

    /// The app's own settings: what `UserDefaults.standard` writes.
    public static let standard = Suite(name: nil)

    /// The settings of a name: of an app group, say.
    ///
    /// A name that cannot be used is an error when the suite is; see ``validate()``.
    public static func suite(_ name: String) -> Suite {
        Suite(name: name)
    }

    private init(name: String?) {
        self.name = name
    }

    /// The name as it was given, or `standard`.
    public var description: String { name ?? "standard" }
}
