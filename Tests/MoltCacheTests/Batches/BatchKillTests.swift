import Foundation
import MoltCache
import MoltCore
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A kill in the middle of a migration that commits in batches")
struct BatchKillTests {
    private let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// Every opening is killed when it has come to its n-th point, and the next one goes on where that left it.
    @Test(arguments: [2, 9, 16, 23, 40, 200])
    func `loses nothing, and the next opening goes on`(point: Int) async throws {
        let url = scratch.file()
        try fill(url)
        let path = url.path
        var read = 0
        for _ in 0..<6 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, point = point as Int] in
                let points = Log<UpgradePoint>()
                var configuration = CodableCache.Configuration()
                configuration.batchSize = 2
                configuration.attemptLimit = nil
                configuration.atPoint = { reached in
                    points.append(reached)
                    if points.count == point { raise(SIGKILL) }
                }
                let url = URL(fileURLWithPath: path)
                try CodableCache(at: url, migrations: splitting(5), configuration: configuration).close()
                raise(SIGKILL)
            }
            #expect(try CacheStore.damage(at: url).isEmpty)
            let state = try CacheStore.state(at: url)
            if state.version == 1, state.unfinished == nil { break }
            let done = state.unfinished?.counts.read ?? 0
            // Forty points are more than one batch of five has.
            #expect(point < 40 ? done >= read : done > read)
            read = done
        }
        // Kills before the first commit of an opening are a crash loop.
        var configuration = CodableCache.Configuration()
        configuration.attemptLimit = nil
        try CodableCache(at: url, migrations: splitting(5), configuration: configuration).close()
        let whole = scratch.file("whole")
        try fill(whole)
        try CodableCache(at: whole, migrations: splitting(nil)).close()
        #expect(try CacheStore.contents(at: url).records == CacheStore.contents(at: whole).records)
        #expect(try CacheStore.state(at: url).ledger.map(\.counts) == CacheStore.state(at: whole).ledger.map(\.counts))
    }

    @Test func `counts as no crash loop as long as batches are committed`() async throws {
        let url = scratch.file()
        try fill(url)
        let path = url.path
        for _ in 0..<4 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
                let commits = Log<UpgradePoint>()
                var configuration = CodableCache.Configuration()
                configuration.attemptLimit = 2
                configuration.batchSize = 2
                configuration.atPoint = { point in
                    if point.kind == .afterCommit { commits.append(point) }
                    if commits.count == 2, point.kind == .beforeCommit { raise(SIGKILL) }
                }
                let url = URL(fileURLWithPath: path)
                _ = try CodableCache(at: url, migrations: splitting(3), configuration: configuration)
            }
            // The one that was cut off has committed two batches, and says where it stood.
            #expect(CodableCache.unfinishedAttempts(at: url).count == 1)
        }
        #expect(try CacheStore.state(at: url).unfinished?.counts.read == 24)
    }

    private func fill(_ url: URL) throws {
        let cache = try CodableCache(at: url)
        try cache.batch { batch in
            for number in 0..<40 {
                try batch.set(Person(firstName: "\(number)", lastName: "x"), forKey: "\(number)")
            }
        }
        cache.close()
    }
}

/// Renames a property, swaps the keys of records that lie far apart, and drops some.
private func splitting(_ size: Int?) -> MigrationRegistry {
    let migration = Migration(
        to: 1,
        "split",
        .renameProperty("Person", "firstName", to: "number"),
        .transform("Person") { person in
            let number = Int(try person.string("number")) ?? 0
            if number % 7 == 3 { person.drop() } else { person.key = "\((number + 20) % 40)" }
        }
    )
    return [size.map { migration.committingInBatches(of: $0) } ?? migration]
}
