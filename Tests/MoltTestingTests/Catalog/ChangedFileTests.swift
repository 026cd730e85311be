import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

/// Files of a catalog that somebody edited, wrote or removed, and registries that do not fit them.
@Suite("Changed files of a catalog")
struct ChangedFileTests {
    private static let versions = TestRun.choose([1], long: [0, 1, 2, 3])
    private let directory: CatalogDirectory

    init() async throws {
        directory = try await Releases.catalog(of: Self.versions)
    }

    /// Verifies a catalog, by default the suite's.
    private func verify(
        _ mode: RecordingMode = .never,
        of directory: CatalogDirectory? = nil,
        through migrations: MigrationRegistry = Releases.migrations,
        versions: [Int] = Self.versions
    ) async throws {
        try await (directory ?? self.directory).catalog(recording: mode)
            .verify(migrations, types: Releases.types, versions: versions)
    }

    /// Returns the failure of verifying a catalog, by default the suite's.
    private func failure(
        _ mode: RecordingMode = .never,
        of directory: CatalogDirectory? = nil,
        through migrations: MigrationRegistry = Releases.migrations,
        versions: [Int] = Self.versions
    ) async throws -> VerificationFailure {
        try await Releases.requireFailure {
            try await verify(mode, of: directory, through: migrations, versions: versions)
        }
    }

    /// Returns the failure of verifying a catalog, which must change no file.
    private func failureWithoutWriting(
        _ mode: RecordingMode,
        of directory: CatalogDirectory? = nil,
        through migrations: MigrationRegistry = Releases.migrations,
        versions: [Int] = Self.versions
    ) async throws -> VerificationFailure {
        let directory = directory ?? self.directory
        let files = try directory.files()
        let failure = try await failure(mode, of: directory, through: migrations, versions: versions)
        #expect(try directory.files() == files)
        #expect(failure.report.recorded.isEmpty)
        return failure
    }

    @Test func `Each upgraded fixture contains the digest of its fixture`() async throws {
        let files = try await Releases.catalog().files()
        let upgraded = files.keys.filter { $0.contains("@") }
        #expect(upgraded.count == 6)
        for path in upgraded {
            let fixture = path.prefix { $0 != "@" } + ".json"
            let digest = SHA256.hexadecimal(of: try #require(files[String(fixture)]))
            let text = String(decoding: try #require(files[path]), as: UTF8.self)
            #expect(text.contains("\n  \"fixtureDigest\": \"\(digest)\",\n"), "\(path)")
        }
    }

    // MARK: Edited and removed files

    @Test(arguments: [RecordingMode.never, .missing])
    func `An edited fixture that has shipped is a failure, and nothing is written`(
        mode: RecordingMode
    ) async throws {
        let upgraded = "1-everyday@2.json; 1-everyday@3.json"
        let words = "is not the one that the upgraded fixture was made from. Correct an upgrade"
        // The first edit changes no result.
        let edits = [("\"format\": 1,", "\"format\": 1 ,"), ("Paris", "London")]
        let isEach = mode == .missing || TestRun.isLong
        for (text, newText) in edits.prefix(isEach ? 2 : 1) {
            try directory.edit("1-everyday.json", text, to: newText)
            let failure = try await failureWithoutWriting(mode)
            failure.expect(only: .changed, of: ["1-everyday.json"], begins: "\(upgraded): ", says: words)
        }
    }

    @Test(arguments: [RecordingMode.never, .missing])
    func `A shipped upgraded fixture that was edited is a failure`(mode: RecordingMode) async throws {
        try directory.edit("1-everyday@2.json", "Paris", to: "London")
        let failure = try await failureWithoutWriting(mode)
        failure.expect(
            only: .upgradedFixture,
            of: ["1-everyday.json"],
            begins: "1-everyday@2.json: ",
            says: #""john".address.city: expected "London", found "Paris""#,
            "correct the migration"
        )
    }

    @Test(arguments: [RecordingMode.never, .missing, .unsealed])
    func `A shipped fixture that was removed is a failure in every mode`(mode: RecordingMode) async throws {
        try directory.remove("1-everyday.json")
        let failure = try await failureWithoutWriting(mode)
        failure.expect(kinds: .catalog, .missingFixture)
        failure.expect(
            .catalog,
            of: ["1-everyday@2.json", "1-everyday@3.json"],
            says: "The fixture 1-everyday.json, which this file was made from, is missing."
        )
    }

    @Test func `A removed upgraded fixture is missing until it is recorded, and its fixture may change then`()
        async throws
    {
        let before = try directory.files()
        try directory.remove("1-everyday@2.json")
        try await failure().expect(only: .missingUpgradedFixture)
        let recording = try await failure(.missing)
        recording.expect(only: .recorded)
        #expect(recording.report.recorded == ["1-everyday@2.json"])
        #expect(try directory.files() == before)
        try directory.edit("1-everyday.json", "Paris", to: "London")
        let upgraded = ["1-everyday@2.json", "1-everyday@3.json"]
        for path in upgraded { try directory.remove(path) }
        let again = try await failure(.missing)
        #expect(again.report.recorded == upgraded)
        try await verify()
    }

    @Test(arguments: [
        (#""fixtureDigest""#, #""digest""#, "There is no such member here"),
        ("\"fixtureDigest\": \"[^,]*,", "", "The member \"fixtureDigest\" is missing"),
    ])
    func `An upgraded fixture without a digest cannot be read`(text: String, newText: String, message: String)
        async throws
    {
        let directory = try await Releases.catalog(of: [2])
        let path = "2-everyday@3.json"
        let edited = try directory.text(path).replacingOccurrences(of: text, with: newText, options: .regularExpression)
        try directory.write(edited, to: path)
        try await failure(.unsealed, of: directory, versions: [2]).expect(only: .catalog, of: [path], says: message)
        #expect(try directory.text(path) == edited)
    }

    @Test func `Line endings do not count as a change, and a fixture of the newest version may change`() async throws {
        let directory = try await Releases.catalog(of: [1, 3])
        try directory.edit("3-everyday.json", "Paris", to: "London")
        for path in ["1-everyday.json", "3-everyday.json", "1-everyday@3.json"] {
            try directory.edit(path, "\n", to: "\r\n")
        }
        try await verify(of: directory, versions: [1, 3])
    }

    @Test func `A JSON file whose name does not follow the scheme is a failure, unless it is that of the types`()
        async throws
    {
        for path in ["everyday.json", "01-everyday.json", "0-everyday@.json"] {
            try directory.write("{}", to: path)
        }
        try directory.write("", to: "README.md")
        try directory.write(#"{"versions":{}}"#, to: "types.json")
        try await failure().expect(
            only: .catalog,
            of: ["0-everyday@.json", "01-everyday.json", "everyday.json"],
            says: "`1-name@2.json` for the same store at version 2, `types.json`"
        )
    }

    // MARK: Handwritten files

    /// A trailing comma, no ledger, and a type that the app does not have.
    private static let mistakes: [(text: String, kind: VerificationFailure.Kind)] = [
        (#"{"format": 1, "schemaVersion": 2, "records": [],}"#, .catalog),
        (#"{"format": 1, "schemaVersion": 2, "records": []}"#, .ledger),
        (
            """
            {"format": 1, "schemaVersion": 2,
            "ledger": [{"name": "alien-becomes-person", "version": 1}, {"name": "split-full-name", "version": 2}],
            "records": [{"key": "a", "type": "Robot", "content": {}}]}
            """,
            .unknownType
        ),
    ]

    @Test func `A fixture with a mistake gets no upgraded fixtures until the mistake is corrected`() async throws {
        let directory = CatalogDirectory()
        for (text, kind) in Self.mistakes {
            try directory.write(text, to: "2-odd.json")
            for mode in [RecordingMode.missing, .unsealed] {
                let failure = try await failureWithoutWriting(mode, of: directory, versions: [2])
                #expect(failure.failures.allSatisfy { $0.subject == "2-odd.json" })
                failure.expect(kind)
            }
        }

        // It can be corrected, because a fixture without upgraded fixtures does not count as shipped.
        try directory.write(Releases.store(at: 2).withoutTimes().json, to: "2-odd.json")
        let missing = try await failure(of: directory, versions: [2])
        missing.expect(kinds: .missingUpgradedFixture)
        let message = "There is no 2-odd@3.json to compare with. To write it: MOLT_RECORD=missing swift test"
        #expect(missing.messages(.missingUpgradedFixture) == [message])
        let recording = try await failure(.missing, of: directory, versions: [2])
        recording.expect(only: .recorded)
        #expect(recording.report.recorded == ["2-odd@3.json"])
        try await verify(of: directory, versions: [2])
    }

    // MARK: Other registries

    @Test(arguments: [RecordingMode.never, .missing, .all])
    func `A registry that is older than the catalog never overwrites shipped files`(mode: RecordingMode) async throws {
        let directory = try await Releases.catalog(of: [1, 2, 3])
        try directory.edit("2-everyday.json", "Paris", to: "London")
        let edited = Migration(to: 2, "split-full-name", .renameType("Alien", to: "Robot"))

        let failure = try await failureWithoutWriting(
            mode,
            of: directory,
            through: [Releases.alien, edited],
            versions: [1, 2]
        )

        failure.expect(.changed, of: ["2-everyday.json"], begins: "2-everyday@3.json: ")
        failure.expect(.upgradedFixture, says: "correct the migration")
        #expect(!failure.description.contains("has not shipped yet"))
        // Upgraded fixtures of versions that the registry lacks are not compared, and the failure states this.
        failure.expect(
            .catalog,
            of: ["1-everyday@3.json", "2-everyday@3.json"],
            says: "the registry has no version 3. It ends at version 2"
        )
    }

    @Test
    func `An upgraded fixture of a version missing from the registry is named, and may be removed after a squash`()
        async throws
    {
        let directory = try await Releases.catalog(of: [0])
        let lossy: MigrationRegistry = [Releases.alien, Releases.nickname]
        try await failure(of: directory, through: lossy, versions: [0]).expect(
            .catalog,
            of: ["0-everyday@2.json"],
            says: "the registry has no version 2 any more"
        )

        // One migration replaces two, with the same results.
        let both = Migration(
            to: 2,
            "people",
            replacing: ["alien-becomes-person", "split-full-name"],
            steps: Releases.alien.steps + Releases.split.steps
        )
        try directory.remove("0-everyday@1.json")
        let squashed = await Releases.failure {
            try await verify(of: directory, through: [both, Releases.nickname], versions: [0])
        }
        let kinds: Set<VerificationFailure.Kind> = Set(squashed?.kinds ?? [])
        #expect(kinds.isDisjoint(with: [.changed, .catalog, .missingUpgradedFixture]))
    }

    @Test func `Fixtures that are too old to be upgraded may be removed`() async throws {
        let directory = try await Releases.catalog(of: [1, 2, 3])
        let migrations = MigrationRegistry([Releases.split, Releases.nickname]).oldestVersion(1)
        let report = try await directory.catalog().verify(migrations, types: Releases.types)
        #expect(report.rows.map(\.fixture) == ["1-everyday.json", "2-everyday.json", "3-everyday.json"])
    }
}
