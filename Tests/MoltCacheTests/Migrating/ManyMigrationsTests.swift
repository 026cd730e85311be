import Molt
import TestSupport
import Testing

/// While the cost grew with the square of their number, this took minutes; nothing is timed here.
@Suite struct `Ten thousand migrations` {
    @Test(arguments: [true, false])
    func `run in one upgrade, and are not run again`(isFresh: Bool) throws {
        let scratch = try ScratchDirectory()
        if !isFresh {
            let cache = try CodableCache(at: scratch.file())
            try cache.set(["p0": 1], forKey: "ada")
            cache.close()
        }
        let type = RecordTypeName.of([String: Int].self)
        let registry = MigrationRegistry(
            (1...10_000).map { number in
                number % 100 == 0
                    ? Migration(to: number, "m\(number)", replacing: ["old \(number)"], .run { _ in })
                    : Migration(to: number, "m\(number)", .renameProperty(type, ["p\(number - 1)"], to: "p\(number)"))
            }
        )

        let cache = try CodableCache(at: scratch.file(), migrations: registry)
        let report = cache.report
        cache.close()
        let again = try CodableCache(at: scratch.file(), migrations: registry)

        #expect(report.entries.count == 10_000)
        #expect(report.isFresh == isFresh)
        #expect(again.report.isEmpty)
        #expect(try again.value([String: Int].self, forKey: "ada") == (isFresh ? nil : ["p99": 1]))
        again.close()
    }
}
