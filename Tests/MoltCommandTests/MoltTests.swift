import Foundation
import Molt
import MoltCommand
import TestSupport
import Testing

@Suite("The molt tool") struct MoltTests {
    private let scratch: ScratchDirectory
    private var path: String { scratch.file("people.molt").path }

    init() throws {
        scratch = try ScratchDirectory()
        try scratch.store(
            "people.molt",
            [
                .json("ada", #"{"name": "Ada King", "phone": 1}"#), .json("eve", #"{"name":"Eve"}"#),
                .photo("photo", [0, 1, 255], expiration: 4_000_000_000),
            ]
        )
    }

    /// Upgrades the store, and puts Eve, who has no phone, into quarantine.
    private func upgrade() throws {
        try scratch.upgrade("people.molt") { configuration in
            configuration.appVersion = "2.1"
            configuration.backup = BackupPolicy()
        }
    }

    private static var withoutBackfill: MoltConfiguration {
        var configuration = MoltConfiguration()
        configuration.runsBackfill = false
        return configuration
    }

    private func run(_ words: String...) async -> CommandRun { await CommandRun(molt, words) }

    // MARK: Looking

    @Test func `info and the plan of an app's tool show what waits, and a tool hands nothing over`() async throws {
        let calls = Log<String>()
        let registry: MigrationRegistry = [
            Migration(to: 1, "out", .handOverRecords("Person", to: "the Keychain") { calls.append($0.key) })
        ]
        let tool = Tool("app", "", RegisteredApp(migrations: registry).commands)
        let line = #""out" (version 1): hand over the records of type Person to the Keychain: 2 waiting"#
        await CommandRun(tool, "upgrade", path).expect(says: "2 of 2 wait: a tool does not do it; it is up to the app")
        await run("info", path).expect(says: "to be handed over: \(line)")
        await run("info", path, "--json").expect(says: #""handovers""#)
        await CommandRun(tool, "plan", path).expect(says: "to be handed over: \(line)")
        #expect(calls.count == 0)
        try CodableCache(at: scratch.file("people.molt"), migrations: registry).close()
        #expect(calls.all.sorted() == ["ada", "eve"])
        await run("info", path).expect(hides: "to be handed over:")
    }

    @Test func `info shows versions, migrations, types, quarantine and backups`() async throws {
        await run("info", path).expect(
            says: "version 0, 3 records, 49 bytes",
            ends: "\nNo damage was found.\n",
            hides: "Migrations"
        )

        try upgrade()
        await run("info", path).expect(
            says: "version 2, 2 records",
            "\"split-name\" (version 1): ran",
            "by 2.1",
            "Person",
            "records in quarantine: 1;",
            "\nBackups\n  people.molt"
        )

        struct Info: Decodable {
            var migrations: [LedgerEntry]
        }
        let json = await run("info", path, "--json")
        json.expect(says: "\"schemaVersion\" : 2", "\"quarantined\" : 1")
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let names = try decoder.decode(Info.self, from: Data(json.output.utf8)).migrations.map(\.name)
        #expect(names == ["split-name", "strict"])
    }

    @Test func `ls and dump show all records, or those of a type`() async throws {
        let photo = "photo\tPhoto\tversion 0\t3 B, data\texpires 2096-10-02T07:06:40Z\n"
        await run("ls", path, "--type", "Photo").expect(output: photo)
        await run("ls", path, "--type=Photo").expect(output: photo)
        await run("dump", path).expect(
            output: """
                ada\t{"name":"Ada King","phone":1}
                eve\t{"name":"Eve"}
                photo\tbase64:AAH/

                """
        )
        try SQLite(scratch.file("people.molt")).run("UPDATE molt_record SET created_at = 1, updated_at = 2.5")
        await run("dump", path, "--json").expect(
            output: """
                {"key":"ada","type":"Person","version":0,"created":1,"updated":2.5,\
                "content":{"name":"Ada King","phone":1}}
                {"key":"eve","type":"Person","version":0,"created":1,"updated":2.5,"content":{"name":"Eve"}}
                {"key":"photo","type":"Photo","version":0,"created":1,"updated":2.5,"expires":4000000000,"data":"AAH/"}

                """
        )
        await run("ls", path, "--type", "Persen").expect(1, errors: "did you mean \"Person\"?")
    }

    @Test func `export writes records that import adds to another store of the same version`() async throws {
        let (file, other) = (scratch.file("export.json").path, try scratch.store("other.molt", [.json("eve", "{}")]))
        await run("export", path, file, "--type", "Photo", "--key", "ada").expect(
            begins: "exported 2 records at version 0"
        )
        await run("import", other, file).expect(output: "imported version 0: 2 added\n")
        await run("get", other, "ada", "--raw").expect(output: #"{"name": "Ada King", "phone": 1}"#)
        let whole = await run("export", path, "-")
        #expect(whole.output.hasSuffix("\"data\":\"AAH/\"}\n]}\n"))
        await run("import", other, path).expect(1, errors: "under the key \"ada\"")
        await run("import", other, path, "--conflicts", "newer").expect(64, errors: "fail, keep, replace, newest")
        await run("import", other, path, "--conflicts", "merge").expect(64, errors: "only the app has the closure")
        await run("import", other, path, "--conflicts=replace", "--key", "eve").expect(says: "0 added, 1 replaced")
        await run("export", path, file, "--key", "none").expect(1, errors: "\"none\"")
        await run("export", path, file, "--type", "Persn").expect(1, errors: "no records of the type \"Persn\"")
        try upgrade()
        await run("import", path, file).expect(
            1,
            errors: "has version 0, and the store has version 2",
            "the app's own tool",
            hides: "oldest supported version"
        )
        await run("import", other, path).expect(1, errors: "Upgrade the store first", hides: "Ada")
        let quarantined = await run("export", path, "-")
        quarantined.expect(errors: "1 in quarantine were left out")
    }

    @Test func `export and import refuse records that wait for migrations on read`() async throws {
        try CodableCache(
            at: scratch.file("people.molt"),
            migrations: [Migration(to: 1, "lazy", .renameProperty("Person", "name", to: "fullName")).onRead()],
            configuration: Self.withoutBackfill
        )
        .close()
        await run("export", path, scratch.file("export.json").path).expect(1, errors: "migration \"lazy\"")
        let other = try scratch.store("other.molt", version: 1, [])
        await run("import", path, other).expect(1, errors: "migration \"lazy\"")
        let store = try scratch.store("third.molt", version: 1, [])
        await run("import", store, path).expect(1, errors: "migration \"lazy\"")
        try CodableCache(at: scratch.file("own.molt"), migrations: [Migration(to: 1, "own")]).close()
        await run("import", store, scratch.file("own.molt").path).expect(1, errors: "\"own\"", "applied to only one of")
        #expect(!FileManager.default.fileExists(atPath: scratch.file("export.json").path))
    }

    @Test func `dump reads more records than a page`() async throws {
        let many = try scratch.store("many.molt", (0..<1_200).map { .json("k\($0)", #"{"name":"\#($0)"}"#) })
        let lines = (0..<1_200).map { "k\($0)\t{\"name\":\"\($0)\"}\n" }
        await run("dump", many).expect(output: lines.joined())
    }

    @Test func `import takes a shortcut for all that it replaces`() async throws {
        let parts = [Migration(to: 1, "a"), Migration(to: 2, "b")]
        let shortcut = Migration(to: 2, "ab", replacing: ["a", "b"])
        var stores: [URL] = []
        for (index, migrations) in [parts, parts + [shortcut]].enumerated() {
            let url = scratch.file("branch \(index).molt")
            // A new store counts all of them as applied.
            try CodableCache(at: url, migrations: []).set(index, forKey: "\(index)")
            try CodableCache(at: url, migrations: MigrationRegistry(migrations)).close()
            stores.append(url)
        }
        #expect(try CacheFile(at: stores[1]).history().map(\.name) == ["ab"])
        for (from, to) in [(0, 1), (1, 0)] {
            let file = scratch.file("branch \(from).json").path
            await run("export", stores[from].path, file).expect()
            await run("import", stores[to].path, file, "--conflicts=keep").expect(says: "1 added")
            await run("import", stores[to].path, stores[from].path, "--conflicts=keep").expect()
        }
    }

    @Test func `get shows a value, indented or as it is stored, or says why there is none`() async throws {
        await run("get", path, "ada").expect(
            output: """
                {
                  "name": "Ada King",
                  "phone": 1
                }

                """
        )
        await run("get", path, "ada", "--raw").expect(output: #"{"name": "Ada King", "phone": 1}"#)
        await run("get", path, "bob").expect(1, errors: "no value under the key \"bob\"")
        try upgrade()
        await run("get", path, "eve").expect(
            1,
            errors: "record \"eve\" is in quarantine; the command quarantine --content shows it",
            hides: "Eve"
        )
    }

    @Test func `reads a store that a cache has open, and writes nothing`() async throws {
        let cache = try CodableCache(at: scratch.file("people.molt"))
        try cache.set(Person(firstName: "Bob", lastName: ""), forKey: "bob")
        let names = try scratch.names()
        for command in ["info", "dump", "verify", "quarantine"] { await run(command, path).expect() }
        await run("ls", path).expect(says: "bob\tPerson")
        #expect(try scratch.names() == names)
        #expect(try cache.count() == 4)
    }

    // MARK: Repairing

    @Test func `quarantine shows the reason, and the content if asked`() async throws {
        await run("quarantine", path).expect(output: "No record is in quarantine.\n")
        try upgrade()
        await run("quarantine", path).expect(
            output: """
                eve (Person, written at version 1): The record has no property "phone". If the property may be missing, \
                check with `contains()` in a closure, or omit `ifMissing: .fail` in a step; nil optionals are not \
                encoded.
                  by migration "strict" (version 2), step 1 (rename Person.phone to number)

                The store keeps them. A release with a corrected migration can convert them: see retryQuarantined().

                """
        )
        await run("quarantine", path, "--content").expect(says: #""firstName":"Eve""#)
        await run("quarantine", path, "--json").expect(says: #""key" : "eve""#, hides: "content")
        await run("quarantine", path, "--json", "--content").expect(says: "Eve")
    }

    @Test func `quarantine shows what was quarantined before a value was written over it`() async throws {
        let cache = try CodableCache(at: scratch.file("people.molt"))
        try cache.set(Person(firstName: "Ada", lastName: "King"), forKey: "ada")
        cache.close()
        await run("quarantine", path).expect(
            output: #"""
                ada (Person, written at version 0): "firstName": missing. The content of "ada", JSON text that was written \#
                as Person, cannot be read as Person.
                  quarantined before another value was written over it

                The store keeps them. A release with a corrected migration can convert them: see retryQuarantined().

                """#
        )
        await run("quarantine", path, "--json").expect(says: #""key" : "ada""#, hides: "migration")
        await run("info", path).expect(says: "records in quarantine: 1;")
    }

    @Test func `a backup is listed and restored`() async throws {
        await run("backups", path).expect(begins: "There is no backup")
        try upgrade()
        let backup = try #require(try CacheFile(at: scratch.file("people.molt")).backups().first)
        let (name, time) = (backup.url.lastPathComponent, DisplayText.time(backup.date))
        await run("backups", path).expect(output: "\(name): \(time), version 0, 3 records, \(backup.size) bytes\n")
        await run("restore", path, "other").expect(1)
        let restored = await run("restore", path, name)
        let aside = try #require(try CacheFile(at: scratch.file("people.molt")).filesAside().first)
        restored.expect(
            output: """
                Restored \(name), version 0.
                The store that it replaced was set aside as \(aside.url.lastPathComponent).

                """
        )
        await run("get", path, "ada").expect(says: "Ada King")
    }

    @Test func `verify finds damage, and salvage saves the rest`() async throws {
        await run("verify", path).expect(output: "No damage was found.\n")
        let url = scratch.file("people.molt")
        var bytes = try Data(contentsOf: url)
        // The content of the last record is at the end of its page.
        let place = try #require(bytes.range(of: Data(#""name":"Eve""#.utf8)))
        bytes[place.lowerBound] = UInt8(ascii: "!")
        try bytes.write(to: url)
        await run("verify", path).expect(1, says: "content", "salvage saves what can be read")
        await run("info", path).expect(1, ends: "The file is damaged; the command verify shows where.\n")
        let saved = scratch.file("saved.molt").path
        await run("salvage", path, saved).expect(1)
        await run("get", saved, "ada").expect(says: "Ada King")
    }

    @Test func `compact shrinks a file`() async throws {
        let url = scratch.file("people.molt")
        try SQLite(url).run("CREATE TABLE bulk(a); INSERT INTO bulk VALUES(zeroblob(1000000)); DROP TABLE bulk")
        let size = try Data(contentsOf: url).count
        await run("compact", path).expect(begins: "Freed ", ends: " bytes.\n")
        #expect(try Data(contentsOf: url).count <= size - 900_000)
        await run("compact", path).expect(output: "Freed 0 bytes.\n")
        await run("get", path, "ada").expect(says: "Ada King")
    }

    // MARK: The command line

    @Test func `a mistake on the command line is explained`() async {
        let mistakes: [(words: [String], message: String)] = [
            ([], "a command is missing. See molt --help."),
            (["inof"], "there is no command \"inof\"; did you mean \"info\"? See molt --help."),
            (["plan", "a"], "\"plan\" needs the migrations of an app, so it is a command of the app's own tool only"),
            (["dryrun"], "there is no command \"dryrun\"; did you mean \"dry-run\"?"),
            (["info"], "info needs FILE. See molt info --help."),
            (["get", "a"], "get needs KEY"),
            (["info", "a", "b"], "\"b\" is one argument too many"),
            (["ls", "a", "--typ", "x"], "\"--typ\" is not an option of ls; did you mean \"--type\"?"),
            (["ls", "a", "--type"], "--type needs NAME"),
            (["ls", "a", "-type", "x"], "\"-type\" is not an option of ls; did you mean \"--type\"?"),
            (["ls", "a", "--typ=x"], "\"--typ\" is not an option of ls; did you mean \"--type\"?"),
            (["ls", ""], "FILE is empty"),
            (["schema", "a", "b", "c"], "\"c\" is one argument too many"),
        ]
        for (words, message) in mistakes { await CommandRun(molt, words).expect(64, output: "", errors: message) }
    }

    @Test func `a missing file is an error, and is not created`() async throws {
        let missing = scratch.file("none.molt").path
        for command in ["info", "ls", "dump", "verify", "quarantine", "fixture"] {
            await run(command, missing).expect(1, errors: "There is no cache at")
        }
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test func `a path that is not a store is an error`() async throws {
        let text = scratch.file("notes.txt").path
        try Data(String(repeating: "not a database ", count: 100).utf8).write(to: URL(filePath: text))
        let foreign = scratch.file("other.sqlite")
        try SQLite(foreign).run("CREATE TABLE other(a)")
        let wrongPaths: [(path: String, message: String)] = [
            (scratch.url.path, "is a directory or a device, not a file"),
            (text, "is not a store"),
            (foreign.path, "is a database that Molt did not make"),
        ]
        let commands: [(name: String, rest: [String], code: Int32)] = [
            ("info", [], 1), ("ls", [], 1), ("get", ["key"], 1), ("fixture", [], 1), ("schema", [], 2),
            ("diff", [path], 2),
        ]
        for (name, rest, code) in commands {
            for (wrong, message) in wrongPaths {
                await CommandRun(molt, [name, wrong] + rest).expect(code, output: "", errors: message)
            }
        }
    }

    @Test func `seal protects the fixtures of a version that has shipped`() async throws {
        let directory = scratch.file("Fixtures")
        let empty = #"{"format": 1, "schemaVersion": 1, "ledger": [{"name": "first", "version": 1}]}"#
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data(empty.utf8).write(to: directory.appending(path: "1-empty.json"))
        await run("seal", directory.path, "one").expect(64, errors: "VERSION is a number of at least 0, not \"one\"")
        await run("seal", directory.path, "2").expect(1, errors: "The catalog has no file of version 2, but of 1.")
        await run("seal", directory.path, "1").expect(says: "Version 1 is sealed: 1 file, 1 migration in seals.json.")
        await run("seal", directory.path, "1").expect(says: "Version 1 is sealed already.")
        let seals = try String(contentsOf: directory.appending(path: "seals.json"), encoding: .utf8)
        #expect(seals.contains("\"1-empty.json\"") && seals.contains("\"first\""))
    }

    @Test func `help lists all commands, and the options of one`() async {
        await run("--help").expect(
            says: "info FILE",
            "get FILE KEY",
            "salvage FROM TO",
            "diff A B",
            "schema FILE [OTHER]",
            "2 for an error of diff or schema,"
        )
        let get = await run("get", "--help")
        get.expect(says: "usage: molt get FILE KEY [--raw]", "--raw   print the bytes")
        await run("help", "get").expect(output: get.output)
    }
}
