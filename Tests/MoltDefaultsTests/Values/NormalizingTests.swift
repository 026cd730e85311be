import Foundation
import Testing

@testable import Molt

@Suite struct `Values from UserDefaults` {
    /// One value of each kind, and values that are easily confused.
    static let values: [String: PropertyListValue] = [
        "true": true, "false": false, "one": 1, "zero": 0, "minus one": -1, "one point zero": 1.0,
        "smallest": .int(.min), "largest": .int(.max), "unsigned": .unsigned(.max),
        "tenth": 0.1, "infinity": .double(.infinity), "no number": .double(.nan),
        "tiny": .double(.leastNonzeroMagnitude),
        "text": "a\u{0}\u{1}\r\n<&>]]> é e\u{301} 🔑 ", "empty text": "",
        "date": .date(Date(timeIntervalSinceReferenceDate: -1_000_000_001)),
        "data": .data(Data([0, 1, 255])), "empty data": .data(Data()),
        "array": [true, 1, 1.0, "1", [], [:], [[false], ["a": [0, false]]]], "empty array": [],
        "dictionary": ["": 1, "a.b": ["c": true, "d": .data(Data([1]))]], "empty dictionary": [:],
    ]

    @Test func `are read from a live suite as they were set`() throws {
        let name = TestHome.newSuiteName()
        let defaults = try #require(UserDefaults(suiteName: name))
        for (key, value) in Self.values { defaults.set(value.object, forKey: key) }
        for (key, value) in Self.values {
            let object = try #require(defaults.object(forKey: key))
            #expect(try PropertyListValue(normalizing: object) == value, "\(key)")
        }
        let domain = try #require(defaults.persistentDomain(forName: name))
        #expect(try PropertyListValue(normalizing: domain) == .dictionary(Self.values))
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `are read from a file as they were written`(format: PropertyListSerialization.PropertyListFormat) throws {
        let objects = PropertyListValue.dictionary(Self.values).object
        let bytes = try PropertyListSerialization.data(fromPropertyList: objects, format: format, options: 0)
        let read = try PropertyListSerialization.propertyList(from: bytes, format: nil)
        #expect(try PropertyListValue(normalizing: read) == .dictionary(Self.values))
    }

    @Test func `distinguish Booleans from numbers of any width`() throws {
        let objects: [Any] = [
            true, NSNumber(value: true), Int8(1), NSNumber(value: Int8(1)), UInt8(255), Int16(-1), UInt16.max, Int32(1),
            UInt32.max, 1, UInt64(5), NSNumber(value: UInt64(5)), UInt64.max, Float(0.5), NSNumber(value: Float(1)),
            1.0,
        ]
        let values: [PropertyListValue] = [
            true, true, 1, 1, 255, -1, 65_535, 1, 4_294_967_295, 1, 5, 5, .unsigned(.max), 0.5, 1.0, 1.0,
        ]
        #expect(try PropertyListValue(normalizing: objects) == .array(values))
        for (object, value) in zip(objects, values) {
            #expect(try PropertyListValue(normalizing: object) == value)
        }
    }

    @Test func `are found inside optionals at any depth`() throws {
        let inner: Any? = true
        let outer: Any? = inner as Any
        let list: [Any?] = [outer, ["a": inner as Any] as [AnyHashable: Any]]
        #expect(try PropertyListValue(normalizing: Optional(list) as Any) == [true, ["a": true]])
    }

    @Test func `are refused with their type and place when no suite can hold them`() throws {
        let nothing: Any? = nil
        let inner: [String: Any] = ["id": UUID()]
        let cases: [(object: Any, place: String?, type: String)] = [
            (NSNull(), nil, "NSNull"),
            (try #require(URL(string: "https://secret.example")), nil, "URL"),
            (UUID(), nil, "UUID"),
            (Decimal(string: "1.5") as Any, nil, "Decimal"),
            (Set(["secret"]), nil, "Set<String>"),
            ([1, 2, ["name": NSNull()]] as [Any], #"[2]["name"]"#, "NSNull"),
            ([1, nothing as Any], "[1]", "nil"),
            (["a": [inner]], #"["a"][0]["id"]"#, "UUID"),
            ([1: "secret"], nil, "a key of type Int"),
            (["a": [UUID(): 1]], #"["a"]"#, "a key of type UUID"),
        ]
        for (object, place, type) in cases {
            let error = #expect(throws: MoltError.self) { try PropertyListValue(normalizing: object) }
            #expect(error?.code == .cannotStore)
            #expect(error?.place?.fullDescription == place)
            #expect(error?.message.hasPrefix("A suite cannot hold \(type).") == true, "\(error as Any)")
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test func `are accepted up to the nesting limit and refused beyond it`() throws {
        func nested(_ levels: Int) -> Any { (1..<levels).reduce([Any]()) { inner, _ in [inner] } }
        _ = try PropertyListValue(normalizing: nested(200))
        let error = #expect(throws: MoltError.self) { try PropertyListValue(normalizing: nested(201)) }
        #expect(error?.code == .cannotStore)
        #expect(error?.place?.description == String(repeating: "[0]", count: 200))
        _ = #expect(throws: MoltError.self) { try PropertyListValue(normalizing: nested(3_000)) }
    }
}
