import Foundation
import MoltDefaults
import Testing

@Suite("Forms of typed keys")
struct DefaultsFormTests {
    @Test(
        arguments: [
            (Bool.defaultsForm, .bool), (Int.defaultsForm, .int), (Int8.defaultsForm, .integer(Int8.self)),
            (Int16.defaultsForm, .integer(Int16.self)), (Int32.defaultsForm, .integer(Int32.self)),
            (Int64.defaultsForm, .integer(Int64.self)),
            (UInt.defaultsForm, .integer(UInt.self)), (UInt8.defaultsForm, .integer(UInt8.self)),
            (UInt16.defaultsForm, .integer(UInt16.self)),
            (UInt32.defaultsForm, .integer(UInt32.self)), (UInt64.defaultsForm, .integer(UInt64.self)),
            (Float.defaultsForm, .float),
            (Double.defaultsForm, .double), (CGFloat.defaultsForm, .double), (String.defaultsForm, .string),
            (Date.defaultsForm, .date), (Data.defaultsForm, .data), (URL.defaultsForm, .url),
            (UUID.defaultsForm, .uuid), (Decimal.defaultsForm, .decimal), (Color.defaultsForm, .keyedArchive),
            (Int?.defaultsForm, .int), (Period.defaultsForm, .codable), (Level.defaultsForm, .rawValue(of: .int)),
            (Preferred.defaultsForm, .rawValue(of: .string)),
            ([String]?.defaultsForm, .array(of: .string)), (Set<Int8>.defaultsForm, .set(of: .integer(Int8.self))),
            ([String: [Period]].defaultsForm, .dictionary(of: .array(of: .codable))),
            ([UInt32: [[Date]]].defaultsForm, .dictionary(key: .integer, of: .array(of: .array(of: .date)))),
            (Range<Int>.defaultsForm, .range(of: .int)), (ClosedRange<Date>.defaultsForm, .closedRange(of: .date)),
            (MyBag<Data>.defaultsForm, .array(of: .data)), (MySet<Data>.defaultsForm, .set(of: .data)),
            ([TimeZone].defaultsForm, .array(of: .native(from: CodableTimeZone.self))),
            ([Newt].defaultsForm, .keyedArchive),
        ] as [(DefaultsForm, DefaultsForm)]
    )
    func `A type's form equals the form written out by hand`(form: DefaultsForm, written: DefaultsForm) {
        #expect(outline(form) == outline(written))
    }

    @Test
    func `A Codable leaf accepts only JSON that its type decodes`() throws {
        let check = try #require(Period.defaultsForm.codableCheck)
        try check(Array("\"1 Hour\"".utf8))
        let error = try #require(throws: DefaultsError.self) { try check(Array("\"2 Weeks\"".utf8)) }
        #expect(error.code == .typeMismatch)
        let untyped = try #require(DefaultsForm.codable.codableCheck)
        try untyped(Array("\"2 Weeks\"".utf8))
        try untyped(Array("{\"a\":[1]}".utf8))
        #expect(throws: DefaultsError.self) { try untyped(Array("[1".utf8)) }
        #expect(throws: DefaultsError.self) { try untyped([]) }
    }

    @Test
    func `A raw value is checked against the cases of its type, or against the raw type`() throws {
        let level = try #require(Level.defaultsForm.isKnownRawValue)
        #expect(level(.int(2)))
        #expect(!level(.int(3)))
        #expect(!level(.string("2")))
        let text = try #require(DefaultsForm.rawValue(of: .string).isKnownRawValue)
        #expect(text(.string("anything")))
        #expect(!text(.int(1)))
        let byte = try #require(DefaultsForm.rawValue(of: .integer(Int8.self)).isKnownRawValue)
        #expect(byte(.int(-128)))
        #expect(!byte(.int(128)))
        #expect(!byte(.unsigned(.max)))
        #expect(!byte(.string("1")))
        let large = try #require(DefaultsForm.rawValue(of: .integer(UInt64.self)).isKnownRawValue)
        #expect(large(.unsigned(.max)))
        #expect(!large(.int(-1)))
    }

    @Test
    func `A native form is converted from the old JSON text`() throws {
        let taipei = PropertyListValue.dictionary(["id": .string("0"), "name": .string("Asia/Taipei")])
        let json = #"{"id":"0","name":"Asia\/Taipei"}"#
        #expect(try native(TimeZone.defaultsForm, from: json) == taipei)
        #expect(try native(ChosenTimeZone.defaultsForm, from: json) == taipei)
        #expect(try native(EnumForm.defaultsForm, from: "\"10 Minutes\"") == .string("10 Minutes"))
        #expect(
            try native(CodableBag<Data>.defaultsForm, from: #"{"items":["SGk="]}"#) == .array([.data(Data("Hi".utf8))])
        )
        #expect(
            try native(CodableSet<Date>.defaultsForm, from: #"{"store":[1.5]}"#)
                == .array([.date(Date(timeIntervalSinceReferenceDate: 1.5))])
        )
        #expect(try native(CodableBag<ChosenTimeZone>.defaultsForm, from: #"{"items":[\#(json)]}"#) == .array([taipei]))
        #expect(try native([Toad].defaultsForm, from: #"[{"age":1}]"#) == .data(Data(#"[{"age":1}]"#.utf8)))
    }

    @Test
    func `JSON text that the native type cannot decode, or that has no Codable form, is an error`() {
        #expect(throws: DefaultsError.self) { try native(EnumForm.defaultsForm, from: "\"2 Weeks\"") }
        #expect(throws: DefaultsError.self) { try native(TimeZone.defaultsForm, from: "{}") }
        #expect(throws: (any Error).self) { try native(Frog.defaultsForm, from: "\"Froggy\"") }
        #expect(throws: (any Error).self) { try native(PropertyListValue.defaultsForm, from: "1") }
    }

    @Test
    func `Converting JSON text of a type without a Codable form fails with the type's name`() {
        let reason = "JSON text of Mixed, which is not Codable and has no Codable form"
        #expect(
            DefaultsV4Conversion().convert(#"[{"name":"n","count":3}]"#, as: [Mixed].defaultsForm)
                == .notConvertible(reason: reason, place: ValuePlace([.index(0)]))
        )
    }

    @Test
    func `A native form recognizes current values`() throws {
        let zone = try #require(TimeZone.defaultsForm.isCurrent)
        #expect(zone(.dictionary(["id": .string("0"), "name": .string("n")])))
        #expect(!zone(.dictionary(["id": .string("0")])))
        #expect(!zone(.string(#"{"id":"0","name":"n"}"#)))
        let period = try #require(EnumForm.defaultsForm.isCurrent)
        #expect(period(.string("1 Hour")))
        #expect(!period(.string("\"1 Hour\"")))
    }

    @Test
    func `Dictionary keys are normalized to one spelling`() {
        #expect(DefaultsForm.Key.of(UInt32.self).text("5") == "5")
        #expect(DefaultsForm.Key.of(UInt32.self).text("+5") == "5")
        #expect(DefaultsForm.Key.of(UInt32.self).text("-5") == nil)
        #expect(DefaultsForm.Key.of(EnumForm.self).text("1 Hour") == "1 Hour")
        #expect(DefaultsForm.Key.of(EnumForm.self).text("2 Weeks") == nil)
        #expect(DefaultsForm.Key.integer.text("18446744073709551615") == "18446744073709551615")
        #expect(DefaultsForm.Key.integer.text("a") == nil)
        #expect(DefaultsForm.Key.string.text("a") == "a")
    }

    private func native(_ form: DefaultsForm, from json: String) throws -> PropertyListValue {
        guard case .native(let convert, _) = form.kind else {
            throw NotNative()
        }
        return try convert(Array(json.utf8))
    }

    private struct NotNative: Error {}
}

/// The form's structure, without its closures.
private func outline(_ form: DefaultsForm) -> String {
    switch form.kind {
    case .bool: "bool"
    case .integer(let min, let max): "\(min)...\(max)"
    case .float: "float"
    case .double: "double"
    case .string: "string"
    case .date: "date"
    case .data: "data"
    case .url: "url"
    case .uuid: "uuid"
    case .decimal: "decimal"
    case .range(let bound, let isClosed): "range(\(outline(bound)), \(isClosed))"
    case .codable: "codable"
    case .rawValue(let raw, _): "raw(\(outline(raw)))"
    case .keyedArchive: "archive"
    case .array(let element): "[\(outline(element))]"
    case .set(let element): "set(\(outline(element)))"
    case .dictionary(let key, let value): "[\(key.text("1") ?? "-")\(key.text("a") ?? "-"): \(outline(value))]"
    case .native: "native"
    }
}

extension DefaultsForm {
    fileprivate var codableCheck: (@Sendable ([UInt8]) throws -> Void)? {
        if case .codable(let check, _) = kind { check } else { nil }
    }

    fileprivate var isKnownRawValue: (@Sendable (PropertyListValue) -> Bool)? {
        if case .rawValue(_, let isKnown) = kind { isKnown } else { nil }
    }

    fileprivate var isCurrent: (@Sendable (PropertyListValue) -> Bool)? {
        if case .native(_, let isCurrent) = kind { isCurrent } else { nil }
    }
}
