internal import Foundation

/// A file of a catalog, identified by its name.
struct CatalogFile: Hashable, Sendable {
    /// The version of the release that wrote the store.
    let fixtureVersion: Int
    /// The fixture's name after the version.
    let name: String
    /// The version of an upgraded fixture; nil for the store of a release.
    let target: Int?

    /// The name of the file with the properties of the app's types.
    static let types = "types.json"

    /// The name of the file with what has shipped.
    static let seals = "seals.json"

    /// The name of the fixtures that are written from samples.
    static let samples = "samples"

    init(fixtureVersion: Int, name: String, target: Int? = nil) {
        self.fixtureVersion = fixtureVersion
        self.name = name
        self.target = target
    }

    /// Parses the name of a file; nil if it is that of no fixture.
    init?(path: String) {
        guard path.hasSuffix(".json") else { return nil }
        var stem = path.dropLast(".json".count)
        if let at = stem.lastIndex(of: "@") {
            guard let version = Self.version(stem[stem.index(after: at)...]) else { return nil }
            target = version
            stem = stem[..<at]
        } else {
            target = nil
        }
        guard let dash = stem.firstIndex(of: "-"), let version = Self.version(stem[..<dash]) else { return nil }
        fixtureVersion = version
        name = String(stem[stem.index(after: dash)...])
        guard Self.isName(name) else { return nil }
    }

    /// The version that the file belongs to: for an upgraded fixture, the version it was upgraded to.
    var version: Int { target ?? fixtureVersion }

    /// Whether `verify` can write it from other files and the samples.
    var isDerived: Bool { target != nil || name == Self.samples }

    /// The fixture that an upgraded fixture was made from, or the fixture itself.
    var fixture: CatalogFile { CatalogFile(fixtureVersion: fixtureVersion, name: name) }

    var path: String {
        let stem = "\(fixtureVersion)-\(name)"
        return target.map { "\(stem)@\($0).json" } ?? "\(stem).json"
    }

    /// Whether a string is a valid fixture name, which becomes part of a file name.
    static func isName(_ text: String) -> Bool {
        guard let first = text.first, first.isLetter || first.isNumber else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || "-_. ".contains($0) } && text.last != " "
    }

    static func requireName(_ text: String) throws {
        guard !isName(text) else { return }
        throw TestingError(
            .unsuitable,
            "\"\(text)\" cannot be the name of a fixture. Use letters, digits, -, _, . and spaces."
        )
    }

    private static func version(_ text: Substring) -> Int? {
        // "01" is refused, because it would be a second name for "1".
        guard let version = Int(text), version >= 0, String(version) == text else { return nil }
        return version
    }
}

/// What to do about a file that is missing or differs.
enum RecordingAdvice {
    static let toWrite = "To write it: \(RecordingMode.missing.command)"
    static let toCheck = "Look at what was written, and then: \(RecordingMode.never.command)"
}

/// Commands that restore files of a catalog from version control.
extension FixtureCatalog {
    /// The beginning of a command in the catalog's directory.
    private var git: String { "git -C \(ShellWord(directory.path))" }

    /// The command that prints the last commit in which a file was written.
    private func lastCommit(of path: String) -> String {
        "\(git) log -1 --diff-filter=d --format=%H -- \(ShellWord(path))"
    }

    /// The command that restores a file as it was when it was written last, or when another file was.
    func restoring(_ path: String, asWith other: String? = nil) -> String {
        "\(git) checkout \"$(\(lastCommit(of: other ?? path)))\" -- \(ShellWord(path))"
    }

    /// The command that prints a file as it was when another file was written last.
    func showing(_ path: String, asWith other: String) -> String {
        "\(git) show \"$(\(lastCommit(of: other))):./\(path)\""
    }
}
