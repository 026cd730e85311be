import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Reading a record` {
    private let person = #"""
        {"name":"Ada","age":36,"height":1.70,"isAdmin":true,"note":null,"id":18446744073709551615,
         "address":{"city":"London","geo":{"lat":51.5}},"tags":["a","b"]}
        """#

    @Test func `A property is read by its path`() throws {
        let record = try Record(person)
        let values: [(PropertyPath, RecordValue?)] = [
            ("name", "Ada"), ("age", 36), ("isAdmin", true), ("note", .null), ("tags", ["a", "b"]),
            ("address", ["city": "London", "geo": ["lat": 51.5]]), (["address", "city"], "London"),
            (["address", "geo", "lat"], 51.5), ("missing", nil), (["address", "street"], nil), (["name", "city"], nil),
            (["tags", "0"], nil),
        ]
        for (path, value) in values {
            #expect(record[path] == value, "\(path)")
            #expect(record.contains(path) == (value != nil), "\(path)")
        }
        #expect(try record.value("note").isNull)
        for digits in ["1.70", "18446744073709551615", "-" + String(repeating: "1234567890", count: 500)] {
            #expect(try Record("{\"n\":\(digits)}")["n"]?.number?.text == digits)
        }
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
        #expect(try record.double(["address", "geo", "lat"]) == 51.5)
        #expect(try record.bool("isAdmin"))
        func expect<Value: Decodable & Equatable>(_ path: PropertyPath, is value: Value) throws {
            #expect(try record.value(path, as: Value.self) == value, "\(path)")
        }
        try expect("age", is: 36.0)
        try expect("id", is: UInt64.max)
        try expect("tags", is: ["a", "b"])
        try expect("note", is: String?.none)
        try expect("name", is: String?.some("Ada"))
        try expect("address", is: Address(city: "London", geo: .init(lat: 51.5)))
        try expect(["address", "geo"], is: ["lat": 51.5])
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("-1", -1), ("999999999999999999", 999_999_999_999_999_999),
        ("1000000000000000000", 1_000_000_000_000_000_000), ("9223372036854775807", .max),
        ("-9223372036854775808", .min), ("-999999999999999999", -999_999_999_999_999_999),
    ])
    func `An integer of any size that fits is read`(text: String, expected: Int) throws {
        let record = try Record("{\"n\":\(text) }")
        #expect(try record.int("n") == expected)
        #expect(record["n"]?.number?.integer() == expected)
    }

    @Test(arguments: [
        "9223372036854775808", "1.5", "1e400", "\"1\"", "true", "null", "[1]", "{}", "-9223372036854775809",
    ])
    func `A number that is not an integer, or does not fit, is a type mismatch`(text: String) throws {
        try expectRefused("{\"n\":\(text)}", .typeMismatch, "n") { _ = try $0.int("n") }
    }

    @Test func `A duplicate name reads as its last value and is listed as often as it is written`() throws {
        let record = try Record(#"{"a":1,"b":2,"a":3,"\u0061":{"c":4,"c":5}}"#)
        #expect(record[["a", "c"]] == 5)
        #expect(try record.int(["a", "c"]) == 5)
        #expect(record.propertyNames == ["a", "b", "a", "a"])
    }

    @Test(arguments: ["42", "-1.50", "\"text\"", "true", "null", "[1,2]", " [ ] ", "\n\"\\u00e9\"\t"])
    func `Content that is not an object has no properties and is still a record`(text: String) throws {
        let record = try Record(text)
        #expect(!record.isObject)
        #expect(record.propertyNames.isEmpty)
        #expect(record["a"] == nil)
        #expect(try record.content() == RecordValue(json: text.utf8))
        try expectRefused(text, .propertyMissing, "a") { _ = try $0.string("a") }
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
        func expect<Value: Decodable & Equatable>(_ text: String, is value: Value) throws {
            for (before, after) in [("", ""), (" ", ""), ("", "\n"), ("\t ", "\r\n")] {
                #expect(try Record(before + text + after).decoded(as: Value.self) == value)
            }
        }
        try expect(#""x\"y""#, is: "x\"y")
        try expect("42", is: 42)
        try expect("true", is: true)
        try expect("null", is: Int?.none)
        try expect("[1,2]", is: [1, 2])
    }

    @Test func `A loaded record can be decoded before it is read`() throws {
        var record = try Record("{}")
        let content = Array(#"{"a":2}"#.utf8)
        load(content, into: &record)
        #expect(try record.decoded(as: [String: Int].self) == ["a": 2])
        load(Array("{\"a\":".utf8), into: &record)
        #expect(MoltError.thrown { _ = try record.decoded(as: [String: Int].self) }?.code == .malformedContent)
        #expect(MoltError.thrown { _ = try record.content() }?.code == .malformedContent)
        load([], into: &record)
        #expect(MoltError.thrown { _ = try record.decoded(as: Int.self) }?.code == .malformedContent)
        #expect(MoltError.thrown { try record.read() }?.code == .malformedContent)
    }

    @Test func `Raw data is returned unchanged`() throws {
        let record = Record(key: "photo", typeName: "Data", content: [0xFF, 0x00, 0x7B], isData: true)
        #expect(record.isData && !record.isObject)
        #expect(record.storedBytes == [0xFF, 0x00, 0x7B])
        #expect(record.data == Data(record.storedBytes))
        #expect(try record.decoded(as: Data.self) == record.data)
        #expect(record["a"] == nil)
        #expect(record.description == "Data \"photo\" (data, 3 B)")
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
        LentRecord.with("", content, isData: false, expiration: nil) { record.load($0, id: 1, typeName: "T") }
    }
}
