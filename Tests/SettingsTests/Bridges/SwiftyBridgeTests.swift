public import Foundation
public import Molt
import Testing

/// The bridges from the guide of SwiftyUserDefaults 4.0 alpha 2, under Molt's names.
@Suite("Bridges in the style of SwiftyUserDefaults") struct SwiftyBridgeTests {
    /// As in the guide: `compactMap { $0 as? String }`.
    @Test func `An array bridge may skip unreadable elements, which otherwise make the array unreadable`() throws {
        expectUnreadable(["a", 1], as: [String].self, at: "[1]")
        try expect([Tadpole(name: "a"), Tadpole(name: "b")], storedAs: ["a", "b"])
        try expect([Tadpole(name: "a"), Tadpole(name: "c")], readFrom: ["a", 1, ["b"], "c"])
        expectUnreadable("a", as: [Tadpole].self)
    }

    @Test func `An extension adds a bridge to a type that the app does not own`() throws {
        try expect(Duration.seconds(90), storedAs: 90.0)
        try expect([Duration.seconds(1), .milliseconds(500)], storedAs: [1.0, 0.5])
        try expect(["rest": Duration.seconds(2)], storedAs: ["rest": 2.0])
        try expect(Duration.seconds(3), readFrom: 3)
        expectUnreadable("90", as: Duration.self)
        // A Codable type needs no bridge.
        try expect(Locale.LanguageCode("de"), storedAs: "\"de\"")
        let suite = try ScratchSuite().suite
        let pause = DefaultsKey<Duration>("pause", default: .seconds(5))
        #expect(suite[pause] == .seconds(5))
        suite[pause] += .seconds(1)
        #expect(try suite.value(forKey: "pause") == 6.0)
    }

    @Test func `A type can be stored as JSON data, alone and in an array`() throws {
        try expect(Toad(age: 3), storedAs: .data(Data(#"{"age":3}"#.utf8)))
        try expect([Toad(age: 3)], storedAs: .data(Data(#"[{"age":3}]"#.utf8)))
        expectUnreadable(.data(Data()), as: Toad.self)
        expectUnreadable(.data(Data(#"[{"age":3},{}]"#.utf8)), as: [Toad].self, at: "[1].age")
        expectUnreadable(.string(#"{"age":3}"#), as: Toad.self)
    }

    @Test func `An array of objects can be stored as one archive`() throws {
        let archive = try #require(try stored([Newt(name: "a"), Newt(name: "b")])?.data)
        let names = try read([Newt].self, from: .data(archive)).map(\.name)
        #expect(names == ["a", "b"])
    }
}

struct Frog: DefaultsSerializable, Equatable {
    static var bridge: FrogBridge { FrogBridge() }
    static var arrayBridge: FrogArrayBridge { FrogArrayBridge() }

    let name: String
}

final class FrogBridge: DefaultsBridge {
    func serialize(_ value: Frog?) -> String? { value?.name }
    func deserialize(_ object: String?) -> Frog? { object.map(Frog.init) }
}

final class FrogArrayBridge: DefaultsBridge {
    func serialize(_ value: [Frog]?) -> [String]? { value?.map(\.name) }
    func deserialize(_ object: [String]?) -> [Frog]? { object?.map(Frog.init) }
}

/// A frog whose array bridge skips unreadable elements.
private struct Tadpole: DefaultsSerializable, Equatable {
    static var bridge: TadpoleBridge { TadpoleBridge() }
    static var arrayBridge: TadpoleArrayBridge { TadpoleArrayBridge() }

    let name: String
}

private struct TadpoleBridge: DefaultsBridge {
    func serialize(_ value: Tadpole?) -> String? { value?.name }
    func deserialize(_ object: String?) -> Tadpole? { object.map(Tadpole.init) }
}

private struct TadpoleArrayBridge: DefaultsBridge {
    func serialize(_ value: [Tadpole]?) -> [Any]? { value?.map(\.name) }
    func deserialize(_ object: [Any]?) -> [Tadpole]? { object?.compactMap { $0 as? String }.map(Tadpole.init) }
}

extension Duration: DefaultsSerializable {
    /// The bridge that stores the number of seconds.
    public static var bridge: DurationBridge { DurationBridge() }
}

/// Stores a duration as a number of seconds.
public struct DurationBridge: DefaultsBridge {
    /// Returns the number of seconds.
    public func serialize(_ value: Duration?) -> Double? {
        value.map { $0 / .seconds(1) }
    }

    /// Returns the duration.
    public func deserialize(_ object: Double?) -> Duration? {
        object.map { .seconds($0) }
    }
}

extension Locale.LanguageCode: DefaultsSerializable {}

struct Toad: Codable, Equatable, DefaultsSerializable {
    static var bridge: DefaultsJSONDataBridge<Toad> { DefaultsJSONDataBridge() }
    static var arrayBridge: DefaultsJSONDataBridge<[Toad]> { DefaultsJSONDataBridge() }

    var age: Int
}
