import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

/// Each failure that recording can mend ends with the command that mends it.
@Suite struct `The command at the end of a failure` {
    private enum V1 {
        struct Note: Codable, RecordType {
            static var recordTypeName: String { "Note" }
            var text = "A"
        }
    }

    private struct Note: Codable, RecordType {
        static var recordTypeName: String { "Note" }
        var text = "A"
        var stars = 0
    }

    private struct StarredNote: Codable, RecordType {
        static var recordTypeName: String { "Note" }
        var text = "A"
        var stars = 0
        var color: String? = "red"
    }

    private struct Tag: Codable { var name = "T" }

    /// A mistake in a catalog of two versions, the newest of which has not shipped.
    enum Mistake: CaseIterable {
        case samplesMissing, upgradedFixtureMissing, typesMissing, sampleChanged, migrationEdited, typesChanged,
            typeAdded
        case conflictInSamples, conflictInUpgradedFixture, olderResultChanged, unsealed, addedToSealed, fixtureEdited
    }

    /// The mistakes, each with whether the first version is sealed.
    ///
    /// A sealed file is restored, not written, so one mistake has only the other case.
    private static let cases = Mistake.allCases.enumerated().flatMap { index, mistake -> [(Mistake, Bool)] in
        if mistake == .olderResultChanged { return [(mistake, false)] }
        return TestRun.choose([index.isMultiple(of: 2)], long: [false, true]).map { (mistake, $0) }
    }

    private static let first = Migration(to: 1, "first")
    private static let second = Migration(to: 2, "second", .addProperty("Note", "stars", default: 0))

    /// The command, without what precedes it.
    private struct Command: Hashable {
        /// The version that is sealed first.
        var seal: Int?
        var mode: RecordingMode

        init?(_ message: String) throws {
            let pattern = #/(?:swift run molt seal \S+ (\d+) && )?(?:MOLT_RECORD=(\S+) )?swift test$/#
            guard let found = message.firstMatch(of: pattern) else { return nil }
            seal = found.1.flatMap { Int($0) }
            mode = try #require(found.2.map { RecordingMode(rawValue: String($0)) } ?? .never)
            #expect(message.components(separatedBy: " swift test").count == 2, "\(message)")
        }
    }

    @Test(arguments: cases)
    func `works, alone and at once`(mistake: Mistake, isSealed: Bool) async throws {
        let directory = CatalogDirectory()
        func failure(
            _ mode: RecordingMode = .never,
            _ migrations: MigrationRegistry = [Self.first, Self.second],
            _ types: [FixtureType] = [.type(Note.self, samples: ["a": Note()])],
            shipped: Int? = nil
        ) async -> VerificationFailure? {
            await Releases.failure {
                try await directory.catalog(recording: mode).verify(migrations, types: types, shipped: shipped)
            }
        }
        let device = #"{"format":1,"schemaVersion":0,"records":[{"key":"d","type":"Note","content":{"text":"D"}}]}"#
        try directory.write(device, to: "0-device.json")
        #expect(
            await failure(.missing, [Self.first], [.type(V1.Note.self, samples: ["a": .init()])])?.kinds == [.recorded]
        )
        #expect(await failure(.missing)?.kinds == [.recorded])
        #expect(await failure() == nil)
        if isSealed { try directory.seal(1) }

        var migrations: MigrationRegistry = [Self.first, Self.second]
        var types: [FixtureType] { [typesNow()] + moreTypes }
        var typesNow: () -> FixtureType = { .type(Note.self, samples: ["a": Note()]) }
        var moreTypes: [FixtureType] = []
        var shipped: Int?
        func leaveConflict(in path: String) throws {
            try directory.write("<<<<<<< HEAD\n\(directory.text(path))=======\n>>>>>>> main\n", to: path)
        }
        switch mistake {
        case .samplesMissing: try directory.remove("2-samples.json")
        case .upgradedFixtureMissing: try directory.remove("1-samples@2.json")
        case .typesMissing:
            // Only its newest version can be written again.
            let text = try directory.text("types.json")
            let second = try #require(text.range(of: ",\n    \"2\""))
            try directory.write(text[..<second.lowerBound] + "\n  }\n}\n", to: "types.json")
        case .sampleChanged: typesNow = { .type(Note.self, samples: ["a": Note(text: "B")]) }
        case .migrationEdited:
            migrations = [Self.first, Migration(to: 2, "second", .addProperty("Note", "stars", default: 1))]
        case .typesChanged: typesNow = { .type(StarredNote.self, samples: ["a": StarredNote()]) }
        case .typeAdded: moreTypes = [.type(Tag.self, samples: ["t": Tag()])]
        case .conflictInSamples: try leaveConflict(in: "2-samples.json")
        case .conflictInUpgradedFixture: try leaveConflict(in: "1-samples@2.json")
        case .olderResultChanged:
            try directory.edit("0-device@1.json", "\"D\"", to: "\"E\"")
        case .unsealed: shipped = 2
        case .addedToSealed:
            try directory.seal(2)
            moreTypes = [.type(Tag.self, samples: ["t": Tag()])]
        case .fixtureEdited: try directory.edit("2-samples.json", "\"A\"", to: "\"B\"")
        }
        let found = try #require(await failure(.never, migrations, types, shipped: shipped))
        let commands = Set(try found.failures.compactMap { try Command($0.message) })
        #expect(commands.count == 1, "\(found)")
        let command = try #require(commands.first)
        if let version = command.seal { try directory.seal(version) }
        let run = try #require(await failure(command.mode, migrations, types, shipped: shipped))
        let look = Set(try run.failures.compactMap { try Command($0.message) })
        #expect(look.map(\.mode) == [.never], "\(run)")
        let after = await failure(.never, migrations, types, shipped: shipped)
        #expect(after == nil, "\(after?.description ?? "")")
    }
}
