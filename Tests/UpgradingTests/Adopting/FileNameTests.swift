import Foundation
import Molt
import Testing

/// How Cache 7 names the files of keys.
@Suite struct `File names of a Cache directory` {
    /// The examples of RFC 1321, A.5, and lengths near the end of a block.
    private static let digests: [(message: String, digest: String)] = [
        ("", "D41D8CD98F00B204E9800998ECF8427E"),
        ("a", "0CC175B9C0F1B6A831C399E269772661"),
        ("abc", "900150983CD24FB0D6963F7D28E17F72"),
        ("message digest", "F96B697D7CB7938D525A2F31AAF161D0"),
        ("abcdefghijklmnopqrstuvwxyz", "C3FCD3D76192E4007DFB496CCA67E13B"),
        ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "D174AB98D277D9F5A5611C2C9F419D9F"),
        (String(repeating: "1234567890", count: 8), "57EDF4A22BE3C955AC49DA2E2107B67A"),
        (String(repeating: "a", count: 55), "EF1772B6DFF9A122358552954AD0DF65"),
        (String(repeating: "a", count: 56), "3B0C8AC703F828B04C6C197006D17218"),
        (String(repeating: "a", count: 64), "014842D480B571495A4A0363793F7367"),
    ]

    @Test func `A key without an extension has its MD5 digest as its file's name`() {
        for (message, digest) in Self.digests {
            #expect(CacheDirectory.fileName(forKey: message) == digest, "\(message)")
        }
    }

    /// Among their keys are a name with an extension, a URL with a query and text that is not ASCII.
    @Test func `All files that Cache wrote have these names`() throws {
        let names = FloppyKeys.all.map { CacheDirectory.fileName(forKey: $0) }
        #expect(try Set(names) == Set(OldDirectory("Floppy").archived.map(\.name)))
    }

    @Test func `Any string can be a key, and no file name leads out of the directory`() {
        for key in [".", "a.", ".a", "a/b.c/d", "a\0.b", "/", "a. b", "../x.y"] {
            let name = CacheDirectory.fileName(forKey: key)
            #expect(name.hasPrefix(MD5.hexadecimal(of: key.utf8)) && !name.contains("/"), "\(key)")
        }
    }

    @Test func `A file that Cache did not name is left alone, and the report names it`() throws {
        let names = [
            "0x1", "007", "-", "-0", "99999999999999999999", "DD5A48FB9487C1CB55FE2F8B0376F78",
            "DD5A48FB9487C1CB55FE2F8B0376F78A-wal", "DD5A48FB9487C1CB55FE2F8B0376F78A.",
            "DD5A48FB9487C1CB55FE2F8B0376F78A0", "cache.molt", "cache.molt-wal", "dd5a48fb9487c1cb55fe2f8b0376f78a",
            "notes.txt",
        ]
        for keys in [CacheDirectory.Keys.fileNames, .list(["person-0"])] {
            let old = try OldDirectory()
            for name in names + [".hidden", ".dat.nosync1234", CacheDirectory.fileName(forKey: "person-0")] {
                try write(Data("x".utf8), to: old.url.appendingPathComponent(name), modified: OldDirectory.never)
            }
            let cache = try old.open(old.adoption(keys, removingSource: true))
            try cache.expectCount(1)
            let left = cache.report.keys.filter { $0.outcome == .notConvertible }
            #expect(Set(left.map(\.key)) == Set(names))
            #expect(try old.names.count == names.count + 2)
        }
    }
}
