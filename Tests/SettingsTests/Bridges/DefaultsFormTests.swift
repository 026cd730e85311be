import Foundation
import Molt
import Testing

@Suite("Forms of typed keys") struct DefaultsFormTests {
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

    @Test func `Dictionary keys are normalized to one spelling`() {
        for (key, text, normalized) in [
            (.of(UInt32.self), "5", "5"), (.of(UInt32.self), "+5", "5"), (.of(UInt32.self), "-5", nil),
            (.of(EnumForm.self), "1 Hour", "1 Hour"), (.of(EnumForm.self), "2 Weeks", "2 Weeks"),
            (.integer, "18446744073709551615", "18446744073709551615"), (.integer, "a", nil), (.string, "a", "a"),
        ] as [(DefaultsForm.Key, String, String?)] {
            #expect(key.text(text) == normalized)
        }
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
