import Foundation
import MoltCore
import Testing

/// The shapes of types, as taken from values.
@Suite("Shapes of types")
struct ShapeTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(TypeShape.of(value)), as: UTF8.self)
    }

    @Test func `A shape is short, sorted and decoded from its JSON unchanged`() throws {
        let text = try json(Before.Contact())
        #expect(
            text == #"{"properties":{"home":{"properties":{"street":"String","zip":"Int"},"type":"Address"},"#
                + #""others":{"elements":{"properties":{"street":"String","zip":"Int"},"type":"Address"},"#
                + #""type":"Array<Address>"}},"type":"Contact"}"#
        )
        for shape in Self.manyShapes {
            let again = try JSONDecoder().decode(TypeShape.self, from: try JSONEncoder().encode(shape))
            #expect(again == shape)
            #expect(shape.differences(from: again).isEmpty)
        }
    }

    private static let manyShapes = [
        TypeShape.of(Before.Person()), .of(Before.Contact()), .of(Before.Color.red), .of(Everything()),
        .of(Before.Figure.circle(radius: 1)), .of(Tree(children: [Tree()])), .of(Sometimes(note: nil)),
        .of(["a": [1, nil]]), .of(Anything.number(1)), .of(Dog(name: "a", breed: "b")), .of(Mail(text: "a")),
        .of(Weekday.monday), .of([Before.Person]()),
    ]

    @Test func `Every optional property is recognized, even if it is nil`() throws {
        guard case .object(let object) = TypeShape.of(Everything()).form else { return #expect(Bool(false)) }
        let optionals = object.properties.filter { $0.key.hasPrefix("o") }
        #expect(optionals.count == 16)
        for (name, shape) in optionals {
            #expect(shape.isOptional, "\(name)")
            #expect(shape.form == .leaf, "\(name)")
        }
        #expect(object.properties["i64"]?.text == "Int")
        #expect(object.properties["u64"]?.text == "UInt")
        #expect(object.properties["text"]?.text == "String")
        #expect(object.lenient.isEmpty)
        #expect(object.onlyRead.isEmpty)
    }

    @Test func `An unknown shape agrees with every other, and another value completes it`() {
        let empty = TypeShape.of(Wrapper<Before.Address>(content: nil))
        let full = TypeShape.of(Wrapper(content: Before.Address()))
        #expect(full.differences(from: empty).isEmpty)
        #expect(empty.differences(from: full).isEmpty)
        #expect(empty.merged(with: full) == full)
        #expect(full.merged(with: empty) == full)
        #expect(TypeShape.of([Before.Address]()).merged(with: .of([Before.Address()])) == .of([Before.Address()]))
    }

    @Test func `A recursive type refers to itself`() throws {
        #expect(
            try json(Tree(children: [Tree(children: [Tree()])]))
                == #"{"properties":{"children":{"elements":{"outer":true,"type":"Tree"},"type":"Array<Tree>"},"#
                + #""parents":{"keys":"String","optional":true,"type":"Dictionary<String, Tree>","#
                + #""values":{"outer":true,"type":"Tree"}}},"type":"Tree"}"#
        )
        #expect(TypeShape.of(Tree()) == .of(Tree(children: [Tree(children: [Tree()])])))
    }

    @Test func `Dictionary keys are not properties`() throws {
        let shape = TypeShape.of(["secret": 1])
        #expect(shape.differences(from: .of(["other": 1, "more": 2])).isEmpty)
        #expect(!(try json(["secret": 1])).contains("secret"))
        let dynamic = TypeShape.of(DynamicKeys(keys: ["secret"]))
        #expect(dynamic.differences(from: .of(DynamicKeys(keys: ["a", "b"]))).isEmpty)
        #expect(!(try json(DynamicKeys(keys: ["secret"]))).contains("secret"))
    }

    @Test func `A removed case of an enum is drift, an added one is not`() {
        let old = TypeShape.of(Before.Color.red)
        let new = TypeShape.of(After.ColorWithoutBlue.green)
        #expect(new.differences(from: old).map(\.description) == ["Case 'blue' of 'Color' has been removed."])
        #expect(old.differences(from: new).isEmpty)
        #expect(old.merged(with: new) == old)
        let holder = TypeShape.of(Wrapper<Before.Color>(content: nil))
        let newHolder = TypeShape.of(Wrapper<After.ColorWithoutBlue>(content: nil)).differences(from: holder)
        #expect(newHolder.map(\.description) == ["Case 'blue' of 'Wrapper.content' has been removed."])
    }

    @Test func `An enum without raw values has its cases in the shape`() throws {
        #expect(
            try json(Weekday.monday)
                == #"{"cases":{"monday":{"members":null,"properties":{}},"other":{"members":null,"properties":{}},"#
                + #""tuesday":{"members":null,"properties":{}}},"complete":true,"type":"Weekday"}"#
        )
    }

    @Test func `Only the cases seen in values count for an enum with associated values`() throws {
        let circle = TypeShape.of(Before.Figure.circle(radius: 1))
        let square = TypeShape.of(Before.Figure.square(side: 1))
        #expect(square.differences(from: circle).isEmpty)
        let both = circle.merged(with: square)
        #expect(circle.differences(from: both).isEmpty)
        let changed = TypeShape.of(OtherFigure.circle(radius: "1")).differences(from: both)
        #expect(changed.map(\.description) == ["Property 'Figure.circle.radius' changed from 'Double' to 'String'."])
    }

    @Test func `A type that wraps a raw value has the shape of the raw value`() {
        let text = TypeShape.of(DriftRowTests.Holder("a"))
        #expect(TypeShape.of(DriftRowTests.Holder(Before.Color.red)).differences(from: text).isEmpty)
        #expect(TypeShape.of(DriftRowTests.Holder(Mail(text: "a"))).differences(from: text).isEmpty)
        #expect(TypeShape.of(DriftRowTests.Holder(Set([1]))).differences(from: .of(DriftRowTests.Holder([1]))).isEmpty)
        #expect(
            TypeShape.of(DriftRowTests.Holder(Mail(text: "a"))).differences(from: .of(DriftRowTests.Holder(1)))
                .map(\.description) == ["Property 'Holder.value' changed from 'Int' to 'Mail'."]
        )
    }

    @Test func `A type that stores each value in its own way has no drift`() {
        let values: [Anything] = [.number(1), .text("a"), .list([.number(1), .text("b")]), .none]
        for one in values {
            for other in values {
                #expect(TypeShape.of(other).differences(from: .of(one)).isEmpty)
                #expect(
                    TypeShape.of(DriftRowTests.Holder(other)).differences(from: .of(DriftRowTests.Holder(one))).isEmpty
                )
            }
        }
    }

    @Test func `A property that is only sometimes written is never drift`() {
        let with = TypeShape.of(Sometimes(note: "a"))
        let without = TypeShape.of(Sometimes(note: nil))
        #expect(with.differences(from: without).isEmpty)
        #expect(without.differences(from: with).isEmpty)
        #expect(with.merged(with: without).differences(from: with).isEmpty)
        let alone = (TypeShape.of(WrittenSometimes(note: "a")), TypeShape.of(WrittenSometimes(note: nil)))
        #expect(alone.0.differences(from: alone.1).isEmpty)
        #expect(alone.1.differences(from: alone.0).isEmpty)
        let kinds = [TypeShape.of(Either(a: 1)), TypeShape.of(Either(b: "b"))]
        #expect(kinds[0].differences(from: kinds[1]).isEmpty)
        #expect(kinds[1].differences(from: kinds[0]).isEmpty)
        #expect(kinds[0].merged(with: kinds[1]).differences(from: kinds[1]).isEmpty)
    }

    @Test func `A property that is only read is in the shape`() throws {
        #expect(
            try json(Sometimes(note: nil))
                == #"{"lenient":["note"],"onlyRead":["note"],"properties":{"name":"String","note":"String?"},"type":"Sometimes"}"#
        )
    }

    @Test func `A type that cannot decode its own output has the shape of its output`() throws {
        #expect(try json(Unreadable()) == #"{"properties":{"name":"String"},"type":"Unreadable"}"#)
    }

    @Test func `A type that cannot be encoded has an unknown shape`() throws {
        #expect(
            try json(DriftRowTests.Holder(Unencodable()))
                == #"{"properties":{"value":{"type":"Unencodable"}},"type":"Holder"}"#
        )
    }

    @Test func `A superclass is part of the shape, and another subclass is no drift`() throws {
        #expect(
            try json(Dog(name: "a", breed: "b"))
                == #"{"members":null,"properties":{"breed":"String","#
                + #""super":{"members":null,"properties":{"name":"String"}}},"type":"Dog"}"#
        )
        let kennel = TypeShape.of([Animal(name: "a")])
        #expect(TypeShape.of([Dog(name: "a", breed: "b") as Animal]).differences(from: kennel).isEmpty)
    }

    @Test func `A renamed coding key is drift`() {
        #expect(
            TypeShape.of(Renamed()).differences(from: .of(Before.Address())).map(\.description)
                == ["Property 'Renamed.road' has been added.", "Property 'Renamed.street' has been removed."]
        )
    }

    @Test func `Elements that become optional are drift`() {
        #expect(
            TypeShape.of(DriftRowTests.Holder([1, nil])).differences(from: .of(DriftRowTests.Holder([1])))
                .map(\.description) == ["Property 'Holder.value[]' has been made optional."]
        )
        #expect(
            TypeShape.of(["a"]).differences(from: .of([1])).map(\.description)
                == ["Type 'Array<String>' changed from '[Int]' to '[String]'."]
        )
    }

    @Test func `A large value is examined only in part`() {
        let counter = Counter()
        _ = TypeShape.of((0..<10_000).map { _ in Counted(counter: counter) })
        #expect(counter.count == 16)
    }
}

private struct Wrapper<Content: Codable>: Codable, RecordType {
    static var recordTypeName: String { "Wrapper" }
    var content: Content?
}

private struct Tree: Codable {
    var children: [Tree] = []
    var parents: [String: Tree]?
}

private struct Everything: Codable {
    var ob: Bool?
    var os: String?
    var od: Double?
    var of: Float?
    var oi: Int?
    var oi8: Int8?
    var oi16: Int16?
    var oi32: Int32?
    var oi64: Int64?
    var ou: UInt?
    var ou8: UInt8?
    var ou16: UInt16?
    var ou32: UInt32?
    var ou64: UInt64?
    var odate: Date?
    var ourl: URL?
    var i64: Int64 = 1
    var u64: UInt64 = 1
    var text = ""
    var nested = ["a": [Before.Address()]]
}

private struct DynamicKeys: Codable {
    var keys: [String]

    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(keys: [String]) { self.keys = keys }

    init(from decoder: any Decoder) throws {
        keys = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for key in keys { try container.encode(1, forKey: Key(stringValue: key)) }
    }
}

private enum Weekday: Codable, CaseIterable {
    case monday, tuesday, other
}

private enum OtherFigure: Codable, RecordType {
    static var recordTypeName: String { "Figure" }
    case circle(radius: String)
}

/// Stored as a string.
private struct Mail: Codable, Sendable {
    var text: String

    init(text: String) { self.text = text }
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

private indirect enum Anything: Codable, Sendable {
    case number(Int)
    case text(String)
    case list([Anything])
    case none

    init(from decoder: any Decoder) throws { self = .none }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .none: try container.encodeNil()
        }
    }
}

private struct Sometimes: Codable {
    var name = ""
    var note: String?

    enum CodingKeys: CodingKey { case name, note }

    init(note: String?) { self.note = note }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        note = try container.decodeIfPresent(String.self, forKey: .note)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        if let note { try container.encode(note, forKey: .note) }
    }
}

private struct WrittenSometimes: Encodable {
    var name = ""
    var note: String?

    enum CodingKeys: CodingKey { case name, note }

    init(note: String?) { self.note = note }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        if let note { try container.encode(note, forKey: .note) }
    }
}

/// The type that is written and read depends on the value.
private struct Either: Codable {
    var a: Int?
    var b: String?

    enum CodingKeys: CodingKey { case kind, a, b, value }

    init(a: Int) { self.a = a }
    init(b: String) { self.b = b }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if try container.decode(String.self, forKey: .kind) == "a" {
            a = try container.decode(Int.self, forKey: .a)
        } else {
            b = try container.decode(String.self, forKey: .b)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(a == nil ? "b" : "a", forKey: .kind)
        if let a { try container.encode(a, forKey: .a) }
        if let b { try container.encode(b, forKey: .b) }
    }
}

private struct Unreadable: Codable {
    var name = ""
    init() {}
    init(from decoder: any Decoder) throws { throw CocoaError(.coderReadCorrupt) }
}

private struct Unencodable: Codable {
    func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
}

private class Animal: Codable {
    var name: String
    init(name: String) { self.name = name }
}

private final class Dog: Animal {
    var breed: String

    enum CodingKeys: CodingKey { case breed }

    init(name: String, breed: String) {
        self.breed = breed
        super.init(name: name)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        breed = try container.decode(String.self, forKey: .breed)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(breed, forKey: .breed)
        try super.encode(to: container.superEncoder())
    }
}

private struct Renamed: Codable {
    var street = "a"
    var zip = 1

    enum CodingKeys: String, CodingKey {
        case street = "road"
        case zip
    }
}

private final class Counter {
    var count = 0
}

private struct Counted: Encodable {
    let counter: Counter

    func encode(to encoder: any Encoder) throws {
        counter.count += 1
        var container = encoder.singleValueContainer()
        try container.encode(1)
    }
}
