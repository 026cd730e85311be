import Foundation
import Molt
import Testing

@Suite("A session on an attached store")
struct SessionTests {
    /// An attached store that counts how often its sessions are finished.
    private struct Counter: AttachedStore {
        var attachedName: String
        var isFaulty = false
        let ends: Counts

        final class Counts: Sendable {
            private let counts = Locked<[String: Int]>([:])
            var values: [String: Int] { counts.withLock { $0 } }
            func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
        }

        struct Failure: Error {}

        final class Session: AttachedSession {
            let counter: Counter
            var fault: Failure?
            let count = 1

            init(_ counter: Counter) { self.counter = counter }

            func check() throws {
                if let fault { throw fault }
            }

            func finish() throws -> [UInt8]? {
                counter.ends.add(counter.attachedName)
                if counter.isFaulty { throw Failure() }
                return [1]
            }
        }

        func begin() -> Session { Session(self) }
        func apply(_ changes: [UInt8], _ phase: AttachedPhase) {}
    }

    private let ends = Counter.Counts()

    private func open(_ migrations: Migration...) throws {
        try CodableCache(inMemory: MigrationRegistry(migrations)).close()
    }

    private func using(_ names: String..., faulty: String? = nil, fails: Bool = false) -> Migration {
        let counters = names.map { Counter(attachedName: $0, isFaulty: $0 == faulty, ends: ends) }
        return Migration(
            to: 1,
            "use",
            .run(onFreshStore: true, attaching: counters) { migration in
                for counter in counters { _ = try migration.attached(counter) }
                if fails { throw Counter.Failure() }
            }
        )
    }

    @Test func `is finished once when the upgrade is committed`() throws {
        try open(using("a", "b"))
        #expect(ends.values == ["a": 1, "b": 1])
    }

    @Test func `is finished once when the upgrade is rolled back`() {
        #expect(throws: MoltError.self) { try open(using("a", "b", fails: true)) }
        #expect(ends.values == ["a": 1, "b": 1])
    }

    @Test func `is finished once even when finishing another session fails`() {
        let error = #expect(throws: MoltError.self) { try open(using("a", "b", "c", faulty: "b")) }
        error?.expect(.attachedStoreFailed, attachedStore: "b")
        #expect(ends.values == ["a": 1, "b": 1, "c": 1])
    }

    @Test func `reports an error at the end of the step that caused it`() {
        let counter = Counter(attachedName: "a", ends: ends)
        #expect(throws: MoltError.self) {
            try open(
                Migration(
                    to: 1,
                    "faulty",
                    .run(onFreshStore: true, attaching: [counter]) { migration in
                        try migration.attached(counter).fault = Counter.Failure()
                    }
                ),
                Migration(
                    to: 2,
                    "innocent",
                    .run(onFreshStore: true, attaching: [counter]) { _ = try $0.attached(counter) }
                )
            )
        }?.expect(migration: "faulty", step: 1, attachedStore: "a")
    }
}
