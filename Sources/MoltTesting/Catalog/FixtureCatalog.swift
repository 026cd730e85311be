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
/// | `fixtures.lock` | the SHA-256 of each fixture and expected store; `shasum -a 256 -c fixtures.lock` checks it, too |
///
/// What belongs to a version below the newest one has shipped: the newest is that of the registry, or of any file or
/// line of the lock when that is newer, and an expected store belongs to the version that it was upgraded to. Nothing
/// that has shipped is ever written again, whatever the ``RecordingMode``, and that one of these files was changed or
/// removed is a failure: it is what devices in the field hold, and no later code can make it again.
///
/// The newest version's own files can be written again with `MOLT_RECORD=all` until there is a next version: nobody
/// else knows when it was released. Start the next version's migration, be it an empty one, when you release.
///
/// - Important: Tell the version control system to leave the files as they are, as with `*.json -text` in a file
///   `.gitattributes` beside them: other line ends are other bytes.
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

    /// Reads a fixture or an expected store.
    func fixture(at file: CatalogFile) throws -> StoreFixture {
        let url = url(of: file)
        let fixture = try StoreFixture(contentsOf: url)
        guard fixture.schemaVersion == file.version else {
            throw TestingError(
                .malformedFixture,
                "The file's name says version \(file.version), and what is in it version \(fixture.schemaVersion). "
                    + "Rename the file, or put the right one in its place.",
                file: url
            )
        }
        return fixture
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

    /// The digest of a file; nil when there is none.
    func hash(of path: String) throws -> String? {
        let url = directory.appending(path: path, directoryHint: .notDirectory)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return SHA256.hexadecimal(of: try Data(contentsOf: url))
    }

    /// The digest that a file has without the line ends of Windows; nil when there is none, or it has no such ends.
    func unixHash(of path: String) throws -> String? {
        let url = directory.appending(path: path, directoryHint: .notDirectory)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let bytes = try Data(contentsOf: url)
        var rest = Data(capacity: bytes.count)
        for (byte, next) in zip(bytes, bytes.dropFirst()) where (byte, next) != (0x0D, 0x0A) { rest.append(byte) }
        if let last = bytes.last { rest.append(last) }
        return rest.count == bytes.count ? nil : SHA256.hexadecimal(of: rest)
    }

    /// The newest version that anything tells of; what is of an older one has shipped.
    ///
    /// A registry may be older than the catalog, as on a branch, and is no reason to write shipped files again.
    func newestVersion(_ paths: [String], _ lock: FixtureLock, _ migrations: MigrationRegistry?) -> Int {
        let files = paths.compactMap { CatalogFile(path: $0)?.version }
        return max(files.max() ?? 0, lock.newestVersion ?? 0, migrations?.version ?? 0)
    }

    // MARK: Writing

    private var lockURL: URL {
        directory.appending(path: FixtureLock.file, directoryHint: .notDirectory)
    }

    /// The hashes as they are on disk; none when there is no file yet.
    func lock() throws -> FixtureLock {
        guard FileManager.default.fileExists(atPath: lockURL.path) else { return FixtureLock() }
        return FixtureLock(String(decoding: try Data(contentsOf: lockURL), as: UTF8.self))
    }

    /// Writes a file, over another one when there is one.
    func write(_ fixture: StoreFixture, to file: CatalogFile) throws {
        let url = url(of: file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try fixture.withoutTimes().write(to: url, overwriting: true)
    }

    /// Makes the lines of some files what the files are now, and removes those of files that are gone.
    ///
    /// - Throws: ``TestingError`` with the code `malformedLock`, and nothing is written, when the lock has faults.
    func updateLock(of paths: [String]) throws {
        guard !paths.isEmpty else { return }
        // Tests run at the same time, each with a catalog of its own for the same directory; so do processes.
        try DirectoryLock.with(directory) {
            var lock = try lock()
            try require(lock)
            for path in paths { lock.hashes[path] = try hash(of: path) }
            try Data(lock.text.utf8).write(to: lockURL, options: .atomic)
        }
    }

    /// Throws when the lock has faults: of two lines about a file nobody can say which one is right.
    func require(_ lock: FixtureLock) throws {
        guard !lock.faults.isEmpty else { return }
        throw TestingError(
            .malformedLock,
            "\(lock.faults.joined(separator: " ")) \(CatalogWords.restoreLock)",
            file: lockURL
        )
    }
}
