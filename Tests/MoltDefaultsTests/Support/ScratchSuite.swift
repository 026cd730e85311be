import Foundation
import Molt
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

    /// The values without the ledger.
    var settings: [String: PropertyListValue] {
        get throws { try values.filter { $0.key != Suite.ledgerKey } }
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

    func writeFile(
        _ values: [String: PropertyListValue],
        _ format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws {
        let objects = PropertyListValue.dictionary(values).object
        try writeFile(PropertyListSerialization.data(fromPropertyList: objects, format: format, options: 0))
    }

    /// The journal of an upgrade that made some changes, is committed and not yet applied.
    func journal(_ change: (SuiteEditor) throws -> Void) throws -> [UInt8] {
        let session = try suite.begin()
        try change(session)
        return try #require(try session.finish())
    }

    /// Applies a journal, as the next opening does.
    func apply(_ journal: [UInt8]) throws {
        for phase in AttachedPhase.allCases { try suite.apply(journal, phase) }
    }

    /// Whether the file has these values.
    func file(has values: [String: PropertyListValue]) throws -> Bool {
        try PropertyListReader.value(Data(contentsOf: file), around: 1) == .dictionary(values)
    }
}
