import Foundation
import MoltDefaults

/// A suite of one test, removed when the test lets go of it.
final class ScratchSuite: Sendable {
    let suite: Suite

    init(_ values: [String: PropertyListValue] = [:]) throws {
        suite = .suite(TestHome.newSuiteName())
        if !values.isEmpty { try suite.update(set: values) }
    }

    deinit {
        UserDefaults().removePersistentDomain(forName: suite.domainName)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: TestHome.directory.path)) ?? []
        where name.contains(suite.domainName) {
            try? FileManager.default.removeItem(at: TestHome.directory.appendingPathComponent(name))
        }
    }

    /// What is on disk, or with the system.
    var values: [String: PropertyListValue] {
        get throws { try suite.values() }
    }

    /// The suite's file, on Linux.
    var file: URL {
        get throws { try TestHome.directory.appendingPathComponent("\(suite.domainName).plist") }
    }
}
