import Foundation
import MoltCore
import Testing

/// RFC 8259 allows the escape of a lone surrogate, which no Swift string can contain.
@Suite("A lone surrogate in a record")
struct HalfPairTests {
    private static let text = #"{"note":"cut \ud83d","tags":["\uDE00"],"home":{"zip":1,"door":"\ud83dx"},"age":36}"#

    @Test func `is kept byte for byte unless it is read`() throws {
        var record = try Record(Self.text)
        try record.rename("age", to: "years")
        try record.rename("note", to: "remark")
        try record.move("tags", to: ["home", "tags"])
        try record.set(["home", "zip"], to: 2)
        record["added"] = true

        #expect(try record.int("years") == 36)
        #expect(record.contains("remark"))
        #expect(record.failure == nil)
        let home = #"{"zip":2,"door":"\ud83dx","tags":["\uDE00"]}"#
        let changed = #"{"remark":"cut \ud83d","home":\#(home),"years":36,"added":true}"#
        #expect(record.text == changed)
        #expect(try Record(changed).text == changed)
    }

    @Test(
        arguments: [
            ("note", "note"), ("tags", "tags"), ("home", "home.door"), (["home", "door"], "home.door"),
        ] as [(PropertyPath, String)]
    )
    func `cannot be read, and the error names its place`(path: PropertyPath, place: String) throws {
        let reads: [(inout Record) throws -> Void] = [
            { _ = try $0.value(path) }, { _ = try $0.remove(path) }, { _ = try $0.string(path) },
            { _ = try $0.value(path, as: [String].self) }, { _ = try $0.value(path, as: [String: String].self) },
        ]
        for (number, read) in reads.enumerated() {
            var record = try Record(Self.text)
            let error = try #require(migrationError { try read(&record) })
            #expect(error.code == .typeMismatch)
            // A decoder may find another type first.
            if number < 2 {
                #expect(error.property == place)
                #expect(
                    error.message == """
                        The property "\(place)" cannot be read: it has half of a surrogate pair, an escape such as \\ud83d \
                        without its other half, which is no text. What is not read stays as it is. Set it to another value, or to \
                        nil, without reading it.
                        """
                )
            }
            #expect(record.text == Self.text)
        }
    }

    @Test func `fails decoding only if the decoder reads it`() throws {
        struct Noted: Codable { var note: String }
        struct Aged: Codable { var age: Int }
        let record = try Record(Self.text)

        #expect(try record.decoded(as: Aged.self).age == 36)
        let error = migrationError { _ = try record.decoded(as: Noted.self) }
        #expect(error?.property == "note")
        #expect(error?.message.contains("half of a surrogate pair") == true)
        #expect(migrationError { _ = try record.content() }?.property == "note")
    }

    @Test func `fails the step when a subscript reads it, on a copy of the record too`() throws {
        for read: (Record) -> Void in [
            { #expect($0["note"] == nil) }, { #expect($0["home"] == nil) }, { #expect($0[["home", "door"]] == nil) },
        ] {
            let record = try Record(Self.text)
            #expect(record["age"] == 36)
            #expect(record.failure == nil)
            let copy = record
            read(copy)
            #expect((record.failure as? MigrationError)?.code == .typeMismatch)
        }
    }

    @Test func `can be replaced and removed without being read`() throws {
        var record = try Record(Self.text)
        record["note"] = "whole"
        record["tags"] = nil
        record[["home", "door"]] = nil

        #expect(record.failure == nil)
        #expect(record.text == #"{"note":"whole","home":{"zip":1},"age":36}"#)
        #expect(record["note"] == "whole")
    }

    @Test func `in a property name makes that property unreachable`() throws {
        let text = #"{"a\ud800":1,"a\uFFFD":2,"b":3}"#
        var record = try Record(text)
        #expect(record["a\u{FFFD}"] == 2)
        #expect(record["a\u{FFFD}\u{FFFD}\u{FFFD}"] == nil)
        record["b"] = nil
        #expect(record.text == #"{"a\ud800":1,"a\uFFFD":2}"#)
        #expect(record.failure == nil)
        _ = record.propertyNames
        #expect(record.failure != nil)
    }
}
