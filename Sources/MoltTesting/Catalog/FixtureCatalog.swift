public import Foundation
internal import MoltCore

/// The fixtures of every release that shipped, in a directory of the app's tests that is checked in.
///
/// ```swift
/// @Test func `Every release's store is upgraded`() async throws {
///     try await FixtureCatalog("Fixtures", beside: #filePath)
///         .verify(migrations, types: [.type(Person.self), .type(Group.self)])
/// }
/// ```
///
/// | File | What it is |
/// |---|---|
/// | `1-everyday.json` | a fixture of version 1, which has the name "everyday" |
/// | `Golden/1-everyday@3.json` | what an upgrade to version 3 has to make of it |
/// | `schema.json` | the shapes of today's types, where a ``SchemaSnapshot`` is kept here, too |
///
/// The newest version is that of the registry, or of any file when that is newer; an expected store belongs to the
/// version that it was upgraded to. Everything of an older version has shipped, and is never written again, whatever the
/// ``RecordingMode``: devices in the field hold such stores, and no later code can make them again. An expected store
/// carries the digest of the fixture that it was made from, so that a changed fixture is a failure.
///
/// The newest version's own files can be written again with `MOLT_RECORD=all` until there is a next version: nothing
/// else tells when it was released. Start the next version's migration, be it an empty one, when you release.
public struct FixtureCatalog: Sendable {
    /// The directory.
    public let directory: URL
    private let recording: RecordingMode?

    /// Takes a directory as a catalog; nothing is read yet.
    ///
    /// - Parameters:
    ///   - directory: The directory in the source tree, not a copy in a bundle: files are recorded there.
    ///   - recording: Whether files are written; what the variable `MOLT_RECORD` says by default.
    public init(_ directory: URL, recording: RecordingMode? = nil) {
        self.directory = directory
        self.recording = recording
    }

    /// Takes a directory beside a source file as a catalog; nothing is read yet.
    ///
    /// - Parameters:
    ///   - name: The directory's name.
    ///   - file: The source file; the calling one by default.
    ///   - recording: Whether files are written; what the variable `MOLT_RECORD` says by default.
    public init(_ name: String, beside file: String = #filePath, recording: RecordingMode? = nil) {
        let directory = URL(filePath: file).deletingLastPathComponent().appending(
            path: name,
            directoryHint: .isDirectory
        )
        self.init(directory, recording: recording)
    }

    /// Reads a fixture: `fixture(1, "everyday")` is that in `1-everyday.json`.
    ///
    /// - Throws: ``TestingError`` with the code `malformedFixture`, also when the file's version is not that of its
    ///   name; `unsuitable` when no fixture can have the name; or why the file cannot be read.
    public func fixture(_ version: Int, _ name: String) throws -> StoreFixture {
        try CatalogFile.requireName(name)
        return try fixture(at: CatalogFile(fixtureVersion: version, name: name))
    }

    // MARK: Files

    func url(of file: CatalogFile) -> URL {
        directory.appending(path: file.path, directoryHint: .notDirectory)
    }

    /// Reads a fixture.
    func fixture(at file: CatalogFile) throws -> StoreFixture {
        let fixture = try StoreFixture(contentsOf: url(of: file))
        try requireVersion(of: fixture, file)
        return fixture
    }

    /// Reads an expected store.
    func golden(at file: CatalogFile) throws -> GoldenStore {
        let golden = try GoldenStore(contentsOf: url(of: file))
        try requireVersion(of: golden.store, file)
        return golden
    }

    private func requireVersion(of fixture: StoreFixture, _ file: CatalogFile) throws {
        guard fixture.schemaVersion != file.version else { return }
        throw TestingError(
            .malformedFixture,
            "The file's name says version \(file.version), and what is in it version \(fixture.schemaVersion). "
                + "Rename the file, or put the right one in its place.",
            file: url(of: file)
        )
    }

    /// Whether files are written in this run.
    func recordingMode() throws -> RecordingMode {
        try recording ?? .fromEnvironment()
    }

    /// The paths of the JSON files, sorted.
    func paths() throws -> [String] {
        func files(_ directory: URL, _ prefix: String) throws -> [String] {
            guard FileManager.default.fileExists(atPath: directory.path) else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") && $0 != CatalogFile.schema }
                .map { prefix + $0 }
        }
        let golden = directory.appending(path: CatalogFile.goldenDirectory, directoryHint: .isDirectory)
        return try (files(directory, "") + files(golden, CatalogFile.goldenDirectory + "/")).sorted()
    }

    /// The SHA-256 of a fixture's file.
    ///
    /// Carriage returns, which a version control system may have put in, do not count.
    func digest(of fixture: CatalogFile) throws -> String {
        SHA256.hexadecimal(of: try Data(contentsOf: url(of: fixture)).filter { $0 != 0x0D })
    }

    /// The newest version of the registry and of all files; older versions have shipped.
    ///
    /// A registry may be older than the catalog, as on a branch, and must not make shipped files writable again.
    func newestVersion(_ paths: [String], _ migrations: MigrationRegistry?) -> Int {
        let files = paths.compactMap { CatalogFile(path: $0)?.version }
        return max(files.max() ?? 0, migrations?.version ?? 0)
    }

    /// Writes a fixture or an expected store, over another one when there is one.
    func write(_ fixture: StoreFixture, to file: CatalogFile) throws {
        let url = url(of: file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let fixture = fixture.withoutTimes()
        guard file.target != nil else { return try fixture.write(to: url, overwriting: true) }
        let golden = GoldenStore(fixture, fixtureDigest: try digest(of: file.fixture))
        try Data(golden.json.utf8).write(to: url, options: .atomic)
    }
}
