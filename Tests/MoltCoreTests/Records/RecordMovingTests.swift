import MoltCore
import Testing

@Suite("Moving a property")
struct RecordMovingTests {
    private func record(_ json: String) throws -> Record {
        try Record(key: "ada", typeName: "Person", json: Array(json.utf8))
    }

    private func content(_ record: Record) -> String {
        var bytes: [UInt8] = []
        record.writeContent(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `A moved property keeps the bytes of its value, and missing objects around it are added`() throws {
        var person = try record(#"{"street": {"n" : 1.50},"city":"Paris"}"#)

        try person.move("street", to: ["address", "street"])
        try person.move("city", to: ["address", "city"])

        #expect(content(person) == #"{"address":{"street":{"n" : 1.50},"city":"Paris"}}"#)
    }

    @Test func `A property can be moved out of an object, and into an existing object`() throws {
        var person = try record(#"{"a":{"x":1,"y":2},"b":{"z":3}}"#)

        try person.move(["a", "x"], to: "x")
        try person.move(["a", "y"], to: ["b", "y"])

        #expect(content(person) == #"{"a":{},"b":{"z":3,"y":2},"x":1}"#)
    }

    @Test func `Moving a property to its own place changes nothing`() throws {
        var person = try record(#"{ "a" : { "x" : 1 } }"#)

        try person.move(["a", "x"], to: ["a", "x"])

        #expect(content(person) == #"{ "a" : { "x" : 1 } }"#)
    }

    @Test(
        arguments: [
            ("missing", "a", MigrationError.Code.propertyMissing, "missing"),
            (["a", "missing"], "b", .propertyMissing, "a.missing"),
            ("a", "b", .propertyExists, "b"),
            ("a", ["a", "inside"], .typeMismatch, "a"),
            ("a", ["b", "c"], .typeMismatch, "b.c"),
        ] as [(PropertyPath, PropertyPath, MigrationError.Code, String)]
    )
    func `An impossible move is an error that names the property, and the record is unchanged`(
        path: PropertyPath,
        newPath: PropertyPath,
        code: MigrationError.Code,
        property: String
    ) throws {
        let json = #"{"a":{"x":1},"b":"s3cret"}"#
        var person = try record(json)

        let error = try #require(throws: MigrationError.self) {
            try person.move(path, to: newPath)
        }

        #expect(error.code == code)
        #expect(error.property == property)
        #expect(error.recordKey == "ada")
        #expect(error.recordType == "Person")
        #expect(!error.debugDescription.contains("s3cret"))
        #expect(content(person) == json)
    }

    @Test func `A value that would be nested too deep at its new place is not moved`() throws {
        let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
        let json = #"{"a":\#(deep)}"#
        var person = try record(json)

        let error = try #require(throws: MigrationError.self) { try person.move("a", to: ["b", "c"]) }

        #expect(error.code == .typeMismatch)
        #expect(content(person) == json)
    }

    @Test func `A removed property is returned and can be set again`() throws {
        var person = try record(#"{"a":{"x":1.50},"b":2}"#)

        let removed = try person.remove(["a", "x"])
        person["x"] = removed
        try person.remove("b")

        #expect(content(person) == #"{"a":{},"x":1.50}"#)
    }
}
