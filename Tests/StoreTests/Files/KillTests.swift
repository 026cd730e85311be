import Foundation
import Testing

// A transaction is killed before any step of an upgrade could be.
@testable import Molt

@Suite struct `A store after a kill` {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    #if CHILD_PROCESSES
        @Test func `is as it was, or fresh, when the transaction was not committed`() async throws {
            let old = scratch.file("old.molt")
            try CodableCache(at: old).set(Person.john, forKey: "john")
            await #expect(processExitsWith: .signal(SIGKILL)) { [url = scratch.file() as URL, old = old as URL] in
                try StoreFile(at: url).commit { transaction in
                    try insertMany(transaction)
                    try StoreFile(at: old).commit { other in
                        try insertMany(other)
                        raise(SIGKILL)
                    }
                }
            }
            #expect(try scratch.names().contains("cache.molt-wal"))
            #expect(try StoreFile.state(at: scratch.file()) == .fresh)
            let fresh = try CodableCache(at: scratch.file(), migrations: [Migration(to: 1, "first")])
            #expect(fresh.report.isFresh)
            #expect(try fresh.count() == 0)

            #expect(try StoreFile.state(at: old).version == 0)
            let cache = try CodableCache(at: old)
            #expect(try cache.count() == 1)
            try cache.expect(Person.john, forKey: "john")
            cache.close()
            try expectIntegrity(of: old)
        }
    #endif

    @Test func `A large new store is fresh until its commit, and reading its state does not wait`() throws {
        let url = scratch.file()
        try StoreFile(at: url).commit { transaction in
            try insertMany(transaction)
            #expect(try StoreFile.state(at: url) == .fresh)
        }
        #expect(try StoreFile.state(at: url).version == 1)
    }

    /// A checkpoint writes the pages in order, and the log keeps all of them until it is complete.
    @Test func `A file with only some of the log's pages checkpointed is read and opened`() throws {
        let migrations: MigrationRegistry = [Migration(to: 1, "first")]
        let open = scratch.file("open")
        let cache = try CodableCache(at: open, migrations: migrations)
        let before = try Data(contentsOf: open)
        for number in 0..<20 { try cache.set(Data(count: 1_000), forKey: "\(number)") }
        try SQLite(open).run("PRAGMA wal_checkpoint(PASSIVE)")
        let after = try Data(contentsOf: open)
        #expect(after.count > before.count)
        for pages in stride(from: 0, through: 12, by: TestRun.choose(3, long: 1)) {
            let url = scratch.file("\(pages).molt")
            try (after.prefix(pages * 4_096) + before.dropFirst(pages * 4_096)).write(to: url)
            try FileManager.default.copyItem(atPath: open.path + "-wal", toPath: url.path + "-wal")
            #expect(try StoreFile.state(at: url).version == 1)
            let copy = try CodableCache(at: url, migrations: migrations)
            #expect(try copy.count() == 20, "\(pages) pages")
            copy.close()
            try expectIntegrity(of: url)
        }
    }
}

/// Inserts 15 MB of records, more than SQLite keeps in memory.
private func insertMany(_ transaction: StoreTransaction) throws {
    let content = Array(#"{"firstName":"\#(String(repeating: "x", count: 10_000))"}"#.utf8)
    for id in 100..<1_600 {
        let record = Record(key: "key \(id)", typeName: "Person", content: content)
        try transaction.insert(record, id: Int64(id), version: 1)
    }
    try transaction.addToLedger([], version: 1)
}
