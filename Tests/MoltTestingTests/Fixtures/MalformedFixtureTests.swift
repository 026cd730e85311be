import Foundation
import MoltTesting
import Testing

@Suite("Malformed fixtures")
struct MalformedFixtureTests {
    /// A malformed fixture, and the beginning of the error's message.
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var says: String
        var testDescription: String { says }

        /// Creates a case from invalid members of a fixture, which begin in the second line.
        init(_ members: String, _ says: String) {
            text = "{\"format\": 1, \"schemaVersion\": 1,\n\(members)}"
            self.says = says
        }

        init(whole text: String, _ says: String) {
            self.text = text
            self.says = says
        }

        /// Creates a case from the second record of a fixture, which the message names first.
        static func record(_ record: String, _ says: String) -> Case {
            Case("\"records\": [\n{\"key\": \"a\", \"type\": \"T\", \"content\": 1},\n\(record)]", "records[1]\(says)")
        }

        /// Creates a case from the second row of a ledger, which the message names first.
        static func entry(_ entry: String, _ says: String) -> Case {
            Case("\"ledger\": [\n{\"name\": \"a\", \"version\": 1},\n\(entry)]", "ledger[1]\(says)")
        }

        /// Creates a case from a setting, which the message names first.
        static func setting(_ setting: String, _ says: String) -> Case {
            Case("\"suites\": {\"suite g.x\": {\"a b\":\n\(setting)}}", "suites[\"suite g.x\"][\"a b\"]\(says)")
        }
    }

    static let whole: [Case] = [
        Case(whole: "", "line 1, column 1: This is not JSON text: the text ends too early."),
        Case(whole: "{\n  \"é\": nul}", "line 2, column 11: This is not JSON text: an unexpected byte."),
        Case(
            whole: "{\n<<<<<<< HEAD\n}",
            "line 1: The file has the conflict markers of a merge. Keep the file of one side."
        ),
        Case(whole: "{} x", "line 1, column 4: This is not JSON text: something follows the value."),
        Case(whole: "[]", "line 1: It is an array. Write an object with the members format and schemaVersion."),
        Case(whole: "{}", "line 1: The member \"format\" is missing. Write \"format\": 1."),
        Case(
            whole: "{\"format\": 2, \"new\": 1}",
            "format (line 1): It is a fixture of format 2; this release of Molt reads 1."
        ),
        Case(whole: "{\"format\": 0}", "format (line 1): There is no such format: 0. Write 1."),
        Case(whole: "{\"format\": \"1\"}", "format (line 1): It is a string. Write 1."),
        Case(whole: "\n{\"format\": 1}", "line 2: The member \"schemaVersion\" is missing."),
        Case(whole: "{\"format\": 1, \"schemaVersion\": -1}", "schemaVersion (line 1): -1 is below 0."),
        Case(
            whole: "{\"format\": 1, \"schemaVersion\": 1.0}",
            "schemaVersion (line 1): 1.0 is not an integer that fits Int."
        ),
        Case(
            "\"record\": []",
            "record (line 2): There is no such member here. The known members are format, schemaVersion,"
        ),
        Case("\"records\": [],\n\"records\": []", "records (line 3): The name is in the object twice."),
        Case("\"records\": {}", "records (line 2): It is an object. Write an array of records."),
        Case(
            "\"primary\": \"group.x\"",
            "primary (line 2): It is \"group.x\". Write \"cache\", \"standard\", or \"suite\""
        ),
        Case(
            "\"primary\": \"suite group.x\",\n\"records\": [{\"key\": \"a\", \"type\": \"T\", \"content\": 1}]",
            "records (line 3): A suite has no records."
        ),
        Case("\"primary\": \"suite \"", "primary (line 2): It is \"suite \"."),
        Case("\"suites\": {\n\"group.x\": {}}", "suites[\"group.x\"] (line 3): It names no suite."),
        Case(
            "\"suites\": {\"standard\": []}",
            "suites.standard (line 2): It is an array. Write an object with the values"
        ),
    ]

    static let records: [Case] = [
        .record("7", " (line 4): It is a number. Write an object with key, type and content."),
        .record(#"{"type": "T", "content": 1}"#, " (line 4): The member \"key\" is missing."),
        .record(#"{"key": "b", "content": 1}"#, " (line 4): The member \"type\" is missing."),
        .record("{\"key\":\n7, \"type\": \"T\", \"content\": 1}", ".key (line 5): It is a number."),
        .record(#"{"key": "b", "type": "T"}"#, " (line 4): The record has no content. Write one of content, data,"),
        .record(
            #"{"key": "b", "type": "T", "text": "", "content": 1}"#,
            " (line 4): The record has content and text. Write one of them."
        ),
        .record(
            "{\"key\": \"b\", \"type\": \"T\", \"content\": 1,\n\"expire\": 1}",
            ".expire (line 5): There is no such member here. The known members are key, type, expires, version,"
        ),
        .record(
            "{\"key\": \"b\", \"type\": \"T\", \"content\": 1,\n\"expires\": \"tomorrow\"}",
            ".expires (line 5): It is a string. Write seconds since 1970, a number."
        ),
        .record(
            #"{"key": "b", "type": "T", "content": 1, "expires": 1e999}"#,
            ".expires (line 4): 1e999 is too large for a number."
        ),
        .record(
            #"{"key": "b", "type": "T", "content": 1, "expires": {"since2000": 1}}"#,
            ".expires.since2000 (line 4): There is no such member here. The known members are since2001."
        ),
        .record(#"{"key": "b", "type": "T", "content": 1, "version": -1}"#, ".version (line 4): -1 is below 0."),
        .record(#"{"key": "b", "type": "T", "data": "AA"}"#, ".data (line 4): It is not Base64."),
        .record(#"{"key": "b", "type": "T", "bytes": [1]}"#, ".bytes (line 4): It is an array. Write Base64."),
        .record(#"{"key": "\u0061", "type": "T", "data": ""}"#, " (line 4): The key \"a\" is that of records[0], too."),
    ]

    static let ledgers: [Case] = [
        .entry(#"{"version": 1}"#, " (line 4): The member \"name\" is missing."),
        .entry(#"{"name": "", "version": 1}"#, ".name (line 4): It is empty."),
        .entry(#"{"name": "b"}"#, " (line 4): The member \"version\" is missing."),
        .entry(#"{"name": "b", "version": true}"#, ".version (line 4): It is a Boolean."),
        .entry(#"{"name": "a", "version": 2}"#, " (line 4): The migration \"a\" is ledger[0], too."),
        .entry(
            #"{"name": "b", "version": 1, "outcome": "run"}"#,
            ".outcome (line 4): \"run\" is not an outcome. Write \"ran\","
        ),
        .entry(
            #"{"name": "b", "version": 1, "counts": {"reads": 1}}"#,
            ".counts.reads (line 4): There is no such member"
        ),
        .entry(
            #"{"name": "b", "version": 1, "attachedCounts": {"suite x": -1}}"#,
            ".attachedCounts[\"suite x\"] (line 4): -1 is below 0."
        ),
        .entry(
            #"{"name": "b", "version": 1, "corrections": [{"kind": "marked", "reason": "", "date": 0}]}"#,
            ".corrections[0].kind (line 4): \"marked\" is not a correction. Write \"markedApplied\","
        ),
        .entry(#"{"name": "b", "version": 1, "appliedAt": null}"#, ".appliedAt (line 4): It is null."),
    ]

    static let settings: [Case] = [
        .setting("1", " (line 3): A number needs its kind: write {\"int\": 1} or {\"double\": 1}."),
        .setting("null", " (line 3): A suite cannot hold null."),
        .setting("{}", " (line 3): It has 0 members."),
        .setting(#"{"int": 1, "double": 1}"#, " (line 3): It has 2 members."),
        .setting(#"{"integer": 1}"#, ".integer (line 3): There is no such member here."),
        .setting(#"["x", [{"int": 1.5}]]"#, "[1][0].int (line 3): 1.5 is not an integer that fits Int64. Write"),
        .setting("{\"dictionary\": {\"k\":\n{\"data\": \"?\"}}}", ".dictionary.k.data (line 4): It is not Base64."),
        .setting(#"{"date": "2001-01-01"}"#, ".date (line 3): It is a string. Write seconds since 2001."),
    ]

    @Test(arguments: whole + records + ledgers + settings)
    func `An error names the file, the place and the reason`(malformed: Case) throws {
        let file = URL(filePath: "/fixtures/v1.json")
        let error = try TestingError.expect(.malformedFixture) { try StoreFixture(json: malformed.text, file: file) }
        #expect(error.message.hasPrefix(malformed.says), "\(error.message)")
        #expect(error.description.hasPrefix("/fixtures/v1.json: "))
    }

    @Test func `Invalid UTF-8 is an error that names its position`() throws {
        let data = Data(Array("{\n  \"é".utf8) + [0xC3, 0x28])
        let error = try TestingError.expect(.malformedFixture) { try StoreFixture(json: data) }
        #expect(error.message == "line 2, column 5: The file is not UTF-8 text from here on. Save it as UTF-8.")
    }
}
