import Foundation
import Molt
import MoltCommand
import TestSupport
import Testing

@Suite("The commands that correct a ledger") struct CorrectionTests {
    private let scratch: ScratchDirectory
    private var path: String { scratch.file("people.molt").path }

    init() throws {
        scratch = try ScratchDirectory()
        try scratch.store("people.molt", [.json("ada", #"{"name":"Ada King","phone":1}"#)])
    }

    private func state() throws -> StoreState { try StoreFile.state(at: scratch.file("people.molt")) }

    @Test func `the app's tool marks migrations and accepts edits, and info shows why`() async throws {
        await CommandRun(app, "mark-applied", path, "strict").expect(64, errors: "mark-applied needs --reason TEXT")
        await CommandRun(app, "mark-applied", path, "strict", "--reason", "Renamed by hand.").expect(
            begins: "\"strict\" (version 2): marked as applied ",
            says: "(Renamed by hand.)"
        )
        await CommandRun(app, "upgrade", path).expect(says: "split-name")
        await CommandRun(app, "get", path, "ada", "--raw")
            .expect(output: #"{"phone":1,"firstName":"Ada","lastName":"King"}"#)
        await CommandRun(molt, "info", path).expect(says: "(Renamed by hand.)")
        let page = scratch.file("page.html")
        await CommandRun(app, "dry-run", path, "--html", page.path).expect()
        #expect(try String(contentsOf: page, encoding: .utf8).contains("(Renamed by hand.)"))

        let edited = Migration(to: 1, "split-name", .removeProperty("Person", "name"))
        let tool = Tool("app", "", RegisteredApp(migrations: [edited, migrations.migrations[1]]).commands)
        await CommandRun(tool, "plan", path).expect(says: "`accept-edit \"split-name\"`")
        await CommandRun(tool, "accept-edit", path, "split-name", "--reason", "Same result.", "--json")
            .expect(says: #""acceptedEdit""#, #""Same result.""#)
        #expect(try state().ledger.first { $0.name == "split-name" }?.fingerprint == edited.fingerprint)
        await CommandRun(tool, "accept-edit", path, "split-name", "--reason", "again").expect(1, errors: "no edit")
    }

    @Test func `molt marks what the ledger knows, and refers to the app's tool for the rest`() async throws {
        await CommandRun(molt, "mark-applied", path, "strict", "--reason", "r").expect(1, errors: "the app's own tool")
        await CommandRun(molt, "mark-pending", path, "none", "--reason", "r").expect(1, errors: "is named \"none\"")
        await CommandRun(app, "upgrade", path).expect()
        await CommandRun(molt, "mark-pending", path, "strict", "--reason", "r").expect(says: "marked as pending")
        await CommandRun(molt, "info", path).expect(says: "marked as pending, which the next opening runs: \"strict\"")
        await CommandRun(molt, "mark-applied", path, "strict", "--reason", "r").expect(says: "marked as applied")
        await CommandRun(app, "plan", path).expect(says: "up to date at version 2")
        // It may have been marked with the ledgers of suites.
        await CommandRun(molt, "mark-pending", path, "strict", "--reason", "r").expect(1, errors: "the app's own tool")
        let cache = try CodableCache(at: scratch.file("people.molt"), migrations: migrations)
        await CommandRun(app, "mark-pending", path, "strict", "--reason", "r").expect(1, errors: "The store is open")
        cache.close()
        // One that a build of another branch has applied is not in the app's registry.
        let branch = MigrationRegistry(migrations.migrations + [Migration(to: 2, "branch")])
        try CodableCache(at: scratch.file("people.molt"), migrations: branch).close()
        await CommandRun(app, "plan", path).expect(1, says: "\"branch\"")
        await CommandRun(app, "mark-pending", path, "branch", "--reason", "r").expect()
        await CommandRun(app, "plan", path).expect(says: "up to date at version 2")
    }
}
