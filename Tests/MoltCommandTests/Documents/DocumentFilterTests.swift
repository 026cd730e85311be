import Foundation
import Molt
import MoltCommand
import MoltTesting
import TestSupport
import Testing

@Suite struct `Documents in lines` {
    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "email", .renameProperty("Person", "mail", to: "email")),
        Migration(to: 2, "contact", .renameType("Person", to: "Contact")),
        Migration(
            to: 3,
            "addresses",
            .extractRecords("Contact", "address", as: "Address", key: .property("id"))
        ),
        Migration(to: 3, "drafts", .deleteType("Draft")),
        Migration(to: 3, "expiry", .transform("Session") { $0.expiration = Date(timeIntervalSince1970: 60.5) }),
        Migration(to: 3, "keys", .transform("Session") { if $0.contains("key") { $0.key = try $0.string("key") } }),
        Migration(to: 3, "raw", .transform("Photo") { try $0.replaceContent(with: Data([0xFF])) }),
        Migration(to: 3, "title", .transform("Title") { try $0.replaceContent(with: "a\"b") }),
        Migration(to: 3, "failing", .transform("Failing") { _ = try $0.string("missing") }),
        Migration(to: 3, "sizes", .mapValue("Size", "size", ["s": 1, "m": 2], otherwise: .fail)),
    ]

    private func filter(
        _ lines: String,
        notesProblems: Bool = false,
        _ options: DocumentFilter.Options? = nil
    ) async throws -> FilteredLines {
        try await FilteredLines(
            lines,
            Self.migrations,
            notesProblems: notesProblems,
            options ?? DocumentFilter.Options()
        )
    }

    /// A line, and what becomes of it.
    struct Example: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var line: String
        var result: String

        init(_ description: String, _ line: String, _ result: String) {
            testDescription = description
            self.line = line
            self.result = result
        }

        static let all = [
            Example(
                "Content, type and version change, and all other bytes stay",
                #"{ "n":1.50 , "key":"ada","version": 0,"type":"Person", "content":{"mail" : "a@b","x":1e3},"x":[ ] }"#,
                #"{ "n":1.50 , "key":"ada","version": 3,"type":"Contact", "content":{"email" : "a@b","x":1e3},"x":[ ] }"#
            ),
            Example(
                "Text in a string stays in a string",
                #"{"key":1,"type":"Person","version":0,"content":"{\"mail\":\"\\u00e9\\n\"}"}"#,
                #"{"key":1,"type":"Contact","version":3,"content":"{\"email\":\"\\u00e9\\n\"}"}"#
            ),
            Example(
                "A document that no step concerns gets the version alone",
                #"{"key":"k","type":"Other","version":2,"content":[1,2.0]}"#,
                #"{"key":"k","type":"Other","version":3,"content":[1,2.0]}"#
            ),
            Example(
                "An extracted document follows",
                #"{"key":"ada","type":"Contact","version":2,"content":{"address":{"id":"7","city":"Paris"}}}"#,
                """
                {"key":"ada","type":"Contact","version":3,"content":{"address":"7"}}
                {"key":"7","type":"Address","version":3,"content":{"id":"7","city":"Paris"},"extractedFrom":"ada"}
                """
            ),
            Example(
                "An extracted document of one that is text is text, and names its key as it stands",
                #"{"key":12,"type":"Contact","version":2,"content":"{\"address\":{\"id\":\"7\"}}"}"#,
                #"""
                {"key":12,"type":"Contact","version":3,"content":"{\"address\":\"7\"}"}
                {"key":"7","type":"Address","version":3,"content":"{\"id\":\"7\"}","extractedFrom":12}
                """#
            ),
            Example("A dropped document is left out", #"{"key":"d","type":"Draft","version":0,"content":1}"#, ""),
            Example(
                "A step sets the expiration",
                #"{"key":"s","type":"Session","version":0,"expiration":null,"content":{}}"#,
                #"{"key":"s","type":"Session","version":3,"expiration":60.5,"content":{}}"#
            ),
            Example(
                "A step sets the key",
                #"{"key":9223372036854775807,"type":"Session","version":0,"expiration":60.5,"content":{"key":"new"}}"#,
                #"{"key":"new","type":"Session","version":3,"expiration":60.5,"content":{"key":"new"}}"#
            ),
            Example(
                "A document that becomes a string is text in a string, as such a content has text",
                #"{"key":"t","type":"Title","version":0,"content":{}}"#,
                #"{"key":"t","type":"Title","version":3,"content":"\"a\\\"b\""}"#
            ),
            Example("Empty lines stay", " \t", " \t"),
        ]
    }

    @Test(arguments: Example.all)
    func `A line becomes its line of today, and that one stays as it is`(example: Example) async throws {
        let lines = try await filter(example.line + "\n")
        #expect(lines.output == (example.result.isEmpty ? "" : example.result + "\n"))
        #expect(lines.error == nil)
        #expect(try await filter(lines.output).output == lines.output)
    }

    @Test func `Line breaks stay, and a last line without one has none`() async throws {
        let person = #"{"key":"a","type":"Contact","version":3,"content":{}}"#
        let outer = #"{"key":"b","type":"Contact","version":2,"content":{"address":{"id":"7"}}}"#
        let lines = try await filter("\(person)\r\n\r\n\(outer)\r\n\(outer)")
        let new = #"{"key":"b","type":"Contact","version":3,"content":{"address":"7"}}"#
        let extracted = #"{"key":"7","type":"Address","version":3,"content":{"id":"7"},"extractedFrom":"b"}"#
        #expect(lines.output == "\(person)\r\n\r\n\(new)\r\n\(extracted)\r\n\(new)\n\(extracted)")
        let summary = try #require(lines.summary)
        #expect(summary.lines == 4 && summary.empty == 1)
        #expect(summary.changed == 2 && summary.extracted == 2)
        #expect(try await filter("").output == "")
    }

    @Test func `A dropped document can be marked`() async throws {
        let line = #"{"key":"d","type":"Draft","version":0,"content":1}"#
        let lines = try await filter(line + "\n", DocumentFilter.Options("--mark-dropped"))
        #expect(lines.output == #"{"key":"d","type":"Draft","version":0,"content":1,"dropped":true}"# + "\n")
        #expect(lines.summary?.dropped == 1)

        let again = try await filter(lines.output, DocumentFilter.Options("--mark-dropped"))
        #expect(again.output == lines.output)
        #expect(again.summary?.dropped == 0)
        // Otherwise, the member is one like any other.
        #expect(try await filter(lines.output).output == "")
    }

    @Test func `Members can have other names, and stand in objects`() async throws {
        let line = #"{"id":{"n":1},"meta":{"kind":"Person","v":null},"doc":{"mail":1},"dies":9,"version":"x"}"#
        let options = try DocumentFilter.Options(
            "--key-field",
            "id.n",
            "--type-field",
            "meta.kind",
            "--version-field=meta.v",
            "--content-field",
            "doc",
            "--expiration-field",
            "dies",
            "--from",
            "0"
        )
        let lines = try await filter(line, options)
        #expect(
            lines.output
                == #"{"id":{"n":1},"meta":{"kind":"Contact","v":3},"doc":{"email":1},"dies":9,"version":"x"}"#
        )
    }

    @Test func `A line can be the document itself, with its version or without`() async throws {
        let plain = try await filter("{\"mail\": 1}\n[2]\n", DocumentFilter.Options("--type", "Person", "--from", "0"))
        #expect(plain.output == "{\"email\": 1}\n[2]\n")
        let options = try DocumentFilter.Options("--type", "Person", "--version-field", "v.n", "--from", "1")
        let versioned = try await filter("{\"mail\":1,\"v\":{\"n\":0}}\n{\"mail\":1}\n", options)
        #expect(versioned.output == "{\"email\":1,\"v\":{\"n\":3}}\n{\"mail\":1,\"v\":{\"n\":3}}\n")
    }

    // MARK: Failures

    /// A line that cannot be upgraded, the code, words of the message, and what must be in neither.
    private static let failures: [(line: String, code: String, message: String)] = [
        (
            #"{"key":"secret","type":"Person","version":0,"content":{"mail":}}"#, "malformedContent",
            "The line is not JSON"
        ),
        (#"[1]"#, "malformedContent", "The line is not a JSON object."),
        (#"{"type":"Person","version":0,"content":{}}"#, "propertyMissing", "--key-field"),
        (#"{"key":true,"type":"Person","version":0,"content":{}}"#, "typeMismatch", "neither a string nor an integer"),
        (#"{"key":"a","version":0,"content":{}}"#, "propertyMissing", "--type-field"),
        (#"{"key":"a","type":7,"version":0,"content":{}}"#, "typeMismatch", "The type in \"type\""),
        (#"{"key":"a","type":"","version":0,"content":{}}"#, "unsupported", "type name is empty"),
        (#"{"key":"a","type":"Person","content":{}}"#, "propertyMissing", "--version-field or --from"),
        (#"{"key":"a","type":"Person","version":"secret","content":{}}"#, "typeMismatch", "not an integer"),
        (#"{"key":"a","type":"Person","version":-1,"content":{}}"#, "unsupported", "0 or more"),
        (#"{"key":"a","type":"Person","version":9,"content":{}}"#, "superseded", "version 9"),
        (#"{"key":"a","type":"Person","version":0}"#, "propertyMissing", "--content-field"),
        (
            #"{"key":"a","type":"Person","version":0,"content":"{secret"}"#, "malformedContent",
            "The document is not JSON"
        ),
        (#"{"key":"a","type":"Person","version":0,"content":{},"expiration":"secret"}"#, "typeMismatch", "seconds"),
        (#"{"key":"a","type":"Photo","version":0,"content":{"a":"secret"}}"#, "unsupported", "raw data"),
        (#"{"key":"a","type":"Failing","version":0,"content":{"a":"secret"}}"#, "propertyMissing", "\"missing\""),
        (#"{"key":"a","type":"Size","version":0,"content":{"size":"secret"}}"#, "typeMismatch", "Choose another"),
        ("\u{FEFF}" + #"{"key":"a","type":"Person","version":0,"content":{}}"#, "malformedContent", "byte order mark"),
        (#"{"key":"a","type":"Wrong","version":3,"content":{}}"#, "unsupported", "No document has the type \"Wrong\""),
    ]

    private static let types = [
        "Contact", "Address", "Draft", "Session", "Photo", "Title", "Failing", "Person", "Size",
    ].flatMap { ["--types", $0] }

    @Test func `Lines that cannot be upgraded are noted without values, and left out or kept`() async throws {
        let good = #"{"key":"g","type":"Contact","version":3,"content":{}}"#
        let input = Self.failures.map { $0.line + "\n" + good + "\n" }.joined()
        let options = try DocumentFilter.Options(words: Self.types)
        let lines = try await filter(input, notesProblems: true, options)
        #expect(lines.output == String(repeating: good + "\n", count: Self.failures.count))

        let problems = try lines.problems.split(separator: "\n").map { line in
            try JSONDecoder().decode(Problem.self, from: Data(line.utf8))
        }
        let numbers: [Int] = Self.failures.indices.map { 2 * $0 + 1 }
        #expect(problems.map(\.line) == numbers)
        let codes: [String] = Self.failures.map { $0.code }
        #expect(problems.map(\.code) == codes)
        for (problem, failure) in zip(problems, Self.failures) { #expect(problem.message.contains(failure.message)) }
        #expect(problems[15].migration == "failing")
        #expect(problems[15].key == "a" && problems[15].type == "Failing")
        // No policy of a step concerns a document.
        #expect(!lines.problems.contains("secret") && !lines.problems.contains("onFailure"))
        #expect(lines.summary?.failed["superseded"] == 1)
        #expect(lines.summary?.failed.values.reduce(0, +) == Self.failures.count)

        let keeping = try DocumentFilter.Options(words: Self.types + ["--problems", "-", "--keep-failed"])
        let kept = try await filter(input, notesProblems: true, keeping)
        #expect(kept.output == input)
        #expect(kept.problems == lines.problems)
    }

    private struct Problem: Decodable {
        var line: Int
        var key, type, migration: String?
        var code, message: String
    }

    @Test func `Without a file for problems, the first one ends the run after the lines before it`() async throws {
        let good = #"{"key":"g","type":"Contact","version":3,"content":{}}"# + "\n"
        // Several blocks of each thread.
        let before = String(repeating: good, count: 20_000)
        let lines = try await filter(before + "nonsense\n" + before + "nonsense\n")
        #expect(lines.output == before)
        let error = try #require(lines.error as? MoltError)
        #expect(error.code == .malformedContent)
        #expect(error.problem.hasPrefix("Line 20001: The line is not JSON text"))
        #expect(lines.summary?.lines == 20_001)
        #expect(lines.summary?.failed == ["malformedContent": 1])
    }

    @Test(arguments: [1, 2, 5]) func `The order is that of the input with any number of threads`(threads: Int)
        async throws
    {
        var (input, expected) = ("", "")
        for number in 0..<12_000 {
            let text = String(repeating: "x", count: number % 97)
            input += "{\"key\":\(number),\"type\":\"Person\",\"version\":0,\"content\":{\"mail\":\"\(text)\"}}\n"
            expected += "{\"key\":\(number),\"type\":\"Contact\",\"version\":3,\"content\":{\"email\":\"\(text)\"}}\n"
        }
        let lines = try await filter(input, DocumentFilter.Options("--threads", "\(threads)"))
        #expect(lines.output == expected)
        #expect(lines.summary?.changed == 12_000)
    }

    @Test func `A line that is the document has no place for another key or document, or raw data`() async throws {
        let documents = [
            ("Contact", "{\"address\":{\"id\":\"7\"}}", "extracts other documents"),
            ("Session", "{\"key\":\"new\"}", "changes the document's key"), ("Photo", "{}", "raw data"),
        ]
        for (type, document, message) in documents {
            let lines = try await filter(document, DocumentFilter.Options("--type", type, "--from", "0"))
            let error = try #require(lines.error as? MoltError)
            #expect(error.code == .unsupported)
            #expect(error.problem.contains(message))
        }
    }

    @Test(arguments: [
        (["--type", "Person"], "--type needs --from, --version-field, or both"),
        (["--type", "Person", "--from", "0", "--content-field", "c"], "--content-field has no meaning"),
        (["--type", "Person", "--from", "0", "--mark-dropped"], "--mark-dropped has no meaning"),
        (["--key-field", "a..b"], "--key-field needs names"),
        (["--keep-failed"], "--keep-failed needs --problems"),
        (["--key-field", "content.id"], "overlap; each needs a member of its own"),
        (["--content-field", "dropped"], "overlap"),
        (["--type", "Person", "--key-field", "v.id", "--version-field", "v"], "overlap"),
        (["--threads", "0"], "--threads needs a number from 1"),
        (["--versionfield", "v"], "did you mean \"--version-field\"?"),
        (["file"], "one argument too many"),
    ])
    func `Options that make no sense are refused`(words: [String], message: String) async throws {
        await CommandRun(app, ["documents"] + words).expect(64, errors: message)
    }

    @Test func `Shortcuts and checks of decodes do not concern documents`() async throws {
        struct Contact: Decodable {
            let email: Int
        }
        let steps = [
            MigrationStep.renameProperty("Person", "mail", to: "address"),
            .renameProperty("Person", "address", to: "email"), .renameType("Person", to: "Contact"),
        ]
        let way = steps.indices.map { Migration(to: $0 + 1, "step \($0)", steps[$0]) }
        let short = Migration(to: 3, "short", replacing: way.map(\.name), steps: steps)
        let input = [#""version":0,"content":{"mail":"a"}"#, #""version":1,"content":{"address":"a"}"#]
            .map { #"{"key":"a","type":"Person",\#($0)}"# + "\n" }
        let output = #"{"key":"a","type":"Contact","version":3,"content":{"email":"a"}}"# + "\n"

        let beside = MigrationRegistry(way + [short]).checkingDecodes("Contact", as: Contact.self)
        let options = try DocumentFilter.Options()
        let upgraded = try await FilteredLines(input.joined(), beside, options)
        #expect(upgraded.output == output + output)
        // Without those that it replaces, it is unknown through which of them a document has been.
        let alone = try await FilteredLines(input.joined(), [short], notesProblems: true, options)
        #expect(alone.output == output)
        #expect(alone.summary?.failed == ["partlyReplaced": 1])
    }

    @Test func `A registry that cannot upgrade documents is refused before anything is read`() async throws {
        let twice: MigrationRegistry = [Migration(to: 1, "a"), Migration(to: 1, "a")]
        let lines = try await FilteredLines("", twice, DocumentFilter.Options())
        #expect((lines.error as? MoltError)?.code == .invalidRegistry)
    }

    // MARK: Plans

    @Test func `A plan says what happens to the documents of a type`() async throws {
        let tool = Tool("app", "", RegisteredApp(migrations: Self.migrations).commands)
        await CommandRun(tool, "plan", "--documents", "Person", "--from", "0").expect(
            output: """
                documents of type Person, from version 0 to 3
                  1  email
                       rename Person.mail to email
                  2  contact
                       rename the type Person to Contact
                  3  addresses
                       extract Address from Contact.address
                Types afterwards: Contact, Address.

                """
        )
        await CommandRun(tool, "plan", "--documents", "Draft", "--from", "1").expect(says: "They are dropped.")
        await CommandRun(tool, "plan", "--documents", "Contact", "--from", "3").expect(says: "No step concerns them")
        await CommandRun(tool, "plan", "--documents", "Person", "--from", "0", "--json")
            .expect(says: "\"types\"", "\"step\" : \"rename the type Person to Contact\"")
        await CommandRun(tool, "plan", "--documents", "Person", "--from", "4").expect(1, errors: "newer release")
        await CommandRun(tool, "plan", "--documents", "Person").expect(64, errors: "--documents needs --from")
        await CommandRun(tool, "plan").expect(64, errors: "plan needs FILE")
    }

    private struct NewNote: Codable, RecordType {
        static let recordTypeName = "Note"
        var text: String
    }

    private struct OldNote: Codable {
        var title: String
    }

    /// The plan of an app with the types Note and Token.
    private func plan(_ type: String, from version: Int, _ words: String...) async -> CommandRun {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "note", .renameType("Memo", to: "Note")),
            Migration(
                to: 2,
                "text",
                .convert("Note", from: OldNote.self, to: NewNote.self) { NewNote(text: $0.title) },
                .renameProperty("Memo", "text", to: "body"),
                .extractRecords("Session", "token", as: "Token", key: .property("id"))
            ),
            Migration(to: 3, "tokens", .handOverRecords("Token", to: "the Keychain") { _ in }),
        ]
        let app = RegisteredApp(
            migrations: migrations.checkingDecodes("Note", as: NewNote.self),
            types: [.type(NewNote.self), .type(OldNote.self, named: "Draft")]
        )
        let tool = Tool("app", "", app.commands)
        return await CommandRun(tool, ["plan", "--documents", type, "--from", "\(version)"] + words)
    }

    @Test func `A plan says what a conversion keeps, and which steps have no effect`() async throws {
        await plan("Memo", from: 0).expect(
            output: """
                documents of type Memo, from version 0 to 3
                  1  note
                       rename the type Memo to Note
                  2  text
                       convert Note from OldNote to NewNote (only properties of the new model stay)
                       rename Memo.text to body (no effect: they no longer have this type)
                Types afterwards: Note.

                """
        )
    }

    @Test func `A plan for documents that are handed over says that they are refused`() async throws {
        await plan("Token", from: 0).expect(
            output: """
                documents of type Token, from version 0 to 3
                  3  tokens
                       hand over the records of type Token to the Keychain (documents are refused)
                Documents cannot be upgraded: a step takes them out of a store, and they are in none.

                """
        )
        await plan("Token", from: 0, "--json").expect(says: "\"isRefused\" : true")
        await plan("Session", from: 0).expect(
            ends: "to the Keychain (documents from which one is extracted are refused)\n"
        )
    }

    @Test func `A plan for a type that no document can have says so`() async throws {
        await plan("Nota", from: 0).expect(
            ends: "No migration and no model of the app names this type; did you mean \"Note\"?\n"
        )
        await plan("Unheard", from: 0, "--json")
            .expect(says: #""warning" : "No migration and no model of the app names this type.""#)
        await plan("Draft", from: 0).expect(ends: "No step concerns them; they get the new version.\n")
        await plan("Memo", from: 2).expect(
            ends: """
                No document of version 2 should have this type: migration "note" (version 1) renames it to Note.

                """
        )
        await plan("Token", from: 3).expect(says: "migration \"tokens\" (version 3) hands over its records.")
    }
}
