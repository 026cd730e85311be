import Foundation
import Molt
import MoltSalvage
import Testing

@Suite struct `Reports of a damaged write-ahead log` {
    let scratch: ScratchDirectory
    let sound: SoundStore
    var url: URL { scratch.file() }
    var newURL: URL { scratch.file("saved.molt") }

    init() throws {
        scratch = try ScratchDirectory()
        sound = try SoundStore.shared.get()
    }

    private func salvage(log: [UInt8]) throws -> SalvageReport {
        try scratch.salvage(sound.openFile, log: log).report
    }

    /// The size of a frame with its page in bytes.
    private let frame = 24 + SoundStore.pageSize

    @Test func `A log that is truncated within a frame is reported`() throws {
        try salvage(log: Array(sound.openLog.dropLast(100))).expect(assumes: "log")
    }

    @Test func `A log that was restarted counts as whole if only old frames follow its end`() throws {
        // Frames of an earlier log follow the end of this one; their salts differ, as after a restart of the log.
        var log = sound.openLog
        var old = Array(log[32..<32 + 3 * frame])
        for number in 0..<3 { old[number * frame + 8] ^= 0xFF }
        log += old
        try salvage(log: log).expect(isWhole: true)
    }

    @Test func `A log that belongs to the file is used even if an index in it is wrong`() throws {
        try DamagedStore(file: sound.openFile, log: sound.openLog).write(to: url)
        // A row is deleted while the index is missing from the schema, so that the index still refers to the row.
        let file = try SQLite(url)
        let index = "name = 'molt_record_type'"
        try file.run(
            """
            PRAGMA wal_autocheckpoint = 0; PRAGMA writable_schema = ON;
            CREATE TEMP TABLE kept AS SELECT * FROM sqlite_schema WHERE \(index);
            DELETE FROM sqlite_schema WHERE \(index)
            """
        )
        try SQLite(url).run("PRAGMA wal_autocheckpoint = 0; DELETE FROM molt_record WHERE key = 'key 1'")
        try file.run("INSERT INTO sqlite_schema SELECT * FROM temp.kept")
        let copy = scratch.file("copy.molt")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        }
        try CacheFile(at: copy).salvage(to: newURL).expect(stale: 0, isDamaged: true)
        let saved = try CodableCache(at: newURL, migrations: SoundStore.oldMigrations)
        #expect(try saved.value(SoundNote.self, forKey: "key 3")?.text == "later 3")
        #expect(try saved.count() == sound.openContents.records.count - 1)
    }

    @Test(arguments: [false, true])
    func `A row damaged under a right checksum is saved as SQLite reads it`(isAFrameLost: Bool) throws {
        var log = sound.openLog
        // SQLite ends the log at its first frame, because of the salts; no checksum covers them.
        log[32 + 8] ^= 1
        let content = Array(#"{"number":1,"text":"#.utf8)
        let start = try #require(log.indices.last { log[$0...].starts(with: content) })
        // The checksum stays right when the highest bits of two integers change that are three integers apart.
        for offset in [start | 3, (start | 3) + 12] { log[offset] ^= 0x80 }
        // A frame of the next transaction; a later one writes its page again.
        if isAFrameLost { log[start + 3 * frame] ^= 1 }
        let (report, contents) = try scratch.salvage(sound.openFile, log: log)
        report.expect(isWhole: false, stale: 1, lostPages: 0)
        #expect(report.losses.isEmpty)
        #expect(contents.records == sound.openContents.records)
    }

    @Test func `A symbolic link in place of the log is reported and not followed`() throws {
        try DamagedStore(file: sound.file).write(to: url)
        let other = scratch.file("other")
        try Data(sound.openLog).write(to: other)
        try FileManager.default.createSymbolicLink(atPath: url.path + "-wal", withDestinationPath: other.path)
        let report = try CacheFile(at: url).salvage(to: newURL)
        report.expect(isWhole: false, saved: sound.contents.records.count, assumes: url.path + "-wal")
        #expect(try Data(contentsOf: other) == Data(sound.openLog))
    }
}
