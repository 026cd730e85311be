import Foundation
import MoltCore
import Testing

/// Types that store their values in several ways without having changed, and changes that must still be found.
@Suite("False alarms of drift")
struct FalseAlarmTests {
    private typealias Holder = DriftRowTests.Holder

    private func sentences(_ old: some Encodable, _ new: some Encodable) -> [String] {
        TypeShape.of(new).differences(from: .of(old)).map(\.description)
    }

    @Test func `A type-erased wrapper has no drift between values of different types`() {
        let values = [AnyFigure(base: Circle()), AnyFigure(base: Square()), AnyFigure(base: 1)]
        for one in values {
            for other in values {
                #expect(sentences(one, other).isEmpty)
                #expect(sentences(Holding(value: one), Holding(value: other)).isEmpty)
                #expect(sentences([one], [other]).isEmpty)
            }
        }
    }

    @Test func `A generic wrapper has the shape of the type that it wraps`() {
        #expect(
            sentences(Holding(value: Same(base: Circle())), Holding(value: Same(base: OtherCircle())))
                == [
                    "Property 'Holding.value' changed from 'Same<Circle>' to 'Same<OtherCircle>'."
                ]
        )
        #expect(
            sentences(Same(base: Circle()), Same(base: OtherCircle()))
                == [
                    "Property 'Same<OtherCircle>.diameter' has been added.",
                    "Property 'Same<OtherCircle>.radius' has been removed.",
                ]
        )
    }

    @Test func `A type that is stored as an object or as a list has no drift`() {
        #expect(sentences(Flexible(isList: true), Flexible(isList: false)).isEmpty)
        #expect(sentences(Holding(value: Flexible(isList: false)), Holding(value: Flexible(isList: true))).isEmpty)
        // With another name, it is another type.
        #expect(
            sentences(Holding(value: Flexible(isList: false)), Holding(value: [1]))
                == ["Property 'Holding.value' changed from 'Flexible' to '[Int]'."]
        )
    }

    @Test func `A nil that is encoded explicitly says nothing about the type`() {
        #expect(sentences(ByHand(note: "a"), ByHand(note: nil)).isEmpty)
        #expect(sentences(ByHand(note: nil), ByHand(note: "a")).isEmpty)
        let both = TypeShape.of(ByHand(note: nil)).merged(with: .of(ByHand(note: "a")))
        #expect(TypeShape.of(ByHand(note: nil)).differences(from: both).isEmpty)
        #expect(TypeShape.of(ByHand(note: "a")).differences(from: both).isEmpty)
    }

    @Test func `A property that is read as another type than it is written has no drift`() {
        #expect(sentences(Dated(date: nil), Dated(date: Date())).isEmpty)
        #expect(sentences(Dated(date: Date()), Dated(date: nil)).isEmpty)
    }

    @Test func `A property of varying type is drift, unless its type stores each value in its own way`() {
        #expect(!sentences(Tagged(value: 1), Tagged(value: "a")).isEmpty)
        #expect(sentences(TaggedWell(value: .number(1)), TaggedWell(value: .text("a"))).isEmpty)
    }

    @Test func `A case that allCases hides is not removed`() {
        #expect(sentences(Color.blue, ColorThatHides.red).isEmpty)
        #expect(sentences(Number.two, NumberThatHides.one).isEmpty)
        #expect(sentences(Day.other, DayThatHides.monday).isEmpty)
        #expect(sentences(Holding(value: Day.other), Holding(value: DayThatHides.monday)).isEmpty)
        #expect(sentences(Color.blue, ColorThatReadsAll.red).isEmpty)
        // The same inside an array, as in a file.
        #expect(sentences([Color.blue], [ColorThatHides.red]).isEmpty)
    }

    @Test func `A case that no longer exists is removed`() {
        #expect(sentences(Color.blue, ColorWithoutBlue.red) == ["Case 'blue' of 'Color' has been removed."])
        #expect(sentences(Number.two, NumberWithoutTwo.one) == ["Case '2' of 'Number' has been removed."])
        #expect(sentences(Day.other, DayWithoutOther.monday) == ["Case 'other' of 'Day' has been removed."])
    }
}

private struct Holding<Value: Encodable>: Encodable, RecordType {
    static var recordTypeName: String { "Holding" }
    var value: Value
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

private struct TaggedWell: Encodable {
    enum Value: Encodable {
        case number(Int)
        case text(String)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }
    }
    var value: Value
}

private enum Color: String, Codable, CaseIterable { case red, green, blue }
private enum ColorThatHides: String, Codable, CaseIterable, RecordType {
    static var recordTypeName: String { "Color" }
    static var allCases: [ColorThatHides] { [.red, .green] }
    case red, green, blue
}
private enum ColorThatReadsAll: String, Codable, CaseIterable, RecordType {
    static var recordTypeName: String { "Color" }
    case red, other
    init?(rawValue: String) { self = rawValue == "red" ? .red : .other }
}
private enum ColorWithoutBlue: String, Codable, CaseIterable, RecordType {
    static var recordTypeName: String { "Color" }
    case red, green
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

private enum Day: Codable, CaseIterable { case monday, tuesday, other }
private enum DayThatHides: Codable, CaseIterable, RecordType {
    static var recordTypeName: String { "Day" }
    static var allCases: [DayThatHides] { [.monday, .tuesday] }
    case monday, tuesday, other
}
private enum DayWithoutOther: Codable, CaseIterable, RecordType {
    static var recordTypeName: String { "Day" }
    case monday, tuesday
}
