import Foundation
import Testing

@testable import Molt

@Suite("Stored bytes of a setting") struct StoredBytesTests {
    private struct Window: Codable, Hashable, DefaultsSerializable {
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
        #expect(try stored(Window()) == text)
        #expect(try stored([Window(), Window()]) == [text, text])
        #expect(try stored(["main": Window()]) == ["main": text])
        #expect(try stored(Set([Window()])) == [text])
        #expect(try DefaultsJSONDataBridge<Window>().encode(Window()) == .data(Data(Window.text.utf8)))
    }

    @Test func `The elements of a set are sorted, so every run stores the same bytes`() throws {
        let words = Set(["sun", "moon", "earth", "mars", "a/b", "\u{E9}"])
        #expect(try stored(words) == ["a/b", "earth", "mars", "moon", "sun", "\u{E9}"])
        #expect(try stored(Set([3, 1, 2])) == [1, 2, 3])
        #expect(try stored(Set([Set([2, 1]), Set([1])])) == [[1, 2], [1]])
        let texts = try #require(try stored(words))
        #expect(try read(Set<String>.self, from: texts) == words)
    }
}

@Suite("A RawRepresentable type that is also Codable") struct CodableRawValueTests {
    private enum Theme: String, Codable, DefaultsSerializable { case light, dark }
    private enum Size: Int, Codable, DefaultsSerializable {
        case small = 1
        case large
    }
    private enum Digit: String, Codable, DefaultsSerializable {
        case one = "1"
        case yes = "true"
    }

    @Test func `is stored as JSON text, as Defaults stores it`() throws {
        #expect(try stored(Theme.dark) == "\"dark\"")
        #expect(try stored(Size.large) == "2")
        #expect(try stored([Theme.dark]) == ["\"dark\""])
    }

    @Test func `is also read from its raw value, as @AppStorage and UserDefaults store it`() throws {
        #expect(try read(Theme.self, from: "dark") == .dark)
        #expect(try read(Theme.self, from: "\"dark\"") == .dark)
        #expect(try read(Size.self, from: 2) == .large)
        #expect(try read(Size.self, from: "2") == .large)
        #expect(try read(Digit.self, from: "1") == .one)
        #expect(try read(Digit.self, from: "true") == .yes)
        #expect(try read(Digit.self, from: "\"true\"") == .yes)
        #expect(try read([Theme].self, from: ["dark", "\"light\""]) == [.dark, .light])
        #expect(try read([String: Theme].self, from: ["a": "dark"]) == ["a": .dark])
    }

    @Test(arguments: ["blue", "\"blue\"", "", 1, ["dark"], true] as [PropertyListValue])
    func `is unreadable from anything but JSON text or a raw value`(stored: PropertyListValue) {
        let error = #expect(throws: MoltError.self) { try read(Theme.self, from: stored) }
        #expect(error?.code == .typeMismatch)
        #expect(error?.message.hasPrefix("The stored value is not JSON text of Theme.") == true)
    }

    @Test(arguments: [
        (#"{"age":1}"#, "lacks a property that Hero requires"),
        (#"{"age":"1","name":""}"#, "is JSON text, but not of Hero"),
        (#"{"age""#, "is not JSON text of Hero"),
    ])
    func `says what is wrong with JSON text, and where`(json: String, fault: String) {
        struct Hero: Codable, DefaultsSerializable {
            var name: String
            var age: Int
        }
        let error = #expect(throws: MoltError.self) { try read(Hero.self, from: .string(json)) }
        #expect(error?.message.hasPrefix("The stored value \(fault).") == true)
        #expect((error?.place == nil) == fault.hasPrefix("is not"))
    }

    @Test func `is read from a suite when UserDefaults stored its raw value`() throws {
        let scratch = try ScratchSuite()
        let theme = DefaultsKey<Theme>("theme", default: .light)
        try scratch.defaults.set("dark", forKey: "theme")
        #expect(scratch.suite[theme] == .dark)
        scratch.suite[theme] = .light
        #expect(try scratch.suite.value(forKey: "theme") == "\"light\"")
        #expect(scratch.suite[theme] == .light)
    }

    @Test func `counts as current in both forms when settings are converted`() throws {
        let conversion = DefaultsV4Conversion()
        for stored in ["dark", "\"dark\""] as [PropertyListValue] {
            #expect(conversion.convert(stored, as: Theme.defaultsForm) == .alreadyCurrent)
        }
        #expect(conversion.convert(2, as: Size.defaultsForm) == .alreadyCurrent)
        #expect(conversion.convert(#"["dark"]"#, as: [Theme].defaultsForm) == .converted(["\"dark\""]))
        #expect(conversion.convert(["dark"], as: [Theme].defaultsForm) == .alreadyCurrent)
        #expect(conversion.convert("blue", as: Theme.defaultsForm).failure != nil)
    }
}
