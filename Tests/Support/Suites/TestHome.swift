package import Foundation
internal import TestHome
internal import Testing

/// The directory of the test process's suites.
package enum TestHome {
    /// Whether suites are files in a directory of the tests; not on Apple's systems, where a service keeps them.
    package static let isAvailable = molt_test_home() != nil

    /// The directory on Linux.
    package static var directory: URL {
        get throws {
            let path = try #require(molt_test_home())
            return URL(fileURLWithPath: String(cString: path), isDirectory: true)
        }
    }

    /// A suite name that no other test uses.
    package static func newSuiteName() -> String {
        "molt.test.\(UUID().uuidString)"
    }
}
