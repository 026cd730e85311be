import Foundation
import TestHome
import Testing

/// The directory of the test process's suites.
enum TestHome {
    /// Whether suites are files in a directory of the tests; not on Apple's systems, where a service keeps them.
    static let isAvailable = molt_test_home() != nil

    /// The directory on Linux.
    static var directory: URL {
        get throws {
            let path = try #require(molt_test_home())
            return URL(fileURLWithPath: String(cString: path), isDirectory: true)
        }
    }

    /// A suite name that no other test uses.
    static func newSuiteName() -> String {
        "molt.test.\(UUID().uuidString)"
    }
}

@Suite("The tests' home directory", .enabled(if: TestHome.isAvailable)) struct TestHomeTests {
    @Test func `Suites of the tests are written into their own directory`() throws {
        let name = TestHome.newSuiteName()
        let defaults = try #require(UserDefaults(suiteName: name))
        defaults.set(1, forKey: "key")
        defaults.synchronize()
        let file = try TestHome.directory.appendingPathComponent("\(name).plist")
        #expect(FileManager.default.fileExists(atPath: file.path))
    }
}
