import Foundation
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

    @Test func `values of Defaults 4 are recognized, and the rest is shown as it is`() async throws {
        let run = try await run(["tags": "[\"a\"]", "launches": 3, "seen": true, "name": "Ada"])
        #expect(run.code == 0)
        #expect(
            run.output == """
                launches: 3
                name: "Ada"
                seen: true
                tags: "[\\"a\\"]"
                  a JSON array in a string

                Forms
                  a JSON array in a string: Defaults 4 writes an array, a set or a range like this; later releases write \
                only a Codable value, and before 6.3 a range.

                The settings look as Defaults 4 writes them.

                """
        )
    }

    @Test(arguments: [
        ("[1,2]", "a JSON array in a string"), (#"{"a":1}"#, "a JSON object in a string"),
        ("\"10 Minutes\"", "a JSON string in a string"), ("-5", "a number in a string"), ("null", "null in a string"),
        ("true", nil), ("[\"torn", nil), ("", nil),
    ])
    func `strings are told apart`(text: String, name: String?) async throws {
        let lines = try await run(["key": text]).output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[1] == (name.map { "  \($0)" } ?? ""))
    }

    @Test func `native containers and data are told apart`() async throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: NSString("https://e.com"),
            requiringSecureCoding: true
        )
        let list: [String: Any] = [
            "native": [1, ["a", "b"]], "codable": [["k": "{\"id\":1}"]], "mixed": ["{\"id\":1}", "plain"],
            "swifty": Data("[1.5]".utf8), "data": Data([1, 2]), "archive": archive, "molt.ledger": "{}",
        ]
        let output = try await run(list).output
        #expect(
            output.contains(
                "\ncodable: [[\"k\": \"{\\\"id\\\":1}\"]]\n  a native array or dictionary of JSON strings\n"
            )
        )
        #expect(output.contains("\nmixed: [\"{\\\"id\\\":1}\", \"plain\"]\n  a native array or dictionary\n"))
        #expect(output.contains("\nswifty: data, 5 B\n  JSON in data\n"))
        #expect(output.contains("\ndata: data, 2 B\nmixed"))
        #expect(output.contains(" B\n  a keyed archive\n"))
        #expect(output.contains("\n  Molt's schema version and ledger\n"))
        #expect(output.hasSuffix("\nThe settings look as Defaults 5 and later write them.\n"))
    }

    @Test func `a suite without a library's forms, and one with those of two releases`() async throws {
        #expect(
            try await run(["zip": "75001", "on": true]).output.hasSuffix("do not show which library wrote them.\n")
        )
        #expect(
            try await run(["old": "[1]", "new": ["{\"id\":1}"]]).output
                .hasSuffix("\nSome settings look as Defaults 4 writes them, and others as Defaults 5 and later do.\n")
        )
        #expect(try await run([:]).output == "The file has no settings.\n")
    }

    @Test func `JSON has the values and their forms`() async throws {
        struct Settings: Decodable {
            struct Form: Decodable {
                var form: String
            }
            var values: [String: String]
            var forms: [String: Form]
            var conclusion: String
        }
        let output = try await run(["tags": "[1]", "name": "Ada"], "--json").output
        let settings = try JSONDecoder().decode(Settings.self, from: Data(output.utf8))
        #expect(settings.values == ["tags": "[1]", "name": "Ada"])
        #expect(settings.forms.mapValues(\.form) == ["tags": "jsonArrayText", "name": "text"])
        #expect(settings.conclusion == "The settings look as Defaults 4 writes them.")
    }

    @Test func `a file that is not one of settings is an error`() async throws {
        let missing = await CommandRun(molt, ["settings", path])
        #expect(missing.code == 1)
        #expect(missing.errors.contains("there is no file at \(path)"))
        let directory = await CommandRun(molt, ["settings", scratch.url.path])
        #expect(directory.errors.contains("cannot be read"), "\(directory.errors)")
        try Data("not a list".utf8).write(to: scratch.file("app.plist"))
        let text = await CommandRun(molt, ["settings", path])
        #expect(text.errors.contains("is not a property list of settings"), "\(text.errors)")
        try PropertyListSerialization.data(fromPropertyList: [1], format: .xml, options: 0)
            .write(to: scratch.file("app.plist"))
        let array = await CommandRun(molt, ["settings", path])
        #expect(array.errors.contains("it is not a dictionary"))
        #expect(array.code == 1)
    }
}
