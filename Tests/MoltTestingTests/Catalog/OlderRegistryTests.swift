import Foundation
import MoltTesting
import Testing

@testable import Molt

@Suite("Catalogs with versions that the registry lacks")
struct OlderRegistryTests {
    @Test(arguments: RecordingMode.allCases)
    func `A registry that is older than the catalog never overwrites shipped files`(
        mode: RecordingMode
    ) async throws {
        let directory = try await Releases.catalog()
        try directory.edit("2-everyday.json", "Paris", to: "London")
        let edited = Migration(to: 2, "split-full-name", .renameType("Alien", to: "Robot"))
        let files = try directory.files()

        let failure = try #require(
            await Releases.failure {
                try await directory.catalog(recording: mode).verify([Releases.alien, edited], types: Releases.types)
            }
        )

        #expect(try directory.files() == files)
        #expect(failure.report.recorded.isEmpty)
        let changed = try #require(failure.all(.changed).first)
        #expect(changed.subject == "2-everyday.json")
        #expect(changed.place == "Golden/2-everyday@3.json")
        #expect(failure.first(.golden).message.contains("correct the migration"))
        #expect(!failure.first(.edited).message.contains("has not shipped yet"))
        // Golden files of versions that the registry lacks are not compared, and the failure states this.
        let unused = failure.all(.catalog)
        #expect(unused.map(\.subject) == (0...2).map { "Golden/\($0)-everyday@3.json" })
        #expect(unused.first?.message.contains("the registry has no version 3. It ends at version 2") == true)
    }

    @Test func `A golden file of a version missing from the registry is named, and may be removed after a squash`()
        async throws
    {
        let directory = try await Releases.catalog()
        let lossy: MigrationRegistry = [Releases.alien, Releases.nickname]
        let lost = try #require(
            await Releases.failure { try await directory.catalog().verify(lossy, types: Releases.types) }
        )
        #expect(
            lost.all(.catalog).map(\.subject) == ["Golden/0-everyday@2.json", "Golden/1-everyday@2.json"]
        )
        #expect(lost.first(.catalog).message.contains("the registry has no version 2 any more"))

        // One migration replaces two, with the same results.
        let both = Migration(
            to: 2,
            "people",
            replacing: ["alien-becomes-person", "split-full-name"],
            steps: Releases.alien.steps + Releases.split.steps
        )
        let squashed: MigrationRegistry = [both, Releases.nickname]
        try directory.remove("Golden/0-everyday@1.json")
        let failure = await Releases.failure {
            try await directory.catalog().verify(squashed, types: Releases.types, versions: [0])
        }
        #expect(failure?.all(.changed).isEmpty != false)
        #expect(failure?.all(.catalog).isEmpty != false)
        #expect(failure?.all(.missingGolden).isEmpty != false)
    }
}
