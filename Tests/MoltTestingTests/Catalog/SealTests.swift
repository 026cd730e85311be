import Foundation
import Generators
import Molt
import MoltTesting
import TestSupport
import Testing

/// What has shipped, and may not change from then on.
@Suite struct `A sealed version` {
    private let directory: CatalogDirectory

    init() async throws {
        directory = try await Releases.catalog(of: [1, 2])
    }

    private var path: String { directory.url.path }

    private func failure(
        _ mode: RecordingMode = .never,
        through migrations: MigrationRegistry = Releases.migrations,
        types: [FixtureType] = Releases.types,
        versions: [Int] = [1, 2],
        shipped: Int? = nil
    ) async -> VerificationFailure? {
        await Releases.failure {
            try await directory.catalog(recording: mode)
                .verify(migrations, types: types, versions: versions, shipped: shipped)
        }
    }

    /// Expects failures in every mode, and that no file is written.
    private func expectFailures(
        _ kind: VerificationFailure.Kind = .sealed,
        of subjects: [String]? = nil,
        through migrations: MigrationRegistry = Releases.migrations,
        types: [FixtureType] = Releases.types,
        says words: String...
    ) async throws {
        let files = try directory.files()
        for mode in RecordingMode.allCases {
            let failure = try #require(await failure(mode, through: migrations, types: types), "\(mode)")
            let messages = failure.failures.filter { $0.kind == kind && subjects?.contains($0.subject) ?? true }
            for words in words {
                #expect(messages.contains { $0.description.contains(words) }, "\(mode): \(failure)")
            }
            #expect(try directory.files() == files)
        }
    }

    // MARK: Sealing

    @Test func `is written once its run finds no other failure`() async throws {
        let unsealed = try #require(await failure(shipped: 2))
        unsealed.expect(
            only: .sealed,
            of: ["seals.json"],
            says: "Version 2 has shipped, and not all of it is sealed: 1-everyday.json",
            "MOLT_RECORD=missing swift test"
        )
        try directory.remove("1-everyday@2.json")
        let first = try #require(await failure(.missing, shipped: 2))
        first.expect(.sealed, of: ["seals.json"], says: "because files were written in this run")
        #expect(first.report.recorded == ["1-everyday@2.json"])
        let second = try #require(await failure(.missing, shipped: 2))
        second.expect(only: .recorded)
        #expect(second.report.recorded == ["seals.json"])

        let text = try directory.text("seals.json")
        for name in [
            "1-everyday.json", "1-everyday@2.json", "2-everyday.json", "alien-becomes-person", "split-full-name",
        ] {
            #expect(text.contains("\"\(name)\""), "\(text)")
        }
        for name in ["2-everyday@3.json", "\"nickname\""] { #expect(!text.contains(name)) }
        let files = try directory.files()
        // A migration that is added to the version afterwards has not shipped with it.
        let people = Migration(to: 2, "people", replacing: ["alien-becomes-person", "split-full-name"], steps: [])
        let shortened: MigrationRegistry = [Releases.alien, Releases.split, people, Releases.nickname]
        #expect(await failure(through: shortened, shipped: 2)?.messages(.sealed) ?? [] == [])
        for mode in RecordingMode.allCases {
            let failure = await failure(mode, shipped: 2)
            #expect(failure == nil, "\(mode): \(failure?.description ?? "")")
        }
        #expect(try directory.files() == files)
    }

    @Test func `is not newer than the registry`() async throws {
        try #require(await failure(.missing, shipped: 4)).expect(
            only: .sealed,
            of: ["seals.json"],
            says: "`shipped` is 4, and the registry ends at version 3."
        )
        try TestingError.expect(.unsuitable, says: "The catalog has no file of version 5, but of 1, 2, 3.") {
            try directory.seal(5)
        }
        let misspelled = CatalogDirectory()
        try TestingError.expect(.unreadable, says: "There is no such directory.") { try misspelled.seal(1) }
        #expect(!FileManager.default.fileExists(atPath: misspelled.url.path))
    }

    @Test func `is the same from the ledgers of fixtures as from the registry`() throws {
        try directory.seal(3)
        let found = try directory.text("seals.json")
        try directory.remove("seals.json")
        #expect(
            try directory.seal(3, Releases.migrations)
                == "Version 3 is sealed: 5 files, 3 migrations in seals.json."
        )
        #expect(try directory.text("seals.json") == found)
        #expect(try directory.seal(3) == nil)
        #expect(try directory.seal(1) == nil)
    }

    @Test func `needs the registry if no fixture tells its migrations`() throws {
        let directory = CatalogDirectory()
        try directory.write(#"{"format": 1, "schemaVersion": 2}"#, to: "2-empty.json")
        try TestingError.expect(.unsuitable, says: "`verify(…, shipped: 2)`") { try directory.seal(2) }
        try directory.seal(2, Releases.migrations)
        #expect(try directory.text("seals.json").contains("split-full-name"))
    }

    // MARK: Files

    @Test func `has files that no mode writes again, and a changed one is named with the migrations that made it`()
        async throws
    {
        try directory.seal(2)
        try directory.edit("1-everyday@2.json", "Paris", to: "London")
        try await expectFailures(
            of: ["1-everyday@2.json"],
            says: #"The file, the result of "split-full-name" (version 2), belongs to version 2, which is sealed"#,
            "git -C \(path) log -1 --diff-filter=d --format=%H -- seals.json"
        )
        try TestingError.expect(.shipped, says: "1-everyday@2.json") { try directory.seal(3) }
        try directory.remove("1-everyday@2.json")
        try await expectFailures(of: ["1-everyday@2.json"], says: "which is sealed, and is missing")
    }

    @Test func `has a fixture that may neither change nor go`() async throws {
        try directory.seal(2)
        let text = try directory.text("2-everyday.json")
        // A line ending is no change.
        try directory.write(text.replacingOccurrences(of: "\n", with: "\r\n"), to: "2-everyday.json")
        #expect(await failure() == nil)
        try directory.edit("2-everyday.json", "Paris", to: "London")
        try await expectFailures(of: ["2-everyday.json"], says: "has changed since")
        // The file is named once, with the command that restores it.
        #expect(await failure()?.failures.count { $0.subject == "2-everyday.json" } == 1)
        try directory.remove("2-everyday.json")
        try await expectFailures(of: ["2-everyday.json"], says: "which is sealed, and is missing")
        try directory.remove("2-everyday@3.json")
        try TestingError.expect(.shipped, says: "Otherwise restore it", "git -C ") {
            try directory.catalog(recording: .missing).keep(Releases.store(at: 2), named: "everyday")
        }
    }

    @Test func `has files that may go once they are too old, or their migrations are replaced`() async throws {
        try directory.seal(2)
        let later = MigrationRegistry([Releases.split, Releases.nickname]).oldestVersion(1)
        let both = Migration(
            to: 2,
            "people",
            replacing: ["alien-becomes-person", "split-full-name"],
            steps: Releases.alien.steps + Releases.split.steps
        )
        for migrations in [later, [both, Releases.nickname]] {
            let failure = await failure(through: migrations)
            #expect(failure?.failures.filter { $0.kind == .sealed } ?? [] == [], "\(failure?.description ?? "")")
        }
        try directory.remove("1-everyday.json")
        for version in [2, 3] { try directory.remove("1-everyday@\(version).json") }
        let none = await failure(through: MigrationRegistry([Releases.nickname]).oldestVersion(2), versions: [2])
        #expect(none == nil)
    }

    @Test func `may get new fixtures, which are sealed later`() async throws {
        try directory.seal(2)
        try directory.catalog(recording: .missing).keep(Releases.store(at: 1), named: "odd")
        let recording = try #require(await failure(.missing))
        recording.expect(only: .recorded)
        #expect(recording.report.recorded == ["1-odd@2.json", "1-odd@3.json"])
        let unsealed = try #require(await failure(shipped: 2))
        unsealed.expect(only: .sealed, says: "1-odd.json, 1-odd@2.json.")
        #expect(try #require(await failure(.missing, shipped: 2)).report.recorded == ["seals.json"])
        #expect(await failure(shipped: 2) == nil)
    }

    @Test func `is protected while the file of seals cannot be read`() async throws {
        try directory.seal(2)
        try directory.write("<<<<<<< HEAD\n{}\n=======\n>>>>>>> other\n", to: "seals.json")
        try directory.edit("1-everyday@2.json", "Paris", to: "London")
        try await expectFailures(.catalog, of: ["seals.json"], says: "keep all versions of both sides")
        #expect(try #require(await failure(.all)).messages(.sealed) == [])
    }

    @Test(arguments: ["0", "2", "99"])
    func `is protected while its file has a format that is not known`(format: String) async throws {
        try directory.seal(2)
        #expect(try directory.text("seals.json").hasPrefix("{\n  \"format\" : 1,\n"))
        try directory.edit("seals.json", "\"format\" : 1", to: "\"format\" : \(format)")
        let words =
            format == "0"
            ? "This is not a file of seals. Restore it: " : "seals of format \(format); this release of Molt reads 1."
        try await expectFailures(.catalog, of: ["seals.json"], says: words)
        try TestingError.expect(.malformedFixture, says: words) { try directory.seal(2) }
    }

    // MARK: Without a seal

    @Test func `must be told from others before files are written again`() async throws {
        try directory.edit("1-everyday@2.json", "Paris", to: "London")
        let files = try directory.files()
        let asked = try #require(await failure(.all))
        asked.expect(
            .sealed,
            of: ["catalog"],
            says: "1-everyday.json, 1-everyday@2.json, 2-everyday.json. If none of these has shipped, use "
                + "`MOLT_RECORD=all,unsealed`, which writes them again, too. If they have, seal them first: ",
            "swift run molt seal \(path) 2 && MOLT_RECORD=all swift test"
        )
        #expect(try directory.files() == files)
        try directory.seal(1)
        let recording = try #require(await failure(.unsealed))
        recording.expect(only: .recorded)
        #expect(recording.report.recorded == ["1-everyday@2.json"])
        #expect(await failure() == nil)
    }

    // MARK: Types and samples

    @Test func `may get samples of new types, and no others`() async throws {
        struct Note: Codable {
            var text: String
            var stars: Int?
        }
        struct Tag: Codable { var name: String }
        func types(_ notes: [String: Note], _ tags: [String: Tag] = [:]) -> [FixtureType] {
            [.type(Note.self, samples: notes)] + (tags.isEmpty ? [] : [.type(Tag.self, samples: tags)])
        }
        let directory = CatalogDirectory()
        func failure(_ mode: RecordingMode, _ types: [FixtureType]) async -> VerificationFailure? {
            await Releases.failure {
                try await directory.catalog(recording: mode).verify(
                    [Migration(to: 1, "first")],
                    types: types,
                    versions: []
                )
            }
        }
        let first = types(["a": Note(text: "A", stars: 1)])
        #expect(try #require(await failure(.missing, first)).report.recorded == ["1-samples.json", "types.json"])
        try directory.seal(1)
        for mode in RecordingMode.allCases { #expect(await failure(mode, first) == nil) }

        let files = try directory.files()
        for mode in RecordingMode.allCases {
            let changed = try #require(await failure(mode, types(["a": Note(text: "B", stars: 1)])))
            changed.expect(only: .samples, says: "Version 1 is sealed, because it has shipped: undo the change")
        }
        #expect(try directory.files() == files)

        let more = types(["a": Note(text: "A", stars: 1)], ["t": Tag(name: "T")])
        try #require(await failure(.never, more))
            .expect(
                .samples,
                says: "Only new types or settings were added. To write it: MOLT_RECORD=missing swift test"
            )
        let added = try #require(await failure(.missing, more))
        #expect(added.report.recorded == ["1-samples.json", "types.json"])
        for mode in RecordingMode.allCases { #expect(await failure(mode, more) == nil) }

        try directory.edit("types.json", "\"stars\"", to: "\"score\"")
        try #require(await failure(.never, more))
            .expect(.sealed, of: ["types.json"], says: "Version 1 is sealed, and its \"Note\" has changed since.")
    }

    // MARK: Migrations

    @Test func `has migrations that may not be lost, though no fixture notices`() async throws {
        try directory.seal(2)
        for file in try directory.files().keys where file != "seals.json" && !file.hasPrefix("2-") {
            try directory.remove(file)
        }
        // The ledgers of the fixtures that are left know no migration.
        try directory.write(#"{"format": 1, "schemaVersion": 0}"#, to: "0-empty.json")
        let failure = try #require(
            await Releases.failure {
                try await directory.catalog()
                    .verify([Releases.split, Releases.nickname], types: Releases.types, versions: [0])
            }
        )
        let lost = "migration \"alien-becomes-person\" (version 1) is sealed, and the registry lacks it"
        #expect(failure.messages(.sealed).contains { $0.hasPrefix(lost) })
    }

    /// Nothing but the seals notices: there is no fixture.
    @Test(arguments: 0..<UInt64(TestRun.choose(30, long: 300)))
    func `has migrations that may not be edited in any way`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let directory = CatalogDirectory()
        let properties = ["a", "b", "c", "d"]
        func step() -> MigrationStep {
            let (name, other) = (PropertyPath(random.pick(properties)), random.pick(["e", "f"]))
            return switch random.below(5) {
            case 0: .renameProperty("Note", name, to: other)
            case 1: .addProperty("Note", PropertyPath(other), default: .string("\(random.below(9))"))
            case 2: .removeProperty("Note", name)
            case 3: .renameType("Note \(random.below(9))", to: "Note \(other)")
            default: .mapValue("Note", name, [.string("\(random.below(9))"): "x"])
            }
        }
        var sealed: [Migration] = []
        repeat {
            sealed = (1...4).flatMap { version in
                (0..<(1 + random.below(2))).map { part in
                    Migration(to: version, "\(version) \(part)", steps: (0...random.below(2)).map { _ in step() })
                }
            }
        } while !MigrationRegistry(sealed).faults.isEmpty
        try directory.write(#"{"format": 1, "schemaVersion": 4}"#, to: "4-empty.json")
        try directory.seal(4, MigrationRegistry(sealed))
        try directory.remove("4-empty.json")
        func failures(_ migrations: [Migration]) async -> [VerificationFailure.Failure] {
            let failure = await Releases.failure {
                try await directory.catalog().verify(MigrationRegistry(migrations), types: [], versions: [])
            }
            return (failure?.failures ?? []).filter { $0.subject == "registry" }
        }
        let later = Migration(to: 5, "later", step())
        #expect(await failures(sealed + [later]) == [])

        var edited = sealed
        let index = random.below(sealed.count)
        let old = sealed[index]
        var steps = old.steps
        switch random.below(7) {
        case 0: edited.remove(at: index)
        case 1: edited[index] = Migration(to: old.version, old.name + " again", steps: steps)
        case 2:
            steps.append(.removeProperty("Note", "z"))
            edited[index] = Migration(to: old.version, old.name, steps: steps)
        case 3:
            steps[0] = .removeProperty("Note", "z")
            edited[index] = Migration(to: old.version, old.name, steps: steps)
        case 4:
            edited[index] = Migration(to: old.version, old.name, steps: steps.map { $0.where(["z"], equals: 1) })
        case 5: edited.insert(Migration(to: old.version, "new", .removeProperty("Note", "z")), at: index)
        default:
            edited[index] = Migration(to: 5, old.name, steps: steps)
            edited.append(edited.remove(at: index))
        }
        let found = await failures(edited + [later])
        let comment: Comment = "\(MigrationRegistry(edited)), was \(MigrationRegistry(sealed)): \(found)"
        #expect(found.contains { [.sealed, .edited, .registry].contains($0.kind) }, comment)
        #expect(found.allSatisfy { $0.message.contains("\"") && !$0.message.contains("MOLT_RECORD") }, comment)
    }

    /// The release had two migrations, which a later one replaces, together with a third that it never had.
    @Test func `is played by the migrations that its release had`() async throws {
        let directory = CatalogDirectory()
        let old: MigrationRegistry = [Migration(to: 1, "one"), Migration(to: 2, "two")]
        struct Note: Codable { var text: String }
        let types: [FixtureType] = [.type(Note.self)]
        let store = StoreFixture(version: 0, records: [.init("a", "Note", .json(#"{"text":"A"}"#))])
        try directory.catalog(recording: .missing).keep(store, named: "a")
        try directory.catalog(recording: .missing).keep(try store.migrated(through: old).fixture, named: "a")
        func problems(replacing names: [String]) async -> [String] {
            let migrations: MigrationRegistry = [
                Migration(to: 2, "short", replacing: names),
                Migration(to: 3, "add", .addProperty("Note", "stars", default: 1)).olderReleases(may: .read),
            ]
            let failure = await Releases.failure {
                try await directory.catalog().verify(migrations, types: types, versions: [])
            }
            return failure?.messages(.olderRelease) ?? []
        }
        let (known, unknown) = (["one", "two"], ["one", "two", "fix"])
        // Without seals, the release is played by today's registry, which has the replacement.
        #expect(await problems(replacing: unknown) == [])
        try directory.seal(2, old)
        #expect(await problems(replacing: known) == [])
        let found = await problems(replacing: unknown)
        // A migration that the release had may be retired since.
        let retired = MigrationRegistry([
            Migration(to: 3, "add", .addProperty("Note", "stars", default: 1)).olderReleases(may: .read)
        ])
        .oldestVersion(2)
        let failure = await Releases.failure {
            try await directory.catalog().verify(retired, types: types, versions: [], shipped: 2)
        }
        #expect(failure?.messages(.olderRelease) == [] && failure?.messages(.sealed) == [])
        #expect(
            found.count == 1 && found[0].contains("a release of version 2 cannot use the store at version 3"),
            "\(found)"
        )
    }

    @Test func `keeps the order of its migrations`() async throws {
        let (first, second) = (Migration(to: 1, "first"), Migration(to: 1, "second"))
        try directory.write(#"{"format": 1, "schemaVersion": 1}"#, to: "1-empty.json")
        try directory.seal(1, [first, second])
        let failure = try #require(
            await Releases.failure { try await directory.catalog().verify([second, first], types: [], versions: []) }
        )
        failure.expect(.sealed, of: ["registry"], says: "has them in the opposite order")
    }
}
