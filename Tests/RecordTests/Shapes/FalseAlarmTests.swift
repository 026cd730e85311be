import Foundation
import Molt
import Testing

/// Types that store their values in several ways without having changed, and changes that must still be found.
@Suite("False alarms of drift")
struct FalseAlarmTests: ShapeSuite {
    @Test func `A type that stores its values in several ways has no drift`() {
        expectNoDrift(among: AnyFigure(base: Circle()), AnyFigure(base: Square()), AnyFigure(base: 1))
        let list = Anything.list([.number(1), .text("b")])
        expectNoDrift(among: Anything.number(1), Anything.text("a"), list, Anything.none)
        expectNoDrift(among: [Animal(name: "a")], [Dog(name: "a", breed: "b") as Animal])
        // A nil that is encoded explicitly says nothing about the type.
        expectNoDrift(among: ByHand(note: "a"), ByHand(note: nil))
        // Properties that are only sometimes written, and one that is read as another type than it is written.
        expectNoDrift(among: Sometimes(note: "a"), Sometimes(note: nil))
        expectNoDrift(among: WrittenSometimes(note: "a"), WrittenSometimes(note: nil))
        expectNoDrift(among: Either(a: 1), Either(b: "b"))
        expectNoDrift(among: Dated(date: nil), Dated(date: Date()))
    }

    @Test func `A generic wrapper has the shape of the type that it wraps`() throws {
        let changed = "Property \"Holder.value\" changed from \"Same<Circle>\" to \"Same<OtherCircle>\"."
        try expectDrift(from: Holder(Same(base: Circle())), to: Holder(Same(base: OtherCircle())), changed)
        try expectDrift(
            from: Same(base: Circle()),
            to: Same(base: OtherCircle()),
            "Property \"Same<OtherCircle>.diameter\" has been added.",
            "Property \"Same<OtherCircle>.radius\" has been removed."
        )
    }

    @Test func `A type that is stored as an object or as a list has no drift`() throws {
        expectNoDrift(among: Flexible(isList: true), Flexible(isList: false))
        // With another name, it is another type.
        let changed = "Property \"Holder.value\" changed from \"Flexible\" to \"[Int]\"."
        try expectDrift(from: Holder(Flexible(isList: false)), to: Holder([1]), changed)
    }

    @Test func `A type that wraps a raw value has the shape of the raw value`() throws {
        try expectDrift(from: Holder("a"), to: Holder(Before.Color.red))
        try expectDrift(from: Holder("a"), to: Holder(Mail(text: "a")))
        try expectDrift(from: Holder([1]), to: Holder(Set([1])))
        let changed = "Property \"Holder.value\" changed from \"Int\" to \"Mail\"."
        try expectDrift(from: Holder(1), to: Holder(Mail(text: "a")), changed)
    }

    @Test func `Keys of dictionaries and keys made at run time are not properties`() throws {
        expectNoDrift(among: ["secret": 1], ["other": 1, "more": 2])
        expectNoDrift(among: DynamicKeys(keys: ["secret"]), DynamicKeys(keys: ["a", "b"]))
        expectNoDrift(among: AnyKeys(keys: ["secret"]), AnyKeys(keys: ["a", "b"]))
        let texts = try [
            json(["secret": 1]), json(DynamicKeys(keys: ["secret"])), json(AnyKeys(keys: ["secret"])),
            json([AnyKeys(keys: ["secret"], isNested: true)]),
        ]
        #expect(!texts.joined().contains("secret"))
        // The key that the code names is a property.
        #expect(try json(AnyKeys(keys: [])).contains("\"version\""))
    }

    @Test func `A property of varying type is drift`() {
        let differences = TypeShape.of(Tagged(value: "a")).differences(from: .of(Tagged(value: 1)))
        #expect(!differences.isEmpty)
    }

    @Test func `A case that allCases hides is not removed, but one that no longer exists is`() throws {
        try expectDrift(from: Before.Color.blue, to: ColorThatHides.red)
        try expectDrift(from: Number.two, to: NumberThatHides.one)
        try expectDrift(from: Day.other, to: DayThatHides.monday)
        try expectDrift(from: Holder(Day.other), to: Holder(DayThatHides.monday))
        try expectDrift(from: [Before.Color.blue], to: [ColorThatHides.red])
        try expectDrift(from: Before.Color.blue, to: ColorThatReadsAll.red)
        try expectDrift(from: Number.two, to: NumberWithoutTwo.one, "Case \"2\" of \"Number\" has been removed.")
        try expectDrift(from: Day.other, to: DayWithoutOther.monday, "Case \"other\" of \"Day\" has been removed.")
    }
}

private struct Circle: Codable { var radius = 1.0 }
private struct OtherCircle: Codable { var diameter = 2.0 }
private struct Square: Codable { var side = 1 }

private struct AnyFigure: Encodable {
    var base: any Encodable
    func encode(to encoder: any Encoder) throws { try base.encode(to: encoder) }
}

private struct Same<Base: Codable>: Encodable {
    var base: Base
    func encode(to encoder: any Encoder) throws { try base.encode(to: encoder) }
}

private struct Flexible: Encodable {
    var isList: Bool

    enum CodingKeys: CodingKey { case name }

    func encode(to encoder: any Encoder) throws {
        if isList {
            var container = encoder.unkeyedContainer()
            try container.encode("a")
        } else {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("a", forKey: .name)
        }
    }
}

private struct ByHand: Codable {
    var note: String?

    enum CodingKeys: CodingKey { case note }

    init(note: String?) { self.note = note }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        note = try? container.decode(String.self, forKey: .note)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if let note { try container.encode(note, forKey: .note) } else { try container.encodeNil(forKey: .note) }
    }
}

/// Writes a date as a number if there is one, and reads it as a date.
private struct Dated: Codable {
    var date: Date?

    enum CodingKeys: CodingKey { case date }

    init(date: Date?) { self.date = date }

    init(from decoder: any Decoder) throws {
        date = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Date.self, forKey: .date)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if let date { try container.encode(date.timeIntervalSinceReferenceDate, forKey: .date) }
    }
}

private struct Tagged: Encodable {
    var value: any Encodable

    enum CodingKeys: CodingKey { case kind, value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value is Int ? "number" : "text", forKey: .kind)
        try container.encode(value, forKey: .value)
    }
}

private enum ColorThatHides: String, ColorVersion {
    static var allCases: [ColorThatHides] { [.red, .green] }
    case red, green, blue
}
private enum ColorThatReadsAll: String, ColorVersion {
    case red, other
    init?(rawValue: String) { self = rawValue == "red" ? .red : .other }
}

private enum Number: Int, Codable, CaseIterable {
    case one = 1
    case two, three
}
private enum NumberThatHides: Int, Codable, CaseIterable, RecordType {
    static var recordTypeName: String { "Number" }
    static var allCases: [NumberThatHides] { [.one, .three] }
    case one = 1
    case two, three
}
private enum NumberWithoutTwo: Int, Codable, CaseIterable, RecordType {
    static var recordTypeName: String { "Number" }
    case one = 1
    case three = 3
}

enum Day: Codable, CaseIterable { case monday, tuesday, other }
private enum DayThatHides: Codable, CaseIterable, RecordType {
    static var recordTypeName: String { "Day" }
    static var allCases: [DayThatHides] { [.monday, .tuesday] }
    case monday, tuesday, other
}
private enum DayWithoutOther: Codable, CaseIterable, RecordType {
    static var recordTypeName: String { "Day" }
    case monday, tuesday
}

private struct WrittenSometimes: Encodable {
    var name = ""
    var note: String?

    enum CodingKeys: CodingKey { case name, note }

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

/// The keys are an enum whose cases mostly hold strings that a user has typed.
private struct AnyKeys: Encodable {
    var keys: [String]
    var isNested = false

    enum Key: CodingKey {
        case version
        case text(String)

        var stringValue: String {
            switch self {
            case .version: "version"
            case .text(let text): text
            }
        }
        var intValue: Int? { nil }
        init(stringValue: String) { self = .text(stringValue) }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .version)
        for key in keys {
            if isNested {
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: .text(key))
                try nested.encode(1, forKey: .text(key))
            } else {
                try container.encode(1, forKey: .text(key))
            }
        }
    }
}
