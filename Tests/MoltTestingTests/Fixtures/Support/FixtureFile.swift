import Foundation
import Testing

/// Files that earlier releases and other libraries have written.
enum FixtureFile {
    /// What the library Cache 7 left, in `fixture/Floppy` and `fixture/IntKeys`.
    static var cacheDirectories: URL { get throws { try url("cache-7", "tar") } }
    /// What the library Defaults 4 left.
    static var settings: URL { get throws { try url("defaults-v4", "plist") } }
    /// What the second release of the example app left.
    static var cache: URL { get throws { try url("release-2", "molt") } }

    private static func url(_ name: String, _ ending: String) throws -> URL {
        try #require(Bundle.module.url(forResource: name, withExtension: ending, subdirectory: "Files"))
    }
}
