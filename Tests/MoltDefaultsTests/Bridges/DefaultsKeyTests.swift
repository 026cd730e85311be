import Foundation
import Testing

@testable import Molt

extension DefaultsKeys {
    fileprivate static let tags = DefaultsKey<[String]>("tags", default: ["first"])
    fileprivate static let period = DefaultsKey<Period?>("period")
    fileprivate static let count = DefaultsKey<Int>("count", default: 1)
    fileprivate static let color = DefaultsKey<Color>("color") { Color(name: "red") }
    fileprivate static let nested = DefaultsKey<Int??>("nested")
}

@Suite("Typed keys", .serialized) struct DefaultsKeyTests {
    let settings = DictionarySettings()

    @Test func `A setting has its default, which is never written, until it is set and after it is removed`() throws {
        #expect(settings[.tags] == ["first"])
        #expect(try settings.value(for: .count) == 1)
        #expect(settings.value(forKey: "tags") == nil)
        #expect(settings.value(forKey: "count") == nil)
        #expect(try !settings.contains(.tags))
        settings[.tags] = ["a"]
        settings[.tags].append("b")
        #expect(settings[.tags] == ["a", "b"])
        #expect(settings.value(forKey: "tags") == .array([.string("a"), .string("b")]))
        #expect(try settings.contains(.tags))
        try settings.remove(.tags)
        #expect(settings[.tags] == ["first"])
        #expect(settings.value(forKey: "tags") == nil)
        #expect(settings[.color].name == "red")
    }

    @Test func `An optional setting is nil until it is set, and setting nil removes it`() throws {
        #expect(settings[.period] == nil)
        try settings.set(.oneHour, for: .period)
        #expect(settings[.period] == .oneHour)
        try settings.set(nil, for: .period)
        #expect(settings.value(forKey: "period") == nil)
        settings[.period] = .halfHour
        settings[.period] = nil
        #expect(settings.value(forKey: "period") == nil)
        settings[.nested] = .some(nil)
        #expect(settings.value(forKey: "nested") == nil)
        settings[.nested] = 3
        #expect(settings[.nested] == 3)
    }

    @Test func `The error for an unreadable value names the key, the place and the type, never the value`() throws {
        settings.set(.array([.string("a"), .int(4711)]), forKey: "tags")
        let error = try #require(throws: MoltError.self) { try settings.value(for: .tags) }
        #expect(error.code == .typeMismatch)
        #expect(error.key == "tags")
        #expect(error.place == ValuePlace([.index(1)]))
        #expect(error.message.contains("a string"))
        #expect(!"\(error) \(error.debugDescription)".contains("4711"))
        #expect(settings.value(forKey: "tags") == .array([.string("a"), .int(4711)]))
        settings.set(.string("\"4711 Minutes\""), forKey: "period")
        let text = try #require(throws: MoltError.self) { try settings.value(for: .period) }
        #expect(text.message.contains("Period"))
        #expect(!"\(text) \(text.debugDescription)".contains("4711"))
        settings.set(.int(300), forKey: "level")
        let number = try #require(throws: MoltError.self) {
            try settings.value(for: DefaultsKey<UInt8>("level", default: 0))
        }
        let words = "The stored value is not an integer that fits UInt8. Convert it"
        #expect(number.message.hasPrefix(words))
    }

    @Test(
        arguments: [
            (#"{"s3cret":"x"}"#, [.key("s3cret")]),
            (#"{"4915112345":"x"}"#, [.key("4915112345")]),
        ] as [(String, [ValuePlace.Step])]
    )
    func `No message contains a dictionary key, although the place has it`(
        json: String,
        steps: [ValuePlace.Step]
    ) throws {
        settings.set(["s3cret": ["s3cret": 1]], forKey: "native")
        settings.set([.string(json)], forKey: "text")
        let native = try #require(throws: MoltError.self) {
            try settings.value(for: DefaultsKey<[String: [String: String]]?>("native"))
        }
        #expect(native.place == ValuePlace([.key("s3cret"), .key("s3cret")]))
        let text = try #require(throws: MoltError.self) {
            try settings.value(for: DefaultsKey<[Counts]?>("text"))
        }
        #expect(text.place == ValuePlace([.index(0)] + steps))
        for error in [native, text] {
            var dumped = ""
            dump(error, to: &dumped)
            for shown in ["\(error)", error.debugDescription, error.localizedDescription, dumped] {
                #expect(!shown.contains("s3cret") && !shown.contains("4915"), "\(shown)")
            }
            #expect(error.description.contains("…"))
        }
    }

    /// The codes of the errors that subscripts report.
    private func reported(_ body: () -> Void) -> [MoltError.Code?] {
        let codes = Locked<[MoltError.Code?]>([])
        let handler = DefaultsKeys.onFailure
        defer { DefaultsKeys.onFailure = handler }
        DefaultsKeys.onFailure = { error in codes.withLock { $0.append((error as? MoltError)?.code) } }
        body()
        return codes.withLock { $0 }
    }

    @Test func `A subscript reports an unreadable value and replaces it on assignment`() {
        // Stored by Defaults 4.
        settings.set("[\"a\"]", forKey: "tags")
        let reading = reported { #expect(settings[.tags] == ["first"]) }
        #expect(reading == [.typeMismatch])
        #expect(reported { settings[.tags].append("b") } == [.typeMismatch])
        #expect(settings.value(forKey: "tags") == "[\"a\"]")
        let later = reported {
            settings[.tags] = ["b"]
            #expect(settings[.tags] == ["b"])
            settings[.tags].append("c")
            #expect(settings[.tags] == ["b", "c"])
        }
        #expect(later == [])
    }

    #if CHILD_PROCESSES
        @Test func `A closed standard error, to which nothing can be reported, does not end the process`() async {
            await #expect(processExitsWith: .success) {
                try FileHandle.standardError.close()
                let settings = DictionarySettings(["tags": "no array"])
                #expect(settings[.tags] == ["first"])
            }
        }
    #endif

    @Test func `A subscript reports a value that cannot be stored and keeps the old one`() throws {
        let ratio = DefaultsKey<Ratio>("ratio", default: Ratio(value: 1))
        settings[ratio] = Ratio(value: 2)
        #expect(reported { settings[ratio] = Ratio(value: .infinity) } == [.cannotStore])
        #expect(settings[ratio].value == 2)
        let error = try #require(throws: MoltError.self) { try settings.set(Ratio(value: .infinity), for: ratio) }
        #expect(error.key == "ratio")
        #expect(error.place == ValuePlace([.property("value")]))
        #expect(error.message == "JSON has no NaN and no infinity. Choose another form for it.")
    }

    @Test func `An error thrown by a custom bridge is the underlying error`() throws {
        let key = DefaultsKey<[Picky]>("picky", default: [])
        settings.set(.array([.int(1)]), forKey: "picky")
        let error = try #require(throws: MoltError.self) { try settings.value(for: key) }
        #expect(error.code == .typeMismatch)
        #expect(error.place == ValuePlace([.index(0)]))
        #expect(error.underlying is Picky.Refusal)
        let setting = try #require(throws: MoltError.self) { try settings.set([Picky()], for: key) }
        #expect(setting.code == .cannotStore)
        #expect(setting.underlying is Picky.Refusal)
    }
}

private struct Picky: DefaultsSerializable {
    struct Refusal: Error {}

    struct PickyBridge: DefaultsBridge {
        func encode(_ value: Picky) throws -> PropertyListValue? { throw Refusal() }
        func decode(_ stored: PropertyListValue) throws -> Picky { throw Refusal() }
    }

    static let bridge = PickyBridge()
}

/// The JSON text of a dictionary.
private struct Counts: Codable, DefaultsSerializable {
    var counts: [String: Int]

    init(from decoder: any Decoder) throws {
        counts = try decoder.singleValueContainer().decode([String: Int].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(counts)
    }
}

@Suite("Typed keys in a suite on disk") struct SuiteKeyTests {
    let suite = Molt.Suite(TestHome.newSuiteName())

    @Test func `Values at their limits are read back from the file`() throws {
        try expectKept(Int.min, Int.max, Int8.min, UInt32.max, Int64.max, UInt.max, UInt64.max, [UInt64.max, 0])
        try expectKept(0.1, Double.greatestFiniteMagnitude, Double.leastNonzeroMagnitude, Double.infinity)
        try expectKept(-Float.infinity, Float.greatestFiniteMagnitude, CGFloat.infinity, true, [false, true])
        try expectKept("", "<a> & \"b\"\n\u{1F984}", Date(timeIntervalSinceReferenceDate: 600_000_000), Data())
        try expectKept(Data([0, 255]), UUID(), Decimal.greatestFiniteMagnitude, Int.min..<Int.max)
    }

    @Test func `Types of the app and containers are read back from the file`() throws {
        let zone = TimeZone(id: "0", name: "Asia/Taipei")
        let url = try #require(URL(string: "https://e.com/a?b=%20#c"))
        try expectKept(url, Period.halfHour, EnumForm.oneHour, Level.high, zone, [Frog(name: "a")])
        try expectKept(Note(when: Date(timeIntervalSinceReferenceDate: 600_000_000.25)))
        try expectKept([UniqueID(12345): [UniqueID(1234): zone]], [[String: Set<Int>]](), [["a": Set([1, 2])], [:]])
        try expectKept([Int8.min: [Period.oneHour]], Mixed(name: "n", count: .max))
        let color = DefaultsKey<Color?>("color")
        try suite.set(Color(name: "red"), for: color)
        #expect(try suite.value(for: color)?.name == "red")
    }

    @Test(arguments: [true, false])
    func `Assigning a setting replaces an unreadable value`(isNamed: Bool) throws {
        let name = "level \(UUID().uuidString)"
        let suite = isNamed ? suite : .standard
        defer { try? suite.removeValue(forKey: name) }
        let level = DefaultsKey<Level>(name, default: .low)
        try suite.set(["no", "level"], forKey: name)
        suite[level] = .high
        #expect(try suite.value(forKey: name) == 2)
        let list = DefaultsKey<[Int]>(name, default: [1])
        suite[list] += [2]
        #expect(try suite.value(forKey: name) == 2)
        suite[list] = [3]
        suite[list] += [4]
        #expect(try suite.value(forKey: name) == [3, 4])
    }

    private func expectKept<each Value: DefaultsSerializable & Equatable & Sendable>(
        _ values: repeat each Value,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        func expectKept<Kept: DefaultsSerializable & Equatable & Sendable>(_ value: Kept) throws {
            let key = DefaultsKey<Kept?>("key")
            try suite.set(value, for: key)
            #expect(try suite.value(for: key) == value, sourceLocation: sourceLocation)
            // Reads the file, not the platform's copy in memory.
            let settings = DictionarySettings(try suite.values())
            #expect(try settings.value(for: key) == value, sourceLocation: sourceLocation)
        }
        repeat try expectKept(each values)
    }
}
