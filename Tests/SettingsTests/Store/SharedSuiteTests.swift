import Foundation
import Molt
import TestSupport
import Testing

@Suite(.enabled(if: TestHome.isAvailable)) struct `A suite that several stores share` {
    private let scratch: ScratchSuite
    private var suite: Suite { scratch.suite }

    init() throws {
        scratch = try ScratchSuite(["volume": 0.5, "name": "n"])
    }

    private func renaming(to version: Int = 1) -> Migration {
        Migration(to: version, "rename \(version)", .renameSetting("name", to: "title", in: suite))
    }

    private var second: Migration { Migration(to: 2, "second", .changeSettings(in: suite) { _ in }) }

    /// Multiplies the volume, so that a second run would show.
    private var halving: Migration {
        let step = MigrationStep.changeSettings(in: suite) { settings in
            guard case .double(let volume)? = try settings.value(forKey: "volume") else { return }
            try settings.set(.double(volume / 2), forKey: "volume")
        }
        return Migration(to: 1, "halve", step)
    }

    /// The other process changes the suites one after the other; this one plans in between.
    @Test func `A plan that sees one suite changed and another not yet is made again under the locks`() throws {
        let group = try ScratchSuite()
        let migrations: MigrationRegistry = [
            renaming(), .suiteToAppGroup(to: 2, from: suite, into: group.suite),
            Migration(to: 3, "behind", .renameSetting("title", to: "heading", in: group.suite)),
        ]
        let before = try scratch.bytes
        try suite.upgrade(with: migrations)
        let after = try scratch.bytes
        try scratch.writeFile(before)
        var configuration = MoltConfiguration()
        configuration.monitor = .afterPlanning { [scratch] in try scratch.writeFile(after) }
        let report = try suite.upgrade(with: migrations, configuration: configuration)
        #expect(report.isEmpty)
        try group.expect(["volume": 0.5, "heading": "n"], history: ["suite-to-app-group", "behind"])
    }

    @Test func `A suite that is put back from an older copy is upgraded again`() throws {
        let copy = try scratch.allValues
        let migrations: MigrationRegistry = [halving, renaming(to: 2)]
        let cache = try ScratchCache()
        for _ in 0..<2 {
            try cache.upgrade(migrations)
            try scratch.expect(["volume": 0.25, "title": "n"])
            try scratch.putBack(copy)
        }
        try suite.upgrade(with: migrations)
        try scratch.expect(["volume": 0.25, "title": "n"])
        // The cache has applied both, and the suite too.
        try expect(cache.upgrade(migrations).isEmpty, is: true)
        try scratch.expect(["volume": 0.25, "title": "n"])
    }

    @Test func `A suite that is empty and has no ledger is left alone by a cache that has applied all`() throws {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "set", .changeSettings(in: suite) { try $0.set(1, forKey: "set") })
        ]
        let cache = try ScratchCache()
        try cache.upgrade(migrations)
        try suite.write(set: [:], remove: Set(scratch.allValues.keys))
        try expect(cache.upgrade(migrations).isEmpty, is: true)
        try expect(scratch.allValues, is: [:])
    }

    @Test func `A block runs once per store, and what it changes in a suite that is through it is not kept`() throws {
        let suite = suite
        let runs = Locked(0)
        var migrations = MigrationRegistry()
        migrations.register(
            Migration(
                to: 1,
                "block",
                .run(suites: [suite]) { migration in
                    runs.withLock { $0 += 1 }
                    let settings = try migration.suite(suite)
                    try settings.set(.int(Int64(runs.withLock { $0 })), forKey: "run")
                    try migration.create("Run", forKey: "run", "text")
                }
            )
        )
        for number in 1...2 {
            let cache = try ScratchCache()
            // A new cache would run no block.
            try CodableCache(at: cache.url).close()
            try cache.upgrade(migrations)
            #expect(runs.withLock { $0 } == number)
            try scratch.expect(["volume": 0.5, "name": "n", "run": 1], history: ["block"])
            let records = try StoreFile.contents(at: cache.url).records
            #expect(records.map(\.key) == ["run"])
        }
    }

    @Test func `Two registries may work on one suite, and a newer app is still refused`() throws {
        let library: MigrationRegistry = [
            Migration(to: 9, "of the library", .changeSettings(in: suite) { try $0.set(1, forKey: "library") })
        ]
        try suite.upgrade(with: library)
        try suite.upgrade(with: [renaming()])
        try expect(suite.upgrade(with: library).isEmpty, is: true)
        try scratch.expect(["volume": 0.5, "title": "n", "library": 1], history: ["of the library", "rename 1"])
        try suite.upgrade(with: [renaming(), second])
        MoltError.thrown { try suite.upgrade(with: [renaming()]) }?.expect(.superseded)
        let cache = try ScratchCache()
        MoltError.thrown { try cache.upgrade([renaming()]) }
        try expect(suite.upgrade(with: library).isEmpty, is: true)
    }

    @Test func `A suite stays as it is when the cache that changed it is deleted, or is replaced by an older file`()
        throws
    {
        let cache = try ScratchCache()
        try CodableCache(at: cache.url).close()
        let older = try Data(contentsOf: cache.url)
        try cache.upgrade([halving])
        try FileManager.default.removeItem(at: cache.url)
        try cache.upgrade([halving])
        try scratch.expect(["volume": 0.25, "name": "n"])
        try FileManager.default.removeItem(at: cache.url)
        try older.write(to: cache.url)
        let report = try cache.upgrade([halving])
        #expect(report.from == 0 && report.to == 1)
        try scratch.expect(["volume": 0.25, "name": "n"], history: ["halve"])
    }

    @Test func `The steps run again if the file with the pending changes is deleted`() throws {
        let cache = try ScratchCache()
        interrupt { try cache.upgrade([halving], $0) }
        try scratch.expect(["volume": 0.5, "name": "n"])
        try FileManager.default.removeItem(at: cache.url)
        try cache.upgrade([halving])
        try scratch.expect(["volume": 0.25, "name": "n"])
    }

    #if os(Linux)
        @Test func `A damaged suite does not keep a cache that is up to date from being opened`() throws {
            let cache = try ScratchCache()
            try cache.upgrade([halving])
            try scratch.writeFile("noise")
            try expect(cache.upgrade([halving]).isEmpty, is: true)
            MoltError.thrown { try cache.upgrade([halving, second]) }?.expect(.settingUnreadable)
            MoltError.thrown { try suite.upgrade(with: [halving]) }?.expect(.settingUnreadable)
        }
    #endif

    @Test func `A step finds what an earlier block has set in the suite without Molt`() throws {
        let suiteName = scratch.name
        let cache = try ScratchCache()
        // A fresh store would skip the block.
        try cache.upgrade([])
        let block = MigrationStep.run { _ in UserDefaults(suiteName: suiteName)?.set(2.0, forKey: "volume") }
        try cache.upgrade([Migration(to: 1, "set", block), Migration(to: 2, "halve", steps: halving.steps)])
        try scratch.expect(["volume": 1.0, "name": "n"])
    }

    @Test func `A ledger that cannot be read fails no backup if no migration needs the suite`() throws {
        let cache = try ScratchCache()
        try cache.upgrade([Migration(to: 1, "first", .run { _ in })])
        try suite.write(set: [Suite.ledgerKey: .string("noise")])
        let migrations: MigrationRegistry = [
            Migration(to: 1, "first", .run { _ in }), Migration(to: 2, "rename", .renameType("Old", to: "New")),
        ]
        let report = try cache.upgrade(migrations, attaching: [suite], backup: BackupPolicy())
        #expect(report.outline == ["rename ran"])
        try expect(CacheFile(at: cache.url).backups().count, is: 1)
    }

    @Test func `The same name with other steps is a mismatch, and another version is not`() throws {
        let (suite, step) = (suite, halving.steps)
        try ScratchCache().upgrade([halving])
        try ScratchCache().upgrade([Migration(to: 7, "halve", steps: step)])
        try scratch.expect(["volume": 0.25, "name": "n"])
        MoltError.thrown {
            try ScratchCache().upgrade([Migration(to: 1, "halve", .removeSettings("volume", in: suite))])
        }?.expect(.migrationEdited)
    }

    #if CHILD_PROCESSES
        /// In the short run, the store is killed at each commit, and before each part of the changes to the suites.
        @Test(arguments: [SharedSuites.Store.cache, .widget])
        func `If the first of two stores is killed at any point, the second makes each change once`(
            first: SharedSuites.Store
        ) async throws {
            let scenario = try SharedSuites()
            let files = scenario.files
            defer { files.remove() }
            await #expect(processExitsWith: .success) {
                [scenario = scenario as SharedSuites, first = first as SharedSuites.Store] in
                try scenario.prepare()
                try scenario.recordPoints(of: first)
            }
            let points: [UpgradePoint] = try files.kept("points")
            let chosen = points.indices.filter { point in
                TestRun.isLong || [.beforeCommit, .beforeApply].contains(points[point].kind)
            }
            try #require(chosen.count > TestRun.choose(4, long: 10))
            let before: SharedFiles.Image = try files.kept("before")
            var kills: [String: SharedFiles.Image] = [:]
            for point in chosen {
                try files.restore(before)
                await #expect(processExitsWith: .signal(SIGKILL), "\(points[point])") {
                    [scenario = scenario as SharedSuites, first = first as SharedSuites.Store, point = point as Int] in
                    try scenario.upgrade(first, killedAt: point)
                }
                kills["\(point), \(points[point])"] = try files.image()
            }
            try files.keep(kills, as: "kills")
            await #expect(processExitsWith: .success) {
                [scenario = scenario as SharedSuites, first = first as SharedSuites.Store] in
                let others: [SharedSuites.Store] = first == .cache ? [.widget, .otherCache] : [.cache]
                try scenario.expectFinishing(first, others, isLong: TestRun.isLong)
            }
        }
    #endif
}
