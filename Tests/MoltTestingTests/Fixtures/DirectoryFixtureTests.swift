import Foundation
import MoltTesting
import TestSupport
import Testing

@testable import Molt

@Suite("Directory fixtures")
struct DirectoryFixtureTests {
    static let people = (0..<100).map { "person-\($0)" }

    @Test func `A directory is written and read with its times, to the nanosecond`() throws {
        try ScratchDirectory.with { folder in
            let directory = DirectoryFixture([
                .init("b/c", Data("c".utf8), modified: 1_795_247_094_123_456_789),
                .init("a", Data(), modified: 2_144_448_000_000_000_000),
                .init("é b", Data([0, 255]), modified: 1),
            ])
            let url = folder.appending(path: "new/Floppy")
            try directory.write(to: url)
            #expect(try DirectoryFixture(contentsOf: url) == directory)
            #expect(directory.files.map(\.name) == ["a", "b/c", "é b"])
        }
    }

    @Test func `An existing file is not overwritten`() throws {
        try ScratchDirectory.with { folder in
            try Data("mine".utf8).write(to: folder.appending(path: "a"))
            let directory = DirectoryFixture([.init("a", Data("other".utf8), modified: 0)])
            let error = try TestingError.expect(.fileExists) { try directory.write(to: folder) }
            #expect(error.file?.lastPathComponent == "a")
            #expect(try String(contentsOf: folder.appending(path: "a"), encoding: .utf8) == "mine")
        }
    }

    @Test func `The files of an archive have their names, bytes and times`() throws {
        let integers = try DirectoryFixture(tar: FixtureFile.cacheDirectories, directory: "fixture/IntKeys")
        let names = ["-4800647303603446203", "-6569889354672326634", "2206609067086327257"]
        #expect(integers.files.map(\.name) == names)
        #expect(integers.files.map(\.content.count) == [175, 175, 178])
        #expect(integers.files.allSatisfy { $0.modified == 2_144_448_000_000_000_000 })
        let all = try DirectoryFixture(tar: FixtureFile.cacheDirectories, directory: "fixture")
        #expect(all.files.contains { $0.name == "IntKeys/" + names[0] })
        #expect(all.files.contains { $0.modified % 1_000_000_000 != 0 })
    }

    @Test func `The time of a file that does not fit into 64 bits is clamped`() throws {
        try ScratchDirectory.with { folder in
            let key = "person-1"
            let files = try DirectoryFixture(tar: FixtureFile.cacheDirectories, directory: "fixture/Floppy")
            let source = folder.appending(path: "source")
            try files.write(to: source)
            let fixture = try StoreFixture(adopting: source, keys: .list([key]), type: "Friend")
            try FileManager.default.removeItem(at: source)
            let content = try #require(fixture.record(forKey: key)?.content.bytes)
            let text = #"{"object":"# + String(decoding: content, as: UTF8.self) + "}"
            let name = try #require(files.files.first { $0.content == Data(text.utf8) }?.name)
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            // In 2267; ext4 cannot store a time after 2446.
            let time = Date(timeIntervalSince1970: 9_400_000_000)
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file.path)
            #expect(try DirectoryFixture(contentsOf: folder).files.map(\.modified) == [.max])
            // A migration adopts it, too, as a record that never expires.
            let migrated = try StoreFixture(schemaVersion: 0).migrated(through: [
                .adoptCacheDirectory(to: 1, directory: folder, keys: .list([key]), type: "Friend")
            ])
            #expect(migrated.fixture.records.map(\.key) == [key])
            #expect(migrated.fixture.records.map(\.expiration) == [nil])
        }
    }

    // MARK: Adopting

    @Test func `The records of a directory become a fixture, including expired ones`() throws {
        let scratch = try ScratchDirectory()
        let directory = scratch.file("Floppy")
        try DirectoryFixture(tar: FixtureFile.cacheDirectories, directory: "fixture/Floppy").write(to: directory)
        let keys = Self.people + ["expired", "in1h", "raw", "never written"]
        let fixture = try StoreFixture(adopting: directory, keys: .list(keys)) { $0 == "raw" ? .data : "Friend" }
        #expect(fixture.schemaVersion == 0)
        #expect(fixture.ledger.isEmpty)
        #expect(fixture.records.prefix(103).map(\.key) == keys.dropLast())
        #expect(fixture.records.count == 113)
        #expect(fixture.records.allSatisfy { $0.version == nil })
        #expect(fixture.record(forKey: "raw")?.content == .data(Data("raw bytes".utf8)))
        #expect(fixture.record(forKey: "person-1")?.expiration == nil)
        let end = try #require(fixture.record(forKey: "in1h")?.expiration)
        #expect(abs(end.timeIntervalSince1970 - 1_795_250_694.579523) < 0.000_001)
        #expect(try StoreFixture(json: fixture.json) == fixture)

        let later = try StoreFixture(
            adopting: directory,
            keys: .list(keys),
            type: "Friend",
            now: Date(timeIntervalSince1970: 1_795_247_094)
        )
        #expect(later.record(forKey: "expired") == nil)
        #expect(later.record(forKey: "in1h") != nil)
    }

    @Test func `A file that cannot be adopted is an error, and is not left out of the fixture`() throws {
        let scratch = try ScratchDirectory()
        let directory = scratch.file("Floppy")
        try DirectoryFixture([.init("foreign", Data(), modified: 2_144_448_000_000_000_000)]).write(to: directory)
        let error = try #require(throws: MoltError.self) {
            try StoreFixture(adopting: directory, keys: .fileNames, type: "Friend")
        }
        #expect(error.code == .notConvertible)
    }
}
