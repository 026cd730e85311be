import Foundation
import MoltCore
import MoltDefaults
import Testing

/// The examples of Defaults' guide from 4 to 5: the guide's keys read what Defaults 4 stored.
@Suite("Old values in the guide from Defaults 4 to 5")
struct DefaultsV4GuideTests {
    private let taipei = CodableTimeZone(id: "0", name: "Asia/Taipei")
    private let taipeiText = #"{"id":"0","name":"Asia\/Taipei"}"#
    private let nativeTaipei = TimeZone(id: "0", name: "Asia/Taipei")

    /// Converts a value that Defaults 4 stored, and reads it.
    private func upgraded<Value: DefaultsSerializable>(
        _ text: String,
        _ type: Value.Type,
        conversion: DefaultsV4Conversion = DefaultsV4Conversion()
    ) throws -> Value? {
        let key = DefaultsKey<Value?>("key")
        let settings = DictionarySettings(["key": .string(text)])
        switch conversion.convert(.string(text), as: key.form) {
        case .converted(let value): settings.set(value, forKey: "key")
        case .alreadyCurrent: break
        case .notConvertible(let reason, let place): Issue.record("\(reason) \(place)")
        }
        return try settings.value(for: key)
    }

    @Test
    func `arrayString, setString, dictionaryStringInt and dictionaryStringIntInArray are read`() throws {
        #expect(try upgraded(#"["a","b"]"#, [String].self) == ["a", "b"])
        #expect(try upgraded(#"["a","b"]"#, Set<String>.self) == ["a", "b"])
        #expect(try upgraded(#"{"a":1}"#, [String: Int].self) == ["a": 1])
        #expect(try upgraded(#"[{"a":0},{"b":1}]"#, [[String: Int]].self) == [["a": 0], ["b": 1]])
    }

    @Test
    func `arrayTimezone, setTimezone and dictionaryTimezone are read`() throws {
        #expect(try upgraded(taipeiText, CodableTimeZone.self) == taipei)
        #expect(try upgraded("[\(taipeiText)]", [CodableTimeZone].self) == [taipei])
        #expect(try upgraded("[\(taipeiText)]", Set<CodableTimeZone>.self) == [taipei])
        #expect(try upgraded(#"{"k":\#(taipeiText)}"#, [String: CodableTimeZone].self) == ["k": taipei])
    }

    @Test
    func `arrayPeriod, setPeriod and dictionaryPeriod are read`() throws {
        #expect(try upgraded(#""10 Minutes""#, Period.self) == .tenMinutes)
        #expect(try upgraded(#"["10 Minutes","1 Hour"]"#, [Period].self) == [.tenMinutes, .oneHour])
        #expect(try upgraded(#"["10 Minutes"]"#, Set<Period>.self) == [.tenMinutes])
        #expect(try upgraded(#"{"p":"30 Minutes"}"#, [String: Period].self) == ["p": .halfHour])
        #expect(try upgraded(#"["10 Minutes",10]"#, [Period: Int].self) == [.tenMinutes: 10])
    }

    @Test
    func `period becomes its raw value`() throws {
        #expect(try upgraded(#""10 Minutes""#, EnumForm.self) == .tenMinutes)
        #expect(try upgraded(#"["10 Minutes"]"#, [EnumForm].self) == [.tenMinutes])
        #expect(try upgraded(#"["10 Minutes"]"#, Set<EnumForm>.self) == [.tenMinutes])
        #expect(try upgraded(#"{"p":"10 Minutes"}"#, [String: EnumForm].self) == ["p": .tenMinutes])
        #expect(try upgraded(#"["10 Minutes",1]"#, [EnumForm: Int].self) == [.tenMinutes: 1])
    }

    @Test
    func `period is converted by its own toNative`() throws {
        #expect(try upgraded(#""10 Minutes""#, Span.self) == .short)
        #expect(try upgraded(#""1 Hour""#, Span.self) == .long)
        #expect(try upgraded("long", Span.self) == .long)
        #expect(try upgraded(#"["10 Minutes","30 Minutes"]"#, [Span].self) == [.short, .long])
        #expect(try upgraded(#"["1 Hour"]"#, Set<Span>.self) == [.long])
        #expect(try upgraded(#"{"p":"30 Minutes"}"#, [String: Span].self) == ["p": .long])
        let key = DefaultsKey<Span?>("key")
        for text in [#""1 Hour""#, "long"] {
            let scratch = try ScratchSuite(["key": .string(text)])
            try scratch.suite.upgrade(with: [.defaultsV4ToV5(to: 1, suite: scratch.suite, keys: [key])])
            #expect(try scratch.suite.value(forKey: "key") == "long")
            #expect(try scratch.suite.value(for: key) == .long)
        }
        let unknown = DefaultsV4Conversion().convert(#""2 Weeks""#, as: key.form)
        guard case .notConvertible = unknown else {
            Issue.record("\(unknown)")
            return
        }
    }

    @Test
    func `timezone is converted by TimeZoneBridge`() throws {
        #expect(try upgraded(taipeiText, TimeZone.self) == nativeTaipei)
        #expect(try upgraded("[\(taipeiText)]", [TimeZone].self) == [nativeTaipei])
        #expect(try upgraded("[\(taipeiText)]", Set<TimeZone>.self) == [nativeTaipei])
        #expect(try upgraded(#"{"k":\#(taipeiText)}"#, [String: TimeZone].self) == ["k": nativeTaipei])
    }

    @Test
    func `UUIDs and ranges are converted for each release`() throws {
        let identifier = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let text = "\"\(identifier.uuidString)\""
        for target in [DefaultsRelease.v5, .v6dot2, .v6dot3] {
            let conversion = DefaultsV4Conversion(target: target)
            #expect(try upgraded(text, UUID.self, conversion: conversion) == identifier)
            #expect(try upgraded("[\(text)]", [UUID].self, conversion: conversion) == [identifier])
            #expect(try upgraded("[1,5]", Range<Int>.self, conversion: conversion) == 1..<5)
            #expect(try upgraded("[1,5]", ClosedRange<Int>.self, conversion: conversion) == 1...5)
            #expect(try upgraded("[[1,5]]", [ClosedRange<Int8>].self, conversion: conversion) == [1...5])
        }
    }

    @Test
    func `A raw value that the new type no longer has is not convertible`() throws {
        let outcome = DefaultsV4Conversion().convert(
            .string(#"["10 Minutes","2 Weeks"]"#),
            as: DefaultsKey<[EnumForm]?>("key").form
        )
        guard case .notConvertible(_, let place) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(place.steps == [.index(1)])
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
