import Foundation
import Testing

@testable import Molt

@Suite struct `A store after a kill` {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    #if CHILD_PROCESSES
        @Test func `is fresh when its creation was not committed`() async throws {
            await #expect(processExitsWith: .signal(SIGKILL)) { [url = scratch.file() as URL] in
                try insertAndDie(url)
            }
            #expect(try scratch.names().contains("cache.molt-wal"))
            #expect(try StoreFile.state(at: scratch.file()) == .fresh)
            let cache = try CodableCache(at: scratch.file(), migrations: [Migration(to: 1, "first")])
            #expect(cache.report.isFresh)
            #expect(try cache.count() == 0)
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

    #if CHILD_PROCESSES
        @Test func `is unchanged when the transaction was not committed`() async throws {
            try CodableCache(at: scratch.file()).set(Person.john, forKey: "john")
            await #expect(processExitsWith: .signal(SIGKILL)) { [url = scratch.file() as URL] in
                try insertAndDie(url)
            }
            #expect(try StoreFile.state(at: scratch.file()).version == 0)
            let cache = try CodableCache(at: scratch.file())
            #expect(try cache.keys() == ["john"])
            #expect(try cache.value(Person.self, forKey: "john") == .john)
            cache.close()
            #expect(try SQLite(scratch.file()).text("PRAGMA integrity_check") == "ok")
        }
    #endif

    /// A checkpoint writes the pages in order, and the log keeps all of them until it is complete.
    @Test(arguments: 0...12)
    func `A file with only some of the log's pages checkpointed is read and opened`(pages: Int) throws {
        let open = scratch.file("open")
        let cache = try CodableCache(at: open, migrations: [Migration(to: 1, "first")])
        let before = try Data(contentsOf: open)
        for number in 0..<20 { try cache.setData(Data(count: 1_000), forKey: "\(number)") }
        try SQLite(open).run("PRAGMA wal_checkpoint(PASSIVE)")
        let after = try Data(contentsOf: open)
        #expect(after.count > before.count)
        try (after.prefix(pages * 4_096) + before.dropFirst(pages * 4_096)).write(to: scratch.file())
        try FileManager.default.copyItem(atPath: open.path + "-wal", toPath: scratch.file().path + "-wal")
        #expect(try StoreFile.state(at: scratch.file()).version == 1)
        let copy = try CodableCache(at: scratch.file(), migrations: [Migration(to: 1, "first")])
        #expect(try copy.count() == 20)
        copy.close()
        #expect(try SQLite(scratch.file()).text("PRAGMA integrity_check") == "ok")
    }
}

/// Inserts more than SQLite keeps in memory, and kills the process before the commit.
private func insertAndDie(_ url: URL) throws {
    try StoreFile(at: url).commit { transaction in
        try insertMany(transaction)
        raise(SIGKILL)
    }
}

/// Inserts 20 MB of records.
private func insertMany(_ transaction: StoreTransaction) throws {
    let batch = RecordBatch(capacity: 1)
    let content = Array(#"{"firstName":"\#(String(repeating: "x", count: 1_000))"}"#.utf8)
    for id in 100..<20_000 {
        batch.removeAll()
        Array("key \(id)".utf8).withUnsafeBytes { key in
            content.withUnsafeBytes { content in
                batch.append(
                    id: Int64(id),
                    typeName: "Person",
                    key: key,
                    content: content,
                    isData: false,
                    expiration: nil
                )
            }
        }
        try transaction.insert(batch[0], id: Int64(id), version: 1)
    }
    try transaction.addToLedger([], version: 1)
}
