import Foundation
import MoltCommand
import MoltTesting
import TestSupport
import Testing

@testable import Molt

@Suite("A fixture in place of a store") struct FixtureArgumentTests {
    private let scratch: ScratchDirectory
    private var url: URL { scratch.file("0-everyday.json") }
    private var path: String { url.path }

    init() throws {
        scratch = try ScratchDirectory()
        let fixture = StoreFixture(
            schemaVersion: 0,
            records: [.init("ada", "Person", .json(#"{"name":"Ada King","phone":1}"#))],
            suites: [.standard: ["theme": "dark"]]
        )
        try Data("\n \(fixture.json)".utf8).write(to: url)
    }

    private func run(_ words: String...) async -> CommandRun { await CommandRun(app, words) }

    @Test func `commands that read accept it, and name its file`() async throws {
        let store = try scratch.store("people.molt", [.json("ada", #"{"name":"Ada King","phone":1}"#)])
        await run("info", path).expect(
            says: "\(path): version 0, 1 records, 29 bytes of content\n",
            ends: "\nSettings\n  standard: 1\n"
        )
        await run("ls", path).expect(output: "ada\tPerson\tversion 0\t29 B\n")
        await run("get", path, "ada", "--raw").expect(output: #"{"name":"Ada King","phone":1}"#)
        await run("dump", path).expect(begins: "ada\t{")
        await run("schema", path, store).expect(output: "The shapes of the records are the same.\n")
        await run("diff", store, path, "--json").expect(says: "\"file\" : \"\(path)\"")
        await run("fixture", path).expect(output: try StoreFixture(contentsOf: url).json)
        await run("fixture", path, "--redact").expect(1, output: "", errors: "--redact replaces no settings")
        await run("plan", path).expect(says: "\(path): version 0 to 2, 2 of 2 migrations to run")
        await run("dry-run", path, "--samples", "1").expect(
            says: "dry run: \(path): version 0 to 2",
            #"+ firstName: "Ada""#
        )
        #expect(try scratch.names() == ["0-everyday.json", "people.molt"])
    }

    @Test func `commands that need a file refuse it, and a malformed one is explained`() async throws {
        let saved = scratch.file("saved.molt").path
        let commands = [["upgrade"], ["verify"], ["quarantine"], ["restore", "backup"], ["salvage", saved]]
        for words in commands {
            await CommandRun(app, [words[0], path] + words.dropFirst()).expect(
                1,
                output: "",
                errors: "\(path) is a fixture, and this command needs the file of a store.",
                "dry-run"
            )
        }
        try Data(#"{"format": 1}"#.utf8).write(to: url)
        for command in ["info", "plan", "upgrade"] {
            await run(command, path).expect(1, output: "", errors: "line 1: The member \"schemaVersion\" is missing.")
        }
        #expect(try scratch.names() == ["0-everyday.json"])
    }

    @Test(arguments: [true, false])
    func `plan and dry-run use its settings, or those of --settings`(hasCache: Bool) async throws {
        let suite = Molt.Suite("molt.test.\(UUID().uuidString)")
        let rename = Migration(to: 1, "rename", .renameKey("theme", to: "look", in: suite))
        let tool = Tool("app", "", RegisteredApp(migrations: [rename]).commands)
        let plist = scratch.file("app.plist")
        try PropertyListSerialization.data(fromPropertyList: ["zoom": 2], format: .binary, options: 0).write(to: plist)
        let settings = ["--settings", "\(suite)=\(plist.path)"]
        let name = hasCache ? path : suite.attachedName

        var fixture = StoreFixture(
            primary: hasCache ? .cache : .suite(suite),
            schemaVersion: 0,
            suites: [suite: ["theme": "dark"]]
        )
        try fixture.write(to: url, overwriting: true)
        await CommandRun(tool, "dry-run", path).expect(says: "dry run: \(name): version 0 to 1", "rename: 1 renamed")
        await CommandRun(tool, ["dry-run", path] + settings).expect(says: "rename: 1 absent")

        fixture.schemaVersion = 1
        fixture.ledger = [LedgerEntry(name: "rename", version: 1, appliedAt: Date(timeIntervalSince1970: 1))]
        try fixture.write(to: url, overwriting: true)
        await CommandRun(tool, "plan", path).expect(says: "\(name): up to date at version 1")
        // These settings have not been through the migration.
        await CommandRun(tool, ["plan", path] + settings).expect(says: "1 of 1 migrations to run")
        #expect(try suite.values().isEmpty)
    }
}
