import Foundation
import Molt
import Testing
import contacts

/// The executable when somebody presses Control-C, or the system ends it.
@Suite
struct InterruptionTests {
    private static let people = 40_000

    @Test(arguments: [SIGINT, SIGTERM], [[], ["--dry-run"]])
    func `An upgrade that is interrupted leaves nothing behind`(number: Int32, options: [String]) async throws {
        let upgrading = ContactsProcess.Signal(number: number) { output, _ in output.contains(" %  ") }

        let contacts = try await ContactsProcess.run(["--records", "\(Self.people)"] + options, signal: upgrading)

        #expect(contacts.status == 128 + number)
        #expect(!contacts.output.contains("100 %"))
        #expect(contacts.errors == "contacts: The upgrade was stopped and rolled back; the store is as it was.\n")
        #expect(contacts.leftovers.isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `A store that is being written when the command is interrupted is removed`(number: Int32) async throws {
        let writing = ContactsProcess.Signal(number: number) { _, temporary in !temporary.isEmpty }

        let contacts = try await ContactsProcess.run(["--records", "\(Self.people)"], signal: writing)

        #expect(contacts.status == 128 + number)
        #expect(contacts.output.isEmpty)
        #expect(contacts.errors == "contacts: Stopped.\n")
        #expect(contacts.leftovers.isEmpty)
    }

    @Test
    func `A file whose upgrade is interrupted is as it was, and is upgraded the next time`() async throws {
        let scratch = try ScratchDirectory()
        defer { scratch.remove() }
        let file = scratch.file("contacts.molt")
        try Release1.write(people: Self.people, to: file)
        let before = try StoredRow.all(in: file)
        let upgrading = ContactsProcess.Signal(number: SIGINT) { output, _ in output.contains(" %  ") }

        let contacts = try await ContactsProcess.run(["--store", file.path], signal: upgrading)

        #expect(contacts.status == 128 + SIGINT)
        #expect(contacts.leftovers.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == ["contacts.molt"])
        #expect(try StoredRow.all(in: file) == before)
        #expect(try MigrationPlan(forFileAt: file, migrations: migrations).from == 0)
        let cache = try CodableCache(at: file, migrations: migrations)
        defer { cache.close() }
        try SampleData.check(cache, people: Self.people)
    }
}
