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
    static let toWrite = "To write it: \(RecordingMode.variable)=missing swift test"
    static let edited =
        "The content is the same, but migrations were edited since the file was written. Undo the edits of those that "
        + "have shipped. If none has: \(RecordingMode.variable)=all swift test"
    static let removed =
        "The file is of an older version, and was removed. Restore it from version control: devices in the field may hold "
        + "such a store. If it was never checked in, remove its upgraded fixtures, too."
    static let mergedTypes =
        "The file has the conflict markers of a merge. Remove them, and keep all versions of both sides. If both have changed "
        + "a version that has not shipped, keep one of the two, and write it again: \(RecordingMode.variable)=all swift test"
    static let changed =
        "The fixture is of an older version, and is not the one that the upgraded fixture was made from. Restore it from "
        + "version control. Correct an upgrade by a new migration, and add a new case as a new fixture. If neither file "
        + "was ever checked in, remove the upgraded fixture, and record it again."

    /// Advice about a change at the newest version, which may or may not have shipped.
    static func ifNotShipped(_ version: Int) -> String {
        "If version \(version) has shipped, undo the change, or make it a migration to version \(version + 1). If it has "
            + "not, and the new one is right: \(RecordingMode.variable)=all swift test"
    }
}
