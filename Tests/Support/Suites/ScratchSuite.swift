package import Foundation
package import Molt
package import Testing

/// A suite for one test in the tests' home directory, which is removed when the tests end.
package final class ScratchSuite: Sendable {
    package let name: String

    /// A suite with some values.
    package init(_ values: [String: PropertyListValue] = [:]) throws {
        name = TestHome.newSuiteName()
        if !values.isEmpty { try suite.update(set: values) }
    }

    /// A suite with a given name, for child processes.
    package init(named name: String) {
        self.name = name
    }

    #if canImport(Darwin)
        deinit {
            UserDefaults.standard.removePersistentDomain(forName: name)
        }
    #endif

    package var suite: Suite { Suite(name) }

    package var defaults: UserDefaults {
        get throws { try #require(UserDefaults(suiteName: name)) }
    }

    /// The settings on disk, or in the system's preferences, without the ledger.
    package var values: [String: PropertyListValue] {
        get throws { try suite.values() }
    }

    /// The settings and the ledger.
    package var allValues: [String: PropertyListValue] {
        get throws { try suite.allValues() }
    }

    /// The names of the migrations in the suite's ledger.
    package var history: [String] {
        get throws { try suite.history().map(\.name) }
    }

    /// The suite's file on Linux.
    package var file: URL {
        get throws { try TestHome.directory.appendingPathComponent("\(name).plist") }
    }

    /// Runs a closure while the suite cannot be read, as on a locked device.
    package func whileClosed<Result>(_ body: () throws -> Result) rethrows -> Result {
        Suite.closedDomains.withLock { _ = $0.insert(name) }
        defer { Suite.closedDomains.withLock { _ = $0.remove(name) } }
        return try body()
    }

    /// The names of Molt's files about the suite.
    package func otherFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: TestHome.directory.path)
            .filter { $0.hasPrefix(name) && $0 != "\(name).plist" }
    }

    /// Writes the suite's file directly, as another process would.
    package func writeFile(_ text: String) throws {
        try writeFile(Data(text.utf8))
    }

    package func writeFile(_ bytes: Data) throws {
        try bytes.write(to: file)
    }

    package func writeFile(
        _ values: [String: PropertyListValue],
        _ format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws {
        let objects = PropertyListValue.dictionary(values).object
        try writeFile(PropertyListSerialization.data(fromPropertyList: objects, format: format, options: 0))
    }

    /// Puts back the values of a copy from before the suite's first migration, with the ledger of such a copy.
    ///
    /// Without a ledger, the suite would count as overwritten by something else.
    package func putBack(_ values: [String: PropertyListValue]) throws {
        try writeFile(values.merging([Suite.ledgerKey: #"{"entries":[],"format":2,"version":0}"#]) { $1 })
    }

    /// The contents of the suite's file.
    package var bytes: Data {
        get throws { try Data(contentsOf: file) }
    }

    // MARK: Expectations

    /// Expects these settings, and these migrations in the ledger; nil is not compared.
    package func expect(
        _ values: [String: PropertyListValue],
        history: [String]? = nil,
        _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try self.values
        #expect(found == values, comment, sourceLocation: sourceLocation)
        guard let history else { return }
        let names = try self.history
        #expect(names == history, comment, sourceLocation: sourceLocation)
    }

    /// Expects that a closure leaves the suite's file as it is, byte for byte.
    package func expectUnchanged(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) throws {
        let before = try bytes
        try body()
        let after = try bytes
        #expect(after == before, sourceLocation: sourceLocation)
    }

    /// Expects these values in the suite's file.
    package func expectFile(
        _ values: [String: PropertyListValue],
        _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try PropertyListReader.value(bytes, around: 1)
        #expect(found == .dictionary(values), comment, sourceLocation: sourceLocation)
    }

    // MARK: Pending changes

    /// Upgrades the suite and stops after the commit, so that all changes are pending.
    package func commit(_ migrations: MigrationRegistry) throws {
        interrupt { hook in
            try suite.upgrade(with: migrations, configuration: .init { $0.hooks.atPoint = hook })
        }
        let journal = try suite.pendingJournal()
        #expect(journal.contains(suite.attachedName))
    }

    /// Commits an upgrade that makes some changes.
    ///
    /// - Returns: The migrations, with which the next opening makes the changes.
    package func commit(_ change: @escaping @Sendable (SuiteEditor) throws -> Void) throws -> MigrationRegistry {
        let migrations: MigrationRegistry = [Migration(to: 1, "change", .changeSettings(in: suite, "change", change))]
        try commit(migrations)
        return migrations
    }

    /// The files with the pending changes.
    package func journal() throws -> [URL: Data] {
        let path = try SuiteFiles(suite).store.path
        let files = ["", "-wal"].map { URL(fileURLWithPath: path + $0) }
        return Dictionary(
            uniqueKeysWithValues: files.compactMap { file in (try? Data(contentsOf: file)).map { (file, $0) } }
        )
    }
}
