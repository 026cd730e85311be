import Foundation
import Molt
import Testing

/// The suite that Defaults 4.2.2 wrote, and what Defaults 5.0.0 converted it to.
@Suite("A suite that Defaults 4 wrote") struct DefaultsV4FixtureTests {
    static let forms: [String: DefaultsForm] = [
        "alreadyNative": .array(of: .string), "arrayArrayInt": .array(of: .array(of: .int)),
        "arrayArrayTimezone": .array(of: .array(of: .codable)), "arrayBag": .array(of: .codable),
        "arrayBool": .array(of: .bool), "arrayData": .array(of: .data), "arrayDate": .array(of: .date),
        "arrayDouble": .array(of: .double), "arrayEmpty": .array(of: .string), "arrayInt": .array(of: .int),
        "arrayPeriod": .array(of: .codable), "arraySetString": .array(of: .set(of: .string)),
        "arrayString": .array(of: .string), "arrayTimezone": .array(of: .codable), "arrayURL": .array(of: .url),
        "bag": .codable, "bool": .bool, "data": .data, "date": .date,
        "dictionaryArrayTimezone": .dictionary(of: .array(of: .codable)),
        "dictionaryIntTimezone": .dictionary(key: .of(Int.self), of: .codable),
        "dictionaryPeriod": .dictionary(of: .codable),
        "dictionaryPeriodInt": .dictionary(key: .of(EnumForm.self), of: .int),
        "dictionaryStringArray": .dictionary(of: .array(of: .int)), "dictionaryStringBool": .dictionary(of: .bool),
        "dictionaryStringDate": .dictionary(of: .date), "dictionaryStringInt": .dictionary(of: .int),
        "dictionaryStringIntInArray": .array(of: .dictionary(of: .int)),
        "dictionaryTimezone": .dictionary(of: .codable),
        "dictionaryUInt32Timezone": .dictionary(key: .of(UInt32.self), of: .codable), "double": .double,
        "float": .float, "int": .int, "int64": .integer(Int64.self), "int8": .integer(Int8.self),
        "jsonLookingString": .string, "level": .codable, "malformedArray": .array(of: .string),
        "nullElementArray": .array(of: .int), "optionalMissing": .int, "period": .codable, "setInt": .set(of: .int),
        "setPeriod": .set(of: .codable), "setString": .set(of: .string), "setTimezone": .set(of: .codable),
        "string": .string, "timezone": .codable, "uint": .integer(UInt.self), "uint64": .integer(UInt64.self),
        "unknownCaseArray": .array(of: .period), "url": .url, "wrongShapeArray": .array(of: .int),
    ]

    /// Values that Defaults 5.0.0 does not convert correctly.
    static let exceptions: [String: PropertyListValue] = [
        "arraySetString": [["only"]], "dictionaryPeriodInt": ["10 Minutes": 10, "1 Hour": 60], "int8": -128,
        "int64": .int(.min), "uint": 7, "uint64": .unsigned(.max),
    ]

    static let notConvertible: [String: String] = [
        "malformedArray": "", "nullElementArray": "[1]", "optionalMissing": "", "unknownCaseArray": "[1]",
        "wrongShapeArray": "",
    ]

    @Test func `Every key becomes what Defaults 5 converts it to, and is current afterwards`() throws {
        let before = try Self.fixture("defaults-v4")
        let after = try Self.fixture("defaults-v5")
        #expect(before.count == 52)
        #expect(Set(before.keys) == Set(Self.forms.keys))
        let conversion = DefaultsV4Conversion(target: .v5)
        var counts: [String: Int] = [:]
        for (key, stored) in before {
            let form = try #require(Self.forms[key])
            let expected = try #require(Self.exceptions[key] ?? after[key])
            switch conversion.convert(stored, as: form) {
            case .converted(let value):
                counts["converted", default: 0] += 1
                let isSet = key.hasPrefix("set")
                #expect(try Self.meaning(value, isSet: isSet) == Self.meaning(expected, isSet: isSet), "\(key)")
                #expect(conversion.convert(value, as: form) == .alreadyCurrent, "\(key)")
            case .alreadyCurrent:
                counts["already current", default: 0] += 1
                #expect(try Self.meaning(stored) == Self.meaning(expected), "\(key)")
            case .notConvertible(_, let place):
                counts["not convertible", default: 0] += 1
                #expect(stored == expected, "\(key)")
                #expect(Self.notConvertible[key] == place.description, "\(key)")
            }
        }
        #expect(counts == ["converted": 33, "already current": 14, "not convertible": 5])
        // Codable values keep their characters.
        let zones = DefaultsV4Conversion().convert(
            try #require(before["arrayTimezone"]),
            as: .array(of: .codable)
        )
        #expect(zones == .converted([#"{"id":"0","name":"Asia\/Taipei"}"#, #"{"id":"1","name":"Asia\/Tokyo"}"#]))
    }

    static func fixture(_ name: String) throws -> [String: PropertyListValue] {
        let url = try #require(
            Bundle.module.url(forResource: name, withExtension: "plist", subdirectory: "Fixtures")
        )
        let plist = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
        return try #require(plist as? [String: Any]).mapValues { try PropertyListValue(normalizing: $0) }
    }

    /// The value with JSON text replaced by its meaning, and a set's elements in a fixed order.
    private static func meaning(_ value: PropertyListValue, isSet: Bool = false) throws -> PropertyListValue {
        switch value {
        case .string(let text):
            guard text.hasPrefix("{"),
                let object = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            else { return value }
            let sorted = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
            return .string(String(decoding: sorted, as: UTF8.self))
        case .array(let values):
            let values = try values.map { try meaning($0) }
            return .array(isSet ? values.sorted { "\($0)" < "\($1)" } : values)
        case .dictionary(let values): return .dictionary(try values.mapValues { try meaning($0) })
        default: return value
        }
    }
}
