import Foundation
import Molt
import Testing

@Suite("An upgrade with a deadline")
struct DeadlineTests {
    private let store: OldStore
    private var url: URL { store.url }

    init() throws {
        store = try OldStore((0..<40).map { StoredRecord("Person", "\($0)", "{}") })
    }

    private func configuration(_ deadline: ContinuousClock.Instant) -> MoltConfiguration {
        MoltConfiguration {
            $0.deadline = deadline
            $0.hooks.batchSize = 2
        }
    }

    @Test func `stops within an SQL statement, and is rolled back`() throws {
        let cache = try CodableCache(at: url)
        // Enough records that deleting them takes a while.
        try cache.setAll((0..<20_000).map { (key: "number \($0)", value: $0) })
        cache.close()
        let before = try Snapshot(of: url)
        let deadline = ContinuousClock.now + .milliseconds(200)
        let deleted = Log<Int>()
        let deletion = MigrationStep.run { migration in
            wait(for: deadline)
            deleted.append(try migration.deleteAll(ofType: "Int"))
        }
        MoltError.thrown {
            try CodableCache(at: url, migrations: registry(deletion), configuration: configuration(deadline))
        }?.expect(.deadlinePassed)
        #expect(deleted.all.isEmpty)
        #expect(try Snapshot(of: url) == before)
    }

    @Test func `does not begin after its deadline, and holds no lock`() throws {
        let registry = registry(.renameType("Person", to: "Alien"))
        let past = configuration(.now - .seconds(1))
        MoltError.thrown { try CodableCache(at: url, migrations: registry, configuration: past) }?.expect(
            .deadlinePassed
        )
        try expectNames("cache.molt", in: store.directory)
        try CodableCache(at: url, migrations: registry).close()
        // There is nothing to do, so the deadline does not matter.
        let cache = try CodableCache(at: url, migrations: registry, configuration: past)
        #expect(try cache.count(of: Alien.self) == 40)
    }

    @Test func `stops waiting for another process's lock`() throws {
        let registry = registry(.renameType("Person", to: "Alien"))
        let configuration = configuration(.now + .milliseconds(100))
        try StoreFile(at: url).commit { _ in
            MoltError.thrown {
                try CodableCache(at: url, migrations: registry, configuration: configuration)
            }?.expect(.deadlinePassed)
        }
    }

    @Test func `leaves changes to attached stores to the next opening`() throws {
        let notebook = try Notebook()
        let registry: MigrationRegistry = [notebook.adding("new")]
        let deadline = ContinuousClock.now + .milliseconds(200)
        var late = configuration(deadline)
        late.hooks.atPoint = { point in
            if point.kind == .afterCommit { wait(for: deadline) }
        }
        MoltError.thrown {
            try CodableCache(at: url, migrations: registry, configuration: late)
        }?.expect(.deadlinePassed, says: "are committed")
        #expect(try notebook.lines.isEmpty)
        #expect(try StoreFile.state(at: url).version == 1)

        try CodableCache(at: url, migrations: registry).close()
        #expect(try notebook.lines == ["new"])
    }
}

/// Blocks until a deadline has passed, as a slow closure would.
private func wait(for deadline: ContinuousClock.Instant) {
    while ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.002) }
}
