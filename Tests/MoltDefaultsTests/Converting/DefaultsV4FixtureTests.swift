import Foundation
import MoltCore
import MoltDefaults
import Testing

/// The suite that Defaults 4.2.2 wrote, and what Defaults 5.0.0 made of it.
@Suite("A suite that Defaults 4 wrote")
struct DefaultsV4FixtureTests {
    static let forms: [String: DefaultsForm] = [
        "alreadyNative": .array(.string),
        "arrayArrayInt": .array(.array(.int)),
        "arrayArrayTimezone": .array(.array(.codable(CodableZone.self))),
        "arrayBag": .array(.codable(Bag.self)),
        "arrayBool": .array(.bool),
        "arrayData": .array(.data),
        "arrayDate": .array(.date),
        "arrayDouble": .array(.double),
        "arrayEmpty": .array(.string),
        "arrayInt": .array(.int),
        "arrayPeriod": .array(.codable(Period.self)),
        "arraySetString": .array(.set(.string)),
        "arrayString": .array(.string),
        "arrayTimezone": .array(.codable(CodableZone.self)),
        "arrayURL": .array(.url),
        "bag": .codable(Bag.self),
        "bool": .bool,
        "data": .data,
        "date": .date,
        "dictionaryArrayTimezone": .dictionary(.array(.codable(CodableZone.self))),
        "dictionaryIntTimezone": .dictionary(Int.self, .codable(CodableZone.self)),
        "dictionaryPeriod": .dictionary(.codable(Period.self)),
        "dictionaryPeriodInt": DefaultsForm(.dictionary(DefaultsForm.periodKey, .int)),
        "dictionaryStringArray": .dictionary(.array(.int)),
        "dictionaryStringBool": .dictionary(.bool),
        "dictionaryStringDate": .dictionary(.date),
        "dictionaryStringInt": .dictionary(.int),
        "dictionaryStringIntInArray": .array(.dictionary(.int)),
        "dictionaryTimezone": .dictionary(.codable(CodableZone.self)),
        "dictionaryUInt32Timezone": .dictionary(UInt32.self, .codable(CodableZone.self)),
        "double": .double,
        "float": .float,
        "int": .int,
        "int64": .integer(Int64.self),
        "int8": .integer(Int8.self),
        "jsonLookingString": .string,
        "level": .codable(Level.self),
        "malformedArray": .array(.string),
        "nullElementArray": .array(.int),
        "optionalMissing": .int,
        "period": .codable(Period.self),
        "setInt": .set(.int),
        "setPeriod": .set(.codable(Period.self)),
        "setString": .set(.string),
        "setTimezone": .set(.codable(CodableZone.self)),
        "string": .string,
        "timezone": .codable(CodableZone.self),
        "uint": .integer(UInt.self),
        "uint64": .integer(UInt64.self),
        "unknownCaseArray": .array(.period),
        "url": .url,
        "wrongShapeArray": .array(.int),
    ]

    /// Where Defaults 5.0.0 falls short.
    static let exceptions: [String: PropertyListValue] = [
        "arraySetString": .array([.array([.string("only")])]),
        "dictionaryPeriodInt": .dictionary(["10 Minutes": .int(10), "1 Hour": .int(60)]),
        "int8": .int(-128),
        "int64": .int(.min),
        "uint": .int(7),
        "uint64": .unsigned(.max),
    ]

    static let notConvertible: [String: String] = [
        "malformedArray": "", "nullElementArray": "[1]", "optionalMissing": "", "unknownCaseArray": "[1]",
        "wrongShapeArray": "",
    ]

    @Test
    func `becomes what Defaults 5 makes of it, every key`() throws {
        let before = try Self.fixture("defaults-v4")
        let after = try Self.fixture("defaults-v5")
        #expect(before.count == 52)
        #expect(Set(before.keys) == Set(Self.forms.keys))
        var counts: [String: Int] = [:]
        for (key, stored) in before {
            let form = try #require(Self.forms[key])
            let expected = try #require(Self.exceptions[key] ?? after[key])
            switch DefaultsV4Conversion(target: .v5).convert(stored, as: form) {
            case .converted(let value, let setAside):
                counts["converted", default: 0] += 1
                #expect(try Self.meaning(value) == Self.meaning(expected), "\(key)")
                #expect(setAside.isEmpty)
            case .alreadyCurrent:
                counts["already current", default: 0] += 1
                #expect(try Self.meaning(stored) == Self.meaning(expected), "\(key)")
            case .notConvertible(_, let place):
                counts["not convertible", default: 0] += 1
                #expect(stored == expected, "\(key)")
                #expect(Self.notConvertible[key] == place.description, "\(key)")
            }
        }
        #expect(counts == ["converted": 31, "already current": 16, "not convertible": 5])
    }

    @Test
    func `keeps the characters of what is Codable`() throws {
        let before = try Self.fixture("defaults-v4")
        let stored = try #require(before["arrayTimezone"])
        let outcome = DefaultsV4Conversion().convert(stored, as: .array(.codable(CodableZone.self)))
        let texts = [#"{"id":"0","name":"Asia\/Taipei"}"#, #"{"id":"1","name":"Asia\/Tokyo"}"#]
        #expect(outcome == .converted(.array(texts.map { .string($0) })))
    }

    @Test
    func `is current afterwards, every key that could be converted`() throws {
        for (key, stored) in try Self.fixture("defaults-v4") {
            let form = try #require(Self.forms[key])
            guard case .converted(let value, _) = DefaultsV4Conversion().convert(stored, as: form) else { continue }
            #expect(DefaultsV4Conversion().convert(value, as: form) == .alreadyCurrent, "\(key)")
        }
    }

    private static func fixture(_ name: String) throws -> [String: PropertyListValue] {
        let url = try #require(
            Bundle.module.url(forResource: name, withExtension: "plist", subdirectory: "Fixtures")
        )
        let plist = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
        return try #require(plist as? [String: Any]).mapValues { try plain($0) }
    }

    private static func plain(_ value: Any) throws -> PropertyListValue {
        switch value {
        case let value as String: .string(value)
        case let value as Date: .date(value)
        case let value as Data: .data(value)
        case let value as [Any]: .array(try value.map { try plain($0) })
        case let value as [String: Any]: .dictionary(try value.mapValues { try plain($0) })
        case let value as NSNumber where CFGetTypeIDIsBool(value): .bool(value.boolValue)
        case let value as NSNumber where String(cString: value.objCType) == "d": .double(value.doubleValue)
        default: .int(try #require(value as? NSNumber).int64Value)
        }
    }

    private static func CFGetTypeIDIsBool(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }

    /// A value in which JSON texts with the same meaning are the same; the order in sets as it is.
    private static func meaning(_ value: PropertyListValue) throws -> PropertyListValue {
        switch value {
        case .string(let text):
            guard text.hasPrefix("{"),
                let object = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            else { return value }
            let sorted = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
            return .string(String(decoding: sorted, as: UTF8.self))
        case .array(let values): return .array(try values.map(meaning))
        case .dictionary(let values): return .dictionary(try values.mapValues(meaning))
        default: return value
        }
    }

    struct Bag: Codable {
        var when: Date
        var blob: Data
        var url: URL
        var ratio: Float
        var note: String?
    }

    enum Period: String, Codable {
        case tenMinutes = "10 Minutes"
        case halfHour = "30 Minutes"
        case hour = "1 Hour"
    }

    enum Level: Int, Codable {
        case low = 1
        case high = 2
    }
}
