import Foundation
import MoltDefaults
import Testing

// The examples of the guide from Defaults 4 to 5 as an app has them afterwards, under Molt's names; most of their types
// are those of Defaults' own tests.

/// Stored as its raw value, converted from a Codable form by its own `toNative`.
private enum NativePause: String {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"
}

extension NativePause: DefaultsNativeType {
    typealias CodableForm = CodablePause
}

private enum CodablePause: String {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"
}

extension CodablePause: DefaultsCodableType {
    typealias NativeForm = NativePause

    func toNative() -> NativePause {
        switch self {
        case .tenMinutes: .tenMinutes
        case .halfHour: .halfHour
        case .oneHour: .oneHour
        }
    }
}

extension DefaultsKeys {
    fileprivate static let arrayString = DefaultsKey<[String]?>("arrayString")
    fileprivate static let setString = DefaultsKey<Set<String>?>("setString")
    fileprivate static let dictionaryStringInt = DefaultsKey<[String: Int]?>("dictionaryStringInt")
    fileprivate static let dictionaryStringIntInArray = DefaultsKey<[[String: Int]]?>("dictionaryStringIntInArray")
    fileprivate static let timezone = DefaultsKey<CodableTimeZone?>("TimeZone")
    fileprivate static let arrayTimezone = DefaultsKey<[CodableTimeZone]?>("arrayTimezone")
    fileprivate static let setTimezone = DefaultsKey<Set<CodableTimeZone>?>("setTimezone")
    fileprivate static let dictionaryTimezone = DefaultsKey<[String: CodableTimeZone]?>("dictionaryTimezone")
    fileprivate static let arrayPeriod = DefaultsKey<[Period]?>("arrayPeriod")
    fileprivate static let setPeriod = DefaultsKey<Set<Period>?>("setPeriod")
    fileprivate static let dictionaryPeriod = DefaultsKey<[String: Period]?>("dictionaryPeriod")
    fileprivate static let nativePeriod = DefaultsKey<NativePause?>("period")
    fileprivate static let nativeTimezone = DefaultsKey<TimeZone?>("TimeZone")
    fileprivate static let nativeArrayTimezone = DefaultsKey<[TimeZone]?>("arrayTimezone")
    fileprivate static let nativeSetTimezone = DefaultsKey<Set<TimeZone>?>("setTimezone")
    fileprivate static let nativeDictionaryTimezone = DefaultsKey<[String: TimeZone]?>("dictionaryTimezone")
}

@Suite("New values in the guide from Defaults 4 to 5")
struct GuideTests {
    let settings = DictionarySettings()

    @Test
    func `Containers of native elements are stored natively`() {
        expect(.arrayString, ["a", "b", "c"], storedAs: ["a", "b", "c"])
        expect(.setString, ["a"], storedAs: ["a"])
        expect(.dictionaryStringInt, ["a": 1], storedAs: ["a": 1])
        expect(.dictionaryStringIntInArray, [["a": 1]], storedAs: [["a": 1]])
    }

    @Test
    func `Codable elements are stored as JSON text`() {
        let text = PropertyListValue.string(#"{"id":"0","name":"Asia\/Taipei"}"#)
        let zone = CodableTimeZone(id: "0", name: "Asia/Taipei")
        expect(.timezone, zone, storedAs: text)
        expect(.arrayTimezone, [zone], storedAs: [text])
        expect(.setTimezone, [zone], storedAs: [text])
        expect(.dictionaryTimezone, ["k": zone], storedAs: ["k": text])
        expect(.arrayPeriod, [.tenMinutes], storedAs: [#""10 Minutes""#])
        expect(.setPeriod, [.halfHour], storedAs: [#""30 Minutes""#])
        expect(.dictionaryPeriod, ["p": .oneHour], storedAs: ["p": #""1 Hour""#])
    }

    @Test
    func `An enum is stored as its raw value, a struct as a dictionary`() {
        let zone = TimeZone(id: "0", name: "Asia/Taipei")
        let stored: PropertyListValue = ["id": "0", "name": "Asia/Taipei"]
        expect(.nativePeriod, .tenMinutes, storedAs: "10 Minutes")
        expect(.nativeTimezone, zone, storedAs: stored)
        expect(.nativeArrayTimezone, [zone], storedAs: [stored])
        expect(.nativeSetTimezone, [zone], storedAs: [stored])
        expect(.nativeDictionaryTimezone, ["k": zone], storedAs: ["k": stored])
    }

    private func expect<Value: DefaultsSerializable & Equatable>(
        _ key: DefaultsKey<Value?>,
        _ value: Value,
        storedAs stored: PropertyListValue,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        settings[key] = value
        #expect(settings.value(forKey: key.name) == stored, sourceLocation: sourceLocation)
        #expect(settings[key] == value, sourceLocation: sourceLocation)
    }
}
