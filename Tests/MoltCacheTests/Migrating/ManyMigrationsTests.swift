import TestSupport
import Testing

@testable import Molt

/// Tests that the cost is not quadratic in the number of migrations.
@Suite struct `Thousands of migrations` {
    @Test(arguments: [true, false])
    func `run in one upgrade, and only once`(isFresh: Bool) throws {
        let scratch = try ScratchDirectory()
        if !isFresh {
            let cache = try CodableCache(at: scratch.file())
            try cache.set(["p0": 1], forKey: "ada")
            cache.close()
        }
        let count = TestRun.choose(1_000, long: 10_000)
        let type = RecordTypeName.of([String: Int].self)
        let registry = MigrationRegistry(
            (1...count).map { number in
                number % 100 == 0
                    ? Migration(to: number, "m\(number)", replacing: ["old \(number)"], .run { _ in })
                    : Migration(to: number, "m\(number)", .renameProperty(type, ["p\(number - 1)"], to: "p\(number)"))
            }
        )

        let cache = try CodableCache(at: scratch.file(), migrations: registry)
        let report = cache.report
        cache.close()
        let again = try CodableCache(at: scratch.file(), migrations: registry)

        #expect(report.entries.count == count)
        #expect(report.isFresh == isFresh)
        #expect(again.report.isEmpty)
        #expect(try again.value([String: Int].self, forKey: "ada") == (isFresh ? nil : ["p99": 1]))
        again.close()
    }
}
