import Foundation
import Testing

@testable import Molt

/// Invariant 1: after a failure or a kill the store is as it was before, or as it is after; never between.
@Suite("The atomicity of an upgrade")
struct RollbackTests {
    private static let records =
        (0..<6).map { StoredRecord("Person", "p\($0)", #"{ "id" : \#($0) }"#, expiration: 4e9) }
        + [StoredRecord("City", "rome", #"{"a":1}"#), StoredRecord("Data", "blob", data: [0, 1])]

    /// A registry that changes everything, and fails at one of its steps.
    private static func failing(at point: Int) -> MigrationRegistry {
        @Sendable func check(_ number: Int, _ record: Record? = nil) throws {
            if number == point, record == nil || record?.key.hasSuffix("4") == true { throw Refusal() }
        }
        return [
            Migration(to: 1, "types", .renameType("City", to: "Place"), .deleteType("Data")),
            Migration(
                to: 2,
                "records",
                .transform("Person") { person in
                    try check(0, person)
                    person.key += "-4"
                    person.expiration = nil
                },
                .transform("Person") { person in
                    try check(1, person)
                    if try person.int("id") == 1 { person.drop() }
                    person.typeName = "Human"
                }
            ),
            Migration(
                to: 3,
                "block",
                .run { migration in
                    try migration.create("Place", forKey: "oslo", ["a": 2])
                    try migration.deleteAll(ofType: "Unknown")
                    try migration.enumerate("Human") { old, new in
                        new["id"] = .null
                        try check(2, new)
                    }
                    try migration.renameType("Human", to: "Place")
                    try check(3)
                }
            ),
            Migration(to: 4, "after", .transform("Place") { try check(4, $0) }),
            Migration(to: 5, "last", .run { _ in try check(5) }),
        ]
    }

    @Test(arguments: zip(0..<6, [EntryPoint.initializer, .asyncOpen, .migrator, .inMemory, .initializer, .migrator]))
    func `A failure at any step leaves every byte as it was`(point: Int, entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        try await store.failure(Self.failing(at: point))
            .expect(.stepFailed, migration: ["records", "records", "block", "block", "after", "last"][point])
        #expect(try await store.upgrade([]).isEmpty)
        try await store.upgrade(Self.failing(at: -1))
        let after = try store.snapshot()
        #expect(after.version == 5)
        #expect(after.outcomes == "types ran, records ran, block ran, after ran, last ran")
        #expect(after.keys == ["p0-4", "p2-4", "p3-4", "p4-4", "p5-4", "rome", "oslo"])
    }

    /// The point at which the process is killed.
    enum Kill: String, CaseIterable, Codable, Sendable {
        case firstRecord
        case lastRecord
        case blockBefore
        case blockAfter
        case beforeCommit
        case afterCommit
    }

    /// More than SQLite keeps in memory, so that a part of it is on disk when the process is killed.
    private static let many = (0..<300).map { number in
        StoredRecord("Person", "p\(number)", #"{"id":\#(number),"text":"\#(String(repeating: "x", count: 11_000))"}"#)
    }

    /// The migrations that the child runs, and then the parent without a kill.
    private static func migrations(_ kill: Kill?) -> MigrationRegistry {
        @Sendable func at(_ point: Kill, _ condition: Bool = true) {
            if kill == point, condition { raise(SIGKILL) }
        }
        return [
            Migration(
                to: 1,
                "change",
                .transform("Person") { person in
                    person["changed"] = true
                    person.key = "new-" + person.key
                    at(.firstRecord)
                    at(.lastRecord, try person.int("id") == 299)
                }
            ),
            Migration(
                to: 2,
                "block",
                .run { migration in
                    at(.blockBefore)
                    try migration.enumerate("Person") { _, new in new["again"] = true }
                    try migration.create("City", forKey: "rome", ["a": 1])
                    at(.blockAfter)
                }
            ),
        ]
    }

    private static func open(_ path: String, _ kill: Kill?) throws {
        let configuration = CodableCache.Configuration { configuration in
            configuration.hooks.atPoint = { point in
                if point.kind == .beforeCommit, kill == .beforeCommit { raise(SIGKILL) }
                if point.kind == .afterCommit, kill == .afterCommit { raise(SIGKILL) }
            }
        }
        try CodableCache(at: URL(fileURLWithPath: path), migrations: migrations(kill), configuration: configuration)
            .close()
    }

    #if CHILD_PROCESSES
        // The short run has one point before the changes are complete, and those around the commit.
        @Test(arguments: TestRun.choose([.lastRecord, .beforeCommit, .afterCommit], long: Kill.allCases))
        func `A kill leaves the old store or the new one, and the next launch finishes the upgrade`(kill: Kill)
            async throws
        {
            let store = try OldStore(Self.many)
            let before = try store.snapshot()
            let path = store.url.path

            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, kill = kill as Kill] in
                try RollbackTests.open(path, kill)
            }

            let killed = try store.snapshot()
            if kill == .afterCommit {
                #expect(killed.version == 2)
            } else {
                #expect(killed == before)
                // The old release can open it, too, and writes nothing.
                let old = try CodableCache(at: store.url)
                #expect(old.report.isEmpty)
                #expect(try old.count() == Self.many.count)
                old.close()
            }
            try Self.open(path, nil)
            let after = try store.snapshot()
            #expect(after.version == 2 && after.outcomes == "change ran, block ran")
            #expect(after.keys == Self.many.map { "new-\($0.key)" } + ["rome"])
            let people = after.contents.dropLast()
            #expect(people.allSatisfy { $0.hasSuffix(#"x","changed":true,"again":true}"#) })
            try expectIntegrity(of: store.url)
        }
    #endif
}
