import Foundation
import Molt
import Testing

@Suite("Forms of typed keys") struct DefaultsFormTests {
    @Test(
        arguments: [
            (Bool.settingCoding.form, .bool), (Int.settingCoding.form, .int),
            (Int8.settingCoding.form, .integer(Int8.self)),
            (Int16.settingCoding.form, .integer(Int16.self)), (Int32.settingCoding.form, .integer(Int32.self)),
            (Int64.settingCoding.form, .integer(Int64.self)),
            (UInt.settingCoding.form, .integer(UInt.self)), (UInt8.settingCoding.form, .integer(UInt8.self)),
            (UInt16.settingCoding.form, .integer(UInt16.self)),
            (UInt32.settingCoding.form, .integer(UInt32.self)), (UInt64.settingCoding.form, .integer(UInt64.self)),
            (Float.settingCoding.form, .float),
            (Double.settingCoding.form, .double), (CGFloat.settingCoding.form, .double),
            (String.settingCoding.form, .string),
            (Date.settingCoding.form, .date), (Data.settingCoding.form, .data), (URL.settingCoding.form, .url),
            (UUID.settingCoding.form, .uuid), (Decimal.settingCoding.form, .decimal),
            (Color.settingCoding.form, .keyedArchive),
            (Int?.settingCoding.form, .int), (Period.settingCoding.form, .codable),
            (Level.settingCoding.form, .rawValue(of: .int)),
            (Preferred.settingCoding.form, .rawValue(of: .string)),
            ([String]?.settingCoding.form, .array(of: .string)),
            (Set<Int8>.settingCoding.form, .set(of: .integer(Int8.self))),
            ([String: [Period]].settingCoding.form, .dictionary(of: .array(of: .codable))),
            ([UInt32: [[Date]]].settingCoding.form, .dictionary(key: .integer, of: .array(of: .array(of: .date)))),
            (Range<Int>.settingCoding.form, .range(of: .int)),
            (ClosedRange<Date>.settingCoding.form, .closedRange(of: .date)),
            (MyBag<Data>.settingCoding.form, .array(of: .data)), (MySet<Data>.settingCoding.form, .set(of: .data)),
            ([TimeZone].settingCoding.form, .array(of: .decoded(CodableTimeZone.self) { $0.toNative() })),
            (SettingCoding<[Newt]>.keyedArchive.form, .keyedArchive),
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
    case .decoded: "decoded"
    default: "\(form.kind)"
    }
}
