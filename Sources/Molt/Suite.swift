/// A domain of settings: the app's own, or that of a named suite.
///
/// ```swift
/// let shared = Suite("group.com.example.app")
/// try shared.set("dark", forKey: "theme")
/// ```
///
/// Reads see only the suite's own persistent domain, never registered defaults, launch arguments or the global
/// domain.
public struct Suite: Hashable, Sendable, CustomStringConvertible {
    /// The name for `UserDefaults(suiteName:)`; nil for the app's own settings.
    package let name: String?
    /// The suite that this one replaces, for example in a test; nil for all others.
    private let original: Original?
    /// The settings of a suite that is stored nowhere and only read; nil for all others.
    let content: [String: PropertyListValue]?

    /// The properties of the original suite that attached stores are known by.
    private struct Original: Hashable, Sendable {
        var attachedName: String
        var isAppGroup: Bool
    }

    /// The app's own settings, which `UserDefaults.standard` accesses.
    public static let standard = Suite(name: nil)

    /// The settings of a named suite, such as an app group.
    ///
    /// An invalid name is reported when the suite is used, with the code ``MoltError/Code/invalidSuite``.
    public init(_ name: String) {
        self.init(name: name)
    }

    /// The suite of a name for `UserDefaults(suiteName:)`, or the app's own settings.
    init(name: String?) {
        self.init(name: name, original: nil)
    }

    private init(name: String?, original: Original?, content: [String: PropertyListValue]? = nil) {
        self.name = name
        self.original = original
        self.content = content
    }

    /// A suite of another name that is attached under the name of this suite.
    ///
    /// If it is attached when a store opens, it replaces the suite that the registry's steps name.
    package func standIn(named name: String) -> Suite {
        Suite(name: name, original: Original(attachedName: attachedName, isAppGroup: isAppGroup))
    }

    /// A suite with some settings that is attached under the name of this suite, and can only be read.
    ///
    /// - Parameter content: The settings, and the ledger.
    func standIn(with content: [String: PropertyListValue]) -> Suite {
        Suite(name: name, original: original, content: content)
    }

    /// The suite's name, or `standard`.
    public var description: String { name ?? "standard" }

    /// "standard", or "suite" and the name; equal for suites that share a domain.
    @inline(never)
    package var attachedName: String {
        if let original { return original.attachedName }
        return isSameDomain(as: .standard) ? "standard" : "suite \(self)"
    }

    /// Whether it is the standard suite of this process, and stands in for no other one.
    var isOwn: Bool { original == nil && content == nil && isSameDomain(as: .standard) }

    /// The suite's name in code, which is the same in every process, unlike ``attachedName``.
    var declaredName: String {
        name.map { "suite \($0)" } ?? "standard"
    }

    /// Whether the suite, or the one that it replaces, is an app group, which an app shares with its extensions.
    var isAppGroup: Bool {
        original?.isAppGroup ?? hasGroupName
    }

    /// Whether the suite's name is that of an app group.
    ///
    /// The names of app groups begin with `group.`, or on macOS with a team identifier of ten characters.
    var hasGroupName: Bool {
        guard let name, !isSameDomain(as: .standard) else { return false }
        let team = name.prefix { $0 != "." }
        let isTeam =
            team.utf8.count == 10 && team.utf8.count < name.utf8.count
            && team.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        return name.hasPrefix("group.") || isTeam
    }
}
