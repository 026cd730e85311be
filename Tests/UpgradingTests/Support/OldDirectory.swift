import Foundation
import Molt
import MoltTesting
import TestSupport

/// A directory as Cache 7 left it, and a store that is opened at the time at which the files were written.
struct OldDirectory {
    let scratch: ScratchDirectory
    let url: URL
    /// The files of the directory in the archive.
    let archived: [DirectoryFixture.File]

    /// 2026-11-21T07:44:54Z, in seconds since 1970.
    static let time = 1_795_247_094.0
    /// The modification date that Cache sets for entries without an expiry, in nanoseconds since 1970.
    static let never: Int64 = 2_144_448_000_000_000_000

    /// - Parameter name: The directory's name in the archive; nil for an empty directory.
    init(_ name: String? = nil) throws {
        scratch = try ScratchDirectory()
        url = scratch.file("Floppy")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        guard let name else {
            archived = []
            return
        }
        guard let resource = Bundle.module.url(forResource: "cache-7", withExtension: "tar", subdirectory: "Fixtures")
        else { throw CocoaError(.fileNoSuchFile) }
        let directory = try DirectoryFixture(tar: resource, directory: "fixture/\(name)")
        try directory.write(to: url)
        archived = directory.files
    }

    var store: URL { scratch.file() }

    func write(_ content: String, for key: String, modified: Int64 = never) throws {
        try UpgradingTests.write(Data(content.utf8), to: file(key), modified: modified)
    }

    /// The file of a key without a path extension.
    func file(_ key: String) -> URL {
        url.appendingPathComponent(MD5.hexadecimal(of: key.utf8))
    }

    func adoption(
        _ keys: CacheDirectory.Keys,
        _ type: @escaping @Sendable (String) -> CacheDirectory.Content = { _ in "Person" },
        onConflict policy: ConflictPolicy<CacheDirectory> = .keep,
        removingSource: Bool = false,
        strict: Bool = false
    ) -> Migration {
        .adoptCacheDirectory(
            to: 1,
            directory: CacheDirectory(at: url, keys: keys, type: type),
            onConflict: policy,
            removingSource: removingSource,
            strict: strict
        )
    }

    /// Stores a text, as a release before the adoption.
    func set(_ text: String, forKey key: String) throws {
        let cache = try open()
        defer { cache.close() }
        try cache.set(text, forKey: key)
    }

    func open(_ migrations: Migration..., configure: (inout MoltConfiguration) -> Void = { _ in })
        throws -> CodableCache
    {
        var configuration = MoltConfiguration()
        configuration.now = { Date(timeIntervalSince1970: Self.time) }
        configure(&configuration)
        return try CodableCache(at: store, migrations: MigrationRegistry(migrations), configuration: configuration)
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path) }
    }

    /// The files of the directory, with their contents and dates.
    func contents() throws -> Set<DirectoryFixture.File> {
        try Set(
            names.map { name in
                let path = url.appendingPathComponent(name).path
                guard let status = FileStatus.unfollowed(path) else { throw CocoaError(.fileReadUnknown) }
                let content = FileManager.default.contents(atPath: path) ?? Data()
                return DirectoryFixture.File(name, content, modified: status.modified)
            }
        )
    }
}

/// Writes or replaces a file, and sets its modification date, in nanoseconds since 1970.
func write(_ content: Data, to url: URL, modified: Int64) throws {
    try? FileManager.default.removeItem(at: url)
    try FileTime.write(content, to: url, modified: modified)
}

/// The keys with which the archive's directory Floppy was written.
enum FloppyKeys {
    static let people = (0..<100).map { "person-\($0)" }
    static let others = [
        "expired", "in1h", "photo.json", "https://example.com/a/b.png?x=1", "ünïcode ключ 🔑", "int", "string", "bool",
        "date", "dataCodable", "array", "optnil", "raw",
    ]
    static let all = people + others

    /// The type names under which the tests adopt the keys.
    @Sendable static func type(_ key: String) -> CacheDirectory.Content {
        switch key {
        case "int": .value("Int")
        case "string": .value("String")
        case "bool": .value("Bool")
        case "date": .value("Date")
        case "dataCodable": .value("Data")
        case "array": .value("Array<Friend>")
        case "optnil": .value("Optional<Int>")
        case "raw": .data
        default: .value("Friend")
        }
    }
}

/// The type of most values in the archive.
struct Friend: Codable, Equatable, Sendable {
    var id: Int
    var fullName: String
    var bio: String
    var age: Int
    var score: Double
    var city: String
    var email: String
    var active: Bool

    init(_ id: Int) {
        self.id = id
        fullName = "First\(id) Last\(id)"
        bio = "Lorem ipsum dolor sit amet, consectetur adip \(id % 10)"
        age = id % 90
        score = Double(id) / 2
        city = "City\(id % 50)"
        email = "user\(id)@example.com"
        active = id.isMultiple(of: 2)
    }
}
