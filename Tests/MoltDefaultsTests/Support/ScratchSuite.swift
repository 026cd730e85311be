import Foundation
import MoltDefaults
import Testing

/// A suite for one test in the tests' home directory, which is removed when the tests end.
final class ScratchSuite: Sendable {
    let name: String

    /// A suite with some values.
    init(_ values: [String: PropertyListValue] = [:]) throws {
        name = TestHome.newSuiteName()
        if !values.isEmpty { try suite.update(set: values) }
    }

    /// A suite with a given name, for child processes.
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

    /// The values on disk, or in the system's preferences.
    var values: [String: PropertyListValue] {
        get throws { try suite.values() }
    }

    /// The suite's file on Linux.
    var file: URL {
        get throws { try TestHome.directory.appendingPathComponent("\(name).plist") }
    }

    /// The names of Molt's files about the suite.
    func otherFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: TestHome.directory.path)
            .filter { $0.hasPrefix(name) && $0 != "\(name).plist" }
    }

    /// Writes the suite's file directly, as another process would.
    func writeFile(_ text: String) throws {
        try writeFile(Data(text.utf8))
    }

    func writeFile(_ bytes: Data) throws {
        try bytes.write(to: file)
    }

    func writeFile(_ values: [String: PropertyListValue]) throws {
        let objects = PropertyListValue.dictionary(values).object
        try writeFile(PropertyListSerialization.data(fromPropertyList: objects, format: .xml, options: 0))
    }

    /// Whether the file has these values.
    func file(has values: [String: PropertyListValue]) throws -> Bool {
        try PropertyListReader.value(Data(contentsOf: file), around: 1) == .dictionary(values)
    }
}
