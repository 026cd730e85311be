import Foundation
import MoltCache
import MoltCore
import Testing

@Suite("The fingerprint of a directory's adoption")
struct AdoptingFingerprintTests {
    @Test(arguments: ["/a/Floppy", "/b/Other"])
    func `is the same in all releases of Molt, wherever the directory is`(path: String) {
        let migration = Migration.adoptCacheDirectory(
            to: 1,
            directory: URL(filePath: path),
            keys: .list(["key"]),
            type: "Person"
        )
        #expect(migration.fingerprint == "2feb03004bbb3f979b573fab1b953f8c")
    }
}
