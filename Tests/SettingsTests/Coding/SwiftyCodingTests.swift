public import Foundation
public import Molt
import Testing

/// The bridges from the guide of SwiftyUserDefaults 4.0 alpha 2, as codings.
@Suite("Codings in the style of SwiftyUserDefaults") struct SwiftyCodingTests {
    /// As in the guide: `compactMap { $0 as? String }`.
    @Test func `A coding may skip unreadable elements, which otherwise make the array unreadable`() throws {
        expectUnreadable(["a", 1], as: [String].self, at: "[1]")
        let tadpoles = SettingCoding<[Frog]> { frogs in
            .array(frogs.map { .string($0.name) })
        } decode: { stored in
            stored.array?.compactMap(\.string).map(Frog.init)
        }
        try tadpoles.expect([Frog(name: "a"), Frog(name: "b")], storedAs: ["a", "b"])
        #expect(try tadpoles.read(["a", 1, ["b"], "c"]) == [Frog(name: "a"), Frog(name: "c")])
        expectUnreadable("a", with: SettingKey<[Frog]?>("key", coding: tadpoles))
    }

    @Test func `An extension adds a coding to a type that the app does not own`() throws {
        try expect(Duration.seconds(90), storedAs: 90.0)
        try expect([Duration.seconds(1), .milliseconds(500)], storedAs: [1.0, 0.5])
        try expect(["rest": Duration.seconds(2)], storedAs: ["rest": 2.0])
        try expect(Duration.seconds(3), readFrom: 3)
        expectUnreadable("90", as: Duration.self)
        // A Codable type needs no coding.
        try expect(Locale.LanguageCode("de"), storedAs: "\"de\"")
        let suite = try ScratchSuite().suite
        let pause = SettingKey<Duration>("pause", default: .seconds(5))
        #expect(suite[pause] == .seconds(5))
        suite[pause] += .seconds(1)
        #expect(try suite.value(forKey: "pause") == 6.0)
    }

    @Test func `A type can be stored as JSON data, alone and in an array`() throws {
        try expect(Toad(age: 3), storedAs: .data(Data(#"{"age":3}"#.utf8)))
        try SettingCoding.jsonData.expect([Toad(age: 3)], storedAs: .data(Data(#"[{"age":3}]"#.utf8)))
        expectUnreadable(.data(Data()), as: Toad.self)
        let toads = SettingKey<[Toad]?>("key", coding: .jsonData)
        expectUnreadable(.data(Data(#"[{"age":3},{}]"#.utf8)), with: toads, at: "[1].age")
        expectUnreadable(.string(#"{"age":3}"#), as: Toad.self)
    }

    @Test func `An array of objects can be stored as one archive`() throws {
        let newts = SettingCoding<[Newt]>.keyedArchive
        let archive = try #require(try newts.stored([Newt(name: "a"), Newt(name: "b")])?.data)
        let names = try newts.read(.data(archive)).map(\.name)
        #expect(names == ["a", "b"])
    }
}

struct Frog: SettingValue, Equatable {
    static var settingCoding: SettingCoding<Self> {
        SettingCoding {
            .string($0.name)
        } decode: {
            $0.string.map(Frog.init)
        }
    }

    let name: String
}

extension Duration: SettingValue {
    /// Stores the number of seconds.
    public static var settingCoding: SettingCoding<Duration> {
        SettingCoding {
            try Double.settingCoding.encode($0 / .seconds(1))
        } decode: {
            try .seconds(Double.settingCoding.decode($0))
        }
    }
}

extension Locale.LanguageCode: SettingValue {}

struct Toad: Codable, Equatable, SettingValue {
    static var settingCoding: SettingCoding<Self> { .jsonData }

    var age: Int
}
