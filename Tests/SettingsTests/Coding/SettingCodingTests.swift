import Foundation
import Molt
import Testing

@Suite("Codings of single values") struct SettingCodingTests {
    @Test func `A Codable value is stored as JSON text`() throws {
        try expect(Note(when: Date(timeIntervalSinceReferenceDate: 0.5)), storedAs: .string(#"{"when":0.5}"#))
        try expect(Period.tenMinutes, storedAs: .string("\"10 Minutes\""))
        expectUnreadable(.string("\"2 Weeks\""), as: Period.self)
        // Spelled as other code writes it.
        try expect(Period.tenMinutes, readFrom: "10 Minutes")
        expectUnreadable(.string("{}"), as: Note.self, at: "when")
        expectUnreadable(.string(""), as: Note.self)
    }

    @Test func `A RawRepresentable value is stored as its raw value`() throws {
        try expect(EnumForm.oneHour, storedAs: .string("1 Hour"))
        try expect(Level.high, storedAs: .int(2))
        try expect(Preferred.b, storedAs: .string("b"))
        try expect(Options([.first, .second]), storedAs: .int(3))
        expectUnreadable([("2 Weeks", EnumForm.self), (3, Level.self), ("\"b\"", Preferred.self)])
        expectUnreadable(.array([.int(1), .int(7)]), as: [Level].self, at: "[1]")
    }

    @Test func `A value that JSON cannot represent is refused`() throws {
        expectUnstorable(Ratio(value: .infinity))
        expectUnstorable([Decimal.nan])
        expectUnstorable(Price(value: .nan))
        try expect(Price(value: 1), storedAs: .string(#"{"value":1}"#))
        try expect(["NaN"], storedAs: .array([.string("NaN")]))
        try expect(Titled(title: "NaN"), storedAs: .string(#"{"title":"NaN"}"#))
    }

    @Test func `A custom coding gives a native form, also inside containers`() throws {
        let zone = ChosenTimeZone(id: "0", name: "Asia/Taipei")
        let stored = PropertyListValue.dictionary(["id": .string("0"), "name": .string("Asia/Taipei")])
        try expect(zone, storedAs: stored)
        try expect([zone], storedAs: .array([stored]))
        try expect(Set([zone]), storedAs: .array([stored]))
        try expect(["k": zone], storedAs: .dictionary(["k": stored]))
        expectUnreadable(.array([.dictionary(["id": .string("0")])]), as: [ChosenTimeZone].self, at: "[0]")
        expectUnreadable(.array([.string("")]), as: [ChosenTimeZone].self, at: "[0]")
    }

    @Test func `A custom coding can store values of any type that a suite can hold`() throws {
        try expect(Mixed(name: "n", count: 3), storedAs: ["name": "n", "count": 3])
        expectUnreadable(.int(1), as: Mixed.self)
        expectUnstorable(Unstorable())
        expectUnstorable([Nothing()])
    }

    @Test func `An NSSecureCoding object is stored as a keyed archive`() throws {
        let archive = try #require(try stored(Color(name: "red"))?.data)
        let color = try read(Color.self, from: .data(archive))
        #expect(color.name == "red")
        let archives = try #require(try stored([Color(name: "a"), Color(name: "b")])?.array)
        #expect(archives.compactMap(\.data).count == 2)
        let names = try read([Color].self, from: .array(archives)).map(\.name)
        #expect(names == ["a", "b"])
        let dark = try #require(try stored([DarkColor(name: "dark")]))
        let darkNames = try read([DarkColor].self, from: dark).map(\.name)
        #expect(darkNames == ["dark"])
        expectUnreadable(.data(archive), as: DarkColor.self)
    }

    @Test func `Data that is not an archive, or one that is damaged or of another class, is unreadable`() throws {
        let other = try NSKeyedArchiver.archivedData(withRootObject: NSDate(), requiringSecureCoding: true)
        let empty: [[String: Any]] = [
            ["$archiver": "NSKeyedArchiver"],
            ["$archiver": "NSKeyedArchiver", "$version": 100_000, "$objects": ["$null"], "$top": [String: Any]()],
        ]
        let lists = try empty.map {
            try PropertyListSerialization.data(fromPropertyList: $0, format: .binary, options: 0)
        }
        for data in [Data(), Data([1, 2, 3]), other, Data("bplist00".utf8)] + lists {
            expectUnreadable(.data(data), as: Color.self)
        }
        expectUnreadable(.string(""), as: Color.self)
        let name = NSStringFromClass(Color.self)
        let color = try read(Color.self, from: archive(root: 1, class: 3, className: name))
        #expect(color.name == "red")
        // Dangling references, and other classes.
        for (root, type, className) in [
            (1, 9, name), (1, 0, name), (9, 3, name), (2, 3, name), (1, 3, "NoSuchClass"),
            (1, 3, NSStringFromClass(Operation.self)), (1, 3, NSStringFromClass(NSDate.self)),
        ] {
            expectUnreadable(archive(root: root, class: type, className: className), as: Color.self)
        }
    }

    @Test
    func `An archive of a renamed class is read once the app maps its old name, which the error asks for`() throws {
        let stored = archive(root: 1, class: 3, className: "FormerColor")
        let error = try #require(throws: MoltError.self) { try read(Color.self, from: stored) }
        #expect(error.code == .typeMismatch)
        let message = """
            The stored value is an archive of the class "FormerColor", which this app does not have. If the class \
            was renamed, call `NSKeyedUnarchiver.setClass(_:forClassName:)` with its old name.
            """
        #expect(error.message == message)
        NSKeyedUnarchiver.setClass(Color.self, forClassName: "FormerColor")
        let color = try read(Color.self, from: stored)
        #expect(color.name == "red")
        #expect(SwiftyConversion().convert(stored, as: .keyedArchive) == .alreadyCurrent)
    }

    private func archive(root: Int, class type: Int, className: String) -> PropertyListValue {
        let object = HandmadeArchive.object(class: type, "<key>name</key>\(HandmadeArchive.reference(2))")
        let objects = [object, "<string>red</string>", HandmadeArchive.type(className)]
        return .data(HandmadeArchive.xml(objects, root: root))
    }
}

struct Note: Codable, Equatable, SettingValue { var when: Date }
struct Ratio: Codable, SettingValue { var value: Double }
struct Price: Codable, Equatable, SettingValue { var value: Decimal }
struct Titled: Codable, Equatable, SettingValue { var title: String }

enum Preferred: String, Codable, SettingValue {
    case a, b

    static var settingCoding: SettingCoding<Self> { .rawValue }
}

struct Options: OptionSet, SettingValue {
    static let first = Options(rawValue: 1)
    static let second = Options(rawValue: 2)

    let rawValue: Int
}

struct Mixed: Equatable, SettingValue {
    static var settingCoding: SettingCoding<Self> {
        SettingCoding { mixed in
            ["name": .string(mixed.name), "count": PropertyListValue(exactly: mixed.count) ?? 0]
        } decode: { stored in
            guard let name = stored.dictionary?["name"]?.string, let count = stored.dictionary?["count"]?.int else {
                return nil
            }
            return Mixed(name: name, count: Int(count))
        }
    }

    var name: String
    var count: Int
}

struct Unstorable: SettingValue {
    static var settingCoding: SettingCoding<Self> {
        SettingCoding { _ in
            try PropertyListValue(normalizing: ["nested": [NSNull()]])
        } decode: { _ in
            nil
        }
    }
}

struct Nothing: SettingValue {
    static var settingCoding: SettingCoding<Self> { SettingCoding(encode: { _ in nil }, decode: { _ in nil }) }
}

/// An object that is archived with its name.
// Sendable is safe: its only property is a constant, and its subclasses have none.
class NamedObject: NSObject, NSSecureCoding, @unchecked Sendable {
    static var supportsSecureCoding: Bool { true }

    let name: String

    init(name: String) { self.name = name }

    required init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = String(describing: name)
    }

    func encode(with coder: NSCoder) { coder.encode(NSString(string: name), forKey: "name") }
}

/// A class that can be subclassed, like a color class.
class Color: NamedObject, SettingValue, @unchecked Sendable {}

/// An object of this class is stored as one of its superclass.
final class DarkColor: Color, @unchecked Sendable {}

final class Newt: NamedObject, SettingValue, @unchecked Sendable {}
