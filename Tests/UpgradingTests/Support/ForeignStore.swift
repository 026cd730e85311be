import Foundation
import Molt
import TestSupport
import Testing

/// The database of another library.
struct ForeignStore {
    let scratch: ScratchDirectory
    let url: URL

    /// - Parameter scripts: The names of SQL files among the fixtures.
    init(_ scripts: String..., named name: String = "Old.sqlite") throws {
        scratch = try ScratchDirectory()
        url = scratch.file(name)
        let connection = try SQLite(url)
        for script in scripts { try connection.run(Self.sql(script)) }
    }

    static func sql(_ script: String) throws -> String {
        let file = try #require(
            Bundle.module.url(forResource: script, withExtension: "sql", subdirectory: "Fixtures")
        )
        return try String(contentsOf: file, encoding: .utf8)
    }

    var store: URL { scratch.file("cache.molt") }

    /// Imports into a new store, or into the one that is there.
    func importing(_ steps: MigrationStep..., then later: Migration...) throws -> CodableCache {
        try CodableCache(at: store, migrations: MigrationRegistry([Migration(to: 1, "import", steps: steps)] + later))
    }

    /// The error of an import, which leaves nothing behind.
    func failure(_ step: MigrationStep, sourceLocation: SourceLocation = #_sourceLocation) throws -> MoltError {
        let error = MoltError.thrown(sourceLocation: sourceLocation) {
            try CodableCache(at: store, migrations: [Migration(to: 1, "import", step)])
        }
        #expect((try? CacheFile(at: store).version()) ?? 0 == 0)
        return try #require(error, sourceLocation: sourceLocation)
    }

    /// The contents of a cache's records by their keys.
    func contents(_ cache: CodableCache) throws -> [String: String] {
        cache.close()
        return try Snapshot(of: store).texts
    }
}
