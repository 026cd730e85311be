import Foundation
import Testing

/// Files that earlier releases and other libraries wrote.
enum FixtureFile {
    /// The directories `fixture/Floppy` and `fixture/IntKeys`, which the library Cache 7 wrote.
    static var cacheDirectories: URL { get throws { try url("cache-7", "tar") } }
    /// The settings that the library Defaults 4 wrote.
    static var settings: URL { get throws { try url("defaults-v4", "plist") } }
    /// The cache that the second release of the example app wrote.
    static var cache: URL { get throws { try url("release-2", "molt") } }

    private static func url(_ name: String, _ ending: String) throws -> URL {
        try #require(Bundle.module.url(forResource: name, withExtension: ending, subdirectory: "Files"))
    }
}
