import Foundation
import MoltDefaults
import Testing

/// A suite that no other test has, in the tests' home, which is removed with all suites when the tests end.
final class ScratchSuite: Sendable {
    let name: String

    /// A suite with some values.
    init(_ values: [String: PropertyListValue] = [:]) throws {
        name = TestHome.newSuiteName()
        if !values.isEmpty { try suite.update(set: values) }
    }

    /// A suite of a name, as another process knows it.
    init(named name: String) {
        self.name = name
    }

    #if canImport(Darwin)
        deinit {
            UserDefaults.standard.removePersistentDomain(forName: name)
        }
    #endif

    var suite: Suite { .suite(name) }

    var domain: SuiteDomain { SuiteDomain(suite) }

    var defaults: UserDefaults {
        get throws { try #require(UserDefaults(suiteName: name)) }
    }

    /// What is on disk, or with the system.
    var values: [String: PropertyListValue] {
        get throws { try suite.values() }
    }

    /// The suite's file, on Linux.
    var file: URL {
        get throws { try TestHome.directory.appendingPathComponent("\(name).plist") }
    }

    /// The names of files that stand beside the suite's own.
    func otherFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: TestHome.directory.path)
            .filter { $0.contains(name) && $0 != "\(name).plist" }
    }

    /// Writes the suite's file by hand.
    func writeFile(_ text: String) throws {
        try Data(text.utf8).write(to: file)
    }
}
