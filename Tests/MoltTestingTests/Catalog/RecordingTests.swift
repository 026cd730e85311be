import Foundation
import MoltTesting
import Testing

@testable import Molt

@Suite("Recording of fixtures")
struct RecordingTests {
    private let directory = CatalogDirectory()
    private let store = StoreFixture(schemaVersion: 1, records: [.init("a", "Person", .json(#"{"name":"A"}"#))])

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
        says words: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> TestingError? {
        let files = try directory.files()
        let error = #expect(throws: TestingError.self, sourceLocation: sourceLocation) {
            try directory.catalog(recording: mode).record(fixture, named: name, migrations: migrations)
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        for word in words {
            #expect(error?.message.contains(word) == true, "\(error as Any)", sourceLocation: sourceLocation)
        }
        #expect(try directory.files() == files, sourceLocation: sourceLocation)
        return error
    }

    /// Records the store's fixture.
    private func keep() throws {
        try directory.catalog(recording: .missing).keep(store, named: "everyday")
    }

    @Test func `A fixture is written on request`() throws {
        let error = try #require(throws: TestingError.self) {
            try directory.catalog(recording: .missing).record(store, named: "everyday")
        }

        #expect(error.code == .recorded)
        #expect(error.file?.lastPathComponent == "1-everyday.json")
        #expect(try directory.catalog().fixture(1, "everyday") == store)
        #expect(try directory.files().keys.sorted() == ["1-everyday.json"])
    }

    @Test func `Nothing is written unless recording is requested`() throws {
        let error = try expectRefused(store, .never, .notRecorded, says: "MOLT_RECORD=missing swift test")
        #expect(error?.file?.lastPathComponent == "1-everyday.json")
    }

    @Test func `An existing fixture with the same content is left alone`() throws {
        try keep()
        let files = try directory.files()

        for mode in RecordingMode.allCases {
            try directory.catalog(recording: mode).record(store, named: "everyday")
        }

        #expect(try directory.files() == files)
    }

    @Test(arguments: [RecordingMode.never, .missing])
    func `An existing fixture is not overwritten with a different one`(mode: RecordingMode) throws {
        try keep()
        let difference = #""a".name: expected "A", found "B""#
        try expectRefused(changed, mode, .notRecorded, says: difference, "MOLT_RECORD=all swift test")
    }

    @Test func `Recording all overwrites a fixture of the newest version`() throws {
        try keep()
        let migrations: MigrationRegistry = [Migration(to: 1, "a")]

        try directory.catalog(recording: .all).keep(changed, named: "everyday", migrations: migrations)

        #expect(try directory.catalog().fixture(1, "everyday") == changed)
    }

    @Test func `No fixture is overwritten unless the registry is given`() throws {
        try keep()
        let words = "only the registry can say whether it has shipped"
        try expectRefused(changed, .all, .notRecorded, says: words, "`migrations:`")
    }

    @Test func `A difference caused only by an edited migration is explained in the error`() throws {
        var (before, after) = (store, store)
        before.ledger = [LedgerEntry(name: "a", version: 1, appliedAt: .distantPast, fingerprint: "1")]
        after.ledger = [LedgerEntry(name: "a", version: 1, appliedAt: .distantPast, fingerprint: "2")]
        try directory.catalog(recording: .missing).keep(before.withoutTimes(), named: "everyday")
        let words = "migrations were edited since the file was written. Undo that"
        try expectRefused(after, .never, .notRecorded, says: words)
    }

    @Test func `A schema snapshot may be kept beside the fixtures`() async throws {
        try directory.catalog(recording: .missing).keep(StoreFixture(schemaVersion: 0), named: "empty")
        try Data("{}".utf8).write(to: directory.url.appending(path: "schema.json"))

        try await directory.catalog().verify([], types: [])
    }

    /// The reason that version 1 is not the newest one.
    enum Newer: CaseIterable {
        case registry
        case file
    }

    @Test(arguments: RecordingMode.allCases, Newer.allCases)
    func `A fixture of an older version is never overwritten`(mode: RecordingMode, newer: Newer) throws {
        try keep()
        var migrations: MigrationRegistry?
        switch newer {
        case .registry: migrations = [Migration(to: 1, "a"), Migration(to: 2, "b")]
        case .file:
            try directory.catalog(recording: .missing).keep(StoreFixture(schemaVersion: 2), named: "other")
        }
        let words = "a file of an older version is never written again."
        try expectRefused(changed, mode, migrations: migrations, .shipped, says: words)
    }

    @Test(arguments: RecordingMode.allCases)
    func `A removed fixture that has golden files is not recorded again`(mode: RecordingMode) async throws {
        let directory = try await Releases.catalog()
        try directory.remove("1-everyday.json")

        let error = try #require(throws: TestingError.self) {
            try directory.catalog(recording: mode).keep(store, named: "everyday")
        }

        #expect(error.code == .shipped)
        #expect(error.message.contains("Restore it from version control"))
    }

    @Test func `A new fixture of an older version can be added`() throws {
        try directory.catalog(recording: .missing).keep(StoreFixture(schemaVersion: 2), named: "everyday")

        try directory.catalog(recording: .missing).keep(store, named: "odd one")

        #expect(try directory.catalog().fixture(1, "odd one") == store)
    }

    @Test(arguments: ["", "a/b", "../a", "a@2", ".a", "a "])
    func `A name that is not valid for a file is refused`(name: String) throws {
        try expectRefused(store, named: name, .all, .unsuitable)
    }

    @Test(arguments: ["x/../../out", "../1-out", ""])
    func `A name that refers to a file outside of the catalog is refused`(name: String) throws {
        try store.write(to: directory.url.deletingLastPathComponent().appending(path: "out.json"), overwriting: true)
        defer {
            try? FileManager.default.removeItem(
                at: directory.url.deletingLastPathComponent().appending(path: "out.json")
            )
        }

        let error = try #require(throws: TestingError.self) { try directory.catalog().fixture(1, name) }

        #expect(error.code == .unsuitable)
        #expect(error.message.contains("\"\(name)\" cannot be the name of a fixture"))
    }

    @Test func `A name that differs from that of another file only in case is refused`() throws {
        try keep()
        let error = try expectRefused(store, named: "Everyday", .all, .unsuitable)
        let words = "There is 1-everyday.json, which many file systems treat as the same name"
        #expect(error?.message.hasPrefix(words) == true)
        // For another version, the name is that of another file.
        try directory.catalog(recording: .missing).keep(StoreFixture(schemaVersion: 2), named: "Everyday")
    }

    @Test func `A file with another version than its name states is an error`() throws {
        try keep()
        try FileManager.default.moveItem(
            at: directory.url.appending(path: "1-everyday.json"),
            to: directory.url.appending(path: "2-everyday.json")
        )

        let error = try #require(throws: TestingError.self) { try directory.catalog().fixture(2, "everyday") }

        #expect(error.code == .malformedFixture)
        #expect(error.message.contains("name says version 2, but its content has version 1"))
    }

    @Test func `A catalog is found beside the source file`() {
        #expect(FixtureCatalog("/a/Fixtures").directory.path == "/a/Fixtures")
        let catalog = FixtureCatalog("Fixtures", recording: .never)

        #expect(catalog.directory.path.hasSuffix("/MoltTestingTests/Catalog/Fixtures"))
    }
}
