import Foundation
import MoltCommand
import TestSupport
import Testing

@testable import Molt

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

    private func run(_ words: String...) async -> CommandRun { await CommandRun(molt, words) }

    // MARK: Looking

    @Test func `info shows versions, migrations, types, quarantine and backups`() async throws {
        let before = await run("info", path)
        #expect(before.code == 0)
        #expect(before.output.contains("version 0, 3 records, 49 bytes"))
        #expect(!before.output.contains("Migrations"))
        #expect(before.output.hasSuffix("\nNo damage was found.\n"))

        try upgrade()
        let after = await run("info", path).output
        #expect(after.contains("version 2, 2 records"))
        #expect(after.contains("\"split-name\" (version 1): ran"))
        #expect(after.contains("by 2.1"))
        #expect(after.contains("Person"))
        #expect(after.contains("records in quarantine: 1;"))
        #expect(after.contains("\nBackups\n  people.molt"))
    }

    @Test func `info as JSON can be decoded`() async throws {
        try upgrade()
        struct Info: Decodable {
            var schemaVersion: Int
            var quarantined: Int
            var migrations: [LedgerEntry]
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let info = try decoder.decode(Info.self, from: Data(await run("info", path, "--json").output.utf8))
        #expect(info.schemaVersion == 2)
        #expect(info.quarantined == 1)
        #expect(info.migrations.map(\.name) == ["split-name", "strict"])
    }

    @Test func `ls and dump show all records, or those of a type`() async throws {
        #expect(
            await run("ls", path, "--type", "Photo").output
                == "photo\tPhoto\tversion 0\t3 B, data\texpires 2096-10-02T07:06:40Z\n"
        )
        #expect(
            await run("dump", path).output == """
                ada\t{"name":"Ada King","phone":1}
                eve\t{"name":"Eve"}
                photo\tbase64:AAH/

                """
        )
        #expect(
            await run("dump", path, "--json", "--type", "Person").output == """
                {"key":"ada","type":"Person","version":0,"content":{"name":"Ada King","phone":1}}
                {"key":"eve","type":"Person","version":0,"content":{"name":"Eve"}}

                """
        )
        #expect(await run("ls", path, "--type=Photo").output == run("ls", path, "--type", "Photo").output)
        let misspelled = await run("ls", path, "--type", "Persen")
        #expect(misspelled.code == 1)
        #expect(misspelled.errors.contains("did you mean \"Person\"?"))
    }

    @Test func `dump reads more records than a page`() async throws {
        let many = try scratch.store("many.molt", (0..<1_200).map { .json("k\($0)", #"{"name":"\#($0)"}"#) })
        let lines = await run("dump", many).output.split(separator: "\n")
        #expect(lines.count == 1_200)
        #expect(lines.last == #"k1199\#t{"name":"1199"}"#)
    }

    @Test func `get shows a value, indented or as it is stored`() async throws {
        #expect(
            await run("get", path, "ada").output == """
                {
                  "name": "Ada King",
                  "phone": 1
                }

                """
        )
        #expect(await run("get", path, "ada", "--raw").output == #"{"name": "Ada King", "phone": 1}"#)
        let missing = await run("get", path, "bob")
        #expect(missing.code == 1)
        #expect(missing.errors.contains("no value under the key \"bob\""))
    }

    @Test func `get says that a record is in quarantine`() async throws {
        try upgrade()
        let run = await run("get", path, "eve")
        #expect(run.code == 1)
        #expect(run.errors.contains("record \"eve\" is in quarantine; see molt quarantine --content"))
        #expect(!run.errors.contains("Eve"))
    }

    @Test func `reads a store that a cache has open, and writes nothing`() async throws {
        let cache = try CodableCache(at: scratch.file("people.molt"))
        try cache.set(Person(firstName: "Bob", lastName: ""), forKey: "bob")
        let names = try scratch.names()
        for words in [["info", path], ["ls", path], ["dump", path], ["verify", path], ["quarantine", path]] {
            let run = await CommandRun(molt, words)
            #expect(run.code == 0, "\(run.errors)")
            if words[0] == "ls" { #expect(run.output.contains("bob\tPerson")) }
        }
        #expect(try scratch.names() == names)
        #expect(try cache.count() == 4)
    }

    // MARK: Repairing

    @Test func `quarantine shows the reason, and the content if asked`() async throws {
        #expect(await run("quarantine", path).output == "No record is in quarantine.\n")
        try upgrade()
        let some = await run("quarantine", path)
        #expect(some.output.hasPrefix("eve (Person, written at version 1): The record has no property \"phone\"."))
        #expect(some.output.contains("  by migration \"strict\" (version 2), step 1 (rename Person.phone to number)\n"))
        #expect(!some.output.contains("Eve"))
        #expect(await run("quarantine", path, "--content").output.contains(#""firstName":"Eve""#))
        let json = await run("quarantine", path, "--json").output
        #expect(json.contains(#""key" : "eve""#) && !json.contains("content"))
        #expect(await run("quarantine", path, "--json", "--content").output.contains("Eve"))
    }

    @Test func `a backup is listed and restored`() async throws {
        #expect(await run("backups", path).output.hasPrefix("There is no backup"))
        try upgrade()
        let backup = try #require(try CodableCache.backups(at: scratch.file("people.molt")).first)
        let line = await run("backups", path).output
        #expect(line.hasPrefix("\(backup.url.lastPathComponent): 20"))
        #expect(line.hasSuffix("Z, version 0, 3 records, \(backup.size) bytes\n"))
        #expect(await run("restore", path, "other").code == 1)
        let restored = await run("restore", path, backup.url.lastPathComponent).output
        #expect(restored.hasPrefix("Restored \(backup.url.lastPathComponent), version 0.\n"))
        let aside = try #require(try CodableCache.filesAside(at: scratch.file("people.molt")).first)
        #expect(restored.hasSuffix("is kept as \(aside.url.lastPathComponent).\n"))
        #expect(await run("dump", path).output.hasPrefix(#"ada\#t{"name":"Ada King""#))
    }

    @Test func `verify finds damage, and salvage saves the rest`() async throws {
        #expect(await run("verify", path).output == "No damage was found.\n")
        let url = scratch.file("people.molt")
        var bytes = try Data(contentsOf: url)
        // The content of the last record is at the end of its page.
        let place = try #require(bytes.range(of: Data(#""name":"Eve""#.utf8)))
        bytes[place.lowerBound] = UInt8(ascii: "!")
        try bytes.write(to: url)
        let found = await run("verify", path)
        #expect(found.code == 1)
        #expect(found.output.contains("content"))
        #expect(found.output.contains("salvage saves what can be read"))
        let info = await run("info", path)
        #expect(info.code == 1)
        #expect(info.output.hasSuffix("The file is damaged; the command verify shows where.\n"))
        let saved = scratch.file("saved.molt").path
        #expect(await run("salvage", path, saved).code == 1)
        #expect(await run("dump", saved).output.hasPrefix("ada\t"))
    }

    // MARK: The command line

    @Test(arguments: [
        ([], "a command is missing. See molt --help."),
        (["inof"], "there is no command \"inof\"; did you mean \"info\"? See molt --help."),
        (["info"], "info needs FILE. See molt info --help."),
        (["get", "a"], "get needs KEY"),
        (["info", "a", "b"], "there is no use for \"b\""),
        (["ls", "a", "--typ", "x"], "\"--typ\" is not an option of ls; did you mean \"--type\"?"),
        (["ls", "a", "--type"], "--type needs NAME"),
        (["ls", "a", "-type", "x"], "\"-type\" is not an option of ls; did you mean \"--type\"?"),
        (["ls", "a", "--typ=x"], "\"--typ\" is not an option of ls; did you mean \"--type\"?"),
        (["ls", ""], "FILE is empty"),
        (["schema", "a", "b", "c"], "there is no use for \"c\""),
    ])
    func `a mistake on the command line is explained`(words: [String], message: String) async {
        let run = await CommandRun(molt, words)
        #expect(run.code == 64)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test func `a missing file is an error, and is not created`() async throws {
        let missing = scratch.file("none.molt").path
        for command in ["info", "ls", "dump", "verify", "quarantine", "fixture"] {
            let run = await run(command, missing)
            #expect(run.code == 1, "\(command)")
            #expect(run.errors.contains("There is no cache at"), "\(command): \(run.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: missing))
    }

    @Test func `a path that is not a store is an error`() async throws {
        let text = scratch.file("notes.txt").path
        try Data(String(repeating: "not a database ", count: 100).utf8).write(to: URL(filePath: text))
        let foreign = scratch.file("other.sqlite")
        try SQLite(foreign).run("CREATE TABLE other(a)")
        for command in [["info"], ["ls"], ["get"], ["schema"], ["fixture"], ["diff"]] {
            let last = command == ["get"] ? ["key"] : command == ["diff"] ? [path] : []
            let directory = await CommandRun(molt, command + [scratch.url.path] + last)
            #expect(directory.errors.contains("is a directory or a device, not a file"), "\(directory.errors)")
            let other = await CommandRun(molt, command + [text] + last)
            #expect(other.errors.contains("is not a store"), "\(other.errors)")
            let database = await CommandRun(molt, command + [foreign.path] + last)
            #expect(database.errors.contains("is a database that Molt did not make"), "\(database.errors)")
            for run in [directory, other, database] { #expect(run.code != 0 && run.output.isEmpty) }
        }
    }

    @Test func `help lists all commands, and the options of one`() async {
        let help = await run("--help").output
        for command in ["info FILE", "get FILE KEY", "salvage FROM TO", "diff A B", "schema FILE [OTHER]"] {
            #expect(help.contains(command))
        }
        let get = await run("get", "--help").output
        #expect(get.contains("usage: molt get FILE KEY [--raw]"))
        #expect(get.contains("--raw   print the bytes"))
        #expect(await run("help", "get").output == get)
    }
}
