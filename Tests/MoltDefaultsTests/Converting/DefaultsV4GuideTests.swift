import Foundation
import Testing

@testable import Molt

/// The examples of Defaults' guide from 4 to 5, with the types of Defaults' own tests.
@Suite("The guide from Defaults 4 to 5")
struct DefaultsV4GuideTests {
    private let zone = CodableTimeZone(id: "0", name: "Asia/Taipei")
    private let zoneText = #"{"id":"0","name":"Asia\/Taipei"}"#

    /// Expects that what Defaults 4 stored is converted and read, and that a new value is stored in the same form.
    private func expect<Value: DefaultsSerializable & Equatable & Sendable>(
        _ text: String,
        becomes stored: PropertyListValue,
        readAs value: Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = DefaultsV4Conversion().convert(.string(text), as: DefaultsKey<Value?>("key").form)
        #expect(
            outcome == (stored == .string(text) ? .alreadyCurrent : .converted(stored)),
            sourceLocation: sourceLocation
        )
        try MoltDefaultsTests.expect(value, storedAs: stored, sourceLocation: sourceLocation)
    }

    @Test
    func `arrayString, setString, dictionaryStringInt and dictionaryStringIntInArray become native`() throws {
        try expect(#"["a","b"]"#, becomes: ["a", "b"], readAs: ["a", "b"])
        try expect(#"["a","b"]"#, becomes: ["a", "b"], readAs: Set(["a", "b"]))
        try expect(#"{"a":1}"#, becomes: ["a": 1], readAs: ["a": 1])
        try expect(#"[{"a":0},{"b":1}]"#, becomes: [["a": 0], ["b": 1]], readAs: [["a": 0], ["b": 1]])
    }

    @Test
    func `timezone, arrayTimezone, setTimezone and dictionaryTimezone keep the JSON text of their elements`() throws {
        let text = PropertyListValue.string(zoneText)
        try expect(zoneText, becomes: text, readAs: zone)
        try expect("[\(zoneText)]", becomes: [text], readAs: [zone])
        try expect("[\(zoneText)]", becomes: [text], readAs: Set([zone]))
        try expect(#"{"k":\#(zoneText)}"#, becomes: ["k": text], readAs: ["k": zone])
    }

    @Test
    func `arrayPeriod, setPeriod and dictionaryPeriod keep the JSON text of their elements`() throws {
        try expect(#""10 Minutes""#, becomes: #""10 Minutes""#, readAs: Period.tenMinutes)
        try expect(
            #"["10 Minutes","1 Hour"]"#,
            becomes: [#""10 Minutes""#, #""1 Hour""#],
            readAs: [Period.tenMinutes, .oneHour]
        )
        try expect(#"["10 Minutes"]"#, becomes: [#""10 Minutes""#], readAs: Set([Period.tenMinutes]))
        try expect(#"{"p":"30 Minutes"}"#, becomes: ["p": #""30 Minutes""#], readAs: ["p": Period.halfHour])
        try expect(#"["10 Minutes",10]"#, becomes: ["10 Minutes": 10], readAs: [Period.tenMinutes: 10])
    }

    @Test
    func `period becomes its raw value`() throws {
        try expect(#""10 Minutes""#, becomes: "10 Minutes", readAs: EnumForm.tenMinutes)
        try expect(#"["10 Minutes"]"#, becomes: ["10 Minutes"], readAs: [EnumForm.tenMinutes])
        try expect(#"["10 Minutes"]"#, becomes: ["10 Minutes"], readAs: Set([EnumForm.tenMinutes]))
        try expect(#"{"p":"10 Minutes"}"#, becomes: ["p": "10 Minutes"], readAs: ["p": EnumForm.tenMinutes])
        try expect(#"["10 Minutes",1]"#, becomes: ["10 Minutes": 1], readAs: [EnumForm.tenMinutes: 1])
        let unknown = DefaultsV4Conversion().convert(#"["10 Minutes","2 Weeks"]"#, as: [EnumForm].defaultsForm)
        #expect(unknown.failure?.place == "[1]")
    }

    @Test
    func `period is converted by its own toNative`() throws {
        try expect(#""10 Minutes""#, becomes: "short", readAs: Span.short)
        try expect("long", becomes: "long", readAs: Span.long)
        try expect(#"["10 Minutes","30 Minutes"]"#, becomes: ["short", "long"], readAs: [Span.short, .long])
        try expect(#"["1 Hour"]"#, becomes: ["long"], readAs: Set([Span.long]))
        try expect(#"{"p":"30 Minutes"}"#, becomes: ["p": "long"], readAs: ["p": Span.long])
        #expect(DefaultsV4Conversion().convert(#""2 Weeks""#, as: Span.defaultsForm).failure != nil)
        let key = DefaultsKey<Span?>("key")
        for text in [#""1 Hour""#, "long"] {
            let scratch = try ScratchSuite(["key": .string(text)])
            try scratch.suite.upgrade(with: [.defaultsV4ToV5(to: 1, suite: scratch.suite, keys: [key])])
            #expect(try scratch.suite.value(forKey: "key") == "long")
            #expect(try scratch.suite.value(for: key) == .long)
        }
    }

    @Test
    func `timezone is converted by TimeZoneBridge`() throws {
        let (zone, stored) = (zone.toNative(), ["id": "0", "name": "Asia/Taipei"] as PropertyListValue)
        try expect(zoneText, becomes: stored, readAs: zone)
        try expect("[\(zoneText)]", becomes: [stored], readAs: [zone])
        try expect("[\(zoneText)]", becomes: [stored], readAs: Set([zone]))
        try expect(#"{"k":\#(zoneText)}"#, becomes: ["k": stored], readAs: ["k": zone])
    }

    @Test(arguments: [DefaultsRelease.v5, .v6dot2, .v6dot3])
    func `UUIDs and ranges are read after their conversion for any release`(target: DefaultsRelease) throws {
        func upgraded<Value: DefaultsSerializable>(_ text: String) throws -> Value {
            let outcome = DefaultsV4Conversion(target: target).convert(.string(text), as: Value.defaultsForm)
            guard case .converted(let stored) = outcome else { return try read(Value.self, from: .string(text)) }
            return try read(Value.self, from: stored)
        }
        let identifier = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(try upgraded("\"\(identifier)\"") == identifier)
        #expect(try upgraded("[\"\(identifier)\"]") == [identifier])
        #expect(try upgraded("[1,5]") == 1..<5)
        #expect(try upgraded("[1,5]") == 1...5)
        #expect(try upgraded("[[1,5]]") == [Int8(1)...5])
    }
}

/// An enum whose cases have changed since Defaults 4 stored it.
private enum Span: String, DefaultsNativeType {
    typealias CodableForm = FormerSpan

    case short, long
}

private enum FormerSpan: String, DefaultsCodableType {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"

    func toNative() -> Span {
        switch self {
        case .tenMinutes: .short
        case .halfHour, .oneHour: .long
        }
    }
}
