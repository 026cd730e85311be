import Foundation
import Molt
import TestSupport
import Testing

@Suite("Stored bytes of a setting") struct StoredBytesTests {
    private struct Window: Codable, Hashable, SettingValue {
        var zoom = 1.5
        var title = "a/b"
        var frame = ["y": 2, "x": 1, "width": 80, "height": 25]
        var isFull = false
        var author: String? = "Ada"
        var nested = Nested()

        struct Nested: Codable, Hashable {
            var second = 2
            var first = 1
        }

        static let text =
            #"{"author":"Ada","frame":{"height":25,"width":80,"x":1,"y":2},"isFull":false,"#
            + #""nested":{"first":1,"second":2},"title":"a\/b","zoom":1.5}"#
    }

    /// An unstable order would break every fixture of these settings.
    @Test func `JSON keys are sorted at every depth, so every run stores the same bytes`() throws {
        let text = PropertyListValue.string(Window.text)
        try expect(Window(), storedAs: text)
        try expect([Window(), Window()], storedAs: [text, text])
        try expect(["main": Window()], storedAs: ["main": text])
        try expect(Set([Window()]), storedAs: [text])
        #expect(try SettingCoding<Window>.jsonData.encode(Window()) == .data(Data(Window.text.utf8)))
    }

    @Test func `The elements of a set are sorted, so every run stores the same bytes`() throws {
        let words = Set(["sun", "moon", "earth", "mars", "a/b", "\u{E9}"])
        try expect(words, storedAs: ["a/b", "earth", "mars", "moon", "sun", "\u{E9}"])
        try expect(Set([3, 1, 2]), storedAs: [1, 2, 3])
        try expect(Set([Set([2, 1]), Set([1])]), storedAs: [[1, 2], [1]])
    }
}

@Suite("A RawRepresentable type that is also Codable") struct CodableRawValueTests {
    private enum Theme: String, Codable, SettingValue { case light, dark }
    private enum Size: Int, Codable, SettingValue {
        case small = 1
        case large
    }
    private enum Digit: String, Codable, SettingValue {
        case one = "1"
        case yes = "true"
    }

    @Test func `is stored as JSON text, as Defaults does, and also read from its raw value`() throws {
        try expect(Theme.dark, storedAs: "\"dark\"")
        try expect(Size.large, storedAs: "2")
        try expect([Theme.dark], storedAs: ["\"dark\""])
        // As @AppStorage and UserDefaults store them.
        try expect(Theme.dark, readFrom: "dark")
        try expect(Size.large, readFrom: 2)
        try expect(Digit.one, readFrom: "1")
        try expect(Digit.yes, readFrom: "true")
        try expect(Digit.yes, readFrom: "\"true\"")
        try expect([Theme.dark, .light], readFrom: ["dark", "\"light\""])
        try expect(["a": Theme.dark], readFrom: ["a": "dark"])
    }

    @Test func `is unreadable from anything but JSON text or a raw value`() {
        for stored: PropertyListValue in ["blue", "\"blue\"", "", 1, ["dark"], true] {
            MoltError.thrown {
                try read(Theme.self, from: stored)
            }?.expect(.typeMismatch, says: "The stored value is not JSON text of Theme")
        }
    }

    @Test func `says what is wrong with JSON text, and where`() {
        struct Hero: Codable, SettingValue {
            var name: String
            var age: Int
        }
        let cases: [(json: String, fault: String, place: String?)] = [
            (#"{"age":1}"#, "lacks a property that Hero requires", "name"),
            (#"{"age":"1","name":""}"#, "is JSON text, but not of Hero", "age"),
            (#"{"age""#, "is not JSON text of Hero", nil),
        ]
        for (json, fault, place) in cases {
            let error = MoltError.thrown { try read(Hero.self, from: .string(json)) }
            error?.expect(says: "The stored value \(fault).")
            #expect(error?.valuePath?.description == place)
        }
    }

    @Test func `counts as current in both forms when settings are converted`() {
        let cases: [(stored: PropertyListValue, form: DefaultsForm, outcome: ConversionResult)] = [
            ("dark", Theme.settingCoding.form, .alreadyCurrent),
            ("\"dark\"", Theme.settingCoding.form, .alreadyCurrent),
            (2, Size.settingCoding.form, .alreadyCurrent), (["dark"], [Theme].settingCoding.form, .alreadyCurrent),
            (#"["dark"]"#, [Theme].settingCoding.form, .converted(["\"dark\""])),
        ]
        let conversion = DefaultsV4Conversion()
        for (stored, form, outcome) in cases {
            #expect(conversion.convert(stored, as: form) == outcome, "\(stored)")
        }
        #expect(conversion.convert("blue", as: Theme.settingCoding.form).failure != nil)
    }
}
