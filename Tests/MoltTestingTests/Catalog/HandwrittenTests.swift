import Foundation
import MoltTesting
import Testing

@testable import Molt

/// Fixtures that were written in an editor.
@Suite("Handwritten fixtures")
struct HandwrittenTests {
    private func verify(_ directory: CatalogDirectory, _ mode: RecordingMode) async -> VerificationFailure? {
        await Releases.failure {
            try await directory.catalog(recording: mode)
                .verify(Releases.migrations, types: Releases.types, versions: [3])
        }
    }

    @Test(arguments: [
        // A trailing comma, no ledger, and a type that the app does not have.
        (#"{"format": 1, "schemaVersion": 1, "records": [],}"#, VerificationFailure.Kind.catalog),
        (#"{"format": 1, "schemaVersion": 1, "records": []}"#, .ledger),
        (
            """
            {"format": 1, "schemaVersion": 1, "ledger": [{"name": "alien-becomes-person", "version": 1}],
            "records": [{"key": "a", "type": "Robot", "content": {}}]}
            """,
            .unknownType
        ),
    ])
    func `A fixture with a mistake gets no golden files until the mistake is corrected`(
        text: String,
        kind: VerificationFailure.Kind
    ) async throws {
        let directory = try await Releases.catalog(of: [3])
        let url = directory.url.appending(path: "1-odd.json")
        try Data(text.utf8).write(to: url)
        let files = try directory.files()

        for mode in [RecordingMode.missing, .all] {
            let failure = try #require(await verify(directory, mode))

            #expect(failure.failures.allSatisfy { $0.subject == "1-odd.json" })
            #expect(failure.kinds.contains(kind))
            #expect(try directory.files() == files)
        }

        // It can be corrected even though its version has shipped.
        try FileManager.default.removeItem(at: url)
        try Releases.store(at: 1).withoutTimes().write(to: url)
        let recording = try #require(await verify(directory, .missing))
        #expect(recording.kinds == [.recorded])
        #expect(recording.report.recorded == ["Golden/1-odd@2.json", "Golden/1-odd@3.json"])
        #expect(await verify(directory, .never) == nil)
    }

    @Test func `A new fixture of an older version does not count as shipped`() async throws {
        let directory = try await Releases.catalog(of: [3])
        try Releases.store(at: 1).withoutTimes().write(to: directory.url.appending(path: "1-new.json"))

        let failure = try #require(await verify(directory, .never))

        #expect(failure.kinds == [.missingGolden])
        #expect(
            failure.failures.map(\.message)
                == [2, 3].map {
                    "There is no Golden/1-new@\($0).json to compare with. To write it: MOLT_RECORD=missing swift test"
                }
        )
    }
}
