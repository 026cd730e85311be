import Foundation
import MoltCore
import Testing

@Suite struct `A record operation that fails` {
    @Test(arguments: FailingOperation.all)
    func `The error has the code, the key, the type and the property`(operation: FailingOperation) throws {
        let error = try #require(try operation.failure())
        #expect(error.code == operation.code)
        #expect(error.property == operation.property)
        #expect(error.recordKey == "ada")
        #expect(error.recordType == "Person")
        #expect(!error.message.isEmpty)
    }

    @Test(arguments: FailingOperation.all)
    func `No description of the error holds a value`(operation: FailingOperation) throws {
        let error = try #require(try operation.failure())
        var wrapped = MigrationError(.stepFailed, "The step failed.", underlying: error)
        wrapped.migration = MigrationID(name: "m", version: 2)
        for text in descriptions(of: error) + descriptions(of: wrapped) {
            #expect(!text.contains("s3cret"), "\(text)")
            #expect(!text.isEmpty)
        }
    }

    @Test func `No description of a record holds a value`() throws {
        var record = try FailingOperation.record()
        record["new"] = "s3cret-9"
        record["new", "nested"] = "s3cret-9"
        var dumped = ""
        dump(record, to: &dumped)
        let data = Record(key: "ada", typeName: "Person", data: Array("s3cret-8".utf8))
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
        let expected = "The property \"name\" cannot be decoded as Int. The record was written as Person."
        #expect(mismatch?.message == expected)
        #expect(mismatch?.underlying is DecodingError)
        var changed = record
        let exists = migrationError { try changed.rename("name", to: "age") }
        #expect(exists?.message.hasPrefix("Cannot rename the property \"name\" to \"age\"") == true)
    }

    @Test func `Where a name on the way is missing the message names that one`() throws {
        var record = try FailingOperation.record()
        let error = migrationError { try record.remove("address", "city") }
        #expect(error?.message.hasPrefix("The record has no property \"address\".") == true)
        #expect(error?.property == "address.city")
    }
}

@Suite struct `A subscript that cannot be set` {
    @Test func `On content that is no object it is kept as the failure`() throws {
        for text in ["42", "[1]", "null", "\"x\""] {
            for value: RecordValue? in [1, nil] {
                var record = try Record(text)
                record["a"] = value
                let failure = try #require(record.failure as? MigrationError)
                #expect(failure.code == .typeMismatch)
                #expect(failure.property == "a")
                #expect(failure.recordKey == "ada")
                #expect(record.text == text)
            }
        }
    }

    @Test func `On raw data it is kept as the failure`() throws {
        var record = Record(key: "ada", typeName: "Photo", data: [1, 2])
        record["a", "b"] = 1
        #expect((record.failure as? MigrationError)?.code == .typeMismatch)
        #expect((record.failure as? MigrationError)?.recordType == "Photo")
        #expect(record.storedBytes == [1, 2])
    }

    @Test func `Below something that is no object it is kept as the failure`() throws {
        var record = try Record(#"{"a":1,"n":null}"#)
        record["a", "b"] = 1
        #expect((record.failure as? MigrationError)?.property == "a.b")
        #expect(record.text == #"{"a":1,"n":null}"#)
        var other = try Record(#"{"n":null}"#)
        other["n", "b"] = nil
        #expect((other.failure as? MigrationError)?.code == .typeMismatch)
    }

    @Test func `The first failure stays, whatever is done after it`() throws {
        var record = try Record(#"{"a":1,"b":2}"#)
        #expect(record.failure == nil)
        record["a", "x"] = 1
        record["b", "y"] = 2
        record["c"] = 3
        record["a"] = nil
        #expect((record.failure as? MigrationError)?.property == "a.x")
        #expect(record.text == #"{"b":2,"c":3}"#)
    }

    @Test func `What throws is thrown and not kept`() throws {
        var record = try Record(#"{"a":1}"#)
        #expect(throws: MigrationError.self) { try record.set("a", "b", to: 1) }
        #expect(throws: MigrationError.self) { try record.remove("x") }
        #expect(record.failure == nil)
    }
}

/// Something that a record refuses, on a record whose values are all canaries.
struct FailingOperation: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var code: MigrationError.Code
    var property: String?
    private let body: @Sendable (inout Record) throws -> Void

    private init(
        _ label: String,
        _ code: MigrationError.Code,
        _ property: String?,
        _ body: @escaping @Sendable (inout Record) throws -> Void
    ) {
        testDescription = label
        self.code = code
        self.property = property
        self.body = body
    }

    /// What the operation throws, or leaves as the record's failure.
    func failure() throws -> MigrationError? {
        var record = try Self.record()
        do {
            try body(&record)
            return record.failure as? MigrationError
        } catch {
            return error as? MigrationError
        }
    }

    static func record() throws -> Record {
        try Record(
            #"{"name":"s3cret-1","age":"s3cret-2","nested":{"s":"s3cret-3","list":[{"n":"s3cret-4"}]},"#
                + #""list":["s3cret-5","s3cret-6"]}"#
        )
    }

    private struct Person: Decodable {
        var name: String
        var age: Int
    }

    private struct Refusing: Codable {
        enum Failure: Error { case refused(String) }
        init() {}
        init(from decoder: any Decoder) throws {
            throw Failure.refused(try decoder.singleValueContainer().decode(String.self))
        }
        func encode(to encoder: any Encoder) throws { throw Failure.refused("s3cret-7") }
    }

    private enum Suit: String, Codable { case hearts }

    private static func nested(_ levels: Int) -> RecordValue {
        (0..<levels).reduce("s3cret-7") { value, _ in [value] }
    }

    static let all = [
        FailingOperation("value of a missing one", .propertyMissing, "x") { _ = try $0.value("x") },
        FailingOperation("string of a missing one", .propertyMissing, "x") { _ = try $0.string("x") },
        FailingOperation("decoding a missing one", .propertyMissing, "x") {
            _ = try $0.value("x", as: Suit.self)
        },
        FailingOperation("decoding a missing nested one", .propertyMissing, "nested.x") {
            _ = try $0.int("nested", "x")
        },
        FailingOperation("decoding below a string", .propertyMissing, "name.x") {
            _ = try $0.int("name", "x")
        },
        FailingOperation("int of a string", .typeMismatch, "name") { _ = try $0.int("name") },
        FailingOperation("double of a string", .typeMismatch, "name") { _ = try $0.double("name") },
        FailingOperation("bool of a string", .typeMismatch, "name") { _ = try $0.bool("name") },
        FailingOperation("string of an array", .typeMismatch, "list") { _ = try $0.string("list") },
        FailingOperation("string of an object", .typeMismatch, "nested") { _ = try $0.string("nested") },
        FailingOperation("date of a string", .typeMismatch, "name") {
            _ = try $0.value("name", as: Date.self)
        },
        FailingOperation("data of a string", .typeMismatch, "name") {
            _ = try $0.value("name", as: Data.self)
        },
        FailingOperation("case of a string", .typeMismatch, "name") {
            _ = try $0.value("name", as: Suit.self)
        },
        FailingOperation("numbers of strings", .typeMismatch, "list") {
            _ = try $0.value("list", as: [Int].self)
        },
        FailingOperation("a type that throws a value", .typeMismatch, "name") {
            _ = try $0.value("name", as: Refusing.self)
        },
        FailingOperation("nested decoding", .typeMismatch, "nested") {
            _ = try $0.value("nested", as: [String: [[String: Int]]].self)
        },
        FailingOperation("content as another type", .typeMismatch, nil) {
            _ = try $0.decoded(as: Person.self)
        },
        FailingOperation("content as an array", .typeMismatch, nil) { _ = try $0.decoded(as: [Int].self) },
        FailingOperation("content as data", .typeMismatch, nil) { _ = try $0.decoded(as: Data.self) },
        FailingOperation("removing a missing one", .propertyMissing, "x") { try $0.remove("x") },
        FailingOperation("removing a missing nested one", .propertyMissing, "nested.x") {
            try $0.remove("nested", "x")
        },
        FailingOperation("removing below a missing one", .propertyMissing, "x.y") { try $0.remove("x", "y") },
        FailingOperation("removing below a string", .typeMismatch, "name.x") { try $0.remove("name", "x") },
        FailingOperation("removing as another type", .typeMismatch, "name") {
            _ = try $0.remove("name", as: Int.self)
        },
        FailingOperation("removing without a name", .propertyMissing, "") { try $0.remove() },
        FailingOperation("renaming a missing one", .propertyMissing, "x") { try $0.rename("x", to: "y") },
        FailingOperation("renaming a missing one onto one", .propertyMissing, "x") {
            try $0.rename("x", to: "age")
        },
        FailingOperation("renaming onto another", .propertyExists, "age") {
            try $0.rename("name", to: "age")
        },
        FailingOperation("renaming onto another nested one", .propertyExists, "nested.s") {
            try $0.rename("nested", "list", to: "s")
        },
        FailingOperation("renaming below an array", .typeMismatch, "list.0") {
            try $0.rename("list", "0", to: "1")
        },
        FailingOperation("setting below a string", .typeMismatch, "name.x") {
            try $0.set("name", "x", to: "s3cret-7")
        },
        FailingOperation("setting below a string, by subscript", .typeMismatch, "name.x") {
            $0["name", "x"] = "s3cret-7"
        },
        FailingOperation("setting too deep, by subscript", .typeMismatch, "x") { $0["x"] = nested(512) },
        FailingOperation("setting what cannot be encoded", .typeMismatch, "x") {
            try $0.set("x", to: Refusing())
        },
        FailingOperation("setting what is no number", .typeMismatch, "x") {
            try $0.set("x", to: ["ratio": Double.nan])
        },
        FailingOperation("replacing by what cannot be encoded", .typeMismatch, nil) {
            try $0.replaceContent(with: Refusing())
        },
        FailingOperation("replacing by what is too deep", .typeMismatch, nil) {
            try $0.replaceContent(with: nested(513))
        },
        FailingOperation("content of data", .typeMismatch, nil) {
            try $0.replaceContent(with: Data("s3cret-7".utf8))
            _ = try $0.content()
        },
        FailingOperation("decoding data", .typeMismatch, nil) {
            try $0.replaceContent(with: Data("s3cret-7".utf8))
            _ = try $0.decoded(as: Int.self)
        },
        FailingOperation("a property of data", .typeMismatch, "x") {
            try $0.replaceContent(with: Data("s3cret-7".utf8))
            _ = try $0.string("x")
        },
        FailingOperation("removing from data", .typeMismatch, "x") {
            try $0.replaceContent(with: Data("s3cret-7".utf8))
            try $0.remove("x")
        },
        FailingOperation("renaming in a string", .typeMismatch, "x") {
            try $0.replaceContent(with: "s3cret-7")
            try $0.rename("x", to: "y")
        },
        FailingOperation("text that is not JSON", .malformedContent, nil) { _ in
            _ = try Record(#"{"name":"s3cret-7",s3cret-8}"#)
        },
        FailingOperation("text cut off", .malformedContent, nil) { _ in _ = try Record(#"{"name":"s3cret-7"#)
        },
    ]
}

/// Every text that an error turns into.
func descriptions(of error: MigrationError) -> [String] {
    [
        error.description, error.debugDescription, error.localizedDescription, error.errorDescription ?? "",
        String(describing: error), String(reflecting: error), "\(error)", "\(error as any Error)",
        (error as any Error).localizedDescription, (error as NSError).localizedDescription,
        (error as NSError).description, error.message,
    ]
}
