import Foundation
import Testing

@testable import Molt

@Suite struct `Values that a suite can store` {
    @Test func `Values that are read back unchanged can be stored`() throws {
        try PropertyListValue.dictionary(`Values from UserDefaults`.values).checkStorable()
        try PropertyListValue.date(.distantFuture).checkStorable()
        try PropertyListValue.date(.distantPast).checkStorable()
        try (["CF$UID": 1, "other": 1] as PropertyListValue).checkStorable()
    }

    @Test func `A value nested too deep is refused with its place`() {
        let value = (1..<201).reduce([]) { (inner: PropertyListValue, _) in ["a": inner] }
        let error = #expect(throws: MoltError.self) { try value.checkStorable() }
        #expect(error?.code == .cannotStore)
        #expect(error?.place == ValuePlace(Array(repeating: .key("a"), count: 200)))
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
            for (value, place) in faults {
                let error = #expect(throws: MoltError.self) { try value.checkStorable() }
                #expect(error?.code == .cannotStore)
                #expect(error?.place?.fullDescription == place)
            }
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
        #expect(["\u{E9}": 1] as PropertyListValue != ["e\u{301}": 1])
        #expect(["\u{E9}": 1] as PropertyListValue == ["\u{E9}": 1])
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
