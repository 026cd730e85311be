public import Foundation
internal import Molt

/// The fixtures of every shipped release, in a checked-in directory of the app's tests.
///
/// ```swift
/// @Test func `Every release's store is upgraded`() async throws {
///     try await FixtureCatalog("Fixtures", beside: #filePath)
///         .verify(migrations, types: [.type(Person.self), .type(Group.self)])
/// }
/// ```
///
/// | File | Content |
/// |---|---|
/// | `1-everyday.json` | a fixture of version 1 with the name "everyday" |
/// | `1-everyday@3.json` | the upgraded fixture: the same store as it must be at version 3 |
/// | `types.json` | the properties of the app's types at each version |
/// | `seals.json` | what has shipped with each version: digests of its files, and its migrations |
///
/// The newest version is that of the registry, or of any file if that is newer. An upgraded fixture belongs to the
/// version that it was upgraded to. It contains the digest of its fixture, so that a changed fixture is a failure.
///
/// When you release, seal the version: with `shipped:` of
/// ``verify(_:types:settings:versions:shipped:acknowledging:variations:configuration:)``, or with `molt seal`. Devices
/// in the field then hold such stores, and later code cannot recreate them. From then on, its files are overwritten in
/// no ``RecordingMode``, and a changed file, shape or migration is a failure. A version that is not sealed counts as
/// shipped once there is a newer one, except for ``RecordingMode/unsealed``.
public struct FixtureCatalog: Sendable {
    /// The directory of the catalog.
    public let directory: URL
    private let recording: RecordingMode?

    /// Creates a catalog without reading the directory.
    ///
    /// - Parameters:
    ///   - directory: The directory in the source tree, not a copy in a bundle, because files are recorded there.
    ///   - recording: The recording mode; set by the variable `MOLT_RECORD` by default.
    public init(_ directory: URL, recording: RecordingMode? = nil) {
        self.directory = directory
        self.recording = recording
    }

    /// Creates a catalog in a directory beside a source file without reading the directory.
    ///
    /// - Parameters:
    ///   - name: The directory's name, or its path.
    ///   - file: The source file; the calling one by default.
    ///   - recording: The recording mode; set by the variable `MOLT_RECORD` by default.
    public init(_ name: String, beside file: String = #filePath, recording: RecordingMode? = nil) {
        let directory = URL(filePath: name, directoryHint: .isDirectory, relativeTo: URL(filePath: file))
        self.init(directory.absoluteURL, recording: recording)
    }

    /// Reads a fixture: `fixture(1, "everyday")` reads `1-everyday.json`.
    ///
    /// - Throws: ``TestingError`` if the file cannot be read, if it is not a fixture, if the version in it is not that
    ///   of its name, or if the name is invalid.
    public func fixture(_ version: Int, _ name: String) throws -> StoreFixture {
        try CatalogFile.requireName(name)
        return try fixture(at: CatalogFile(fixtureVersion: version, name: name))
    }

    // MARK: Files

    func url(of file: CatalogFile) -> URL {
        directory.appending(path: file.path, directoryHint: .notDirectory)
    }

    func fixture(at file: CatalogFile) throws -> StoreFixture {
        let fixture = try StoreFixture(contentsOf: url(of: file))
        try requireVersion(of: fixture, file)
        return fixture
    }

    func upgraded(at file: CatalogFile) throws -> UpgradedFixture {
        let upgraded = try UpgradedFixture(contentsOf: url(of: file))
        try requireVersion(of: upgraded.store, file)
        return upgraded
    }

    private func requireVersion(of fixture: StoreFixture, _ file: CatalogFile) throws {
        // A suite does not reach the versions of migrations that only work on records.
        let isBehind = fixture.primary != .cache && fixture.version < file.version
        guard fixture.version != file.version, !isBehind else { return }
        throw TestingError(
            .malformedFixture,
            "The file's name says version \(file.version), but its content has version \(fixture.version). "
                + "Rename the file, or put the right one in its place.",
            file: url(of: file)
        )
    }

    func recordingMode() throws -> RecordingMode {
        try recording ?? .fromEnvironment()
    }

    /// The names of the JSON files of fixtures, sorted.
    func paths() throws -> [String] {
        guard FileManager.default.fileExists(atPath: directory.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter {
                $0.hasSuffix(".json") && !$0.hasPrefix(".") && ![CatalogFile.types, CatalogFile.seals].contains($0)
            }
            .sorted()
    }

    /// The SHA-256 of a file, without carriage returns, which a version control system may have inserted.
    func digest(of file: CatalogFile) throws -> String {
        SHA256.hexadecimal(of: try Data(contentsOf: url(of: file)).filter { $0 != 0x0D })
    }

    func write(_ fixture: StoreFixture, to file: CatalogFile) throws {
        let url = url(of: file)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        let fixture = fixture.withoutTimes()
        guard file.target != nil else { return try fixture.write(to: url, overwriting: true) }
        let upgraded = UpgradedFixture(fixture, fixtureDigest: try digest(of: file.fixture))
        try Data(upgraded.json.utf8).write(to: url, options: .atomic)
    }
}
