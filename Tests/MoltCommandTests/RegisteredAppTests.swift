import Foundation
import MoltCommand
import MoltTesting
import TestSupport
import Testing

@testable import Molt

@Suite("The command line of a registry") struct RegisteredAppTests {
    private let scratch: ScratchDirectory
    private var url: URL { scratch.file("people.molt") }

    init() throws {
        scratch = try ScratchDirectory()
        try scratch.store("people.molt", [.json("ada", #"{"name":"Ada King","phone":1}"#)])
    }

    private func run(_ words: String...) async -> CommandRun { await CommandRun(app, words) }

    @Test func `plan and dry-run show what would happen, and change nothing`() async throws {
        let (before, names) = (try Data(contentsOf: url), try scratch.names())
        let plan = await run("plan", url.path)
        #expect(plan.code == 0)
        #expect(plan.output.contains("version 0 to 2, 2 of 2 migrations to run"))
        let dryRun = await run("dry-run", url.path, "--samples", "1")
        #expect(dryRun.code == 0, "\(dryRun.errors)")
        for line in [#"- name: "Ada King""#, #"+ firstName: "Ada""#] { #expect(dryRun.output.contains(line)) }
        #expect(await run("dry-run", url.path, "--samples", "some").code == 64)
        #expect(try Data(contentsOf: url) == before)
        #expect(try scratch.names() == names)
    }

    @Test func `upgrade upgrades the store, with a backup if asked`() async throws {
        let upgraded = await run("upgrade", url.path, "--backup")
        #expect(upgraded.code == 0, "\(upgraded.errors)")
        #expect(upgraded.output.contains("version 0 to 2"))
        let value = await run("get", url.path, "ada", "--raw")
        #expect(value.output == #"{"number":1,"firstName":"Ada","lastName":"King"}"#)
        #expect(try CodableCache.backups(at: url).count == 1)
        #expect(await run("plan", url.path).output.contains("up to date at version 2"))
    }

    @Test func `a failure names the record and the step, and is not a value`() async throws {
        try CodableCache(at: url).set(["name": "Eve"], forKey: "eve")
        try SQLite(url).run("UPDATE molt_record SET type_id = 1 WHERE key = 'eve'")
        let failed = await run("upgrade", url.path)
        #expect(failed.code == 1)
        #expect(failed.errors.contains("record: \"eve\" of type Person"), "\(failed.errors)")
        #expect(failed.errors.contains("step: 1, rename Person.phone to number"), "\(failed.errors)")
        #expect(!failed.errors.contains("Eve"))
        #expect(try CodableCache.schemaVersion(ofFileAt: url) == 0)
    }

    @Test func `dry-run takes settings from files, and leaves those of this machine alone`() async throws {
        let suite = Suite("molt.test.\(UUID().uuidString)")
        let move = Migration.suiteToAppGroup(to: 1, from: .standard, into: suite)
        let tool = Tool("app", "", RegisteredApp(migrations: [move]).commands)
        let plist = scratch.file("app.plist")
        try PropertyListSerialization.data(fromPropertyList: ["theme": "dark"], format: .binary, options: 0)
            .write(to: plist)
        let run = await CommandRun(tool, ["dry-run", url.path, "--settings=standard=\(plist.path)"])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("1 copied"), "\(run.output)")
        #expect(try suite.values().isEmpty)

        func errors(_ setting: String) async -> String {
            await CommandRun(tool, ["dry-run", url.path, "--settings", setting]).errors
        }
        #expect(await errors("standard").contains("--settings needs SUITE=PLIST"))
        let unknown = await errors("group.other=\(plist.path)")
        #expect(unknown.contains("no migration works on the settings of group.other; those with migrations are"))
        #expect(await errors("standard=\(plist.path).none").contains("there is no file at"))
    }

    @Test func `a file that is not the app's store is refused with a message that names it once, and left unchanged`()
        async throws
    {
        let letter = scratch.file("letter.txt")
        try Data(String(repeating: "Dear Ada, the engine is late again. ", count: 40).utf8).write(to: letter)
        let foreign = scratch.file("foreign.db")
        try SQLite(foreign).run("CREATE TABLE invoice (number)")
        let empty = scratch.file("empty.molt")
        try Data().write(to: empty)
        let missing = scratch.file("missing.molt")
        var later = migrations
        later.register(Migration(to: 3, "later"))
        try scratch.store("newer.molt", [])
        let newer = scratch.file("newer.molt")
        try CodableCache(at: newer, migrations: later).close()
        let names = try scratch.names()

        let refusals: [(command: String, file: URL, message: String)] = [
            ("upgrade", letter, "\(letter.path) is not a store, "),
            ("dry-run", letter, "\(letter.path) is not a store, "),
            ("upgrade", foreign, "The file at \(foreign.path) is a database that Molt did not make. "),
            ("upgrade", empty, "there is no store at \(empty.path)\n"),
            ("upgrade", missing, "there is no store at \(missing.path)\n"),
            ("dry-run", missing, "there is no store at \(missing.path)\n"),
            ("plan", missing, "there is no store at \(missing.path)\n"),
            ("upgrade", newer, ""),
        ]
        for (command, file, message) in refusals {
            let before = try? Data(contentsOf: file)
            let run = await run(command, file.path)
            #expect(run.code == 1)
            #expect(run.errors.hasPrefix("app: \(message)"), "\(run.errors)")
            #expect(run.errors.components(separatedBy: file.path).count <= 2, "\(run.errors)")
            #expect(run.errors.contains(file == newer ? "version 3" : file.path))
            if file != newer { #expect(run.errors.count { $0 == "\n" } == 1) }
            for word in ["--help", "foreignFile", "superseded"] { #expect(!run.errors.contains(word)) }
            #expect((try? Data(contentsOf: file)) == before)
        }
        #expect(try scratch.names() == names)
    }

    @Test func `lint shows all mistakes of a registry`() async {
        #expect(await run("lint").code == 0)
        let wrong: MigrationRegistry = [Migration(to: 1, "same"), Migration(to: 2, "same")]
        let faults = await CommandRun(Tool("app", "", RegisteredApp(migrations: wrong).commands), ["lint"])
        #expect(faults.code == 1)
        #expect(faults.output.contains("same"))
    }

    @Test func `verify upgrades the fixtures of a directory`() async throws {
        let fixtures = scratch.file("Fixtures")
        try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
        let empty = await run("verify", fixtures.path)
        #expect(empty.code == 1)
        #expect(!empty.errors.isEmpty)
        #expect(await run("verify", url.path).output == "No damage was found.\n")
    }

    @Test func `record writes fixtures and golden files, which verify compares`() async throws {
        let fixtures = scratch.file("Fixtures")
        let none = await run("record", fixtures.path)
        #expect(none.errors.contains("there is no directory at"))
        try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
        #expect(await run("record", fixtures.path, "--store", url.path).code == 64)

        let first = await run("record", fixtures.path, "--store", url.path, "--name", "small")
        #expect(first.output == "wrote 0-small.json\nwrote Golden/0-small@1.json\nwrote Golden/0-small@2.json\n")
        // The catalog misses fixtures of the later versions.
        #expect(first.code == 1)
        for version in [1, 2] {
            let store = scratch.file("\(version).molt")
            try FileManager.default.copyItem(at: url, to: store)
            try CodableCache(at: store, migrations: migrations.upTo(version: version)).close()
            _ = await run("record", fixtures.path, "--store", store.path, "--name", "small")
        }
        let again = await run("record", fixtures.path)
        #expect(again.output.hasSuffix("No file was written.\n"))
        let verified = await run("verify", fixtures.path)
        #expect(verified.code == 0, "\(verified.errors)")
        #expect(verified.output.hasPrefix("3 fixtures, "))

        let golden = fixtures.appending(path: "Golden/0-small@2.json")
        let text = try String(contentsOf: golden, encoding: .utf8)
        try Data(text.replacingOccurrences(of: "King", with: "Queen").utf8).write(to: golden)
        let wrong = await run("verify", fixtures.path)
        #expect(wrong.code == 1)
        #expect(wrong.errors.contains("expected \"Queen\", found \"King\""), "\(wrong.errors)")
        #expect(await run("verify", fixtures.path, "--json").output.contains("\"subject\" : \"0-small.json\""))
        // The version is the newest one, so its file may be written again.
        #expect(await run("record", fixtures.path, "--all").output.contains("wrote Golden/0-small@2.json\n"))
        #expect(try String(contentsOf: golden, encoding: .utf8) == text)
    }
}
