import Foundation
import Molt
import Testing

/// An operation that a record refuses.
struct FailingOperation: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The expected error code.
    var code: MoltError.Code
    /// The property that the error must name.
    var property: String?
    /// The record's content; nil for raw data.
    private let json: String?
    private let body: @Sendable (inout Record) throws -> Void

    private init(
        _ label: String,
        _ code: MoltError.Code,
        _ property: String? = nil,
        on json: String? = Self.canaries,
        _ body: @escaping @Sendable (inout Record) throws -> Void
    ) {
        testDescription = label
        self.code = code
        self.property = property
        self.json = json
        self.body = body
    }

    func record() throws -> Record {
        if let json { return try Record(json) }
        return Record(key: "ada", typeName: "Person", content: Array("s3cret-7".utf8), isData: true)
    }

    /// The error that the operation throws, or leaves as the record's failure if it cannot throw.
    func failure(of record: inout Record) -> MoltError? {
        do {
            try body(&record)
        } catch {
            return record.failure == nil ? error as? MoltError : nil
        }
        return record.failure as? MoltError
    }

    /// An object in which all values are canaries.
    static let canaries =
        #"{"name":"s3cret-1","age":"s3cret-2","nested":{"s":"s3cret-3","list":[{"n":"s3cret-4"}]},"#
        + #""list":["s3cret-5","s3cret-6"]}"#

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

    /// Arrays in arrays.
    private struct Nest: Encodable {
        var levels: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            if levels > 1 { try container.encode(Nest(levels: levels - 1)) } else { try container.encode("s3cret-7") }
        }
    }

    private static func nested(_ levels: Int) -> RecordValue {
        (0..<levels).reduce("s3cret-7") { value, _ in [value] }
    }

    /// All operations that a record refuses.
    static let all: [FailingOperation] = [
        .init("value of a missing one", .propertyMissing, "x") { _ = try $0.value("x") },
        .init("string of a missing one", .propertyMissing, "x") { _ = try $0.string("x") },
        .init("decoding a missing one", .propertyMissing, "x") { _ = try $0.value("x", as: Suit.self) },
        .init("decoding a missing nested one", .propertyMissing, "nested.x") { _ = try $0.int(["nested", "x"]) },
        .init("decoding below a string", .propertyMissing, "name.x") { _ = try $0.int(["name", "x"]) },
        .init("int of a string", .typeMismatch, "name") { _ = try $0.int("name") },
        .init("double of a string", .typeMismatch, "name") { _ = try $0.double("name") },
        .init("bool of a string", .typeMismatch, "name") { _ = try $0.bool("name") },
        .init("string of an array", .typeMismatch, "list") { _ = try $0.string("list") },
        .init("string of an object", .typeMismatch, "nested") { _ = try $0.string("nested") },
        .init("date of a string", .typeMismatch, "name") { _ = try $0.value("name", as: Date.self) },
        .init("data of a string", .typeMismatch, "name") { _ = try $0.value("name", as: Data.self) },
        .init("case of a string", .typeMismatch, "name") { _ = try $0.value("name", as: Suit.self) },
        .init("numbers of strings", .typeMismatch, "list") { _ = try $0.value("list", as: [Int].self) },
        .init("a type that throws a value", .typeMismatch, "name") { _ = try $0.value("name", as: Refusing.self) },
        .init("nested decoding", .typeMismatch, "nested") {
            _ = try $0.value("nested", as: [String: [[String: Int]]].self)
        },
        .init("content as another type", .typeMismatch, "age") { _ = try $0.decoded(as: Person.self) },
        .init("content as an array", .typeMismatch) { _ = try $0.decoded(as: [Int].self) },
        .init("content as data", .typeMismatch) { _ = try $0.decoded(as: Data.self) },
        .init("removing a missing one", .propertyMissing, "x") { try $0.remove("x") },
        .init("removing a missing nested one", .propertyMissing, "nested.x") { try $0.remove(["nested", "x"]) },
        .init("removing below a missing one", .propertyMissing, "x.y") { try $0.remove(["x", "y"]) },
        .init("removing below a string", .propertyMissing, "name.x") { try $0.remove(["name", "x"]) },
        .init("removing as another type", .typeMismatch, "name") { _ = try $0.remove("name", as: Int.self) },
        .init("removing a nested one as another type", .typeMismatch, "nested.s") {
            _ = try $0.remove(["nested", "s"], as: Int.self)
        },
        .init("removing without a name", .propertyMissing) { try $0.remove([]) },
        .init("renaming a missing one", .propertyMissing, "x") { try $0.rename("x", to: "y") },
        .init("renaming a missing one onto one", .propertyMissing, "x") { try $0.rename("x", to: "age") },
        .init("renaming onto another", .propertyExists, "age") { try $0.rename("name", to: "age") },
        .init("renaming onto another nested one", .propertyExists, "nested.s") {
            try $0.rename(["nested", "list"], to: "s")
        },
        .init("renaming below an array", .propertyMissing, "list.0") { try $0.rename(["list", "0"], to: "1") },
        .init("setting below a string", .typeMismatch, "name.x") { try $0.set(["name", "x"], to: "s3cret-7") },
        .init("setting below a string, by subscript", .typeMismatch, "name.x") { $0[["name", "x"]] = "s3cret-7" },
        .init("setting too deep, by subscript", .typeMismatch, "x") { $0["x"] = nested(512) },
        .init("setting what cannot be encoded", .typeMismatch, "x") { try $0.set("x", to: Refusing()) },
        .init("setting what is no number", .typeMismatch, "x") { try $0.set("x", to: ["ratio": Double.nan]) },
        .init("setting what is encoded too deep", .typeMismatch, "x") { try $0.set("x", to: Nest(levels: 512)) },
        .init("replacing by what cannot be encoded", .typeMismatch) { try $0.replaceContent(with: Refusing()) },
        .init("replacing by what is too deep", .typeMismatch) { try $0.replaceContent(with: nested(513)) },
        .init("content of data", .typeMismatch, on: nil) { _ = try $0.content() },
        .init("decoding data", .typeMismatch, on: nil) { _ = try $0.decoded(as: Int.self) },
        .init("a property of data", .propertyMissing, "x", on: nil) { _ = try $0.string("x") },
        .init("removing from data", .propertyMissing, "x", on: nil) { try $0.remove("x") },
        .init("renaming in a string", .propertyMissing, "x", on: "\"s3cret-7\"") { try $0.rename("x", to: "y") },
        .init("setting in data, by subscript", .typeMismatch, "x.y", on: nil) { $0[["x", "y"]] = 1 },
        .init("setting in a number, by subscript", .typeMismatch, "x", on: "42") { $0["x"] = 1 },
        .init("setting in an array, by subscript", .typeMismatch, "x", on: "[1]") { $0["x"] = 1 },
        .init("setting in null, by subscript", .typeMismatch, "x", on: "null") { $0["x"] = 1 },
        .init("setting in a string, by subscript", .typeMismatch, "x", on: "\"s3cret-7\"") { $0["x"] = 1 },
        .init("text that is not JSON", .malformedContent) { _ in _ = try Record(#"{"name":"s3cret-7",s3cret-8}"#) },
        .init("text cut off", .malformedContent) { _ in _ = try Record(#"{"name":"s3cret-7"#) },
    ]
}
