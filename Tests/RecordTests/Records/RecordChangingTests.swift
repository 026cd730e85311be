import Foundation
import Molt
import Testing

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

    @Test func `Renaming a property to its own name changes nothing, escapes included`() throws {
        var record = try Record(#"{"\u0061":1}"#)
        try record.rename("a", to: "a")
        #expect(record.text == #"{"\u0061":1}"#)
        #expect(record.revision == 0)
    }

    @Test func `The whole content can be replaced by a value or any Encodable`() throws {
        struct Person: Encodable {
            var name = "Ada"
            var age = 36
        }
        let changes: [(text: String, isData: Bool, (inout Record) throws -> Void)] = [
            (#"{"age":36,"name":"Ada"}"#, false, { try $0.replaceContent(with: Person()) }),
            (#"{"age":36,"name":"Grace"}"#, false, { $0["name"] = "Grace" }),
            (#"{"z":1,"a":[true]}"#, false, { try $0.replaceContent(with: ["z": 1, "a": [true]] as RecordValue) }),
            ("\"plain\"", false, { try $0.replaceContent(with: "plain") }),
            ("\t", true, { try $0.replaceContent(with: Data?.some(Data([9]))) }),
            ("null", false, { try $0.replaceContent(with: Data??.some(nil)) }),
            ("\u{1}{", true, { try $0.replaceContent(with: Data([1, 0x7B])) }),
            ("[1,2]", false, { try $0.replaceContent(with: [1, 2]) }),
        ]
        var record = try Record(#"{"a":1}"#)
        for (text, isData, change) in changes {
            try change(&record)
            #expect(record.text == text)
            #expect(record.isData == isData)
            #expect(record.isObject == text.hasPrefix("{"))
            #expect(record.isObject || record.propertyNames.isEmpty)
        }
    }

    @Test func `Key, type name and expiry can be changed, apart from the content`() throws {
        var record = try Record(#"{ "a":1 }"#)
        #expect(record.changedKey == nil)
        record.key = "grace \u{E9}\u{0}"
        record.typeName = "Alien"
        let names: [String?] = ["grace \u{E9}\u{0}", "grace \u{E9}\u{0}", "Alien"]
        #expect([record.key, record.changedKey, record.typeName] == names)
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
            { try $0.replaceContent(with: Data([1])) },
        ]
        for (index, change) in changes.enumerated() {
            let before = record.revision
            try change(&record)
            #expect(record.revision > before, "change \(index)")
        }
        #expect(record.isDropped)
    }

    @Test func `A value may be nested up to 512 levels at its place`() throws {
        func nested(_ levels: Int) -> RecordValue {
            (0..<levels).reduce(1) { value, _ in [value] }
        }
        var record = try Record(#"{"a":{}}"#)
        record["fits"] = nested(511)
        record[["a", "fits"]] = nested(510)
        #expect(record.failure == nil)
        // A record that is nested deeper cannot be read.
        #expect(try Record(record.text).text == record.text)
        try record.replaceContent(with: nested(512))
        #expect(try Record(record.text).text == record.text)
    }

    @Test func `A path of more than 512 names is refused, and one of 512 names can be set and read`() throws {
        let names = (0..<513).map(String.init)
        try expectRefused("{}", .typeMismatch) {
            try $0.setIfMissing(PropertyPath(names), to: Array("1".utf8), createsObjects: true)
        }
        let path = PropertyPath(Array(names.dropLast()))
        var record = try Record("{}")
        try record.setIfMissing(path, to: Array("1".utf8), createsObjects: true)
        #expect(try Record(record.text).contains(path))
        try record.remove(path)
        #expect(!record.contains(path))
    }
}

@Suite("Moving a property")
struct RecordMovingTests {
    @Test func `A moved property keeps the bytes of its value, and missing objects around it are added`() throws {
        let moved = #"{"address":{"street":{"n" : 1.50},"city":"Paris"}}"#
        try expectChanged(#"{"street": {"n" : 1.50},"city":"Paris"}"#, to: moved) { person in
            try person.move("street", to: ["address", "street"])
            try person.move("city", to: ["address", "city"])
            // To its own place.
            try person.move("address", to: "address")
        }
    }

    @Test func `An impossible move is an error that names the property, and the record is unchanged`() throws {
        let cases: [(PropertyPath, PropertyPath, MoltError.Code, String)] = [
            ("missing", "a", .propertyMissing, "missing"), (["a", "missing"], "b", .propertyMissing, "a.missing"),
            ("a", "b", .propertyExists, "b"), ("a", ["a", "inside"], .typeMismatch, "a"),
            ("a", ["b", "c"], .typeMismatch, "b.c"),
        ]
        for (path, newPath, code, property) in cases {
            try expectRefused(#"{"a":{"x":1},"b":"s3cret"}"#, code, property, canary: "s3cret") {
                try $0.move(path, to: newPath)
            }
        }
        // It would be nested too deep at its new place.
        let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
        try expectRefused(#"{"a":\#(deep)}"#, .typeMismatch, "b.c") { try $0.move("a", to: ["b", "c"]) }
    }
}
