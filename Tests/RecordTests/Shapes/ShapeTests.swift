import Foundation
import Molt
import Testing

/// The shapes of types, as taken from values.
@Suite("Shapes of types")
struct ShapeTests: ShapeSuite {
    @Test func `A shape is short, sorted and decoded from its JSON unchanged`() throws {
        try expectShape(
            of: Before.Contact(),
            #"{"properties":{"home":{"properties":{"street":"String","zip":"Int"},"type":"Address"},"#
                + #""others":{"elements":{"properties":{"street":"String","zip":"Int"},"type":"Address"},"#
                + #""type":"Array<Address>"}},"type":"Contact"}"#
        )
        for shape in Self.manyShapes {
            let again = try JSONDecoder().decode(TypeShape.self, from: try JSONEncoder().encode(shape))
            #expect(again == shape)
            #expect(shape.differences(from: again).isEmpty)
        }
        #expect(TypeShape.of(After.PersonInAnotherOrder()) == .of(Before.Person()))
    }

    @Test(arguments: [
        #""Int""#, #""Date?""#, "{}", #"{"optional":true}"#, #"{"type":"A","varying":true}"#,
        #"{"outer":true,"type":"A"}"#, #"{"elements":"Int?","optional":true,"type":"Array<Optional<Int>>"}"#,
        #"{"keys":"String","type":"Dictionary<String, Int>","values":"Int"}"#, #"{"raw":"String","type":"A"}"#,
        #"{"cases":["1","2"],"raw":"Int","type":"A"}"#, #"{"cases":{"a":{"properties":{"_0":"Int"}}},"type":"A"}"#,
        #"{"cases":{"a":{"properties":{}}},"complete":true,"type":"A"}"#, #"{"single":"Double","type":"A"}"#,
        #"{"properties":{"a":"Int","b":{"single":"Int","type":"B"}},"type":"A"}"#,
        #"{"lenient":["a"],"members":["b","c"],"onlyRead":["d","e"],"properties":{"a":"Int"},"type":"A"}"#,
        #"{"members":null,"properties":{"a":"Int"},"type":"A"}"#,
    ])
    func `The JSON of a shape is read and written as it is`(text: String) throws {
        let shape = try JSONDecoder().decode(TypeShape.self, from: Data(text.utf8))
        #expect(try sortedJSON(shape) == text)
    }

    private static let manyShapes = [
        TypeShape.of(Before.Person()), .of(Before.Contact()), .of(Before.Color.red), .of(Wrapper<Date>(content: nil)),
        .of(Before.Figure.circle(radius: 1)), .of(Tree(children: [Tree()])), .of(Sometimes(note: nil)),
        .of(["a": [1, nil]]), .of(Anything.number(1)), .of(Dog(name: "a", breed: "b")), .of(Mail(text: "a")),
        .of(Day.monday), .of([Before.Person]()),
    ]

    @Test func `Every optional property is recognized, even if it is nil`() throws {
        let values: [(any Encodable, String)] = [
            (Wrapper<Bool>(content: nil), "Bool"), (Wrapper<String>(content: nil), "String"),
            (Wrapper<Double>(content: nil), "Double"), (Wrapper<Float>(content: nil), "Float"),
            (Wrapper<Int>(content: nil), "Int"), (Wrapper<Int8>(content: nil), "Int8"),
            (Wrapper<Int16>(content: nil), "Int16"), (Wrapper<Int32>(content: nil), "Int32"),
            (Wrapper<Int64>(content: nil), "Int"), (Wrapper<UInt>(content: nil), "UInt"),
            (Wrapper<UInt8>(content: nil), "UInt8"), (Wrapper<UInt16>(content: nil), "UInt16"),
            (Wrapper<UInt32>(content: nil), "UInt32"), (Wrapper<UInt64>(content: nil), "UInt"),
            (Wrapper<Date>(content: nil), "Date"), (Wrapper<URL>(content: nil), "URL"),
        ]
        for (value, name) in values {
            try expectShape(of: value, #"{"properties":{"content":"\#(name)?"},"type":"Wrapper"}"#)
        }
    }

    @Test func `An unknown shape agrees with every other, and another value completes it`() {
        let wrappers = (Wrapper<Before.Address>(content: nil), Wrapper(content: Before.Address()))
        expectNoDrift(among: wrappers.0, wrappers.1)
        let (empty, full) = (TypeShape.of(wrappers.0), TypeShape.of(wrappers.1))
        #expect(empty.merged(with: full) == full)
        #expect(full.merged(with: empty) == full)
        #expect(TypeShape.of([Before.Address]()).merged(with: .of([Before.Address()])) == .of([Before.Address()]))
    }

    @Test func `A recursive type refers to itself`() throws {
        try expectShape(
            of: Tree(children: [Tree(children: [Tree()])]),
            #"{"properties":{"children":{"elements":{"outer":true,"type":"Tree"},"type":"Array<Tree>"},"#
                + #""parents":{"keys":"String","optional":true,"type":"Dictionary<String, Tree>","#
                + #""values":{"outer":true,"type":"Tree"}}},"type":"Tree"}"#
        )
        #expect(TypeShape.of(Tree()) == .of(Tree(children: [Tree(children: [Tree()])])))
    }

    @Test func `A removed case of an enum is drift, an added one is not`() throws {
        let (old, new) = (Before.Color.red, After.ColorWithoutBlue.green)
        try expectDrift(from: old, to: new, "Case \"blue\" of \"Color\" has been removed.")
        try expectDrift(from: new, to: old)
        #expect(TypeShape.of(old).merged(with: .of(new)) == .of(old))
        try expectDrift(
            from: Wrapper<Before.Color>(content: nil),
            to: Wrapper<After.ColorWithoutBlue>(content: nil),
            "Case \"blue\" of \"Wrapper.content\" has been removed."
        )
    }

    @Test func `Only the cases seen in values count for an enum with associated values`() throws {
        let (circle, square) = (Before.Figure.circle(radius: 1), Before.Figure.square(side: 1))
        expectNoDrift(among: circle, square)
        let both = TypeShape.of(circle).merged(with: .of(square))
        let changed = TypeShape.of(OtherFigure.circle(radius: "1")).differences(from: both)
        #expect(
            changed.map(\.description) == ["Property \"Figure.circle.radius\" changed from \"Double\" to \"String\"."]
        )
    }

    /// An enum without raw values, a property that is only read, a type that cannot decode its own output, one that
    /// cannot be encoded, and a subclass.
    @Test func `Special types have a shape, too`() throws {
        let noMembers = #"{"members":null,"properties":{}}"#
        try expectShape(
            of: Day.monday,
            #"{"cases":{"monday":\#(noMembers),"other":\#(noMembers),"tuesday":\#(noMembers)},"#
                + #""complete":true,"type":"Day"}"#
        )
        try expectShape(
            of: Sometimes(note: nil),
            #"{"lenient":["note"],"onlyRead":["note"],"properties":{"name":"String","note":"String?"},"#
                + #""type":"Sometimes"}"#
        )
        try expectShape(of: Unreadable(), #"{"properties":{"name":"String"},"type":"Unreadable"}"#)
        try expectShape(
            of: Holder(Unencodable()),
            #"{"properties":{"value":{"type":"Unencodable"}},"type":"Holder"}"#
        )
        try expectShape(
            of: Dog(name: "a", breed: "b"),
            #"{"members":null,"properties":{"breed":"String","#
                + #""super":{"members":null,"properties":{"name":"String"}}},"type":"Dog"}"#
        )
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

private enum OtherFigure: Codable, RecordType {
    static var recordTypeName: String { "Figure" }
    case circle(radius: String)
}

/// Stored as a string.
struct Mail: Codable, Sendable {
    var text: String

    init(text: String) { self.text = text }
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

indirect enum Anything: Codable, Sendable {
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

struct Sometimes: Codable {
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

private struct Unreadable: Codable {
    var name = ""
    init() {}
    init(from decoder: any Decoder) throws { throw CocoaError(.coderReadCorrupt) }
}

private struct Unencodable: Codable {
    func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
}

class Animal: Codable {
    var name: String
    init(name: String) { self.name = name }
}

final class Dog: Animal {
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
