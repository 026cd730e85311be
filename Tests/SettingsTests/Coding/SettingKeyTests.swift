import Foundation
import Molt
import TestSupport
import Testing

extension SettingKeys {
    fileprivate static let tags = SettingKey<[String]>("tags", default: ["first"])
    fileprivate static let period = SettingKey<Period?>("period")
    fileprivate static let count = SettingKey<Int>("count", default: 1)
    fileprivate static let color = SettingKey<Color>("color") { Color(name: "red") }
    fileprivate static let nested = SettingKey<Int??>("nested")
}

@Suite("Typed keys", .serialized) struct SettingKeyTests {
    let settings = DictionarySettings()

    /// Expects that a setting has a value, and what is stored.
    private func expectSetting<Value: Equatable>(
        _ key: SettingKey<Value>,
        _ value: Value,
        stored: PropertyListValue?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(settings[key] == value, sourceLocation: sourceLocation)
        #expect(settings.value(forKey: key.name) == stored, sourceLocation: sourceLocation)
        #expect(try settings.contains(key) == (stored != nil), sourceLocation: sourceLocation)
    }

    /// The error for reading a setting from a stored value.
    private func errorReading<Value>(_ key: SettingKey<Value>, from stored: PropertyListValue) throws -> MoltError {
        settings.set(stored, forKey: key.name)
        return try #require(throws: MoltError.self) { try settings.value(for: key) }
    }

    @Test func `A setting has its default, which is never written, until it is set and after it is removed`() throws {
        try expectSetting(.tags, ["first"], stored: nil)
        try expectSetting(.count, 1, stored: nil)
        settings[.tags] = ["a"]
        settings[.tags].append("b")
        try expectSetting(.tags, ["a", "b"], stored: ["a", "b"])
        try settings.remove(.tags)
        try expectSetting(.tags, ["first"], stored: nil)
        #expect(settings[.color].name == "red")
    }

    @Test func `An optional setting is nil until it is set, and setting nil removes it`() throws {
        try expectSetting(.period, nil, stored: nil)
        try settings.set(.oneHour, for: .period)
        try expectSetting(.period, .oneHour, stored: "\"1 Hour\"")
        try settings.set(nil, for: .period)
        try expectSetting(.period, nil, stored: nil)
        settings[.period] = .halfHour
        settings[.period] = nil
        try expectSetting(.period, nil, stored: nil)
        settings[.nested] = .some(nil)
        #expect(settings.value(forKey: "nested") == nil)
        settings[.nested] = 3
        try expectSetting(.nested, 3, stored: 3)
    }

    @Test func `The error for an unreadable value names the key, the place and the type, never the value`() throws {
        let advice = "Convert it in a migration, or set another value."
        let tags = try errorReading(.tags, from: ["a", 4711])
        let text = "typeMismatch: The stored value is not a string. \(advice) [key: \"tags\"; place: [1]]"
        #expect(tags.description == text)
        let period = try errorReading(.period, from: "\"4711 Minutes\"")
        let periodText = "typeMismatch: The stored value is not JSON text of Period. \(advice) [key: \"period\"]"
        #expect(period.description == periodText)
        for error in [tags, period] { #expect(!error.debugDescription.contains("4711")) }
        try errorReading(SettingKey<UInt8>("level", default: 0), from: 300)
            .expect(.typeMismatch, key: "level", says: "The stored value is not an integer that fits UInt8. \(advice)")
    }

    @Test func `No message contains a dictionary key, although the place has it`() throws {
        let native = SettingKey<[String: [String: String]]?>("native")
        var errors = [(try errorReading(native, from: ["s3cret": ["s3cret": 1]]), #"["s3cret"]["s3cret"]"#)]
        for name in ["s3cret", "4915112345"] {
            let json = PropertyListValue.string("{\"\(name)\":\"x\"}")
            errors.append((try errorReading(SettingKey<[Counts]?>("text"), from: [json]), "[0][\"\(name)\"]"))
        }
        for (error, place) in errors {
            #expect(error.valuePath?.fullDescription == place)
            var dumped = ""
            dump(error, to: &dumped)
            for shown in [error.description, error.debugDescription, error.localizedDescription, dumped] {
                #expect(!shown.contains("s3cret") && !shown.contains("4915"), "\(shown)")
            }
            #expect(error.description.contains("…"))
        }
    }

    @Test func `A key with a coding of its own stores a value as the coding says, and nil never`() throws {
        let toads = SettingKey<[Toad]>("toads", coding: .jsonData, default: [])
        try expectSetting(toads, [], stored: nil)
        settings[toads].append(Toad(age: 3))
        try expectSetting(toads, [Toad(age: 3)], stored: .data(Data(#"[{"age":3}]"#.utf8)))
        let periods = SettingKey<[Period]>("periods", coding: .array(of: .rawValue), default: [])
        settings[periods] = [.oneHour]
        try expectSetting(periods, [.oneHour], stored: ["1 Hour"])
        for key in [
            SettingKey<Spot?>("spot", coding: .json), SettingKey<Spot?>("spot", coding: .json, default: nil),
        ] {
            try expectSetting(key, nil, stored: nil)
            settings[key] = Spot(x: 1)
            try expectSetting(key, Spot(x: 1), stored: #"{"x":1}"#)
            settings[key] = nil
            try expectSetting(key, nil, stored: nil)
        }
        let codes = reported {
            settings.set([1], forKey: "toads")
            #expect(settings[toads] == [])
        }
        #expect(codes == [.typeMismatch])
    }

    /// The codes of the errors that subscripts report.
    private func reported(_ body: () -> Void) -> [MoltError.Code?] {
        let codes = Locked<[MoltError.Code?]>([])
        let handler = SettingKeys.onFailure
        defer { SettingKeys.onFailure = handler }
        SettingKeys.onFailure = { error in codes.withLock { $0.append((error as? MoltError)?.code) } }
        body()
        return codes.withLock { $0 }
    }

    @Test func `A subscript reports an unreadable value and replaces it on assignment`() throws {
        // Stored by Defaults 4.
        settings.set("[\"a\"]", forKey: "tags")
        let reading = reported { #expect(settings[.tags] == ["first"]) }
        let appending = reported { settings[.tags].append("b") }
        #expect(reading == [.typeMismatch])
        #expect(appending == [.typeMismatch])
        #expect(settings.value(forKey: "tags") == "[\"a\"]")
        let later = reported {
            settings[.tags] = ["b"]
            settings[.tags].append("c")
        }
        #expect(later == [])
        try expectSetting(.tags, ["b", "c"], stored: ["b", "c"])
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
        let ratio = SettingKey<Ratio>("ratio", default: Ratio(value: 1))
        settings[ratio] = Ratio(value: 2)
        let codes = reported { settings[ratio] = Ratio(value: .infinity) }
        #expect(codes == [.cannotStore])
        #expect(settings[ratio].value == 2)
        let error = try #require(throws: MoltError.self) { try settings.set(Ratio(value: .infinity), for: ratio) }
        let problem = "JSON has no NaN and no infinity. Choose another form for it."
        #expect(error.description == "cannotStore: \(problem) [key: \"ratio\"; place: value]")
    }

    @Test func `An error thrown by a custom coding is the underlying error`() throws {
        let key = SettingKey<[Picky]>("picky", default: [])
        let reading = try errorReading(key, from: [1])
        reading.expect(.typeMismatch)
        #expect(reading.valuePath == ValuePath([.index(0)]))
        let setting = try #require(throws: MoltError.self) { try settings.set([Picky()], for: key) }
        setting.expect(.cannotStore)
        for error in [reading, setting] { #expect(error.underlying is Picky.Refusal) }
    }
}

/// A type that is no `SettingValue`.
private struct Spot: Codable, Equatable { var x: Int }

private struct Picky: SettingValue {
    struct Refusal: Error {}

    static var settingCoding: SettingCoding<Self> {
        SettingCoding(encode: { _ in throw Refusal() }, decode: { _ in throw Refusal() })
    }
}

/// The JSON text of a dictionary.
private struct Counts: Codable, SettingValue {
    var counts: [String: Int]

    init(from decoder: any Decoder) throws {
        counts = try decoder.singleValueContainer().decode([String: Int].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(counts)
    }
}
