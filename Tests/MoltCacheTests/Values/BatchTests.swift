import Foundation
import Testing

@testable import Molt

@Suite struct `Batches of changes` {
    let scratch: ScratchDirectory
    let cache: CodableCache

    init() throws {
        scratch = try ScratchDirectory()
        cache = try CodableCache(at: scratch.file())
    }

    @Test func `The changes of a batch are made together, in their order`() throws {
        try cache.set(0, forKey: "old")
        try cache.batch { batch in
            try batch.set(1, forKey: "a")
            try batch.set(2, forKey: "b")
            batch.remove(forKey: "a")
            batch.remove(forKey: "old")
            try batch.set(3, forKey: "b")
        }
        #expect(try cache.keys() == ["b"])
        #expect(try cache.value(Int.self, forKey: "b") == 3)
    }

    @Test func `A batch whose closure throws changes nothing`() throws {
        try cache.set(0, forKey: "old")
        #expect(throws: TestFailure.self) {
            try cache.batch { batch in
                try batch.set(1, forKey: "a")
                batch.remove(forKey: "old")
                throw TestFailure.expected
            }
        }
        #expect(throws: MoltError.self) { try cache.setAll(["x": 1, "y": .nan]) }
        #expect(try cache.keys() == ["old"])
    }

    @Test func `A write that fails halfway is undone, in memory as well`() throws {
        try cache.set(0, forKey: "old")
        #expect(try cache.value(Int.self, forKey: "old") == 0)
        try SQLite(scratch.file()).run(
            """
            CREATE TRIGGER no BEFORE INSERT ON molt_record WHEN NEW.key = 'bad'
            BEGIN SELECT RAISE(ABORT, 'no'); END
            """
        )
        let changes = cache.changes()
        let error = #expect(throws: MoltError.self) {
            try cache.batch { batch in
                try batch.set(1, forKey: "old")
                try batch.set(1, forKey: "bad")
            }
        }
        #expect(error?.code == .storeFailed)
        #expect(error?.underlying is SQLiteError)
        #expect(try cache.value(Int.self, forKey: "old") == 0)
        #expect(try cache.keys() == ["old"])
        _ = changes
    }

    @Test func `Several values are read from one snapshot, in the order of the keys`() throws {
        try cache.setAll(["a": Person.john, "b": .jane])
        #expect(try cache.values(Person.self, forKeys: ["b", "nobody", "a", "b"]) == [.jane, nil, .john, .jane])
        #expect(try cache.values(Person.self, forKeys: []) == [])
    }

    @Test func `The asynchronous calls do the same as the synchronous ones`() async throws {
        try await cache.batch { batch in try batch.set(1, forKey: "a") }
        try await cache.setAll(["b": 2])
        #expect(try await cache.values(Int.self, forKeys: ["a", "b", "c"]) == [1, 2, nil])
        try await cache.removeAll()
        #expect(try cache.count() == 0)
    }
}
