import Foundation
import Molt
import MoltSalvage
import Testing

@Suite struct `The new file of a salvage` {
    let scratch: ScratchDirectory
    let sound: SoundStore
    var url: URL { scratch.file() }
    var newURL: URL { scratch.file("saved.molt") }

    init() throws {
        scratch = try ScratchDirectory()
        sound = try SoundStore.shared.get()
        try DamagedStore(file: sound.file).write(to: url)
    }

    @Test func `Only one of several concurrent salvages creates the new file`() async throws {
        let outcomes = await withTaskGroup(of: MoltError.Code?.self) { group in
            for _ in 0..<8 {
                group.addTask { [url, newURL] in
                    do {
                        _ = try CacheFile(at: url).salvage(to: newURL)
                        return nil
                    } catch {
                        return (error as? MoltError)?.code ?? MoltError.Code(rawValue: "\(error)")
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.allSatisfy { $0 == nil || $0 == .busy || $0 == .fileExists }, "\(outcomes)")
        #expect(try StoreFile.contents(at: newURL) == sound.contents)
        #expect(try scratch.names() == ["cache.molt", "saved.molt"])
    }

    @Test func `The new file replaces the partial file of a salvage that was killed`() throws {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try Data("left".utf8).write(to: URL(fileURLWithPath: newURL.path + ".part" + suffix))
        }
        try CacheFile(at: url).salvage(to: newURL).expect(isWhole: true)
        #expect(try scratch.names() == ["cache.molt", "saved.molt"])
    }

    @Test(arguments: ["-wal", "-shm", "-journal"])
    func `The new file is not created beside a log, which SQLite would treat as its own`(suffix: String) throws {
        let other = URL(fileURLWithPath: newURL.path + suffix)
        try Data(sound.openLog).write(to: other)
        let error = try #require(throws: MoltError.self) { try CacheFile(at: url).salvage(to: newURL) }
        error.expect(.fileExists, store: other.path)
        #expect(try Data(contentsOf: other) == Data(sound.openLog))
        #expect(!FileManager.default.fileExists(atPath: newURL.path))
    }

    @Test func `The new file is not written through a symbolic link`() throws {
        let other = scratch.file("other")
        try Data("mine".utf8).write(to: other)
        try FileManager.default.createSymbolicLink(atPath: newURL.path + ".part", withDestinationPath: other.path)
        try CacheFile(at: url).salvage(to: newURL).expect(isWhole: true)
        #expect(try Data(contentsOf: other) == Data("mine".utf8))
    }

    #if CHILD_PROCESSES
        @Test func `A full disk leaves no new file, and the error states the cause`() async throws {
            let (path, newPath) = (url.path, newURL.path)
            await #expect(processExitsWith: .success) { [path = path as String, newPath = newPath as String] in
                for limit in [4_096, 20_000, 60_000] {
                    try FileSizeLimit.set(limit)
                    let error = MoltError.thrown {
                        try CacheFile(at: URL(fileURLWithPath: path)).salvage(to: URL(fileURLWithPath: newPath))
                    }
                    try FileSizeLimit.set(nil)
                    #expect(error?.code == .storeFailed)
                    let message = error?.message ?? ""
                    #expect(message.contains("space") || message.contains("room"), "\(limit): \(message)")
                    #expect(!FileManager.default.fileExists(atPath: newPath), "\(limit)")
                }
            }
            #expect(try scratch.names() == ["cache.molt"])
            #expect(try Data(contentsOf: url) == Data(sound.file))
            try CacheFile(at: url).salvage(to: newURL).expect(isWhole: true)
        }

        @Test func `A salvage leaves no temporary copy, and removes the copy of one that was killed`() async throws {
            let (path, newPath) = (url.path, newURL.path)
            let directory = scratch.file("temporary")
            let left = directory.appending(path: "molt-salvage-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
            try Data("users' data".utf8).write(to: left.appending(path: "alone"))
            let temporary = directory.path
            await #expect(processExitsWith: .success) {
                [path = path as String, newPath = newPath as String, temporary = temporary as String] in
                setenv("TMPDIR", temporary, 1)
                try CacheFile(at: URL(fileURLWithPath: path)).salvage(to: URL(fileURLWithPath: newPath))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
            #expect(try StoreFile.contents(at: newURL) == sound.contents)
        }
    #endif

    @Test func `Type names stay distinct by their bytes, even if Swift considers them equal`() throws {
        let names = ["Caf\u{E9}", "Cafe\u{301}"]
        let store = StoreFile(at: scratch.file("types.molt"))
        let records = names.map {
            StoreContents.StoredRecord(key: "of \($0.utf8.count)", typeName: $0, content: Array("1".utf8), version: 0)
        }
        try StoreContents(version: 0, records: records).write(to: store)
        store.close()
        try CacheFile(at: scratch.file("types.molt")).salvage(to: newURL).expect(isWhole: true)
        #expect(try SQLite(newURL).rows("SELECT id FROM molt_type").count == 2)
        let types = "SELECT hex(name) FROM molt_type JOIN molt_record ON type_id = molt_type.id ORDER BY molt_record.id"
        #expect(try SQLite(newURL).rows(types) == SQLite(scratch.file("types.molt")).rows(types))
    }

    @Test func `A record with a negative id is saved`() throws {
        let url = scratch.file("ids.molt")
        let cache = try CodableCache(at: url)
        try cache.set("text", forKey: "key")
        cache.close()
        try SQLite(url).run("UPDATE molt_record SET id = -1; DROP TABLE molt_ledger")
        try CacheFile(at: url).salvage(to: newURL).expect(saved: 1, isDamaged: true)
        #expect(try CodableCache(at: newURL).value(String.self, forKey: "key") == "text")
    }

    @Test func `Records with ids that no cache assigns get new ids, and can be upgraded`() throws {
        let url = scratch.file("ids.molt")
        let cache = try CodableCache(at: url)
        for number in 0..<5 { try cache.set(SoundNote(number: number, text: "t"), forKey: "key \(number)") }
        cache.close()
        try SQLite(url).run(
            "UPDATE molt_record SET id = -7 WHERE id = 2; UPDATE molt_record SET id = 0 WHERE id = 4;"
                + "UPDATE molt_record SET id = \(Int64.min) WHERE id = 3"
        )
        let report = try CacheFile(at: url).salvage(to: newURL)
        report.expect(isWhole: false, saved: 5, assumes: "3 records had invalid ids")
        let upgraded = try CodableCache(
            at: newURL,
            migrations: [Migration(to: 1, "seen", .transform("SoundNote") { $0["seen"] = .bool(true) })]
        )
        for number in 0..<5 {
            #expect(try upgraded.value(SoundNote.self, forKey: "key \(number)")?.seen == true)
        }
        #expect(try StoreFile.damage(at: newURL).isEmpty)
    }
}
