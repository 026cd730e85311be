import Foundation
import Generators
import MoltTesting
import TestSupport
import Testing

@Suite("Tar archives")
struct TarTests {
    @Test func `An archive with several directories is an error unless one is chosen`() throws {
        let url = try FixtureFile.cacheDirectories
        let error = try #require(throws: TestingError.self) { try DirectoryFixture(tar: url) }
        #expect(error.code == .malformedFixture)
        #expect(error.file == url)
        #expect(error.message == "The archive has files in fixture/Floppy, fixture/IntKeys. Say which directory it is.")
        let wrong = try #require(throws: TestingError.self) { try DirectoryFixture(tar: url, directory: "Floppy") }
        #expect(wrong.message == "The archive has no files in Floppy, only in fixture/Floppy, fixture/IntKeys.")
    }

    @Test func `The files of a real archive have their names, bytes and times`() throws {
        let integers = try DirectoryFixture(tar: FixtureFile.cacheDirectories, directory: "fixture/IntKeys/")
        let names = ["-4800647303603446203", "-6569889354672326634", "2206609067086327257"]
        #expect(integers.files.map(\.name) == names)
        #expect(integers.files.map(\.content.count) == [175, 175, 178])
        #expect(integers.files.allSatisfy { $0.modified == 2_144_448_000_000_000_000 })
        let all = try DirectoryFixture(tar: FixtureFile.cacheDirectories, directory: "fixture")
        #expect(all.files.contains { $0.name == "IntKeys/" + names[0] })
        #expect(all.files.contains { $0.modified % 1_000_000_000 != 0 })
    }

    @Test func `Long names, large numbers and extended headers are read in each format`() throws {
        let long = String(repeating: "n", count: 120)
        let archive =
            Tar.header("d/", kind: "5")
            + Tar.entry("./d/plain", "1", time: "00000000012")
            + Tar.entry("\(long.prefix(60))", "2", prefix: "d")
            + Tar.entry("@LongLink", "d/\(long)\0", kind: "L") + Tar.entry("d/nn", "3")
            + Tar.entry("x", Tar.record("comment", "all") + Tar.record("mtime", "7"), kind: "g")
            + Tar.entry("x", Tar.record("path", "d/é\n=b") + Tar.record("mtime", "-1.5"), kind: "x")
            + Tar.entry("short", "4")
            + Tar.entry("d/old", "5", kind: "\0")
            + Tar.end
        let files = try Tar.read(archive).files
        #expect(files.map(\.name) == [String(long.prefix(60)), long, "old", "plain", "é\n=b"])
        #expect(files.map { String(decoding: $0.content, as: UTF8.self) } == ["2", "3", "5", "1", "4"])
        #expect(files.map(\.modified) == [0, 0, 7_000_000_000, 10_000_000_000, -1_500_000_000])
    }

    @Test func `Binary numbers in the GNU format are read`() throws {
        let time: [UInt8] = [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]
        let before: [UInt8] = Array(repeating: 0xFF, count: 12)
        let archive = Tar.entry("d/a", "1", timeBytes: time) + Tar.entry("d/b", "1", timeBytes: before) + Tar.end
        #expect(try Tar.read(archive).files.map(\.modified) == [258_000_000_000, -1_000_000_000])
    }

    /// Malformed archives, and the beginnings of the errors' messages.
    static let malformed: [(archive: [UInt8], says: String)] = [
        ([], "Byte 0: The archive ends here without the blocks of zeros"),
        (Array("no tar".utf8), "Byte 0: The archive ends here without"),
        (Array(repeating: 0x1F, count: 2_000), "Byte 0: The sum of the header is wrong"),
        (Tar.entry("d/a", "1"), "Byte 1024: The archive ends here without"),
        (Array(Tar.entry("d/a", "1").prefix(700)), "Byte 700: The archive ends here without"),
        (Array(Tar.entry("d/a", "12345").prefix(514)), "Byte 0: The entry has 5 bytes, and the archive only 2 more"),
        (Tar.header("d/a", size: "77777777777") + Tar.end, "Byte 0: The entry has 8589934591 bytes"),
        (Tar.header("d/a", size: "9") + Tar.end, "Byte 0: \"9\" in the header is not an octal number"),
        (Tar.header("d/a", time: "soon") + Tar.end, "Byte 0: \"soon\" in the header is not an octal number"),
        (Tar.header("d/a", timeBytes: [0x80] + Array(repeating: 0xFF, count: 11)) + Tar.end, "Byte 0: A number in the"),
        (
            Tar.entry("d/a", "1") + Tar.entry("d/a", "2") + Tar.end,
            "Byte 1024: The file \"d/a\" is in the archive twice"
        ),
        (
            Tar.header("d/l", kind: "2") + Tar.end,
            "Byte 0: The entry \"d/l\" is neither a file nor a directory (kind \"2\")"
        ),
        (Tar.header("../a") + Tar.end, "Byte 0: \"../a\" is not the name of a file in a directory"),
        (Tar.header("/etc/a") + Tar.end, "Byte 0: \"/etc/a\" is not the name of a file"),
        (Tar.entry("x", "7 a=b", kind: "x") + Tar.end, "Byte 0: The extended header is malformed"),
        (Tar.entry("x", "-5 a=b\n", kind: "x") + Tar.end, "Byte 0: The extended header is malformed"),
        (Tar.entry("x", "99 a=b\n", kind: "x") + Tar.end, "Byte 0: The extended header is malformed"),
        (Tar.entry("x", "4 b\n", kind: "x") + Tar.end, "Byte 0: The extended header is malformed"),
        (
            Tar.entry("x", Tar.record("mtime", "1e9"), kind: "x") + Tar.header("d/a"),
            "Byte 1024: The time \"1e9\" is not"
        ),
        (
            Tar.entry("x", Tar.record("mtime", "1.x"), kind: "x") + Tar.header("d/a"),
            "Byte 1024: The time \"1.x\" is not"
        ),
        (Tar.entry("x", Tar.record("mtime", "9999999999999"), kind: "x") + Tar.header("d/a"), "Byte 1024: The time"),
        (Tar.entry("x", Tar.record("size", "-1"), kind: "x") + Tar.header("d/a"), "Byte 1024: The entry has -1 bytes"),
        (
            Tar.entry("x", Tar.record("GNU.sparse.major", "1"), kind: "x") + Tar.header("d/a"),
            "Byte 1024: The file \"d/a\" is kept"
        ),
        (Tar.end, "There is no file in the archive."),
    ]

    @Test(arguments: malformed.indices)
    func `A malformed archive is an error that names the position`(index: Int) throws {
        let (archive, says) = Self.malformed[index]
        let error = try #require(throws: TestingError.self) { try Tar.read(archive) }
        #expect(error.code == .malformedFixture)
        #expect(error.message.hasPrefix(says), "\(error.message)")
        #expect(error.file?.lastPathComponent == "a.tar")
    }

    @Test func `An archive that is truncated or changed anywhere is read or refused, and never causes a crash`() throws
    {
        let record = Tar.record("path", "d/name") + Tar.record("mtime", "12.5")
        let archive = Tar.entry("x", record, kind: "x") + Tar.entry("d/a", "text") + Tar.entry("d/b", "") + Tar.end
        var random = SeededGenerator(seed: 11)
        for _ in 0..<400 {
            var changed = archive
            if random.oneIn(3) {
                changed.removeSubrange(Int.random(in: 0..<changed.count, using: &random)...)
            } else {
                let place = random.oneIn(2) ? 512 + Int.random(in: 0..<30, using: &random) : nil
                let index = place ?? Int.random(in: 0..<changed.count, using: &random)
                changed[index] = UInt8(Int.random(in: 0...255, using: &random))
                if random.oneIn(2) { Tar.sum(&changed, at: index / 512 * 512) }
            }
            do {
                _ = try Tar.read(changed)
            } catch let error as TestingError {
                #expect(error.code == .malformedFixture)
            }
        }
    }
}

/// Makes valid and malformed archives.
enum Tar {
    static let end = [UInt8](repeating: 0, count: 1024)

    static func read(_ archive: [UInt8]) throws -> DirectoryFixture {
        try ScratchDirectory.with { folder in
            let url = folder.appending(path: "a.tar")
            try Data(archive).write(to: url)
            return try DirectoryFixture(tar: url)
        }
    }

    static func header(
        _ name: String,
        size: String = "0",
        kind: Character = "0",
        time: String = "0",
        timeBytes: [UInt8]? = nil,
        prefix: String = ""
    ) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 512)
        func put(_ bytes: some Collection<UInt8>, at start: Int) {
            block.replaceSubrange(start..<start + bytes.count, with: bytes)
        }
        put(name.utf8, at: 0)
        put(size.utf8, at: 124)
        put(timeBytes ?? Array(time.utf8), at: 136)
        put(String(kind).utf8, at: 156)
        put("ustar\u{0}00".utf8, at: 257)
        put(prefix.utf8, at: 345)
        sum(&block, at: 0)
        return block
    }

    static func entry(
        _ name: String,
        _ content: String,
        kind: Character = "0",
        time: String = "0",
        timeBytes: [UInt8]? = nil,
        prefix: String = ""
    ) -> [UInt8] {
        let size = String(content.utf8.count, radix: 8)
        let filling = (512 - content.utf8.count % 512) % 512
        return header(name, size: size, kind: kind, time: time, timeBytes: timeBytes, prefix: prefix)
            + Array(content.utf8) + [UInt8](repeating: 0, count: filling)
    }

    /// Returns a record of an extended header, whose length includes the digits of the length.
    static func record(_ name: String, _ value: String) -> String {
        let rest = " \(name)=\(value)\n"
        var length = rest.utf8.count
        while "\(length)".utf8.count + rest.utf8.count != length {
            length = "\(length)".utf8.count + rest.utf8.count
        }
        return "\(length)\(rest)"
    }

    /// Sets the checksum of a header.
    static func sum(_ archive: inout [UInt8], at start: Int) {
        guard start + 512 <= archive.count else { return }
        archive.replaceSubrange(start + 148..<start + 156, with: repeatElement(0x20, count: 8))
        let sum = archive[start..<start + 512].reduce(0) { $0 + Int($1) }
        archive.replaceSubrange(start + 148..<start + 156, with: repeatElement(0, count: 8))
        let digits = Array(String(sum, radix: 8).utf8)
        archive.replaceSubrange(start + 148..<start + 148 + digits.count, with: digits)
    }
}
