import Testing

@testable import Molt

@Suite("Moving a property")
struct RecordMovingTests {
    @Test func `A moved property keeps the bytes of its value, and missing objects around it are added`() throws {
        let text = try changed(#"{"street": {"n" : 1.50},"city":"Paris"}"#) { person in
            try person.move("street", to: ["address", "street"])
            try person.move("city", to: ["address", "city"])
        }
        #expect(text == #"{"address":{"street":{"n" : 1.50},"city":"Paris"}}"#)
    }

    @Test func `A property can be moved out of an object, and into an existing object`() throws {
        let text = try changed(#"{"a":{"x":1,"y":2},"b":{"z":3}}"#) { person in
            try person.move(["a", "x"], to: "x")
            try person.move(["a", "y"], to: ["b", "y"])
        }
        #expect(text == #"{"a":{},"b":{"z":3,"y":2},"x":1}"#)
    }

    @Test func `Moving a property to its own place changes nothing`() throws {
        let json = #"{ "a" : { "x" : 1 } }"#
        #expect(try changed(json) { try $0.move(["a", "x"], to: ["a", "x"]) } == json)
    }

    @Test(
        arguments: [
            ("missing", "a", MoltError.Code.propertyMissing, "missing"),
            (["a", "missing"], "b", .propertyMissing, "a.missing"),
            ("a", "b", .propertyExists, "b"),
            ("a", ["a", "inside"], .typeMismatch, "a"),
            ("a", ["b", "c"], .typeMismatch, "b.c"),
        ] as [(PropertyPath, PropertyPath, MoltError.Code, String)]
    )
    func `An impossible move is an error that names the property, and the record is unchanged`(
        path: PropertyPath,
        newPath: PropertyPath,
        code: MoltError.Code,
        property: String
    ) throws {
        try expectRefused(#"{"a":{"x":1},"b":"s3cret"}"#, code, property, canary: "s3cret") {
            try $0.move(path, to: newPath)
        }
    }

    @Test func `A value that would be nested too deep at its new place is not moved`() throws {
        let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
        try expectRefused(#"{"a":\#(deep)}"#, .typeMismatch) { try $0.move("a", to: ["b", "c"]) }
    }

    @Test func `A removed property is returned and can be set again`() throws {
        let text = try changed(#"{"a":{"x":1.50},"b":2}"#) { person in
            person["x"] = try person.remove(["a", "x"])
            try person.remove("b")
        }
        #expect(text == #"{"a":{},"x":1.50}"#)
    }
}
