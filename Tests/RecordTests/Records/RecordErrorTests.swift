import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `A failed record operation` {
    @Test(arguments: FailingOperation.all)
    func `The error names the record and the property but no value, and the record is unchanged`(
        operation: FailingOperation
    ) throws {
        var record = try operation.record()
        let content = record.storedBytes
        let error = try #require(operation.failure(of: &record))
        #expect(error.code == operation.code)
        let place: [String?] = ["ada", "Person", operation.property]
        #expect([error.key, error.type, error.property] == place)
        #expect(record.storedBytes == content)
        #expect(record.revision == 0)
        var wrapped = MoltError(.stepFailed, "The step failed.", underlying: error)
        wrapped.migration = MigrationID(name: "m", version: 2)
        for text in descriptions(of: error) + descriptions(of: wrapped) {
            #expect(!text.isEmpty && !text.contains("s3cret"), "\(text)")
        }
    }

    @Test func `No description of a record contains a value`() throws {
        var record = try Record(FailingOperation.canaries)
        record["new"] = "s3cret-9"
        record[["new", "nested"]] = "s3cret-9"
        var dumped = ""
        dump(record, to: &dumped)
        let data = Record(key: "ada", typeName: "Person", content: Array("s3cret-8".utf8), isData: true)
        dump(data, to: &dumped)
        let texts = [
            record.description, String(describing: record), String(reflecting: record), "\(record)", dumped,
            data.description, String(reflecting: data), "\([record])", String(reflecting: [data]),
        ]
        for text in texts { #expect(!text.contains("s3cret"), "\(text)") }
        #expect(record.description == "Person \"ada\" (name, age, nested, list, new)")
    }

    @Test func `The message says what to do`() throws {
        let json = FailingOperation.canaries
        let missing = """
            The record has no property "nickname". If the property may be missing, check with `contains()` in a closure
            """
        try expectRefused(json, .propertyMissing, "nickname", says: missing) { _ = try $0.string("nickname") }
        let mismatch = """
            "name": Int expected, string found. Read the property as its stored type, and convert the value.
            """
        try expectRefused(json, .typeMismatch, "name", says: mismatch) { _ = try $0.int("name") }
        let exists = "The property \"name\" cannot be renamed to \"age\""
        try expectRefused(json, .propertyExists, "age", says: exists) { try $0.rename("name", to: "age") }
        // The first missing name of a path is named.
        let nested = "The record has no property \"address\"."
        try expectRefused(json, .propertyMissing, "address.city", says: nested) { try $0.remove(["address", "city"]) }
    }

    @Test func `The message of a decoding error begins with the place and contains no value`() throws {
        struct Person: Decodable {
            struct Home: Decodable {
                var zip: Int
                var tags: [String: UInt8]
            }
            enum Mood: String, Decodable { case happy }
            enum Level: Int, Decodable { case low }
            enum State: Decodable {
                case busy(since: Int)
                case idle
            }
            var name: String
            var home: Home?
            var mood: Mood?
            var levels: [Level]?
            var state: State?
        }
        let cases: [(String, String)] = [
            (#"{"name":7}"#, #""name": String expected, number found."#),
            (#"{"name":true}"#, #""name": String expected, bool found."#),
            (#"{"name":null}"#, #""name": String expected, null found."#),
            (#"{"home":{"zip":1,"tags":{}}}"#, #""name": missing."#),
            (#"{"name":"","home":[]}"#, #""home": object expected, array found."#),
            (#"{"name":"","home":{"zip":"s3cret","tags":{}}}"#, #""home.zip": Int expected, string found."#),
            (#"{"name":"","home":{"zip":1,"tags":{"s3cret":"x"}}}"#, #""home.tags.…": UInt8 expected, string found."#),
            (#"{"name":"","mood":"s3cret"}"#, #""mood": Mood has no case for the stored string."#),
            (#"{"name":"","levels":[0,7]}"#, #""levels.1": Level has no case for the stored number."#),
            (#"{"name":"","state":{"s3cret":{}}}"#, #""state": State has no case for the stored object."#),
            ("[1]", "The content: object expected, array found."),
        ]
        for (json, words) in cases {
            let message = MoltError.thrown { _ = try Record(json).decoded(as: Person.self) }?.message
            #expect(message?.components(separatedBy: " The record").first == words)
        }
        let number = #""age": the number cannot be decoded as UInt8. "#
        try expectRefused(#"{"age":300}"#, .typeMismatch, says: number) { _ = try $0.value("age", as: UInt8.self) }
    }

    @Test func `The message of an encoding error names the value that JSON does not have`() throws {
        struct Reading: Encodable { var ratio: [Double] }
        let problem = "JSON has no NaN and no infinity."
        try expectRefused("{}", .typeMismatch, "reading", says: #""reading.ratio.1": \#(problem)"#) {
            try $0.set("reading", to: Reading(ratio: [1, .nan]))
        }
        try expectRefused("{}", .typeMismatch, says: "The content: \(problem)") {
            try $0.replaceContent(with: Double.infinity)
        }
    }
}

@Suite struct `A subscript that fails to set a value` {
    @Test func `Removing a property where there cannot be one is no failure`() throws {
        for json in ["42", "[1]", "null", "\"x\""] {
            var record = try Record(json)
            record["a"] = nil
            record[["a", "b"]] = nil
            #expect(record.failure == nil)
        }
    }

    @Test func `The first failure is kept, whatever follows`() throws {
        var record = try Record(#"{"a":1,"b":2,"n":null}"#)
        record[["n", "b"]] = nil
        #expect(record.failure == nil)
        record[["a", "x"]] = 1
        record[["b", "y"]] = 2
        record["c"] = 3
        record["a"] = nil
        record[["n", "b"]] = 1
        #expect((record.failure as? MoltError)?.property == "a.x")
        #expect(record.text == #"{"b":2,"n":{"b":1},"c":3}"#)
    }
}

/// Every string that describes an error.
func descriptions(of error: MoltError) -> [String] {
    var dumped = ""
    dump(error, to: &dumped)
    return [
        dumped,
        error.description, error.debugDescription, error.localizedDescription, error.errorDescription ?? "",
        String(describing: error), String(reflecting: error), "\(error)", "\(error as any Error)",
        (error as any Error).localizedDescription, (error as NSError).localizedDescription,
        (error as NSError).description, error.message,
    ]
}
