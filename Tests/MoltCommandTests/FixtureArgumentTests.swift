import Foundation
import Molt
import MoltCommand
import MoltTesting
import TestHome
import TestSupport
import Testing

@Suite("A fixture in place of a store") struct FixtureArgumentTests {
    private let scratch: ScratchDirectory
    private var url: URL { scratch.file("0-everyday.json") }
    private var path: String { url.path }
    /// A string that only copies of this test's fixture have.
    private let mark = UUID().uuidString
    private var content: String { #"{"name":"Ada \#(mark)","phone":1}"# }

    init() throws {
        scratch = try ScratchDirectory()
        let fixture = StoreFixture(
            version: 0,
            records: [.init("ada", "Person", .json(content))],
            suites: [.standard: ["theme": .string(mark)]]
        )
        // As some editors do, with a byte order mark.
        try Data("\u{FEFF}\n \(fixture.json)".utf8).write(to: url)
    }

    private func run(_ words: String...) async -> CommandRun { await CommandRun(app, words) }

    /// The copies of the fixture and of its suites that are left.
    private func copies() throws -> [URL] {
        let files = FileManager.default
        // By names: other tests remove their files meanwhile.
        let copies = try files.contentsOfDirectory(atPath: files.temporaryDirectory.path)
            .map { files.temporaryDirectory.appending(path: $0) }
        let home = molt_test_home().map { URL(filePath: String(cString: $0)) }
        let suites = home.flatMap { files.enumerator(at: $0, includingPropertiesForKeys: nil) }?.allObjects ?? []
        return (copies + suites.compactMap { $0 as? URL }).filter { url in
            guard ["molt-testing.", "molt-fixture-", "molt-dry-run"].contains(where: url.lastPathComponent.hasPrefix)
            else {
                return false
            }
            return [url, url.appending(path: "store.molt"), url.appending(path: "copy")].contains { file in
                // Other tests remove their copies meanwhile.
                (try? Data(contentsOf: file))?.range(of: Data(mark.utf8)) != nil
            }
        }
    }

    @Test func `commands that read accept it, and name its file`() async throws {
        let store = try scratch.store("people.molt", [.json("ada", content)])
        await run("info", path).expect(
            says: "\(path): version 0, 1 record, 61 bytes of content\n",
            ends: "\nSettings\n  standard: 1\n"
        )
        await run("ls", path).expect(output: "ada\tPerson\tversion 0\t61 B\n")
        await run("get", path, "ada", "--raw").expect(output: content)
        await run("dump", path).expect(begins: "ada\t{")
        await run("schema", path, store).expect(output: "The shapes of the records are the same.\n")
        await run("diff", store, path, "--json").expect(says: "\"file\" : \"\(path)\"")
        await run("fixture", path).expect(output: try StoreFixture(contentsOf: url).json)
        await run("fixture", path, "--redact").expect(says: "\"suites\"", hides: mark)
        await run("plan", path).expect(says: "\(path): version 0 to 2, 2 of 2 migrations to run")
        await run("dry-run", path, "--samples", "1").expect(
            says: "dry run: \(path): version 0 to 2",
            #"+ firstName: "Ada""#
        )
        #expect(try scratch.names() == ["0-everyday.json", "people.molt"])
        #expect(try copies().isEmpty)
    }

    @Test func `commands that need a file refuse it, and a malformed one is explained`() async throws {
        let saved = scratch.file("saved.molt").path
        let commands = [["upgrade"], ["quarantine"], ["restore", "backup"], ["salvage", saved]]
        for words in commands {
            await CommandRun(app, [words[0], path] + words.dropFirst()).expect(
                1,
                output: "",
                errors: "\(path) is a fixture, and this command needs a store's file.",
                "dry-run"
            )
        }
        await run("verify", path).expect(1, errors: "\(path) is a fixture. Name the directory of the fixtures")
        try Data(#"{"format": 1}"#.utf8).write(to: url)
        for command in ["info", "plan", "upgrade"] {
            await run(command, path).expect(1, output: "", errors: "line 1: The member \"schemaVersion\" is missing.")
        }
        #expect(try scratch.names() == ["0-everyday.json"])
    }

    @Test func `a fixture of settings has no records, and diff and dry-run say what they do with the rest`()
        async throws
    {
        var fixture = try StoreFixture(contentsOf: url)
        fixture.records[0].expiration = Date(timeIntervalSince1970: 1)
        try fixture.write(to: url, overwriting: true)
        await run("dry-run", path).expect(says: "expired: 1 record was removed before the upgrade")

        fixture.suites[.standard]?["zoom"] = 2
        let other = scratch.file("other.json")
        try fixture.write(to: other)
        await run("diff", path, other.path).expect(1, says: "1 the same", errors: "the settings of standard differ")
        try StoreFixture(primary: .suite(.standard), version: 0).write(to: other, overwriting: true)
        for command in ["ls", "dump", "schema"] {
            await run(command, other.path).expect(command == "schema" ? 2 : 1, errors: "has no records")
        }
        await run("info", other.path).expect(says: "version 0, 0 records")
    }

    @Test func `record copies one, and its settings are read as the app does`() async throws {
        let fixture = StoreFixture(primary: .suite(.standard), version: 0, suites: [.standard: ["theme": "dark"]])
        try fixture.write(to: url, overwriting: true)
        let rename = Migration(to: 1, "rename", .renameSetting("theme", to: "look", in: .standard))
        let settings: [FixtureSetting] = [.setting("look", Int.self, in: .standard)]
        let tool = Tool("app", "", RegisteredApp(migrations: [rename], settings: settings).commands)
        let fixtures = scratch.file("Fixtures")
        try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
        await CommandRun(tool, "record", fixtures.path, "--store", path, "--name", "theme").expect(
            1,
            output: "wrote 0-theme.json\n",
            errors: "\"look\" of standard cannot be read as Int"
        )
        await CommandRun(tool, "verify", fixtures.path).expect(1, errors: "\"look\" of standard cannot be read as Int")
    }

    @Test(arguments: [true, false])
    func `plan and dry-run use its settings, or those of --settings`(hasCache: Bool) async throws {
        let suite = Molt.Suite("molt.test.\(UUID().uuidString)")
        let rename = Migration(to: 1, "rename", .renameSetting("theme", to: "look", in: suite))
        let tool = Tool("app", "", RegisteredApp(migrations: [rename]).commands)
        let plist = scratch.file("app.plist")
        try PropertyListSerialization.data(fromPropertyList: ["zoom": 2], format: .binary, options: 0).write(to: plist)
        let settings = ["--settings", "\(suite)=\(plist.path)"]
        let name = hasCache ? path : suite.attachedName

        var fixture = StoreFixture(
            primary: hasCache ? .cache : .suite(suite),
            version: 0,
            suites: [suite: ["theme": "dark"]]
        )
        try fixture.write(to: url, overwriting: true)
        await CommandRun(tool, "dry-run", path).expect(says: "dry run: \(name): version 0 to 1", "rename: 1 renamed")
        await CommandRun(tool, ["dry-run", path] + settings).expect(says: "rename: 1 absent")

        fixture.version = 1
        fixture.ledger = [LedgerEntry(name: "rename", version: 1, appliedAt: Date(timeIntervalSince1970: 1))]
        try fixture.write(to: url, overwriting: true)
        await CommandRun(tool, "plan", path).expect(says: "\(name): up to date at version 1")
        // These settings have not been through the migration.
        await CommandRun(tool, ["plan", path] + settings).expect(says: "1 of 1 migrations to run")
        #expect(try suite.values().isEmpty)
    }
}
