import Foundation
import Molt
import Testing

@Suite("A migration that was edited after it was applied")
struct EditedMigrationTests {
    private let scratch: ScratchDirectory
    private let url: URL
    private let shipped = Migration(to: 1, "rename", .renameType("Alien", to: "Person"))
    private let edited = Migration(to: 1, "rename", .renameType("Alien", to: "Human"))

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        try CodableCache(at: url, migrations: [shipped]).close()
    }

    private func open(_ registry: MigrationRegistry, _ policy: MoltConfiguration.MismatchPolicy) throws -> [String] {
        let events = Log<String>()
        var configuration = MoltConfiguration()
        configuration.mismatches = policy
        configuration.monitor = MigrationMonitor { event in
            if case .edited(let edits) = event { events.append("\(edits.compactMap(\.migration))") }
        }
        try CodableCache(at: url, migrations: registry, configuration: configuration).close()
        return events.all
    }

    @Test func `fails the opening, which names the migration and writes nothing, and a dry run`() throws {
        // The store was born at the migration's version.
        #expect(try StoreFile.state(at: url).ledger[0].outcome == .createdAtVersion)
        let bytes = try Data(contentsOf: url)
        let later = Migration(to: 2, "later", .deleteType("Person"))

        MoltError.thrown { try open([edited, later], .fail) }?.expect(
            .migrationEdited,
            id: MigrationID(name: "rename", version: 1),
            store: url.path,
            says: "\"rename\" (version 1), with other steps or coders than before.",
            "set `redoesUnshippedMigrations = true` in debug builds"
        )
        MoltError.thrown {
            try CacheFile(at: url).dryRunAndWait([edited], configuration: .init { $0.mismatches = .fail })
        }?.expect(.migrationEdited)
        #expect(try Data(contentsOf: url) == bytes)
    }

    @Test func `is accepted if the app ignores edits, and an event if it asks for reports`() throws {
        let later = Migration(to: 2, "later")
        #expect(try open([edited], .ignore) == [])
        #expect(try open([edited], .report) == ["[\"rename\" (version 1)]"])
        #expect(try open([edited, later], .report) == ["[\"rename\" (version 1)]"])
        // The ledger keeps the fingerprint of the migration that ran.
        let fingerprints = try StoreFile.state(at: url).ledger.map(\.fingerprint)
        #expect(fingerprints == [shipped.fingerprint, later.fingerprint])
    }

    @Test func `is an error in debug builds and an event in others by default`() throws {
        #if DEBUG
            #expect(MoltConfiguration.MismatchPolicy.standard == .fail)
        #else
            #expect(MoltConfiguration.MismatchPolicy.standard == .report)
        #endif
        #expect(MoltConfiguration().mismatches == .standard)
    }

    @Test func `is listed in the plan`() throws {
        let plan = try CacheFile(at: url).plan([edited])
        #expect(plan.edits.count == 1)
        plan.edits.first?.expect(
            .migrationEdited,
            id: MigrationID(name: "rename", version: 1),
            says: "A migration was edited after it was applied to the store: \"rename\" (version 1), with other steps",
            "undo the edit"
        )
        #expect(plan.editedMigrations.first?.recorded == shipped.fingerprint)
        #expect(plan.editedMigrations.first?.current == edited.fingerprint)
        #expect(plan.problems.isEmpty)
        #expect(plan.description.contains("edited after it was applied: \"rename\" (version 1)"))
        #expect(try CacheFile(at: url).plan([shipped]).edits.isEmpty)
    }

    @Test func `is also detected by a changed version`() throws {
        let moved = Migration(to: 2, "rename", .renameType("Alien", to: "Person"))
        let both = Migration(to: 2, "rename", .renameType("Alien", to: "Human"))
        MoltError.thrown { try open([moved], .fail) }?
            .expect(.migrationEdited, says: "\"rename\" (version 2), applied as version 1.", "A migration never")
        MoltError.thrown { try open([both], .fail) }?
            .expect(.migrationEdited, says: "applied as version 1, with other steps or coders than before.")
    }

    @Test func `A migration that replaces itself and others does not count as edited`() throws {
        try CodableCache(at: url, migrations: [shipped, Migration(to: 2, "more")]).close()
        let replacing = Migration(to: 2, "rename", replacing: ["rename", "more"], .renameType("Alien", to: "Person"))
        #expect(try open([replacing], .fail) == [])
        #expect(try CacheFile(at: url).plan([replacing]).edits.isEmpty)
    }
}
