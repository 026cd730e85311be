import Foundation
import Molt
import MoltTesting
import Testing

/// Fixtures that someone has written with an editor.
@Suite
struct HandwrittenTests {
    private func verify(_ directory: CatalogDirectory, _ mode: RecordingMode) async -> MatrixFailure? {
        await Releases.failure {
            try await directory.catalog(recording: mode).verify(Releases.migrations, types: Releases.types)
        }
    }

    @Test(arguments: [
        // A comma too much, no ledger, and a type that the app does not have.
        (#"{"format": 1, "schemaVersion": 1, "records": [],}"#, MatrixFailure.Kind.catalog),
        (#"{"format": 1, "schemaVersion": 1, "records": []}"#, .ledger),
        (
            """
            {"format": 1, "schemaVersion": 1, "ledger": [{"name": "alien-becomes-person", "version": 1}],
            "records": [{"key": "a", "type": "Robot", "content": {}}]}
            """,
            .unknownType
        ),
    ])
    func `One with a mistake gets no line in the lock until the mistake is mended`(
        text: String,
        kind: MatrixFailure.Kind
    ) async throws {
        let directory = try await Releases.catalog()
        let url = directory.url.appending(path: "1-odd.json")
        try Data(text.utf8).write(to: url)
        let lock = try directory.text("fixtures.lock")

        for mode in [RecordingMode.missing, .all] {
            let failure = try #require(await verify(directory, mode))

            #expect(failure.failures.allSatisfy { $0.subject == "1-odd.json" })
            #expect(failure.kinds.contains(kind))
            #expect(
                failure.first(.lock).message.contains("not written to fixtures.lock, because of what else is wrong")
            )
            #expect(try directory.text("fixtures.lock") == lock)
        }

        // It has not shipped: it can be mended, though its version has.
        try FileManager.default.removeItem(at: url)
        try Releases.store(at: 1).withoutTimes().write(to: url)
        let recording = try #require(await verify(directory, .missing))
        #expect(recording.kinds == [.recorded])
        #expect(recording.report.recorded == ["1-odd.json", "Golden/1-odd@2.json", "Golden/1-odd@3.json"])
        #expect(await verify(directory, .never) == nil)
    }

    @Test func `A new one of an older version is not said to have shipped`() async throws {
        let directory = try await Releases.catalog()
        try Releases.store(at: 1).withoutTimes().write(to: directory.url.appending(path: "1-new.json"))

        let failure = try #require(await verify(directory, .never))

        #expect(
            failure.first(.lock).message == """
                The file has no line in fixtures.lock. If it is a new one, add its line: MOLT_RECORD=missing swift test. If not, \
                restore the line from version control.
                """
        )
    }

    @Test func `A golden file that is not what comes out gets no line either`() async throws {
        let directory = try await Releases.catalog()
        try directory.catalog(recording: .missing).keep(Releases.first, named: "odd")
        let golden = try directory.text("Golden/0-everyday@2.json").replacingOccurrences(of: "Paris", with: "London")
        try Data(golden.utf8).write(to: directory.url.appending(path: "Golden/0-odd@2.json"))

        let failure = try #require(await verify(directory, .missing))

        #expect(failure.first(.golden).place == "Golden/0-odd@2.json")
        #expect(failure.all(.lock).map(\.subject) == ["Golden/0-odd@2.json"])
        #expect(try !directory.text("fixtures.lock").contains("Golden/0-odd@2.json"))
    }

    @Test func `A fixture that is too old to be upgraded gets its line when it can be read`() async throws {
        let directory = try await Releases.catalog()
        let migrations = MigrationRegistry([Releases.split, Releases.nickname], oldestSupportedVersion: 1)
        try Data("{".utf8).write(to: directory.url.appending(path: "0-bad.json"))
        try Releases.first.write(to: directory.url.appending(path: "0-good.json"))

        let failure = try #require(
            await Releases.failure {
                try await directory.catalog(recording: .missing).verify(migrations, types: Releases.types)
            }
        )

        #expect(failure.report.recorded == ["0-good.json"])
        #expect(failure.all(.lock).map(\.subject) == ["0-bad.json"])
    }
}
