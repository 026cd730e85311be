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
}
