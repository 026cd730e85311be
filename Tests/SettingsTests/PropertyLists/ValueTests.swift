import Foundation
import Molt
import TestSupport
import Testing

/// Expects that no suite can hold a value, because of the part of it at a place; nil is the whole value.
@discardableResult
private func expectRefused(
    at place: String?,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) -> MoltError? {
    let error = MoltError.thrown(sourceLocation: sourceLocation) { try body() }
    error?.expect(.cannotStore, sourceLocation: sourceLocation)
    #expect(error?.valuePath?.fullDescription == place, sourceLocation: sourceLocation)
    return error
}

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
            let error = expectRefused(at: place) { _ = try PropertyListValue(normalizing: object) }
            error?.expect(says: "A suite cannot hold \(type).")
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test func `are accepted up to the nesting limit and refused beyond it`() throws {
        func nested(_ levels: Int) -> Any { (1..<levels).reduce([Any]()) { inner, _ in [inner] } }
        _ = try PropertyListValue(normalizing: nested(200))
        let limit = String(repeating: "[0]", count: 200)
        for levels in [201, 3000] {
            expectRefused(at: limit) { _ = try PropertyListValue(normalizing: nested(levels)) }
        }
    }
}

@Suite struct `Values that a suite can store` {
    @Test func `Values that are read back unchanged can be stored`() throws {
        try PropertyListValue.dictionary(`Values from UserDefaults`.values).checkStorable()
        try PropertyListValue.date(.distantFuture).checkStorable()
        try PropertyListValue.date(.distantPast).checkStorable()
        try (["CF$UID": 1, "other": 1] as PropertyListValue).checkStorable()
    }

    @Test func `A value nested too deep is refused with its place`() {
        let value = (1..<201).reduce([]) { (inner: PropertyListValue, _) in ["a": inner] }
        expectRefused(at: String(repeating: #"["a"]"#, count: 200)) { try value.checkStorable() }
    }

    #if os(Linux)
        @Test func `A value that the file would not preserve is refused with its place`() {
            let faults: [(value: PropertyListValue, place: String?)] = [
                ("\u{FEFF}x", nil),
                ([1, ["a": "\u{FEFF}"]], #"[1]["a"]"#),
                (["\u{FEFF}x": 1], "[\"\u{FEFF}x\"]"),
                (["a": ["CF$UID": 1]], #"["a"]"#),
                ([.date(Date(timeIntervalSinceReferenceDate: .nan))], "[0]"),
                (.date(Date(timeIntervalSinceReferenceDate: -.infinity)), nil),
                (.date(Date(timeIntervalSinceReferenceDate: 1e17)), nil),
            ]
            for (value, place) in faults { expectRefused(at: place) { try value.checkStorable() } }
        }

        @Test(arguments: [0, 0.5, -0.5, -1, -1.5, 1.75, 600_000_000.9999999, -62_135_769_600.25, 1e12 + 0.5])
        func `A date is rounded as the library rounds it`(seconds: Double) throws {
            let value = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: seconds))
            let name = TestHome.newSuiteName()
            let defaults = try #require(UserDefaults(suiteName: name))
            defaults.set(value.object, forKey: "date")
            defaults.synchronize()
            defaults.synchronize()
            let stored = try #require(defaults.object(forKey: "date"))
            #expect(try PropertyListValue(normalizing: stored) == value.asStored())
            #expect(PropertyListValue.dictionary(["a": [value]]).asStored() == ["a": [value.asStored()]])
        }
    #endif

    @Test func `Strings are equal only byte for byte`() throws {
        let composed: PropertyListValue = "\u{E9}"
        let decomposed: PropertyListValue = "e\u{301}"
        #expect(composed != decomposed)
        let (key, otherKey): (PropertyListValue, PropertyListValue) = (["\u{E9}": 1], ["e\u{301}": 1])
        #expect(key != otherKey)
        #expect(key == ["\u{E9}": 1])
        let scratch = try ScratchSuite(["a": composed])
        try scratch.suite.set(decomposed, forKey: "a")
        #expect(try scratch.suite.value(forKey: "a") == decomposed)
        #expect(try scratch.values == ["a": decomposed])
    }

    @Test func `A small unsigned integer is stored as a signed one`() {
        #expect(PropertyListValue.unsigned(5).asStored() == 5)
        #expect(PropertyListValue(exactly: UInt8(5)) == 5)
        #expect(PropertyListValue(exactly: UInt64.max) == .unsigned(.max))
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        #expect(PropertyListValue(exactly: Int128(UInt64.max) + 1) == nil)
    }

    @Test func `Values of different kinds are never equal, and NaN equals itself`() {
        #expect((true as PropertyListValue) != 1)
        #expect((1 as PropertyListValue) != 1.0)
        #expect(PropertyListValue.double(.nan) == .double(.nan))
        #expect(Set<PropertyListValue>([.double(.nan), .double(-.nan), 0.0, -0.0]).count == 2)
        #expect((["a": 1, "a": 2] as PropertyListValue).dictionary == ["a": 2])
    }
}

@Suite struct `Typed JSON encoding of values` {
    @Test func `Every value is decoded exactly`() throws {
        var values = `Values from UserDefaults`.values
        values["fraction"] = .date(Date(timeIntervalSinceReferenceDate: 642_000_000.123456789))
        values["minus infinity"] = [.double(-.infinity), .date(.distantPast)]
        // As deep as a suite allows.
        values["nested"] = (1..<200).reduce([]) { (inner: PropertyListValue, _) in ["a": inner] }
        let bytes = try JSONEncoder().encode(values)
        #expect(try JSONDecoder().decode([String: PropertyListValue].self, fromStored: bytes) == values)
        // Zeros are equal, whatever their sign.
        let zeroBytes = try JSONEncoder().encode([PropertyListValue.double(-0.0)])
        let zero = try JSONDecoder().decode([PropertyListValue].self, from: zeroBytes).first?.double
        #expect(zero?.sign == .minus)
    }

    @Test func `The encoding is stable`() throws {
        let value: PropertyListValue = [
            "a", true, 1, .unsigned(.max), 1.0, .double(.nan), .date(Date(timeIntervalSinceReferenceDate: 0.25)),
            .data(Data([1])), ["userName": .int(.min)],
        ]
        let text = """
            ["a",true,{"int":1},{"unsigned":18446744073709551615},{"double":1},{"double":"nan"},{"date":0.25},\
            {"data":"AQ=="},{"dictionary":{"userName":{"int":-9223372036854775808}}}]
            """
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.dataEncodingStrategy = .deferredToData
        encoder.keyEncodingStrategy = .convertToSnakeCase
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(PropertyListValue.self, from: Data(text.utf8)) == value)
    }

    @Test(arguments: [
        "null", "1", "{}", #"{"int":"x"}"#, #"{"data":"?"}"#, #"{"double":"x"}"#, #"{"int":1,"date":1}"#,
        #"{"other":1}"#, "[null]",
    ])
    func `Invalid text is refused`(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(PropertyListValue.self, from: Data(text.utf8))
        }
    }
}

@Suite struct `A place inside a value` {
    @Test(
        arguments: [
            ([], "", ""),
            ([.index(2)], "[2]", "[2]"),
            ([.key("k"), .index(0), .property("name")], #"["…"][0].name"#, #"["k"][0].name"#),
            ([.property("home"), .property("name"), .key("a.b")], #"home.name["…"]"#, #"home.name["a.b"]"#),
        ] as [([ValuePath.Step], String, String)]
    )
    func `shows dictionary keys only on request`(steps: [ValuePath.Step], text: String, full: String) {
        let place = ValuePath(steps)
        #expect(place.fullDescription == full)
        #expect(place.description == text)
        #expect(String(reflecting: Optional(place)) == "Optional(\(text))")
        var dumped = ""
        dump(place, to: &dumped)
        #expect(!dumped.contains("k\"") && !dumped.contains("a.b"))
    }
}
