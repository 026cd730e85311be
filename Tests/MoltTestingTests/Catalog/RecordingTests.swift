import Foundation
import Molt
import MoltTesting
import Testing

@Suite("Recording of fixtures")
struct RecordingTests {
    private let directory = CatalogDirectory()
    private let store = StoreFixture(version: 1, records: [.init("a", "Person", .json(#"{"name":"A"}"#))])

    private var changed: StoreFixture {
        var store = store
        store.records[0].content = .json(#"{"name":"B"}"#)
        return store
    }

    /// Expects that recording a fixture is refused, and that no file changes.
    @discardableResult
    private func expectRefused(
        _ fixture: StoreFixture,
        named name: String = "everyday",
        _ mode: RecordingMode,
        migrations: MigrationRegistry? = nil,
        _ code: TestingError.Code,
        says words: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> TestingError {
        let files = try directory.files()
        let error = try TestingError.expect(code, sourceLocation: sourceLocation) {
            try directory.catalog(recording: mode).record(fixture, named: name, migrations: migrations)
        }
        #expect(words.isEmpty || error.message.contains(words), "\(error)", sourceLocation: sourceLocation)
        #expect(try directory.files() == files, sourceLocation: sourceLocation)
        return error
    }

    /// Records a fixture, by default the suite's store.
    private func keep(
        _ fixture: StoreFixture? = nil,
        named name: String = "everyday",
        _ mode: RecordingMode = .missing,
        migrations: MigrationRegistry? = nil
    ) throws {
        try directory.catalog(recording: mode).keep(fixture ?? store, named: name, migrations: migrations)
    }

    // MARK: Modes

    @Test func `The environment sets the recording mode, and an unknown value is an error that names the known ones`()
        throws
    {
        let modes: [(String?, RecordingMode)] = [
            (nil, .never), ("", .never), ("missing", .missing), ("all", .all), ("all,unsealed", .unsealed),
        ]
        for (text, mode) in modes {
            var environment = ["OTHER": "all"]
            environment["MOLT_RECORD"] = text
            #expect(try RecordingMode.fromEnvironment(environment) == mode)
        }
        for text in ["1", "true", "All", "missing "] {
            try TestingError.expect(.unsuitable, says: "MOLT_RECORD is \"\(text)\"", "`missing`", "`all`") {
                try RecordingMode.fromEnvironment(["MOLT_RECORD": text])
            }
        }
    }

    @Test func `A fixture is written on request, and left alone if it has the same content`() throws {
        let refused = try expectRefused(store, .never, .notRecorded, says: "MOLT_RECORD=missing swift test")
        #expect(refused.file?.lastPathComponent == "1-everyday.json")

        let recorded = try TestingError.expect(.recorded) {
            try directory.catalog(recording: .missing).record(store, named: "everyday")
        }
        #expect(recorded.file?.lastPathComponent == "1-everyday.json")
        #expect(try directory.catalog().fixture(1, "everyday") == store)
        let files = try directory.files()
        #expect(files.keys.sorted() == ["1-everyday.json"])

        for mode in RecordingMode.allCases {
            try directory.catalog(recording: mode).record(store, named: "everyday")
        }
        #expect(try directory.files() == files)
    }

    // MARK: Overwriting

    @Test func `A fixture is overwritten only if that is requested and the registry says that it has not shipped`()
        throws
    {
        try keep()
        for mode in [RecordingMode.never, .missing] {
            let refused = try expectRefused(changed, mode, .notRecorded, says: "MOLT_RECORD=all swift test")
            #expect(refused.message.contains(#""a".name: expected "A", found "B""#))
        }
        let unknown = try expectRefused(changed, .all, .notRecorded, says: "`migrations:`")
        #expect(unknown.message.contains("only the registry can say whether it has shipped"))
        try keep(changed, .all, migrations: [Migration(to: 1, "a")])
        #expect(try directory.catalog().fixture(1, "everyday") == changed)
    }

    @Test func `A difference caused only by an edited migration is explained in the error`() throws {
        var (before, after) = (store, store)
        before.ledger = [LedgerEntry(name: "a", version: 1, appliedAt: .distantPast)]
        before.ledger[0].fingerprint = "1"
        after.ledger = [LedgerEntry(name: "a", version: 1, appliedAt: .distantPast)]
        after.ledger[0].fingerprint = "2"
        try keep(before.withoutTimes())
        let words = "migrations were edited since the file was written. Undo the edits"
        try expectRefused(after, .never, .notRecorded, says: words)
    }

    @Test(arguments: [RecordingMode.never, .missing, .all])
    func `A fixture of an older version is overwritten only as one that is not sealed`(mode: RecordingMode) throws {
        try keep()
        let words = "a file of an older version is not written again."
        let newer: MigrationRegistry = [Migration(to: 1, "a"), Migration(to: 2, "b")]
        try expectRefused(changed, mode, migrations: newer, .shipped, says: words)
        // Without a registry, another file shows that there is a newer version.
        try keep(StoreFixture(version: 2), named: "other")
        try expectRefused(changed, mode, .shipped, says: words)
        try keep(changed, .unsealed, migrations: newer)
        #expect(try directory.catalog().fixture(1, "everyday") == changed)
        try directory.seal(2, newer)
        for mode in RecordingMode.allCases {
            try expectRefused(store, mode, migrations: newer, .shipped, says: "Version 1 is sealed")
        }
    }

    @Test(arguments: RecordingMode.allCases)
    func `A removed fixture that has upgraded fixtures is not recorded again`(mode: RecordingMode) async throws {
        let directory = try await Releases.catalog(of: [1])
        try directory.remove("1-everyday.json")
        try TestingError.expect(.shipped, says: "Otherwise restore it", "git -C ") {
            try directory.catalog(recording: mode).keep(store, named: "everyday")
        }
    }

    @Test func `A new fixture of an older version can be added`() throws {
        try keep(StoreFixture(version: 2))
        try keep(named: "odd one")
        #expect(try directory.catalog().fixture(1, "odd one") == store)
    }

    // MARK: Names

    @Test func `A name that is not valid for a file, or that refers to one outside the catalog, is refused`() throws {
        for name in ["", "a/b", "../a", "a@2", ".a", "a "] {
            try expectRefused(store, named: name, .all, .unsuitable)
        }
        let outside = directory.url.deletingLastPathComponent().appending(path: "out.json")
        try store.write(to: outside, overwriting: true)
        defer { try? FileManager.default.removeItem(at: outside) }
        for name in ["x/../../out", "../1-out", ""] {
            try TestingError.expect(.unsuitable, says: "\"\(name)\" cannot be the name of a fixture") {
                try directory.catalog().fixture(1, name)
            }
        }
    }

    @Test func `A name that differs from that of another file only in case is refused`() throws {
        try keep()
        let error = try expectRefused(store, named: "Everyday", .all, .unsuitable)
        let words = "There is 1-everyday.json, which many file systems treat as the same name"
        #expect(error.message.hasPrefix(words))
        // For another version, the name is that of another file.
        try keep(StoreFixture(version: 2), named: "Everyday")
    }

    @Test func `A file with another version than its name states is an error`() throws {
        try directory.write(store.json, to: "2-everyday.json")
        try TestingError.expect(.malformedFixture, says: "name says version 2, but its content has version 1") {
            try directory.catalog().fixture(2, "everyday")
        }
    }

    @Test func `A catalog is found beside the source file`() {
        #expect(FixtureCatalog("/a/Fixtures").directory.path == "/a/Fixtures")
        let catalog = FixtureCatalog("Fixtures", recording: .never)
        #expect(catalog.directory.path.hasSuffix("/MoltTestingTests/Catalog/Fixtures"))
    }
}
