import Generators
import Molt
import MoltTesting
import TestSupport
import Testing

@Suite struct `A random history that is squashed later` {
    private struct Note: Codable, Sendable {
        var text: String
    }

    private static let types: [FixtureType] = [.type(Note.self, samples: ["note": Note(text: "x")])]
    private let directory = CatalogDirectory()

    private func failure(_ migrations: [Migration], _ mode: RecordingMode = .never) async -> VerificationFailure? {
        await Releases.failure {
            try await directory.catalog(recording: mode).verify(MigrationRegistry(migrations), types: Self.types)
        }
    }

    /// A migration that changes the notes; a second run, or none, would show.
    private static func migration(to version: Int, adding word: String) -> Migration {
        Migration(
            to: version,
            "v\(version)",
            .transform("Note") { $0["text"] = .string(try $0.string("text") + word) }
        )
    }

    private static func shortcut(_ name: String, replacing parts: [Migration]) -> Migration {
        Migration(to: parts.last?.version ?? 0, name, replacing: parts.map(\.name), steps: parts.flatMap(\.steps))
    }

    @Test(arguments: 0..<TestRun.choose(3, long: 60))
    func `fits the files that were recorded before, and an edited migration does not`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let count = 3 + random.below(2)
        let released = (1...count).map { Self.migration(to: $0, adding: " \($0)") }
        for version in 0...count {
            let recording = await failure(Array(released.prefix(version)), .missing)
            #expect(recording?.kinds == [.recorded])
        }

        let first = random.below(count - 1)
        let last = first + 1 + random.below(count - first - 1)
        var shortcuts = [Self.shortcut("short", replacing: Array(released[first...last]))]
        if last + 1 < count, random.oneIn(2) {
            shortcuts.append(Self.shortcut("long", replacing: [shortcuts[0], released[last + 1]]))
        }
        // The old migrations stay beside the shortcuts, or go with the files of the versions between.
        let isRetired = random.oneIn(2)
        func squashed(_ released: [Migration]) -> [Migration] {
            let kept = isRetired ? Array(released[..<first] + released[(last + 1)...]) : released
            return (kept + shortcuts).enumerated().sorted {
                ($0.element.version, $0.offset) < ($1.element.version, $1.offset)
            }
            .map(\.element)
        }
        if isRetired {
            let between = (first + 1..<last + 1).map(String.init)
            for path in try directory.files().keys
            where between.contains(where: { path.hasPrefix("\($0)-") || path.hasSuffix("@\($0).json") }) {
                try directory.remove(path)
            }
        }
        let before = try directory.files()
        let comment: Comment = "\(squashed(released).map(\.name)), \(before.keys.sorted())"
        let found = await failure(squashed(released))
        #expect(found == nil, comment)

        let ordinary = isRetired ? Array(0..<first) + Array(last + 1..<count) : Array(0..<count)
        guard !ordinary.isEmpty else { return }
        var edited = released
        let place = random.pick(ordinary)
        edited[place] = Self.migration(to: place + 1, adding: "?")
        let refusal = await failure(squashed(edited))
        #expect(refusal.map { !$0.kinds.contains(.recorded) } == true, comment)
        #expect(try directory.files() == before)
    }

    /// No device can have been through such a step.
    @Test func `may correct a step that fails`() async throws {
        let failing = Migration(to: 1, "fails", .transform("Note") { _ in throw TestFailure.expected })
        let corrected = Migration(
            to: 1,
            "corrected",
            replacing: ["fails"],
            .transform("Note") { $0["text"] = .string(try $0.string("text") + "!") }
        )
        #expect(await failure([], .missing)?.kinds == [.recorded])
        #expect(await failure([failing, corrected], .missing)?.kinds == [.recorded])
        #expect(await failure([failing, corrected]) == nil)
    }

    /// The shortcut writes records at its own version, and not at that of the migration that it replaces.
    @Test(arguments: [false, true])
    func `may end with a migration of settings`(isRetired: Bool) async throws {
        let suite = Suite("com.example.squashed")
        let parts = [
            Self.migration(to: 1, adding: "!"),
            Migration(to: 2, "title", .renameSetting("name", to: "title", in: suite)),
        ]
        for version in [0, 1, 2] {
            let recording = await failure(Array(parts.prefix(version)), .missing)
            #expect(recording?.kinds == [.recorded])
        }
        if isRetired {
            for path in try directory.files().keys where path.hasPrefix("1-") || path.hasSuffix("@1.json") {
                try directory.remove(path)
            }
        }
        let shortcut = Self.shortcut("both", replacing: parts)
        let found = await failure((isRetired ? [] : parts) + [shortcut])
        #expect(found == nil)
    }
}

@Suite struct `Two migrations that one replaces` {
    private struct First: Codable, Sendable {
        var fullName = "Ada King"
    }

    private struct Second: Codable, Sendable {
        var firstName = "Ada"
        var lastName = "King"
    }

    private static let rename = Migration(to: 1, "alien-becomes-person", .renameType("Alien", to: "Person"))
    private static let split = Migration(
        to: 2,
        "split-full-name",
        .splitProperty("Person", "fullName", into: ["firstName", "lastName"])
    )
    private static let third = Migration(to: 3, "third", .addProperty("Person", "lastName", default: ""))

    private static func shortcut(_ steps: [MigrationStep]) -> Migration {
        Migration(to: 2, "both", replacing: [rename.name, split.name], steps: steps)
    }

    private static let both = shortcut(rename.steps + split.steps)
    private let directory = CatalogDirectory()

    private func failure(_ migrations: [Migration], _ mode: RecordingMode = .never) async -> VerificationFailure? {
        let version = migrations.last?.version ?? 0
        let types: [FixtureType] =
            version < 2
            ? [.type(First.self, named: version == 0 ? "Alien" : "Person", samples: ["ada": First()])]
            : [.type(Second.self, named: "Person", samples: ["ada": Second()])]
        return await Releases.failure {
            try await directory.catalog(recording: mode).verify(MigrationRegistry(migrations), types: types)
        }
    }

    private func recordReleases() async {
        let released = [Self.rename, Self.split, Self.third]
        for version in 0...3 { _ = await failure(Array(released.prefix(version)), .missing) }
    }

    @Test func `A shortcut that does less is named, and nothing says to record its result`() async throws {
        await recordReleases()
        let registry = [Self.rename, Self.split, Self.shortcut(Self.rename.steps), Self.third]
        let text = try #require(await failure(registry)).description
        #expect(text.contains(#"migration "both" (version 2) does not do what the migrations that it replaces do"#))
        #expect(text.contains("0-samples@3.json: the result is not what the file has:"))
        #expect(!text.contains("MOLT_RECORD"), "\(text)")
    }

    @Test(arguments: [false, true])
    func `The shortcut needs no new file, and without the old ones only files between them are removed`(
        isSealed: Bool
    ) async throws {
        await recordReleases()
        if isSealed {
            let released: MigrationRegistry = [Self.rename, Self.split, Self.third]
            #expect(try directory.catalog().seal(upTo: 3, released) != nil)
        }
        let files = try directory.files()
        #expect(await failure([Self.rename, Self.split, Self.both, Self.third]) == nil)
        #expect(try directory.files() == files)

        let retired = [Self.both, Self.third]
        for mode in [RecordingMode.never, .all] {
            let failure = try #require(await failure(retired, mode))
            #expect(failure.failures.map(\.subject).contains("0-samples@1.json"))
            #expect(failure.description.contains("If no device has such a store any more, remove the fixture"))
            #expect(try directory.files() == files)
        }
        try directory.remove("1-samples.json")
        let leftovers = try #require(await failure(retired))
        #expect(leftovers.failures.map(\.subject) == ["0-samples@1.json", "1-samples@2.json", "1-samples@3.json"])
        for path in leftovers.failures.map(\.subject) { try directory.remove(path) }
        #expect(await failure(retired) == nil)
    }
}
