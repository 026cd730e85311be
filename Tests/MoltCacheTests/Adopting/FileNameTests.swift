import MoltCache
import Testing

/// How Cache 7 names the files of keys.
@Suite struct `File names of a Cache directory` {
    /// The examples of RFC 1321, A.5, and lengths near the end of a block.
    @Test(arguments: [
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
    ])
    func `The digest is MD5`(message: String, digest: String) {
        #expect(MD5.hexadecimal(of: message.utf8) == digest)
    }

    @Test(arguments: [
        ("person-0", "DD5A48FB9487C1CB55FE2F8B0376F78A", "DD5A48FB9487C1CB55FE2F8B0376F78A"),
        ("photo.json", "6D5B7D3AC7CCD390AB8892DA3B7BE5E1", "6D5B7D3AC7CCD390AB8892DA3B7BE5E1.json"),
        (
            "https://example.com/a/b.png?x=1",
            "967889A3806AFF78C7EC8940ECA6FDF8",
            "967889A3806AFF78C7EC8940ECA6FDF8.png?x=1"
        ),
        ("ünïcode ключ 🔑", "76FB5F7461061886D7F4347BD5E988CF", "76FB5F7461061886D7F4347BD5E988CF"),
    ])
    func `A file is identified by its key's digest, whatever its extension`(key: String, digest: String, file: String) {
        #expect(CacheFileName.digest(of: key) == digest)
        #expect(CacheFileName.digest(ofFile: file) == digest)
    }

    @Test(arguments: [(0, "-4800647303603446203"), (1, "2206609067086327257"), (2, "-6569889354672326634")])
    func `An integer key's file name is a hash with a fixed seed`(key: Int, name: String) {
        #expect(CacheFileName.digest(of: key) == name)
        #expect(CacheFileName.digest(ofFile: name) == name)
    }

    @Test func `A string that is an integer may stand for either kind of key`() {
        #expect(CacheFileName.digests(of: "1") == ["C4CA4238A0B923820DCC509A6F75849B", "2206609067086327257"])
        #expect(CacheFileName.digests(of: "01").count == 1)
        #expect(CacheFileName.digests(of: "+1").count == 1)
    }

    @Test(arguments: [
        "cache.molt", "cache.molt-wal", "notes.txt", "", "DD5A48FB9487C1CB55FE2F8B0376F78",
        "dd5a48fb9487c1cb55fe2f8b0376f78a", "DD5A48FB9487C1CB55FE2F8B0376F78A.", "DD5A48FB9487C1CB55FE2F8B0376F78A0",
        "DD5A48FB9487C1CB55FE2F8B0376F78A-wal", "0x1", "007", "-", "99999999999999999999",
    ])
    func `A name that Cache never gives a file has no digest`(name: String) {
        #expect(CacheFileName.digest(ofFile: name) == nil)
    }
}
