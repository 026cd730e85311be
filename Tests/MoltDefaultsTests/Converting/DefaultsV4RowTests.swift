import Foundation
import MoltDefaults
import Testing

/// A test from Defaults 5.0.0's own suite: the stored value and the expected value after the conversion.
struct DefaultsV4Row: Sendable, CustomTestStringConvertible {
    var number: Int
    var name: String
    var form: DefaultsForm
    var stored: String
    var result: PropertyListValue

    init(_ number: Int, _ name: String, _ form: DefaultsForm, _ stored: String, _ result: PropertyListValue) {
        self.number = number
        self.name = name
        self.form = form
        self.stored = stored
        self.result = result
    }

    var testDescription: String { "\(number) \(name)" }

    private static let zoneText = #"{"name":"Asia\/Taipei","id":"0"}"#
    private static let otherZoneText = #"{"id":"0","name":"Asia\/Taipei"}"#
    private static let zone = PropertyListValue.dictionary(["id": .string("0"), "name": .string("Asia/Taipei")])
    private static let bytes = PropertyListValue.data(Data("Hello World!".utf8))
    private static let date = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 642000000.5))
    private static let abc = PropertyListValue.array([.string("a"), .string("b"), .string("c")])
    private static let period = PropertyListValue.string("10 Minutes")

    private static func numbers(
        _ first: Int,
        _ type: String,
        _ form: DefaultsForm,
        _ text: String,
        _ value: PropertyListValue
    ) -> [DefaultsV4Row] {
        [
            DefaultsV4Row(first, "test\(type)ToNative\(type)", form, text, value),
            DefaultsV4Row(
                first + 1,
                "test\(type)ToNativeCollection\(type)",
                .array(of: form),
                "[\(text)]",
                .array([value])
            ),
            DefaultsV4Row(
                first + 2,
                "test\(type)ToCodableCollection\(type)",
                .flattened("items", form),
                #"{"items":[\#(text)]}"#,
                .array([value])
            ),
        ]
    }

    static let rows: [DefaultsV4Row] =
        [
            DefaultsV4Row(1, "testDataToNativeData", .data, #""SGVsbG8gV29ybGQh""#, bytes),
            DefaultsV4Row(
                2,
                "testArrayDataToNativeCollectionData",
                .array(of: .data),
                #"["SGVsbG8gV29ybGQh"]"#,
                .array([bytes])
            ),
            DefaultsV4Row(
                3,
                "testArrayDataToCodableCollectionData",
                .flattened("items", .data),
                #"{"items":["SGVsbG8gV29ybGQh"]}"#,
                .array([bytes])
            ),
            DefaultsV4Row(
                4,
                "testArrayDataToNativeSetAlgebraData",
                .flattened("store", .data),
                #"{"store":["SGVsbG8gV29ybGQh"]}"#,
                .array([bytes])
            ),
        ]
        + numbers(5, "Date", .date, "642000000.5", date)
        + numbers(8, "Bool", .bool, "false", .bool(false))
        + numbers(11, "Int", .int, "-9223372036854775808", .int(.min))
        + numbers(14, "UInt", .integer(UInt.self), "0", .int(0))
        + numbers(17, "Double", .double, "0", .double(0))
        + numbers(20, "Float", .float, "0", .double(0))
        + numbers(23, "CGFloat", .double, "0", .double(0))
        + numbers(26, "Int8", .integer(Int8.self), "-128", .int(-128))
        + numbers(29, "UInt8", .integer(UInt8.self), "0", .int(0))
        + numbers(32, "Int16", .integer(Int16.self), "-32768", .int(-32768))
        + numbers(35, "UInt16", .integer(UInt16.self), "0", .int(0))
        + numbers(38, "Int32", .integer(Int32.self), "-2147483648", .int(-2_147_483_648))
        + numbers(41, "UInt32", .integer(UInt32.self), "0", .int(0))
        + numbers(44, "Int64", .integer(Int64.self), "-9223372036854775808", .int(.min))
        + numbers(47, "UInt64", .integer(UInt64.self), "0", .int(0))
        + collections + types

    private static let collections: [DefaultsV4Row] = [
        DefaultsV4Row(
            50,
            "testArrayURLToNativeArrayURL",
            .array(of: .url),
            #"["https:\/\/sindresorhus.com"]"#,
            .array([.string(#""https:\/\/sindresorhus.com""#)])
        ),
        DefaultsV4Row(
            51,
            "testArrayURLToNativeCollectionURL",
            .array(of: .url),
            #"["https:\/\/sindresorhus.com"]"#,
            .array([.string(#""https:\/\/sindresorhus.com""#)])
        ),
        DefaultsV4Row(52, "testArrayToNativeArray", .array(of: .string), #"["a","b","c"]"#, abc),
        DefaultsV4Row(53, "testArrayToNativeStaticOptionalArray", .array(of: .string), #"["a","b","c"]"#, abc),
        DefaultsV4Row(54, "testArrayToNativeOptionalArray", .array(of: .string), #"["a","b","c"]"#, abc),
        DefaultsV4Row(
            55,
            "testArrayDictionaryStringIntToNativeArray",
            .array(of: .dictionary(of: .int)),
            #"[{"a":0,"b":1}]"#,
            .array([.dictionary(["a": .int(0), "b": .int(1)])])
        ),
        DefaultsV4Row(56, "testArrayToNativeSet", .set(of: .string), #"["a","b","c"]"#, abc),
        DefaultsV4Row(
            57,
            "testArrayToNativeCollectionType",
            .array(of: .string),
            #"["Hello World!"]"#,
            .array([.string("Hello World!")])
        ),
        DefaultsV4Row(
            58,
            "testArrayToCodableCollectionType",
            .flattened("items", .string),
            #"{"items":["a","b","c"]}"#,
            abc
        ),
        DefaultsV4Row(
            59,
            "testArrayAndCodableElementToNativeCollectionType",
            .array(of: .timeZone),
            "[\(zoneText)]",
            .array([zone])
        ),
        DefaultsV4Row(
            60,
            "testArrayAndCodableElementToNativeSetAlgebraType",
            .set(of: .timeZone),
            "[\(otherZoneText)]",
            .array([zone])
        ),
    ]

    private static let types: [DefaultsV4Row] = [
        DefaultsV4Row(61, "testCodableToNativeType", .timeZone, otherZoneText, zone),
        DefaultsV4Row(62, "testCodableToNativeOptionalType", .timeZone, zoneText, zone),
        DefaultsV4Row(
            63,
            "testArrayAndCodableElementToNativeArray",
            .array(of: .timeZone),
            "[\(otherZoneText)]",
            .array([zone])
        ),
        DefaultsV4Row(
            64,
            "testArrayAndCodableElementToNativeSet",
            .set(of: .timeZone),
            "[\(zoneText)]",
            .array([zone])
        ),
        DefaultsV4Row(65, "testCodableToNativeCodableOptionalType", .timeZone, otherZoneText, zone),
        DefaultsV4Row(
            66,
            "testCodableArrayToNativeCodableArrayType",
            .array(of: .timeZone),
            "[\(otherZoneText)]",
            .array([zone])
        ),
        DefaultsV4Row(
            67,
            "testCodableArrayToNativeCollectionType",
            .flattened("items", .timeZone),
            #"{"items":[\#(zoneText)]}"#,
            .array([zone])
        ),
        DefaultsV4Row(
            68,
            "testDictionaryToNativelyDictionary",
            .dictionary(of: .string),
            #"{"Hank":"Chen"}"#,
            .dictionary(["Hank": .string("Chen")])
        ),
        DefaultsV4Row(
            69,
            "testDictionaryAndCodableValueToNativeDictionary",
            .dictionary(of: .timeZone),
            #"{"0":\#(otherZoneText)}"#,
            .dictionary(["0": zone])
        ),
        DefaultsV4Row(
            70,
            "testDictionaryCodableKeyAndCodableValueToNativeDictionary",
            .dictionary(key: .of(UInt32.self), of: .timeZone),
            #"{"123":\#(zoneText)}"#,
            .dictionary(["123": zone])
        ),
        DefaultsV4Row(
            71,
            "testDictionaryCustomKeyAndCodableValueToNativeDictionary",
            .dictionary(key: .of(UniqueID.self), of: .timeZone),
            #"{"1234":\#(otherZoneText)}"#,
            .dictionary(["1234": zone])
        ),
        DefaultsV4Row(
            72,
            "testNestedDictionaryCustomKeyAndCodableValueToNativeNestedDictionary",
            .dictionary(key: .of(UniqueID.self), of: .dictionary(key: .of(UniqueID.self), of: .timeZone)),
            #"{"12345":{"1234":\#(otherZoneText)}}"#,
            .dictionary(["12345": .dictionary(["1234": zone])])
        ),
        DefaultsV4Row(73, "testEnumToNativeEnum", .period, #""10 Minutes""#, period),
        DefaultsV4Row(74, "testArrayEnumToNativeArrayEnum", .array(of: .period), #"["10 Minutes"]"#, .array([period])),
        DefaultsV4Row(75, "testArrayEnumToNativeSetEnum", .set(of: .period), #"["10 Minutes"]"#, .array([period])),
    ]
}

@Suite("Defaults 5's own tests")
struct DefaultsV4RowTests {
    @Test(arguments: DefaultsV4Row.rows)
    func `The stored text is converted to what Defaults 5 stores`(row: DefaultsV4Row) {
        let conversion = DefaultsV4Conversion(target: .v5)
        #expect(conversion.convert(.string(row.stored), as: row.form) == .converted(row.result))
        #expect(conversion.convert(row.result, as: row.form) == .alreadyCurrent)
    }

    @Test
    func `All 75 tests of Defaults 5 are covered`() {
        #expect(DefaultsV4Row.rows.map(\.number) == Array(1...75))
    }
}
