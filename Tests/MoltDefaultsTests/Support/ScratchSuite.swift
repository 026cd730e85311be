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

    var suite: Suite { Suite(name) }

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
        var names = try filesBeside()
        // A test in another thread that has the library save all suites keeps files beside this one meanwhile.
        for _ in 0..<60_000 where !names.isEmpty {
            usleep(1_000)
            let next = try filesBeside()
            if next == names, !next.contains(where: { $0.hasSuffix(".molt-lock") }) { break }
            names = next
        }
        return names
    }

    /// Those that there are at this moment, also while a lock is held.
    func filesBeside() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: TestHome.directory.path)
            .filter { $0.contains(name) && $0 != "\(name).plist" }
    }

    /// Writes the suite's file by hand.
    func writeFile(_ text: String) throws {
        try Data(text.utf8).write(to: file)
    }
}
