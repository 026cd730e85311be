import Foundation
import MoltDefaults

/// A suite of one test with some values, in the tests' home, which is removed with all suites when the tests end.
final class ScratchSuite: Sendable {
    let suite: Suite

    init(_ values: [String: PropertyListValue] = [:]) throws {
        suite = .suite(TestHome.newSuiteName())
        if !values.isEmpty { try suite.update(set: values) }
    }

    #if canImport(Darwin)
        deinit {
            UserDefaults.standard.removePersistentDomain(forName: suite.domainName)
        }
    #endif

    /// What is on disk, or with the system.
    var values: [String: PropertyListValue] {
        get throws { try suite.values() }
    }

    /// The suite's file, on Linux.
    var file: URL {
        get throws { try TestHome.directory.appendingPathComponent("\(suite.domainName).plist") }
    }
}
