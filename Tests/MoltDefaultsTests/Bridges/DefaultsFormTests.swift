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

    @Test(
        arguments: [
            (Level.defaultsForm, [2], [3, "2"]), (.rawValue(of: .string), ["anything"], [1]),
            (.rawValue(of: .integer(Int8.self)), [-128], [128, .unsigned(.max), "1"]),
            (.rawValue(of: .integer(UInt64.self)), [.unsigned(.max)], [-1]),
        ] as [(DefaultsForm, [PropertyListValue], [PropertyListValue])]
    )
    func `A raw value is checked against the cases of its type, or against the raw type`(
        form: DefaultsForm,
        known: [PropertyListValue],
        unknown: [PropertyListValue]
    ) throws {
        let isKnown = try #require(form.isKnownRawValue)
        #expect(known.allSatisfy(isKnown))
        #expect(!unknown.contains(where: isKnown))
    }

    @Test
    func `A native form is converted from the old JSON text`() throws {
        let taipei = PropertyListValue.dictionary(["id": .string("0"), "name": .string("Asia/Taipei")])
        let json = #"{"id":"0","name":"Asia\/Taipei"}"#
        for (form, json, stored) in [
            (TimeZone.defaultsForm, json, taipei), (ChosenTimeZone.defaultsForm, json, taipei),
            (EnumForm.defaultsForm, "\"10 Minutes\"", "10 Minutes"),
            (CodableBag<Data>.defaultsForm, #"{"items":["SGk="]}"#, [.data(Data("Hi".utf8))]),
            (
                CodableSet<Date>.defaultsForm, #"{"store":[1.5]}"#,
                [.date(Date(timeIntervalSinceReferenceDate: 1.5))]
            ),
            (CodableBag<ChosenTimeZone>.defaultsForm, #"{"items":[\#(json)]}"#, [taipei]),
            ([Toad].defaultsForm, #"[{"age":1}]"#, .data(Data(#"[{"age":1}]"#.utf8))),
        ] as [(DefaultsForm, String, PropertyListValue)] {
            #expect(try native(form, from: json) == stored, "\(json)")
        }
    }

    @Test
    func `JSON text that the native type cannot decode, or that has no Codable form, is an error`() {
        #expect(throws: DefaultsError.self) { try native(EnumForm.defaultsForm, from: "\"2 Weeks\"") }
        #expect(throws: DefaultsError.self) { try native(TimeZone.defaultsForm, from: "{}") }
        #expect(throws: (any Error).self) { try native(Frog.defaultsForm, from: "\"Froggy\"") }
        #expect(throws: (any Error).self) { try native(PropertyListValue.defaultsForm, from: "1") }
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
        for (key, text, normalized) in [
            (.of(UInt32.self), "5", "5"), (.of(UInt32.self), "+5", "5"), (.of(UInt32.self), "-5", nil),
            (.of(EnumForm.self), "1 Hour", "1 Hour"), (.of(EnumForm.self), "2 Weeks", nil),
            (.integer, "18446744073709551615", "18446744073709551615"), (.integer, "a", nil), (.string, "a", "a"),
        ] as [(DefaultsForm.Key, String, String?)] {
            #expect(key.text(text) == normalized)
        }
    }

    private func native(_ form: DefaultsForm, from json: String) throws -> PropertyListValue {
        let convert = try #require(form.convert)
        return try convert(Array(json.utf8))
    }
}

/// The form's structure, without its closures.
private func outline(_ form: DefaultsForm) -> String {
    switch form.kind {
    case .integer(let min, let max): "\(min)...\(max)"
    case .range(let bound, let isClosed): "range(\(outline(bound)), \(isClosed))"
    case .rawValue(let raw, _): "raw(\(outline(raw)))"
    case .array(let element): "[\(outline(element))]"
    case .set(let element): "set(\(outline(element)))"
    case .dictionary(let key, let value): "[\(key.text("1") ?? "-")\(key.text("a") ?? "-"): \(outline(value))]"
    case .codable: "codable"
    case .native: "native"
    default: "\(form.kind)"
    }
}

extension DefaultsForm {
    fileprivate var codableCheck: (@Sendable ([UInt8]) throws -> Void)? {
        if case .codable(let check, _) = kind { check } else { nil }
    }

    fileprivate var isKnownRawValue: (@Sendable (PropertyListValue) -> Bool)? {
        if case .rawValue(_, let isKnown) = kind { isKnown } else { nil }
    }

    fileprivate var convert: (@Sendable ([UInt8]) throws -> PropertyListValue)? {
        if case .native(let convert, _) = kind { convert } else { nil }
    }

    fileprivate var isCurrent: (@Sendable (PropertyListValue) -> Bool)? {
        if case .native(_, let isCurrent) = kind { isCurrent } else { nil }
    }
}
