import Foundation
import Molt
import Testing

/// The cache of an app with several releases.
struct BackupScenario {
    let scratch: ScratchDirectory
    var url: URL { scratch.file() }

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// The migrations of a release, each of which changes every record.
    static func registry(_ version: Int, readable: Set<Int> = []) -> MigrationRegistry {
        guard version > 0 else { return MigrationRegistry() }
        return MigrationRegistry(
            (1...version).map { number in
                let step = MigrationStep.addProperty("Person", "added\(number)", default: .int(Int64(number)))
                let migration = Migration(to: number, "add-\(number)", step)
                return readable.contains(number) ? migration.olderReleases(may: .read) : migration
            }
        )
    }

    static func configuration(
        keep: Int = 2,
        _ change: (inout MoltConfiguration) -> Void = { _ in }
    ) -> MoltConfiguration {
        var configuration = MoltConfiguration()
        configuration.backup = BackupPolicy(keep: keep)
        configuration.memory = nil
        change(&configuration)
        return configuration
    }

    /// - Parameter url: Another place of the cache.
    func open(
        _ version: Int,
        _ configuration: MoltConfiguration = BackupScenario.configuration(),
        at url: URL? = nil
    ) throws -> CodableCache {
        try CodableCache(at: url ?? self.url, migrations: Self.registry(version), configuration: configuration)
    }

    /// Opens the cache with a migration that fails after those of a version.
    func failUpgrade(
        from version: Int,
        _ configuration: MoltConfiguration = BackupScenario.configuration()
    ) {
        let failing = Migration(to: version + 1, "fails", .run { _ in throw Refusal() })
        let migrations = MigrationRegistry(Self.registry(version).migrations + [failing])
        MoltError.thrown {
            try CodableCache(at: url, migrations: migrations, configuration: configuration)
        }
    }

    /// Expects that a closure throws this error, and changes neither the cache nor the files beside it.
    @discardableResult
    func expectRefusal<Result>(
        _ code: MoltError.Code,
        says words: String...,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Result
    ) throws -> MoltError? {
        let (before, names) = (try contents, try otherNames())
        let error = MoltError.thrown(sourceLocation: sourceLocation, by: body)
        error?.expect(code, sourceLocation: sourceLocation)
        for word in words { error?.expect(says: word, sourceLocation: sourceLocation) }
        try expectContents(before, sourceLocation: sourceLocation)
        let found = try otherNames()
        #expect(found == names, sourceLocation: sourceLocation)
        return error
    }

    /// Expects that the cache, or another file, is intact and has these contents.
    func expectContents(
        _ contents: StoreContents,
        at url: URL? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let url = url ?? self.url
        let found = try StoreFile.contents(at: url)
        #expect(found == contents, sourceLocation: sourceLocation)
        let damage = try StoreFile.damage(at: url)
        #expect(damage == [], sourceLocation: sourceLocation)
    }

    /// Expects backups at these versions, the newest first.
    func expectBackups(_ versions: Int..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try backups.map(\.version)
        #expect(found == versions, sourceLocation: sourceLocation)
    }

    /// Expects these files, and no others, beside the cache's own ones.
    func expectOtherNames(_ names: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try otherNames()
        #expect(found == names.sorted(), sourceLocation: sourceLocation)
    }

    /// Writes records as a release does, and closes the cache.
    ///
    /// - Parameter ballast: The size of a value that no migration changes, in bytes: copies of a large file have parts.
    func fill(_ version: Int, count: Int = 3, ballast: Int = 0) throws {
        let cache = try open(version, MoltConfiguration())
        try cache.setAll((0..<count).map { (key: "\($0)", value: Person.john) })
        if ballast > 0 { try cache.set(Data(repeating: 7, count: ballast), forKey: "ballast") }
        cache.close()
    }

    /// Removes the cache's own files.
    func removeFiles() {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    }

    var contents: StoreContents {
        get throws { try StoreFile.contents(at: url) }
    }

    var backups: [StoreBackup] {
        get throws { try CacheFile(at: url).backups() }
    }

    /// The names in the directory that are not the cache's own files.
    func otherNames() throws -> [String] {
        try Self.otherNames(beside: url)
    }

    static func otherNames(beside url: URL) throws -> [String] {
        let own = ["", "-wal", "-shm"].map { url.lastPathComponent + $0 }
        let names = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
        return names.filter { !own.contains($0) }.sorted()
    }
}
