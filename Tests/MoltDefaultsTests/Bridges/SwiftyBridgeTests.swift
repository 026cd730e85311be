import Foundation
import MoltDefaults
import Testing

/// The guide of SwiftyUserDefaults 4.0 alpha 2, with our names.
@Suite("Bridges in the way of SwiftyUserDefaults")
struct SwiftyBridgeTests {
    @Test
    func `a struct is stored as its name, an array of it as names`() throws {
        try expect(Frog(name: "Froggy"), storedAs: .string("Froggy"))
        try expect([Frog(name: "a"), Frog(name: "b")], storedAs: .array([.string("a"), .string("b")]))
        expectUnreadable(.int(1), as: Frog.self)
        expectUnreadable(.array([.string("a"), .int(1)]), as: [Frog].self, at: "[1]")
    }

    @Test
    func `a type may go as JSON data, alone and as an array`() throws {
        try expect(Toad(age: 3), storedAs: .data(Data(#"{"age":3}"#.utf8)))
        try expect([Toad(age: 3)], storedAs: .data(Data(#"[{"age":3}]"#.utf8)))
        expectUnreadable(.data(Data()), as: Toad.self)
        expectUnreadable(.data(Data(#"[{"age":3},{}]"#.utf8)), as: [Toad].self, at: "[1].age")
        expectUnreadable(.string(#"{"age":3}"#), as: Toad.self)
    }

    @Test
    func `an array of objects may be one archive`() throws {
        let stored = try #require(try stored([Newt(name: "a"), Newt(name: "b")]))
        guard case .data = stored else {
            Issue.record("not data")
            return
        }
        #expect(try read([Newt].self, from: stored).map(\.name) == ["a", "b"])
    }
}

struct Frog: DefaultsSerializable, Equatable {
    static var bridge: FrogBridge { FrogBridge() }
    static var arrayBridge: FrogArrayBridge { FrogArrayBridge() }

    let name: String
}

final class FrogBridge: DefaultsBridge {
    func serialize(_ value: Frog?) -> String? {
        value?.name
    }

    func deserialize(_ object: String?) -> Frog? {
        object.map(Frog.init)
    }
}

final class FrogArrayBridge: DefaultsBridge {
    func serialize(_ value: [Frog]?) -> [String]? {
        value?.map(\.name)
    }

    func deserialize(_ object: [String]?) -> [Frog]? {
        object?.map(Frog.init)
    }
}

struct Toad: Codable, Equatable, DefaultsSerializable {
    static var bridge: DefaultsJSONDataBridge<Toad> { DefaultsJSONDataBridge() }
    static var arrayBridge: DefaultsJSONDataBridge<[Toad]> { DefaultsJSONDataBridge() }

    var age: Int
}

/// Stored as one archive where it is in an array.
final class Newt: NSObject, NSSecureCoding, DefaultsSerializable, Sendable {
    static var supportsSecureCoding: Bool { true }
    static var arrayBridge: DefaultsKeyedArchiveArrayBridge<Newt> { DefaultsKeyedArchiveArrayBridge() }

    let name: String

    init(name: String) {
        self.name = name
    }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = String(describing: name)
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: name), forKey: "name")
    }
}
