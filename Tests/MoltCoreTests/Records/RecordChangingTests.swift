import Foundation
import Testing

@testable import Molt

@Suite struct `Changing a record` {
    @Test func `Any Encodable value can be set, and is encoded with sorted keys`() throws {
        struct Address: Encodable {
            var zip = "0150"
            var city = "Oslo"
            var url = "https://example.com/"
        }
        var record = try Record("{}")
        try record.set("address", to: Address())
        try record.set("count", to: 3)
        try record.set("ratio", to: 0.1)
        try record.set("name", to: "Ada")
        try record.set("none", to: String?.none)
        try record.set(["deep", "deeper"], to: [true])
        #expect(
            record.text == #"{"address":{"city":"Oslo","url":"https://example.com/","zip":"0150"},"count":3,"#
                + #""ratio":0.1,"name":"Ada","none":null,"deep":{"deeper":[true]}}"#
        )
    }

    @Test func `Setting a nested property adds the missing objects`() throws {
        var record = try Record(#"{"address":{"city":"Oslo"}}"#)
        record[["address", "city"]] = "Paris"
        record[["address", "geo", "lat"]] = 48.86
        record[["contact", "mail", "home"]] = "ada@example.com"
        #expect(
            record.text == #"{"address":{"city":"Paris","geo":{"lat":48.86}},"#
                + #""contact":{"mail":{"home":"ada@example.com"}}}"#
        )
    }

    @Test func `Removing a property returns its value`() throws {
        var record = try Record(#"{"fullName":"Ada Lovelace","n":{"age":36}}"#)
        #expect(try record.remove("fullName", as: String.self) == "Ada Lovelace")
        #expect(try record.remove(["n", "age"], as: Int.self) == 36)
        #expect(record.text == #"{"n":{}}"#)
    }

    @Test func `A property that cannot be decoded is not removed`() throws {
        var record = try Record(#"{"a":1,"n":{"b":true}}"#)
        #expect(migrationError { _ = try record.remove("a", as: String.self) }?.code == .typeMismatch)
        #expect(migrationError { _ = try record.remove(["n", "b"], as: Int.self) }?.property == "n.b")
        #expect(record.text == #"{"a":1,"n":{"b":true}}"#)
        #expect(record.revision == 0)
    }

    @Test func `Renaming a property to its own name changes nothing, escapes included`() throws {
        var record = try Record(#"{"\u0061":1}"#)
        try record.rename("a", to: "a")
        #expect(record.text == #"{"\u0061":1}"#)
        #expect(record.revision == 0)
    }

    @Test func `The whole content can be replaced by a value or any Encodable`() throws {
        struct Person: Codable, Equatable {
            var name: String
            var age: Int
        }
        var record = try Record(#"{"a":1}"#)
        try record.replaceContent(with: Person(name: "Ada", age: 36))
        #expect(record.text == #"{"age":36,"name":"Ada"}"#)
        #expect(try record.decoded(as: Person.self) == Person(name: "Ada", age: 36))
        record["name"] = "Grace"
        #expect(record.text == #"{"age":36,"name":"Grace"}"#)
        try record.replaceContent(with: ["z": 1, "a": [true]] as RecordValue)
        #expect(record.text == #"{"z":1,"a":[true]}"#)
        try record.replaceContent(with: "plain")
        #expect(record.text == #""plain""#)
        #expect(!record.isObject)
        try record.replaceContent(with: Data?.some(Data([9])))
        #expect(record.data == Data([9]))
        try record.replaceContent(with: Data??.some(nil))
        #expect(!record.isData)
        try record.replaceContent(with: Data([1, 2, 3]))
        #expect(record.isData)
        #expect(record.storedBytes == [1, 2, 3])
        #expect(record.propertyNames.isEmpty)
        try record.replaceContent(with: [1, 2])
        #expect(!record.isData)
        #expect(record.text == "[1,2]")
        #expect(record.key == "ada")
    }

    @Test func `Key, type name and expiry can be changed, apart from the content`() throws {
        var record = try Record(#"{ "a":1 }"#)
        #expect(record.key == "ada")
        #expect(record.changedKey == nil)
        record.key = "grace \u{E9}\u{0}"
        #expect(record.key == "grace \u{E9}\u{0}")
        #expect(record.changedKey == "grace \u{E9}\u{0}")
        record.typeName = "Alien"
        #expect(record.typeName == "Alien")
        record.expiration = Date(timeIntervalSince1970: 1_000)
        #expect(record.expirationSeconds == 1_000)
        record.expiration = nil
        #expect(record.expirationSeconds == nil)
        #expect(record.text == #"{ "a":1 }"#)
    }

    @Test(arguments: [
        "", "k", "\u{0}", "key with \"quotes\"", "\u{1F469}\u{200D}\u{1F680}", "{\"a\":1}", "}",
    ])
    func `A key may be any string and is not part of the content`(key: String) throws {
        var record = try Record(key: key, typeName: "T", json: #"{"a":1}"#.utf8)
        #expect(record.key == key)
        record["a"] = "longer than before"
        try record.replaceContent(with: [1, 2, 3, 4, 5, 6])
        #expect(record.key == key)
        #expect(record.text == "[1,2,3,4,5,6]")
    }

    @Test func `Every change increments the revision`() throws {
        var record = try Record(#"{"a":1,"n":{"b":2}}"#)
        let changes: [(inout Record) throws -> Void] = [
            { $0["a"] = 2 }, { $0["c"] = 3 }, { $0[["n", "b"]] = 4 }, { $0[["n", "b"]] = nil },
            { try $0.rename("a", to: "d") }, { try $0.remove("d") }, { $0.key = "k" }, { $0.typeName = "T" },
            { $0.expiration = Date() }, { $0.drop() }, { try $0.replaceContent(with: 1) },
            { try $0.replaceContent(with: Data([1])) }, { try $0.set("x", to: 1) },
        ]
        for (index, change) in changes.dropLast().enumerated() {
            let before = record.revision
            try change(&record)
            #expect(record.revision > before, "change \(index)")
        }
        #expect(record.isDropped)
    }

    @Test func `A failed change leaves the record unchanged`() throws {
        let text = #"{ "a" : "x" , "b":{ "c":1 } }"#
        var record = try Record(text)
        record[["a", "b"]] = 1
        #expect(migrationError { try record.set(["a", "b", "c"], to: 1) }?.code == .typeMismatch)
        #expect(migrationError { try record.set("n", to: Double.nan) }?.code == .typeMismatch)
        #expect(migrationError { try record.rename("a", to: "b") }?.code == .propertyExists)
        #expect(migrationError { try record.rename("x", to: "y") }?.code == .propertyMissing)
        #expect(migrationError { try record.remove(["b", "x"]) }?.code == .propertyMissing)
        #expect(migrationError { try record.replaceContent(with: Double.infinity) }?.code == .typeMismatch)
        #expect(record.text == text)
        #expect(record.revision == 0)
    }

    @Test func `A value nested deeper than 512 levels is refused at its place`() throws {
        func nested(_ levels: Int) -> RecordValue {
            (0..<levels).reduce(1) { value, _ in [value] }
        }
        var record = try Record(#"{"a":{}}"#)
        record["fits"] = nested(511)
        record[["a", "fits"]] = nested(510)
        #expect(record.failure == nil)
        #expect(try Record(record.text).text == record.text)
        let text = record.text
        #expect(migrationError { try record.set("b", to: Nest(levels: 512)) }?.code == .typeMismatch)
        record["b"] = nested(512)
        #expect((record.failure as? MoltError)?.code == .typeMismatch)
        #expect((record.failure as? MoltError)?.property == "b")
        #expect(migrationError { try record.replaceContent(with: nested(513)) }?.code == .typeMismatch)
        #expect(record.text == text)
        try record.replaceContent(with: nested(512))
        #expect(try Record(record.text).text == record.text)
    }

    @Test func `A path of more than 512 names is refused, and one of 512 names can be set and read`() throws {
        var record = try Record("{}")
        let names = (0..<513).map(String.init)
        let path = PropertyPath(Array(names.dropLast()))
        let error = migrationError { try record.setIfMissing(PropertyPath(names), to: Array("1".utf8)) }
        #expect(error?.code == .typeMismatch)
        #expect(record.text == "{}")
        try record.setIfMissing(path, to: Array("1".utf8))
        #expect(try Record(record.text).text == record.text)
        try record.remove(path)
        #expect(!record.contains(path))
    }
}

@Suite("Moving a property")
struct RecordMovingTests {
    @Test func `A moved property keeps the bytes of its value, and missing objects around it are added`() throws {
        let text = try changed(#"{"street": {"n" : 1.50},"city":"Paris"}"#) { person in
            try person.move("street", to: ["address", "street"])
            try person.move("city", to: ["address", "city"])
        }
        #expect(text == #"{"address":{"street":{"n" : 1.50},"city":"Paris"}}"#)
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
}

/// Nested arrays.
private struct Nest: Encodable {
    var levels: Int

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if levels > 1 {
            try container.encode(Nest(levels: levels - 1))
        } else {
            try container.encode(0)
        }
    }
}
