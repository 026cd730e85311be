import Foundation
import Molt
import MoltCommand
import MoltTesting
import TestSupport
import Testing

@Suite("molt settings") struct SettingsTests {
    private let scratch: ScratchDirectory
    private var path: String { scratch.file("app.plist").path }

    init() throws {
        scratch = try ScratchDirectory()
    }

    private func run(_ list: [String: Any], _ words: String...) async throws -> CommandRun {
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            .write(to: scratch.file("app.plist"))
        return await CommandRun(molt, ["settings", path] + words)
    }

    @Test func `the tool of an app lists those that no key or step names`() async throws {
        let list: [String: Any] = ["a": 1, "b": "x", "fax": 3]
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            .write(to: scratch.file("app.plist"))
        let app = RegisteredApp(
            migrations: [Migration(to: 1, "a", .renameSetting("old", to: "a", in: .standard))],
            settings: [.key(SettingKey<String?>("b"), in: .standard)]
        )
        let tool = Tool("app", "", app.commands)
        await CommandRun(tool, "settings", path).expect(says: "Named by no key or step of the app\n  fax\n")
        await CommandRun(tool, "settings", path, "--json").expect(says: #""unnamed""#)
        let fixture = StoreFixture(version: 1, suites: [.standard: ["a": 1], Suite("group.x"): ["a": 1]])
        let file = scratch.file("fixture.json")
        try fixture.write(to: file)
        await CommandRun(tool, "settings", file.path).expect(
            says: "Named by no key or step of the app\n  a of group.x\n"
        )
    }

    @Test func `values of Defaults 4 are recognized, and the rest is shown as it is`() async throws {
        let list: [String: Any] = [
            "tags": #"["a"]"#, "launches": 3, "seen": true, "name": "Ada", "torn": #"["a"#, "empty": "", "word": "true",
            "object": #"{"a":1}"#, "string": #""10 Minutes""#, "number": "-5", "null": "null",
        ]
        try await run(list).expect(
            output: #"""
                empty: ""
                launches: 3
                name: "Ada"
                null: "null"
                  null in a string
                number: "-5"
                  a number in a string
                object: "{\"a\":1}"
                  a JSON object in a string
                seen: true
                string: "\"10 Minutes\""
                  a JSON string in a string
                tags: "[\"a\"]"
                  a JSON array in a string
                torn: "[\"a"
                word: "true"

                Forms
                  a JSON array in a string: Defaults 4 writes an array, a set or a range like this; later releases \#
                write only a Codable value, and before 6.3 a range.
                  a JSON object in a string: Defaults 4 writes a dictionary or a Codable value like this; later \#
                releases only the second.
                  a JSON string in a string: Defaults writes a URL or a Codable enum like this, and before 6.2 a \#
                UUID. It may be a plain string, too.
                  a number in a string: Defaults 4 writes CGFloat and sized integers like this, and any release a \#
                Decimal. It may be a plain string, too.
                  null in a string: Defaults 4 may write nil like this. It may be a plain string, too.

                The settings look as Defaults 4 writes them.

                """#
        )
    }

    @Test func `native containers and data are told apart`() async throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: NSString("https://e.com"),
            requiringSecureCoding: true
        )
        let list: [String: Any] = [
            "native": [1, ["a", "b"]], "codable": [["k": #"{"id":1}"#]], "mixed": [#"{"id":1}"#, "plain"],
            "swifty": Data("[1.5]".utf8), "data": Data([1, 2]), "archive": archive, "molt.ledger": "{}",
            "enum": Data(#""dark""#.utf8), "list": try PropertyListEncoder().encode(["mail": "a@b.c"]),
        ]
        try await run(list).expect(
            says: #"""
                archive: data, \#(archive.count) B
                  a keyed archive
                codable: [["k": "{\"id\":1}"]]
                  a native array or dictionary of JSON strings
                data: data, 2 B
                enum: data, 6 B
                  JSON in data: "dark"
                list: data, \#(try PropertyListEncoder().encode(["mail": "a@b.c"]).count) B
                  a binary property list in data: ["mail": "a@b.c"]
                mixed: ["{\"id\":1}", "plain"]
                  a native array or dictionary
                molt.ledger: "{}"
                  Molt's schema version and ledger
                native: [1, ["a", "b"]]
                  a native array or dictionary
                swifty: data, 5 B
                  JSON in data: [1.5]

                Forms

                """#,
            ends: "\nThe settings look as Defaults 5 and later write them.\n"
        )
    }

    @Test func `a suite without a library's forms, and one with those of two releases`() async throws {
        try await run(["zip": "75001", "on": true]).expect(ends: "do not show which library wrote them.\n")
        try await run(["old": "[1]", "new": [#"{"id":1}"#]]).expect(
            ends: "\nSome settings look as Defaults 4 writes them, and others as Defaults 5 and later do.\n"
        )
        try await run([:]).expect(output: "The file has no settings.\n")
    }

    @Test func `JSON has the values and their forms`() async throws {
        try await run(["tags": "[1]", "name": "Ada"], "--json").expect(
            json: """
                {"conclusion": "The settings look as Defaults 4 writes them.",
                 "forms": {"name": {"form": "text"}, "tags": {"form": "jsonArrayText",
                    "note": "Defaults 4 writes an array, a set or a range like this; later releases write only a \
                Codable value, and before 6.3 a range."}},
                 "values": {"name": "Ada", "tags": "[1]"}}
                """
        )
    }

    @Test func `a fixture shows the settings of each of its suites`() async throws {
        let url = scratch.file("0-everyday.json")
        try StoreFixture(
            primary: .suite(.standard),
            version: 0,
            suites: [.standard: ["theme": "dark"], Molt.Suite("group.molt"): ["tags": "[1]"]]
        ).write(to: url)
        await CommandRun(molt, "settings", url.path).expect(
            begins: """
                group.molt
                tags: "[1]"
                  a JSON array in a string

                standard
                theme: "dark"

                Forms
                """
        )
        await CommandRun(molt, "settings", url.path, "--json").expect(says: "\"group.molt\" : {", "\"standard\" : {")
    }

    @Test func `what is in a suite's quarantine is shown with its settings`() async throws {
        let suite = try ScratchSuite(["count": "many"])
        try suite.suite.set(1, for: SettingKey("count", default: 0))
        let setting = try #require(try suite.suite.quarantined().first)
        let file = try suite.file.path
        await CommandRun(molt, "settings", file).expect(
            begins: "count: 1\n",
            ends: """

                In quarantine
                count (quarantined \(DisplayText.time(setting.quarantined)) at version 0): "many"
                  \(setting.failure.problem)

                """
        )
        await CommandRun(molt, "settings", file, "--json").expect(says: #""quarantined" : ["#, #""value" : "many""#)
    }

    @Test func `a file that is not one of settings is an error`() async throws {
        await CommandRun(molt, "settings", path).expect(1, errors: "there is no file at \(path)")
        await CommandRun(molt, "settings", scratch.url.path).expect(1, errors: "cannot be read")
        try Data("not a list".utf8).write(to: scratch.file("app.plist"))
        await CommandRun(molt, "settings", path).expect(1, errors: "is not a property list of settings")
        try PropertyListSerialization.data(fromPropertyList: [1], format: .xml, options: 0)
            .write(to: scratch.file("app.plist"))
        await CommandRun(molt, "settings", path).expect(1, errors: "it is not a dictionary")
    }
}
