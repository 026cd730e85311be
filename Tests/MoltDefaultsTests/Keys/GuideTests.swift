import Foundation
import MoltDefaults
import Testing

// The examples of the guide from Defaults 4 to 5 as an app has them afterwards, under Molt's names.

private struct Zone: Hashable, Codable, DefaultsSerializable {
    var id: String
    var name: String
}

private enum Pause: String, Hashable, Codable, DefaultsSerializable {
    case tenMinutes = "10 Minutes"
    case halfHour = "30 Minutes"
    case oneHour = "1 Hour"
}

// Stored as its raw value, converted from a Codable form by its own `toNative`.

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

// Stored as a dictionary by a bridge.

private struct NativeZone: Hashable {
    var id: String
    var name: String
}

extension NativeZone: DefaultsNativeType {
    typealias CodableForm = FormerZone

    static let bridge = NativeZoneBridge()
}

private struct FormerZone {
    var id: String
    var name: String
}

extension FormerZone: DefaultsCodableType {
    func toNative() -> NativeZone {
        NativeZone(id: id, name: name)
    }
}

private struct NativeZoneBridge: DefaultsBridge {
    typealias Value = NativeZone
    typealias Serializable = [String: String]

    func serialize(_ value: NativeZone?) -> Serializable? {
        guard let value = value else {
            return nil
        }

        return [
            "id": value.id,
            "name": value.name,
        ]
    }

    func deserialize(_ object: Serializable?) -> NativeZone? {
        guard
            let dictionary = object,
            let id = dictionary["id"],
            let name = dictionary["name"]
        else {
            return nil
        }

        return NativeZone(id: id, name: name)
    }
}

extension DefaultsKeys {
    fileprivate static let arrayString = DefaultsKey<[String]?>("arrayString")
    fileprivate static let setString = DefaultsKey<Set<String>?>("setString")
    fileprivate static let dictionaryStringInt = DefaultsKey<[String: Int]?>("dictionaryStringInt")
    fileprivate static let dictionaryStringIntInArray = DefaultsKey<[[String: Int]]?>("dictionaryStringIntInArray")
    fileprivate static let timezone = DefaultsKey<Zone?>("TimeZone")
    fileprivate static let arrayTimezone = DefaultsKey<[Zone]?>("arrayTimezone")
    fileprivate static let setTimezone = DefaultsKey<Set<Zone>?>("setTimezone")
    fileprivate static let dictionaryTimezone = DefaultsKey<[String: Zone]?>("dictionaryTimezone")
    fileprivate static let arrayPeriod = DefaultsKey<[Pause]?>("arrayPeriod")
    fileprivate static let setPeriod = DefaultsKey<Set<Pause>?>("setPeriod")
    fileprivate static let dictionaryPeriod = DefaultsKey<[String: Pause]?>("dictionaryPeriod")
    fileprivate static let nativePeriod = DefaultsKey<NativePause?>("period")
    fileprivate static let nativeTimezone = DefaultsKey<NativeZone?>("TimeZone")
    fileprivate static let nativeArrayTimezone = DefaultsKey<[NativeZone]?>("arrayTimezone")
    fileprivate static let nativeSetTimezone = DefaultsKey<Set<NativeZone>?>("setTimezone")
    fileprivate static let nativeDictionaryTimezone = DefaultsKey<[String: NativeZone]?>("dictionaryTimezone")
}

@Suite("New values in the guide from Defaults 4 to 5")
struct GuideTests {
    let settings = DictionarySettings()

    @Test
    func `Containers of native elements are stored natively`() {
        settings[.arrayString] = ["a", "b", "c"]
        settings[.setString] = ["a"]
        settings[.dictionaryStringInt] = ["a": 1]
        settings[.dictionaryStringIntInArray] = [["a": 1]]
        #expect(settings.value(forKey: "arrayString") == ["a", "b", "c"])
        #expect(settings.value(forKey: "setString") == ["a"])
        #expect(settings.value(forKey: "dictionaryStringInt") == ["a": 1])
        #expect(settings.value(forKey: "dictionaryStringIntInArray") == [["a": 1]])
        #expect(settings[.arrayString] == ["a", "b", "c"])
        #expect(settings[.setString] == ["a"])
        #expect(settings[.dictionaryStringInt] == ["a": 1])
        #expect(settings[.dictionaryStringIntInArray] == [["a": 1]])
    }

    @Test
    func `Codable elements are stored as JSON text`() throws {
        let text = PropertyListValue.string(#"{"id":"0","name":"Asia\/Taipei"}"#)
        let zone = Zone(id: "0", name: "Asia/Taipei")
        settings.set(text, forKey: "TimeZone")
        settings.set([text], forKey: "arrayTimezone")
        settings.set([text], forKey: "setTimezone")
        settings.set(["k": text], forKey: "dictionaryTimezone")
        #expect(settings[.timezone] == zone)
        #expect(settings[.arrayTimezone] == [zone])
        #expect(settings[.setTimezone] == [zone])
        #expect(settings[.dictionaryTimezone] == ["k": zone])
        settings[.arrayPeriod] = [.tenMinutes]
        settings[.setPeriod] = [.halfHour]
        settings[.dictionaryPeriod] = ["p": .oneHour]
        #expect(settings.value(forKey: "arrayPeriod") == [#""10 Minutes""#])
        #expect(settings.value(forKey: "setPeriod") == [#""30 Minutes""#])
        #expect(settings.value(forKey: "dictionaryPeriod") == ["p": #""1 Hour""#])
        #expect(settings[.arrayPeriod] == [.tenMinutes])
        #expect(settings[.setPeriod] == [.halfHour])
        #expect(settings[.dictionaryPeriod] == ["p": .oneHour])
    }

    @Test
    func `An enum is stored as its raw value, a struct as a dictionary`() {
        let zone = NativeZone(id: "0", name: "Asia/Taipei")
        let stored: PropertyListValue = ["id": "0", "name": "Asia/Taipei"]
        settings[.nativePeriod] = .tenMinutes
        settings[.nativeTimezone] = zone
        settings[.nativeArrayTimezone] = [zone]
        settings[.nativeSetTimezone] = [zone]
        settings[.nativeDictionaryTimezone] = ["k": zone]
        #expect(settings.value(forKey: "period") == "10 Minutes")
        #expect(settings.value(forKey: "TimeZone") == stored)
        #expect(settings.value(forKey: "arrayTimezone") == [stored])
        #expect(settings.value(forKey: "setTimezone") == [stored])
        #expect(settings.value(forKey: "dictionaryTimezone") == ["k": stored])
        #expect(settings[.nativePeriod] == .tenMinutes)
        #expect(settings[.nativeTimezone] == zone)
        #expect(settings[.nativeArrayTimezone] == [zone])
        #expect(settings[.nativeSetTimezone] == [zone])
        #expect(settings[.nativeDictionaryTimezone] == ["k": zone])
    }
}
