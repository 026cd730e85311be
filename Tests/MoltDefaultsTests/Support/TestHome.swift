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
