import Foundation
import Testing

@testable import Molt

@Suite struct `A failed record operation` {
    @Test(arguments: FailingOperation.all)
    func `The error names the record and the property, and shows no value`(operation: FailingOperation) throws {
        let error = try #require(try operation.failure())
        #expect(error.code == operation.code)
        #expect(error.property == operation.property)
        #expect(error.key == "ada")
        #expect(error.type == "Person")
        var wrapped = MoltError(.stepFailed, "The step failed.", underlying: error)
        wrapped.migration = MigrationID(name: "m", version: 2)
        for text in descriptions(of: error) + descriptions(of: wrapped) {
            #expect(!text.contains("s3cret"), "\(text)")
            #expect(!text.isEmpty)
        }
    }

    @Test func `No description of a record contains a value`() throws {
        var record = try FailingOperation.record()
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
        let record = try FailingOperation.record()
        let missing = migrationError { _ = try record.string("nickname") }
        #expect(missing?.message.hasPrefix("The record has no property \"nickname\".") == true)
        #expect(missing?.message.contains("contains()") == true)
        let mismatch = migrationError { _ = try record.int("name") }
        #expect(
            mismatch?.message
                == "\"name\": Int expected, string found. Read the property as its stored type, and convert the value."
        )
        #expect(mismatch?.underlying is DecodingError)
        var changed = record
        let exists = migrationError { try changed.rename("name", to: "age") }
        #expect(exists?.message.hasPrefix("Cannot rename the property \"name\" to \"age\"") == true)
        // The first missing name of a path is named.
        let nested = migrationError { try changed.remove(["address", "city"]) }
        #expect(nested?.message.hasPrefix("The record has no property \"address\".") == true)
        #expect(nested?.property == "address.city")
    }

    @Test func `The message of a decoding error begins with the place and contains no value`() throws {
        struct Person: Decodable {
            struct Home: Decodable {
                var zip: Int
                var tags: [String: UInt8]
            }
            enum Mood: String, Decodable { case happy }
            var name: String
            var home: Home?
            var mood: Mood?
        }
        func words(_ json: String) throws -> String? {
            let record = try Record(json)
            let message = migrationError { _ = try record.decoded(as: Person.self) }?.message
            return message?.components(separatedBy: " The record").first
        }
        #expect(try words(#"{"name":7}"#) == #""name": String expected, number found."#)
        #expect(try words(#"{"name":true}"#) == #""name": String expected, bool found."#)
        #expect(try words(#"{"name":null}"#) == #""name": String expected, null found."#)
        #expect(try words(#"{"home":{"zip":1,"tags":{}}}"#) == #""name": missing."#)
        #expect(try words(#"{"name":"","home":[]}"#) == #""home": object expected, array found."#)
        #expect(
            try words(#"{"name":"","home":{"zip":"s3cret","tags":{}}}"#)
                == #""home.zip": Int expected, string found."#
        )
        #expect(
            try words(#"{"name":"","home":{"zip":1,"tags":{"s3cret":"x"}}}"#)
                == #""home.tags.…": UInt8 expected, string found."#
        )
        #expect(try words(#"{"name":"","mood":"s3cret"}"#) == #""mood": the string cannot be decoded."#)
        #expect(try words("[1]") == "The content: object expected, array found.")
        let record = try Record(#"{"age":300}"#)
        let number = migrationError { _ = try record.value("age", as: UInt8.self) }
        #expect(number?.message.hasPrefix(#""age": the number cannot be decoded as UInt8. "#) == true)
    }

    @Test func `The message of an encoding error names the value that JSON does not have`() throws {
        struct Reading: Encodable { var ratio: [Double] }
        var record = try Record("{}")
        let nan = migrationError { try record.set("reading", to: Reading(ratio: [1, .nan])) }
        #expect(nan?.message == #""reading.ratio.1": JSON has no NaN and no infinity."#)
        let whole = migrationError { try record.replaceContent(with: Double.infinity) }
        #expect(whole?.message == "The content: JSON has no NaN and no infinity.")
    }

}

@Suite struct `A subscript that fails to set a value` {
    @Test(
        arguments: [
            ("42", "a"), ("[1]", "a"), ("null", "a"), ("\"x\"", "a"), (#"{"a":1}"#, ["a", "b"]),
        ] as [(String, PropertyPath)]
    )
    func `On content without such a place the error is kept as the record's failure`(
        json: String,
        path: PropertyPath
    ) throws {
        var record = try Record(json)
        record[path] = nil
        #expect(record.failure == nil)
        record[path] = 1
        let failure = try #require(record.failure as? MoltError)
        #expect(failure.code == .typeMismatch)
        #expect(failure.property == path.description)
        #expect(failure.key == "ada")
        #expect(record.text == json)
    }

    @Test func `On raw data the error is kept as the record's failure`() throws {
        var record = Record(key: "ada", typeName: "Photo", content: [1, 2], isData: true)
        record[["a", "b"]] = 1
        #expect((record.failure as? MoltError)?.code == .typeMismatch)
        #expect((record.failure as? MoltError)?.type == "Photo")
        #expect(record.storedBytes == [1, 2])
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

    @Test func `An error that a method throws is not kept as the failure`() throws {
        var record = try Record(#"{"a":1}"#)
        #expect(throws: MoltError.self) { try record.set(["a", "b"], to: 1) }
        #expect(throws: MoltError.self) { try record.remove("x") }
        #expect(record.failure == nil)
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
