import Foundation
import Testing

@testable import Molt

@Suite struct `Reading a record` {
    private let person = #"""
        {"name":"Ada","age":36,"height":1.70,"isAdmin":true,"note":null,"id":18446744073709551615,
         "address":{"city":"London","geo":{"lat":51.5}},"tags":["a","b"]}
        """#

    @Test func `A property is read as a value`() throws {
        let record = try Record(person)
        #expect(record["name"] == "Ada")
        #expect(record["age"] == 36)
        #expect(record["isAdmin"] == true)
        #expect(record["note"] == .null && record.contains("note"))
        #expect(try record.value("note").isNull)
        #expect(record["tags"] == ["a", "b"])
        #expect(record["address"] == ["city": "London", "geo": ["lat": 51.5]])
        #expect(record["missing"] == nil)
        // A number keeps its text at any length.
        #expect(record["height"]?.number?.text == "1.70")
        #expect(record["id"]?.number?.text == "18446744073709551615")
        #expect(record["id"]?.number?.integer(UInt64.self) == .max)
        #expect(record["id"]?.number?.integer() == nil)
        let digits = String(repeating: "1234567890", count: 500)
        #expect(try Record("{\"n\":-\(digits)}")["n"]?.number?.text == "-\(digits)")
    }

    @Test func `A property can be decoded as any type`() throws {
        struct Address: Decodable, Equatable {
            struct Geo: Decodable, Equatable { var lat: Double }
            var city: String
            var geo: Geo
        }
        let record = try Record(person)
        #expect(try record.string("name") == "Ada")
        #expect(try record.int("age") == 36)
        #expect(try record.double("height") == 1.7)
        #expect(try record.double("age") == 36)
        #expect(try record.bool("isAdmin"))
        #expect(try record.value("id", as: UInt64.self) == .max)
        #expect(try record.value("tags", as: [String].self) == ["a", "b"])
        #expect(try record.value("note", as: String?.self) == nil)
        #expect(try record.value("name", as: String?.self) == "Ada")
        #expect(
            try record.value("address", as: Address.self) == Address(city: "London", geo: .init(lat: 51.5))
        )
    }

    @Test func `A nested property is read by its path`() throws {
        let record = try Record(person)
        #expect(record[["address", "city"]] == "London")
        #expect(record[["address", "geo", "lat"]] == 51.5)
        #expect(try record.double(["address", "geo", "lat"]) == 51.5)
        #expect(try record.value(["address", "geo"], as: [String: Double].self) == ["lat": 51.5])
        #expect(record.contains(["address", "geo"]))
        #expect(!record.contains(["address", "street"]))
        #expect(!record.contains(["name", "city"]))
        #expect(record[["name", "city"]] == nil)
        #expect(record[["tags", "0"]] == nil)
        #expect(!record.contains([]))
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("-1", -1), ("999999999999999999", 999_999_999_999_999_999),
        ("1000000000000000000", 1_000_000_000_000_000_000), ("9223372036854775807", .max),
        ("-9223372036854775808", .min), ("-999999999999999999", -999_999_999_999_999_999),
    ])
    func `An integer of any size that fits is read`(text: String, expected: Int) throws {
        #expect(try Record("{\"n\":\(text)}").int("n") == expected)
        #expect(try Record("{\"n\":\(text) }").value("n").number?.integer() == expected)
    }

    @Test(arguments: [
        "9223372036854775808", "1.5", "1e400", "\"1\"", "true", "null", "[1]", "{}", "-9223372036854775809",
    ])
    func `A number that is not an integer, or does not fit, is a type mismatch`(text: String) throws {
        let record = try Record("{\"n\":\(text)}")
        let error = migrationError { _ = try record.int("n") }
        #expect(error?.code == .typeMismatch)
        #expect(error?.property == "n")
    }

    @Test func `A duplicate name reads as its last value and is listed as often as it is written`() throws {
        let record = try Record(#"{"a":1,"b":2,"\u0061":3,"a":{"c":4,"c":5}}"#)
        #expect(record[["a", "c"]] == 5)
        #expect(try record.int(["a", "c"]) == 5)
        #expect(record.propertyNames == ["a", "b", "a", "a"])
        #expect(try Record(#"{"name":"Ada","\u006eame":"Grace"}"#).string("name") == "Grace")
    }

    @Test(arguments: ["42", "-1.50", "\"text\"", "true", "null", "[1,2]", " [ ] ", "\n\"\\u00e9\"\t"])
    func `Content that is not an object has no properties and is still a record`(text: String) throws {
        let record = try Record(text)
        #expect(!record.isObject)
        #expect(record.propertyNames.isEmpty)
        #expect(record["a"] == nil)
        #expect(!record.contains("a"))
        #expect(try record.content() == RecordValue(json: text.utf8))
        #expect(record.text == text)
        #expect(migrationError { _ = try record.string("a") }?.code == .propertyMissing)
    }

    @Test func `The whole content is decoded with the store's coders`() throws {
        struct Visit: Codable, Equatable {
            var firstName: String
            var date: Date
        }
        let coding = RecordCoding { encoder, decoder in
            encoder.dateEncodingStrategy = .iso8601
            decoder.dateDecodingStrategy = .iso8601
            encoder.keyEncodingStrategy = .convertToSnakeCase
            decoder.keyDecodingStrategy = .convertFromSnakeCase
        }
        var record = try Record(#"{"first_name":"Ada","date":"1970-01-01T00:01:00Z"}"#, coding: coding)
        let expected = Visit(firstName: "Ada", date: Date(timeIntervalSince1970: 60))
        #expect(try record.decoded(as: Visit.self) == expected)
        #expect(try record.value("date", as: Date.self) == expected.date)
        try record.set("date", to: Date(timeIntervalSince1970: 120))
        #expect(record["date"] == "1970-01-01T00:02:00Z")
        try record.replaceContent(with: expected)
        #expect(record.text == #"{"date":"1970-01-01T00:01:00Z","first_name":"Ada"}"#)
    }

    @Test func `Content that is a single value is decoded with any white space around it`() throws {
        for (before, after) in [("", ""), (" ", ""), ("", "\n"), ("\t ", "\r\n")] {
            #expect(try Record(before + #""x\"y""# + after).decoded(as: String.self) == "x\"y")
            #expect(try Record(before + "42" + after).decoded(as: Int.self) == 42)
            #expect(try Record(before + "true" + after).decoded(as: Bool.self))
            #expect(try Record(before + "null" + after).decoded(as: Int?.self) == nil)
            #expect(try Record(before + "[1,2]" + after).decoded(as: [Int].self) == [1, 2])
        }
    }

    @Test func `A loaded record can be decoded before it is read`() throws {
        var record = try Record("{}")
        let content = Array(#"{"a":2}"#.utf8)
        load(content, into: &record)
        #expect(try record.decoded(as: [String: Int].self) == ["a": 2])
        load(Array("{\"a\":".utf8), into: &record)
        #expect(migrationError { _ = try record.decoded(as: [String: Int].self) }?.code == .malformedContent)
        #expect(migrationError { _ = try record.content() }?.code == .malformedContent)
        load([], into: &record)
        #expect(migrationError { _ = try record.decoded(as: Int.self) }?.code == .malformedContent)
        #expect(migrationError { try record.read() }?.code == .malformedContent)
    }

    @Test func `Raw data is returned unchanged`() throws {
        let record = Record(key: "photo", typeName: "Data", content: [0xFF, 0x00, 0x7B], isData: true)
        #expect(record.isData)
        #expect(record.data == Data([0xFF, 0x00, 0x7B]))
        #expect(try record.decoded(as: Data.self) == Data([0xFF, 0x00, 0x7B]))
        #expect(record.storedBytes == [0xFF, 0x00, 0x7B])
        #expect(!record.isObject)
        #expect(record["a"] == nil)
        #expect(record.description == "Data \"photo\" (data, 3 B)")
        #expect(migrationError { _ = try record.content() }?.code == .typeMismatch)
        #expect(migrationError { _ = try record.decoded(as: String.self) }?.code == .typeMismatch)
        #expect(migrationError { _ = try record.string("a") }?.code == .propertyMissing)
        #expect(try Record("{}").data == nil)
    }

    @Test func `Names are compared by their bytes`() throws {
        var record = try Record("{\"\u{E9}\":1}")
        #expect(record["e\u{301}"] == nil)
        record["e\u{301}"] = 2
        #expect(record.propertyNames.count == 2)
        try record.remove("\u{E9}")
        #expect(record.text == "{\"e\u{301}\":2}")
    }

    private func load(_ content: [UInt8], into record: inout Record) {
        content.withUnsafeBytes { content in
            let key = UnsafeRawBufferPointer(start: nil, count: 0)
            record.load(id: 1, typeName: "T", key: key, content: content, isData: false, expiration: nil)
        }
    }
}
