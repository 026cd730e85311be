import Foundation
import Molt
import MoltCommand
import MoltTesting
import TestSupport
import Testing

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
        await run("plan", url.path).expect(says: "version 0 to 2, 2 of 2 migrations to run")
        await run("dry-run", url.path, "--samples", "1").expect(says: #"- name: "Ada King""#, #"+ firstName: "Ada""#)
        await run("dry-run", url.path, "--samples", "some").expect(64)
        #expect(try Data(contentsOf: url) == before)
        #expect(try scratch.names() == names)
    }

    @Test func `upgrade upgrades the store, with a backup if asked`() async throws {
        await run("upgrade", url.path, "--backup").expect(says: "version 0 to 2")
        await run("get", url.path, "ada", "--raw").expect(output: #"{"number":1,"firstName":"Ada","lastName":"King"}"#)
        #expect(try CacheFile(at: url).backups().count == 1)
        await run("plan", url.path).expect(says: "up to date at version 2")
    }

    @Test func `upgrade and dry-run take a directory, and fail if one of its stores does`() async throws {
        try scratch.store("eve.molt", [.json("eve", #"{"name":"Eve Roe"}"#)])
        let (folder, empty) = (scratch.url.path, try ScratchDirectory())
        await run("dry-run", folder).expect(
            1,
            begins: "\(folder): 2 stores, 1 would be upgraded, 1 would fail\n  eve.molt: "
        )
        #expect(try CacheFile(at: url).version() == 0)
        await run("upgrade", folder, "--json").expect(1, says: "people.molt", #""error" : "#, hides: "Eve Roe")
        #expect(try CacheFile(at: url).version() == 2)
        try FileManager.default.removeItem(at: scratch.file("eve.molt"))
        await run("upgrade", folder).expect(output: "\(folder): 1 store, 1 up to date\n")
        await run("dry-run", folder, "--samples", "1").expect(64, errors: "for a single store")
        await run("upgrade", url.path, "--subdirectories").expect(64, errors: "needs a directory")
        await run("upgrade", empty.url.path).expect(1, errors: "there is no store in")
    }

    @Test func `checks, conditions and work after the commit are shown, and upgrade does the work`() async throws {
        let isFailing = Locked(true)
        let migration = Migration(to: 1, "split")
            .requirement(orElse: "Wait for <uploads>.") { try $0.count(ofType: "Upload") == 0 }
            .check("there is Ada") { store in
                guard try store.record(forKey: "ada") != nil else { throw Refusal() }
            }
            .afterCommit("remove files") { _ in if isFailing.withLock({ $0 }) { throw Refusal() } }
        let tool = Tool("app", "", RegisteredApp(migrations: [migration]).commands)
        await CommandRun(tool, "plan", url.path).expect(
            says: "- requires a condition; otherwise: Wait for <uploads>.",
            "- check: there is Ada",
            "- after the commit: remove files"
        )
        await CommandRun(tool, "plan", url.path, "--json").expect(says: #""work" : "remove files""#)
        let page = scratch.file("page.html")
        await CommandRun(tool, "dry-run", url.path, "--html", page.path).expect(
            says: "remove files: still to be done: a dry run does not do it"
        )
        let html = try String(contentsOf: page, encoding: .utf8)
        for text in [
            "Before and after the upgrade", "Wait for &lt;uploads&gt;.", "check: there is Ada", "remove files",
        ] {
            #expect(html.contains(text), "\(text)")
        }

        await CommandRun(tool, "upgrade", url.path).expect(says: "remove files: still to be done: Refusal")
        await CommandRun(tool, "plan", url.path).expect(says: "still to be done: remove files")
        await CommandRun(tool, "info", url.path).expect(says: "with work after the commit still to be done")
        await CommandRun(tool, "import", url.path, url.path).expect(1, errors: "has an upgrade to finish")
        _ = await CommandRun(tool, "dry-run", url.path, "--html", page.path)
        #expect(try String(contentsOf: page, encoding: .utf8).contains("still has to be done: remove files"))
        isFailing.withLock { $0 = false }
        await CommandRun(tool, "upgrade", url.path, "--json").expect(says: #""summary" : "remove files""#)
        await CommandRun(tool, "plan", url.path).expect(says: "up to date at version 1\n")
    }

    @Test func `export and import upgrade what they take, and need a store of the app's version`() async throws {
        let (old, new) = (scratch.file("old.json").path, try scratch.store("new.molt", []))
        await CommandRun(molt, "export", url.path, old).expect()
        await run("export", url.path, "-").expect(
            says: #""version":2,"migrations":[{"name":"split-name","version":1},{"name":"strict","version":2}]"#,
            #""content":{"number":1,"firstName":"Ada","lastName":"King"}}"#
        )
        await run("import", new, old).expect(1, errors: "from version 0 to 2")
        await run("upgrade", new).expect()
        await run("import", new, old, "--type", "Person").expect(output: "imported version 0: 1 added\n")
        await run("import", new, url.path, "--conflicts", "keep").expect(
            output: "imported version 0: 0 added, 1 kept\n"
        )
        await run("export", new, "-").expect(
            begins:
                #"{"format":"molt-export","formatVersion":1,"version":2,"migrations":[{"name":"split-name","version":1},{"name":"strict","version":2}],"#,
            ends: #""content":{"number":1,"firstName":"Ada","lastName":"King"}}"# + "\n]}\n"
        )
        await run("import", new, scratch.file("none").path).expect(1, errors: "There is no export")
    }

    @Test func `export and import take the settings of suites that the migrations work on`() async throws {
        let suite = Suite("molt.test.\(UUID().uuidString)")
        defer { suite.erase() }
        try suite.update(set: ["old": 1])
        let rename = Migration(to: 1, "rename", .renameSetting("old", to: "new", in: suite))
        let tool = Tool("app", "", RegisteredApp(migrations: [rename]).commands)
        let (file, store) = (scratch.file("settings.json").path, try scratch.store("settings.molt", []))
        await CommandRun(tool, "export", store, file, "--settings", "\(suite)").expect(
            1,
            errors: "migration \(rename.id)"
        )
        await CommandRun(tool, "upgrade", store).expect()
        await CommandRun(tool, "export", store, file, "--settings", "\(suite)").expect(
            begins: "exported 0 records and 1 settings"
        )
        try suite.removeAll()
        await CommandRun(tool, "import", store, file, "--settings", "\(suite)").expect(
            output: "imported version 1: 0 added, 1 settings set\n"
        )
        #expect(try suite.values() == ["new": 1])
        await CommandRun(tool, "import", store, file, "--settings", "none").expect(1, errors: "its suites are \(suite)")
    }

    @Test func `a failure names the record and the step, and is not a value`() async throws {
        try CodableCache(at: url).set(["name": "Eve"], forKey: "eve")
        try SQLite(url).run("UPDATE molt_record SET type_id = 1 WHERE key = 'eve'")
        await run("upgrade", url.path).expect(
            1,
            errors: "record: \"eve\" of type Person",
            "step: 1, rename Person.phone to number",
            hides: "Eve"
        )
        #expect(try CacheFile(at: url).version() == 0)
    }

    @Test func `the settings of the tool are not taken for those of the app`() async throws {
        let key = "molt.test.\(UUID().uuidString)"
        let rename = Migration(to: 1, "rename", .renameSetting(key, to: "\(key).new", in: .standard))
        let tool = Tool("app", "", RegisteredApp(migrations: [rename, Migration(to: 2, "records")]).commands)
        for command in ["plan", "dry-run", "upgrade"] {
            await CommandRun(tool, command, url.path).expect(64, errors: "pass --settings standard=DOMAIN")
        }
        #expect(try CacheFile(at: url).version() == 0)
        let settings = "--settings=standard=\(key)"
        await CommandRun(tool, "upgrade", url.path, settings).expect(1, errors: "no settings in the domain \(key)")
        let plist = scratch.file("app.plist")
        try PropertyListSerialization.data(fromPropertyList: [key: 1], format: .xml, options: 0).write(to: plist)
        await CommandRun(tool, "upgrade", url.path, "--settings", "standard=\(plist.path)").expect(
            64,
            errors: "an upgrade changes settings where apps read them"
        )
        await CommandRun(tool, "plan", url.path, "--without-settings").expect(says: "rename", "cannot see")
        await CommandRun(tool, "upgrade", url.path, "--without-settings").expect(says: "1 migration waits")
        let scratchSuite = try ScratchSuite([key: 1])
        await CommandRun(tool, "upgrade", url.path, "--settings", "standard=\(scratchSuite.name)").expect(
            says: "renamed"
        )
        try scratchSuite.expect(["\(key).new": 1])
        let reason = ["--reason", "put back"]
        await CommandRun(tool, ["mark-pending", url.path, "rename"] + reason).expect(64, errors: "standard=DOMAIN")
        let domain = ["--settings", "standard=\(scratchSuite.name)"]
        await CommandRun(tool, ["mark-pending", url.path, "rename"] + reason + domain).expect(says: "rename")
        try scratchSuite.suite.set(2, forKey: key)
        try scratchSuite.suite.removeValue(forKey: "\(key).new")
        await CommandRun(tool, ["upgrade", url.path] + domain).expect(says: "renamed")
        try scratchSuite.expect(["\(key).new": 2])
    }

    @Test func `export and import take the settings of the app's domain, and not those of the tool`() async throws {
        let domain = try ScratchSuite(["old": 1])
        let rename = Migration(to: 1, "rename", .renameSetting("old", to: "new", in: .standard))
        let tool = Tool("app", "", RegisteredApp(migrations: [rename]).commands)
        let (file, store) = (scratch.file("settings.json").path, try scratch.store("settings.molt", []))
        let settings = ["--settings", "standard=\(domain.name)"]
        await CommandRun(tool, ["upgrade", store] + settings).expect()
        for command in ["export", "import"] {
            await CommandRun(tool, command, store, file, "--settings", "standard").expect(
                64,
                errors: "pass --settings standard=DOMAIN"
            )
        }
        await CommandRun(tool, ["export", store, file] + settings).expect(begins: "exported 0 records and 1 settings")
        try domain.suite.removeValue(forKey: "new")
        await CommandRun(tool, ["import", store, file] + settings).expect(
            output: "imported version 1: 0 added, 1 settings set\n"
        )
        try domain.expect(["new": 1])
    }

    @Test func `dry-run takes settings from files, and leaves those of this machine alone`() async throws {
        let suite = Suite("molt.test.\(UUID().uuidString)")
        let move = Migration.suiteToAppGroup(to: 1, from: .standard, into: suite)
        let tool = Tool("app", "", RegisteredApp(migrations: [move]).commands)
        let plist = scratch.file("app.plist")
        let values = ["theme": "dark", "history": String(repeating: "s", count: 600_000)]
        try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0).write(to: plist)
        let (settings, page) = ("--settings=standard=\(plist.path)", scratch.file("page.html"))
        await CommandRun(tool, "plan", url.path, settings).expect(says: "large: \"history\" of standard has 600 kB")
        await CommandRun(tool, "dry-run", url.path, settings, "--html", page.path).expect(says: "2 copied")
        try ParsedPage(String(contentsOf: page, encoding: .utf8)).expect(".finding", "…Large: \"history\" of standard…")
        #expect(try suite.values().isEmpty)

        await CommandRun(tool, "plan", url.path, settings, settings).expect(64, errors: "names standard more than once")
        let mistakes: [(setting: String, code: Int32, message: String)] = [
            ("standard", 64, "--settings needs SUITE=DOMAIN or SUITE=PLIST"),
            (
                "group.other=\(plist.path)", 1,
                "this tool has no suite group.other; its suites are"
            ),
            ("standard=\(plist.path).none", 1, "there is no file at"),
        ]
        for (setting, code, message) in mistakes {
            await CommandRun(tool, "dry-run", url.path, "--settings", setting).expect(code, errors: message)
        }
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
            run.expect(1, errors: file == newer ? "version 3" : file.path, hides: "--help", "foreignFile", "superseded")
            #expect(run.errors.hasPrefix("app: \(message)"), "\(run.errors)")
            #expect(run.errors.components(separatedBy: file.path).count <= 2, "\(run.errors)")
            if file != newer { #expect(run.errors.count { $0 == "\n" } == 1) }
            let after = try? Data(contentsOf: file)
            #expect(after == before)
        }
        #expect(try scratch.names() == names)
    }

    @Test func `lint shows all mistakes of a registry`() async {
        await run("lint").expect(says: "\nNo mistakes were found.")
        let wrong: MigrationRegistry = [Migration(to: 1, "same"), Migration(to: 2, "same")]
        let tool = Tool("app", "", RegisteredApp(migrations: wrong).commands)
        await CommandRun(tool, "lint").expect(1, says: "same")
    }

    @Test func `verify finds the types of older releases beside the fixtures`() async throws {
        let fixtures = scratch.file("Fixtures")
        try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
        let files = [
            "0-a.json":
                #"{"format":1,"schemaVersion":0,"records":[{"key":"ada","type":"Person","content":{"age":36}}]}"#,
            "types.json": #"{"versions":{"0":{"Person":{"type":"Person","properties":{"age":"Int"}}}}}"#,
        ]
        for (name, text) in files { try Data(text.utf8).write(to: fixtures.appending(path: name)) }
        let half = Migration(to: 1, "half", .transform("Person") { $0["age"] = 36.5 }).olderReleases(may: .read)
        let tool = Tool("app", "", RegisteredApp(migrations: [half]).commands)
        await CommandRun(tool, "verify", fixtures.path).expect(1, errors: "Person.age: it expects Int")
        await CommandRun(tool, "record", fixtures.path).expect(1, errors: "Person.age: it expects Int")
    }

    @Test func `record writes the samples and their types, and verify compares them`() async throws {
        struct Person: Codable { var name: String }
        func tool(_ name: String) -> Tool {
            let types = [FixtureType.type(Person.self, samples: ["ada": Person(name: name)])]
            return Tool("app", "", RegisteredApp(migrations: [], types: types).commands)
        }
        let fixtures = scratch.file("Fixtures")
        try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
        let written = "wrote 0-samples.json\nwrote types.json\n"
        await CommandRun(tool("Ada"), "record", fixtures.path).expect(output: written)
        await CommandRun(tool("Ada"), "verify", fixtures.path).expect(begins: "1 fixture, ")
        await CommandRun(tool("Eve"), "verify", fixtures.path).expect(1, errors: "expected \"Ada\", found \"Eve\"")
    }

    @Test func `record writes fixtures and upgraded fixtures, which verify compares`() async throws {
        let fixtures = scratch.file("Fixtures")
        await run("record", fixtures.path).expect(1, errors: "there is no directory at")
        try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
        await run("record", fixtures.path, "--store", url.path).expect(64)
        let empty = await run("verify", fixtures.path)
        empty.expect(1)
        #expect(!empty.errors.isEmpty)
        // Of a store, it checks the file.
        await run("verify", url.path).expect(output: "No damage was found.\n")

        // The catalog misses fixtures of the later versions.
        await run("record", fixtures.path, "--store", url.path, "--name", "small").expect(
            1,
            output: "wrote 0-small.json\nwrote 0-small@1.json\nwrote 0-small@2.json\n"
        )
        for version in [1, 2] {
            let store = scratch.file("\(version).molt")
            try FileManager.default.copyItem(at: url, to: store)
            try CodableCache(at: store, migrations: migrations.upTo(version: version)).close()
            _ = await run("record", fixtures.path, "--store", store.path, "--name", "small")
        }
        await run("record", fixtures.path).expect(ends: "No file was written.\n")
        await run("verify", fixtures.path).expect(begins: "3 fixtures, ")

        let upgraded = fixtures.appending(path: "0-small@2.json")
        let text = try String(contentsOf: upgraded, encoding: .utf8)
        try Data(text.replacingOccurrences(of: "King", with: "Queen").utf8).write(to: upgraded)
        await run("verify", fixtures.path).expect(1, errors: "expected \"Queen\", found \"King\"")
        await run("verify", fixtures.path, "--json").expect(1, says: "\"subject\" : \"0-small.json\"")
        // The version is the newest one, so its file may be written again once the older ones are sealed.
        await run("record", fixtures.path, "--all").expect(1, errors: "seal them first: swift run molt seal")
        await run("seal", fixtures.path, "1").expect(says: "Version 1 is sealed")
        let all = await run("record", fixtures.path, "--all")
        #expect(all.output.contains("wrote 0-small@2.json\n"))
        #expect(try String(contentsOf: upgraded, encoding: .utf8) == text)
    }
}
