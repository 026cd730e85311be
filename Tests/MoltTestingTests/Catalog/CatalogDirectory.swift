import Foundation
import Molt
import MoltTesting

/// A directory for a catalog, which is removed when it is deinitialized.
final class CatalogDirectory: Sendable {
    let url = FileManager.default.temporaryDirectory
        .appending(path: "molt-catalog-\(UUID().uuidString)", directoryHint: .isDirectory)

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func catalog(recording: RecordingMode = .never) -> FixtureCatalog {
        FixtureCatalog(url, recording: recording)
    }

    func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appending(path: path)), as: UTF8.self)
    }

    /// Replaces a string in a file, as in an editor.
    func edit(_ path: String, _ text: String, to newText: String) throws {
        let old = try self.text(path)
        let new = old.replacingOccurrences(of: text, with: newText)
        guard new != old else { throw CocoaError(.fileReadUnknown) }
        try write(new, to: path)
    }

    /// Writes a file, as in an editor.
    func write(_ text: String, to path: String) throws {
        let file = url.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(at: url.appending(path: path))
    }

    /// Seals the versions up to one.
    @discardableResult
    func seal(_ version: Int, _ migrations: MigrationRegistry? = nil) throws -> String? {
        try catalog().seal(upTo: version, migrations)
    }

    /// Returns the content of each file by its path.
    func files() throws -> [String: Data] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [:] }
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
            files[path] = try? Data(contentsOf: url.appending(path: path))
        }
        return files.filter { !$0.value.isEmpty }
    }
}

extension CatalogDirectory {
    /// Creates a catalog with fixtures, the first one of which has the name "everyday", and no upgraded fixtures.
    convenience init(keeping stores: [StoreFixture]) throws {
        self.init()
        for (index, store) in stores.enumerated() {
            try catalog(recording: .missing).keep(store, named: "everyday" + (index == 0 ? "" : "-\(index)"))
        }
    }
}

extension FixtureCatalog {
    /// Records a fixture, as the first run of a test does, and expects the error that reports it.
    func keep(_ fixture: StoreFixture, named name: String, migrations: MigrationRegistry? = nil) throws {
        do {
            try record(fixture, named: name, migrations: migrations)
            throw CocoaError(.fileWriteUnknown)
        } catch let error as TestingError where error.code == .recorded {}
    }
}

extension CatalogDirectory {
    /// Records the types of a version, as a test with samples does, and removes the samples themselves.
    func recordTypes(
        _ types: [FixtureType],
        _ settings: [FixtureSetting] = [],
        at version: Int,
        coding: RecordCoding = .standard
    ) async throws {
        let migrations = MigrationRegistry(version == 0 ? [] : [Migration(to: version, "version \(version)")])
        let recording = try await Releases.requireFailure {
            try await catalog(recording: .missing)
                .verify(migrations.coding(coding), types: types, settings: settings, versions: [])
        }
        guard recording.report.recorded.contains("types.json") else { throw recording }
        // The registry of another version cannot upgrade them.
        for path in recording.report.recorded where path != "types.json" { try remove(path) }
    }
}
