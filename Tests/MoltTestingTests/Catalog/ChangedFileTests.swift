import Foundation
import MoltTesting
import TestSupport
import Testing

@testable import Molt

@Suite("Changed files of a catalog")
struct ChangedFileTests {
    private static let versions = TestRun.choose([1, 3], long: [0, 1, 2, 3])
    private let directory: CatalogDirectory

    init() async throws {
        directory = try await Releases.catalog(of: Self.versions)
    }

    /// Returns the failure of verifying the catalog; nil if it passes.
    private func failure(_ recording: RecordingMode = .never) async -> VerificationFailure? {
        await Releases.failure {
            try await directory.catalog(recording: recording)
                .verify(Releases.migrations, types: Releases.types, versions: Self.versions)
        }
    }

    /// Returns the failure of verifying the catalog, which must change no file.
    private func failureWithoutWriting(_ mode: RecordingMode) async throws -> VerificationFailure {
        let files = try directory.files()
        let failure = try #require(await failure(mode))
        #expect(try directory.files() == files)
        #expect(failure.report.recorded.isEmpty)
        return failure
    }

    @Test func `Each golden file contains the digest of its fixture`() async throws {
        let files = try await Releases.catalog().files()
        let goldens = files.keys.filter { $0.hasPrefix("Golden/") }
        #expect(goldens.count == 6)
        for path in goldens {
            let fixture = path.dropFirst("Golden/".count).prefix { $0 != "@" } + ".json"
            let digest = SHA256.hexadecimal(of: try #require(files[String(fixture)]))
            let text = String(decoding: try #require(files[path]), as: UTF8.self)
            #expect(text.contains("\n  \"fixtureDigest\": \"\(digest)\",\n"), "\(path)")
        }
    }

    /// The second edit changes no result.
    @Test(arguments: RecordingMode.allCases, [("Paris", "London"), ("\"format\": 1,", "\"format\": 1 ,")])
    func `An edited fixture that has shipped is a failure in every mode, and nothing is written`(
        mode: RecordingMode,
        edit: (text: String, newText: String)
    ) async throws {
        try directory.edit("1-everyday.json", edit.text, to: edit.newText)

        let failure = try await failureWithoutWriting(mode)

        #expect(failure.kinds == [.changed])
        #expect(failure.failures.map(\.subject) == ["1-everyday.json"])
        #expect(failure.first().place == "Golden/1-everyday@2.json; Golden/1-everyday@3.json")
        #expect(failure.first().message.contains("is not the one that the golden file was made from. Restore it"))
    }

    @Test(arguments: RecordingMode.allCases)
    func `A shipped golden file that was edited is a failure in every mode`(mode: RecordingMode) async throws {
        try directory.edit("Golden/1-everyday@2.json", "Paris", to: "London")

        let failure = try await failureWithoutWriting(mode)

        #expect(failure.kinds == [.golden])
        let golden = failure.first()
        #expect(golden.subject == "1-everyday.json")
        #expect(golden.place == "Golden/1-everyday@2.json")
        #expect(golden.message.contains(#""john".address.city: expected "London", found "Paris""#))
        #expect(golden.message.contains("correct the migration"))
    }

    @Test(arguments: RecordingMode.allCases)
    func `A shipped fixture that was removed is a failure in every mode`(mode: RecordingMode) async throws {
        try directory.remove("1-everyday.json")

        let failure = try await failureWithoutWriting(mode)

        #expect(failure.kinds == [.catalog, .missingFixture])
        #expect(failure.all(.catalog).map(\.subject) == ["Golden/1-everyday@2.json", "Golden/1-everyday@3.json"])
        #expect(failure.first(.catalog).message.contains("no fixture 1-everyday.json that this was made from."))
    }

    @Test func `A removed golden file is reported as missing until it is recorded`() async throws {
        let before = try directory.files()
        try directory.remove("Golden/1-everyday@2.json")

        #expect(await failure()?.kinds == [.missingGolden])
        let recording = try #require(await failure(.missing))

        #expect(recording.kinds == [.recorded])
        #expect(recording.report.recorded == ["Golden/1-everyday@2.json"])
        #expect(try directory.files() == before)
    }

    @Test func `A fixture can change if its golden files are removed and recorded again`() async throws {
        try directory.edit("1-everyday.json", "Paris", to: "London")
        let goldens = ["Golden/1-everyday@2.json", "Golden/1-everyday@3.json"]
        for path in goldens { try directory.remove(path) }

        #expect(await failure(.missing)?.report.recorded == goldens)
        #expect(await failure() == nil)
    }

    @Test(arguments: [
        (#""fixtureDigest""#, #""digest""#, "There is no such member here"),
        ("\"fixtureDigest\": \"[^,]*,", "", "The member \"fixtureDigest\" is missing"),
    ])
    func `A golden file without a digest cannot be read`(text: String, newText: String, message: String) async throws {
        let path = "Golden/1-everyday@2.json"
        let edited = try directory.text(path).replacingOccurrences(of: text, with: newText, options: .regularExpression)
        try Data(edited.utf8).write(to: directory.url.appending(path: path))

        let failure = try #require(await failure(.all))

        #expect(failure.failures.map(\.subject) == [path])
        #expect(failure.kinds == [.catalog])
        #expect(failure.first().message.contains(message))
        #expect(try directory.text(path) == edited)
    }

    @Test(arguments: [
        ("1-everyday.json", "\n", "\r\n"), ("3-everyday.json", "\n", "\r\n"),
        ("Golden/1-everyday@3.json", "\n", "\r\n"), ("3-everyday.json", "Paris", "London"),
    ])
    func `Line endings do not count as a change, and a fixture of the newest version may change`(
        path: String,
        text: String,
        newText: String
    ) async throws {
        try directory.edit(path, text, to: newText)

        #expect(await failure() == nil)
    }

    @Test func `Fixtures that are too old to be upgraded may be removed`() async throws {
        let directory = try await Releases.catalog()
        try directory.remove("0-everyday.json")
        for version in 1...3 { try directory.remove("Golden/0-everyday@\(version).json") }
        let migrations = MigrationRegistry([Releases.split, Releases.nickname], oldestSupportedVersion: 1)

        let report = try await directory.catalog().verify(migrations, types: Releases.types)

        #expect(report.rows.map(\.fixture) == ["1-everyday.json", "2-everyday.json", "3-everyday.json"])
    }

    @Test func `A file whose name does not follow the scheme is a failure`() async throws {
        for path in ["everyday.json", "01-everyday.json", "Golden/0-everyday.json"] {
            try Data("{}".utf8).write(to: directory.url.appending(path: path))
        }
        try Data().write(to: directory.url.appending(path: "README.md"))

        let failure = try #require(await failure())

        #expect(failure.failures.map(\.subject) == ["01-everyday.json", "Golden/0-everyday.json", "everyday.json"])
        #expect(failure.kinds == [.catalog])
        #expect(failure.first().message.contains("The one JSON file beside them may be `schema.json`"))
    }
}
