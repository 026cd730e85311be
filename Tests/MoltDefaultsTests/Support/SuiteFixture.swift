import Foundation
import MoltDefaults
import Testing

/// A suite that no other test has, and the place of its file on Linux.
struct SuiteFixture {
    let name: String
    let suite: Suite

    init(_ name: String = TestHome.newSuiteName()) {
        self.name = name
        suite = .suite(name)
    }

    var domain: SuiteDomain { SuiteDomain(suite) }

    var defaults: UserDefaults {
        get throws { try #require(UserDefaults(suiteName: name)) }
    }

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
