import Foundation
import Generators
import Molt
import TestSupport
import Testing

@Suite struct `Changing the kind of values and the form of dates` {
    // MARK: Kinds

    private static let values: [(String, Record.ScalarKind, String)] = [
        (#""36""#, Record.ScalarKind.integer, "36"), (#""-0""#, .integer, "-0"), ("36.0", .integer, "36"),
        ("3.60e1", .integer, "36"), ("0.000000000000000000000000000000000", .integer, "0"), ("36", .integer, "36"),
        ("18446744073709551616", .integer, "18446744073709551616"),
        ("true", .integer, "1"), ("false", .integer, "0"), ("null", .integer, "null"),
        (#""1.50""#, .number, "1.50"), (#""1e400""#, .number, "1e400"), ("true", .number, "1"),
        ("0.10", .number, "0.10"), (#""\u0037""#, .number, "7"),
        ("1.50", .string, #""1.50""#), ("true", .string, #""true""#), (#""\u0037""#, .string, #""\u0037""#),
        (#""true""#, .bool, "true"), (#""0""#, .bool, "false"), ("1", .bool, "true"), ("false", .bool, "false"),
    ]

    @Test func `A value with one form of the new kind gets it, with its digits`() throws {
        for (before, kind, after) in Self.values {
            try expectChanged(#"{"a": \#(before) }"#, to: #"{"a": \#(after) }"#) { try $0.changeValue("a", to: kind) }
        }
    }

    private static let others: [(String, Record.ScalarKind)] = [
        (#""007""#, Record.ScalarKind.integer), (#"" 7""#, .integer), (#""+7""#, .integer), (#""7.0""#, .integer),
        (#""""#, .integer), ("7.5", .integer), ("1e400", .integer), ("[]", .integer), ("{}", .string),
        (#""NaN""#, .number), (#""0x10""#, .number), (#"".5""#, .number), (#""yes""#, .bool), ("2", .bool),
        ("1.0", .bool), (#""TRUE""#, .bool), ("[1]", .bool),
    ]

    @Test(arguments: others)
    func `Other values are refused, kept, replaced or removed`(value: String, kind: Record.ScalarKind) throws {
        let json = #"{"a":\#(value),"b":1}"#
        try expectRefused(json, .typeMismatch, "a") { try $0.changeValue("a", to: kind) }
        try expectChanged(json, to: json) { try $0.changeValue("a", to: kind, otherwise: .keep) }
        try expectChanged(json, to: #"{"a":null,"b":1}"#) {
            try $0.changeValue("a", to: kind, otherwise: .value(.null))
        }
        try expectChanged(json, to: #"{"b":1}"#) { try $0.changeValue("a", to: kind, otherwise: .remove) }
    }

    @Test func `A missing property is an error, and no error has the value`() throws {
        let json = #"{"a":"secret"}"#
        try expectRefused(json, .propertyMissing, "b") { try $0.changeValue("b", to: .integer) }
        let kind = #"The property "a" is a string that cannot be converted to an integer."#
        try expectRefused(json, .typeMismatch, "a", says: kind, canary: "secret") {
            try $0.changeValue("a", to: .integer)
        }
        try expectRefused(json, .typeMismatch, "a", says: "is not a date in the form iso8601", canary: "secret") {
            try $0.changeValue("a", from: .iso8601, to: .secondsSince1970)
        }
    }

    // MARK: Dates

    private static let dates: [(String, Record.DateForm, String, Record.DateForm)] = [
        ("0", Record.DateForm.deferredToDate, #""2001-01-01T00:00:00Z""#, Record.DateForm.iso8601),
        ("0.25", .deferredToDate, "978307200.25", .secondsSince1970),
        ("-978307200.5", .deferredToDate, "-0.5", .secondsSince1970),
        ("700000000.1234567", .deferredToDate, "1678307200123.4567", .millisecondsSince1970),
        ("1.6e9", .secondsSince1970, "621692800", .deferredToDate),
        ("1600000000000", .millisecondsSince1970, "1600000000", .secondsSince1970),
        ("1600000000001", .millisecondsSince1970, "1600000000.001", .secondsSince1970),
        ("-0.5", .secondsSince1970, #""1969-12-31T23:59:59Z""#, .iso8601),
        ("-0.5", .secondsSince1970, #""1969-12-31T23:59:59.500Z""#, .iso8601WithFractionalSeconds),
        ("0.12345678949", .secondsSince1970, #""1970-01-01T00:00:00.123456789Z""#, .iso8601WithFractionalSeconds),
        (#""2024-02-29T12:00:00+02:00""#, .iso8601, "1709200800", .secondsSince1970),
        (#""2024-02-29T12:00:00.5-0030""#, .iso8601, "1709209800.5", .secondsSince1970),
        (#""2024-02-29T12:00:00Z""#, .iso8601, #""2024-02-29T12:00:00.000Z""#, .iso8601WithFractionalSeconds),
        (#""0001-01-01T00:00:00Z""#, .iso8601, "-62135769600", .secondsSince1970),
        ("-62135769600", .secondsSince1970, #""0001-01-01T00:00:00Z""#, .iso8601),
        ("-12219292800", .secondsSince1970, #""1582-10-15T00:00:00Z""#, .iso8601),
        ("-12219292801", .secondsSince1970, #""1582-10-04T23:59:59Z""#, .iso8601),
        ("253402300799", .secondsSince1970, #""9999-12-31T23:59:59Z""#, .iso8601),
        // More than 19 digits: carried, borrowed, of either sign.
        ("9999999999999999999", .deferredToDate, "10000000000978307199", .secondsSince1970),
        ("0.0000000000000000000025", .deferredToDate, "978307200.0000000000000000000025", .secondsSince1970),
        (
            "-978307199.9999999999999999999999", .deferredToDate, "0.0000000000000000000001",
            .secondsSince1970
        ),
        (
            "-978307200.0000000000000000000001", .deferredToDate, "-0.0000000000000000000001",
            .secondsSince1970
        ),
        ("-0.00000000000000000005", .secondsSince1970, #""1969-12-31T23:59:59Z""#, .iso8601),
        ("null", .iso8601, "null", .secondsSince1970),
    ]

    @Test func `A date keeps its instant, to the last digit`() throws {
        for (before, form, after, newForm) in Self.dates {
            try expectChanged(#"{"at":\#(before)}"#, to: #"{"at":\#(after)}"#) {
                try $0.changeValue("at", from: form, to: newForm)
            }
        }
    }

    /// Every form that has fractions gives the same number back.
    @Test func `Random dates keep all digits through every form`() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<TestRun.choose(600, long: 3_000) {
            let whole = random.below(4_000_000_000) - 2_000_000_000
            let digits = (0..<1 + random.below(8)).map { _ in String(random.below(10)) } + [String(1 + random.below(9))]
            let text = "\(whole).\(digits.joined())"
            var record = try Record(#"{"at":\#(text)}"#)
            for (form, newForm) in [
                (Record.DateForm.deferredToDate, Record.DateForm.millisecondsSince1970),
                (.millisecondsSince1970, .iso8601WithFractionalSeconds),
                (.iso8601WithFractionalSeconds, .secondsSince1970), (.secondsSince1970, .deferredToDate),
            ] { try record.changeValue("at", from: form, to: newForm) }
            #expect(record.text == #"{"at":\#(text)}"#)
        }
    }

    private static let noDates: [(String, Record.DateForm)] = [
        (#""2001-02-29T00:00:00Z""#, Record.DateForm.iso8601), (#""2001-13-01T00:00:00Z""#, .iso8601),
        (#""2001-01-01T24:00:00Z""#, .iso8601), (#""2001-01-01T00:00:60Z""#, .iso8601),
        (#""2001-01-01T00:00:00""#, .iso8601), (#""2001-01-01""#, .iso8601), (#""2001-01-01 00:00:00Z""#, .iso8601),
        (#""2001-01-01T00:00:00.Z""#, .iso8601), (#""2001-01-01T00:00:00Zx""#, .iso8601),
        (#""1582-10-10T00:00:00Z""#, .iso8601), (#""0000-01-01T00:00:00Z""#, .iso8601), ("7", .iso8601),
        (#""7""#, .secondsSince1970), ("true", .secondsSince1970), ("1e300", .secondsSince1970),
        ("1e-9223372036854775808", .secondsSince1970),
        ("1e12", .secondsSince1970), ("-9223372036854775808", .secondsSince1970),
        ("170141183460469231731687303715884105727", .secondsSince1970), ("-62135769601", .secondsSince1970),
        ("[]", .millisecondsSince1970),
    ]

    @Test func `What is not such a date, or has no new form, is refused`() throws {
        for (value, form) in Self.noDates {
            let newForm = form == .iso8601 ? Record.DateForm.deferredToDate : .iso8601
            try expectRefused(#"{"at":\#(value)}"#, .typeMismatch, "at") {
                try $0.changeValue("at", from: form, to: newForm)
            }
        }
    }

    private struct Event: Codable { var at: Date }

    private static func coding(_ form: Record.DateForm) -> RecordCoding {
        RecordCoding { encoder, decoder in
            switch form {
            case .deferredToDate, .propertyListDate: break
            case .secondsSince1970:
                encoder.dateEncodingStrategy = .secondsSince1970
                decoder.dateDecodingStrategy = .secondsSince1970
            case .millisecondsSince1970:
                encoder.dateEncodingStrategy = .millisecondsSince1970
                decoder.dateDecodingStrategy = .millisecondsSince1970
            case .iso8601:
                encoder.dateEncodingStrategy = .iso8601
                decoder.dateDecodingStrategy = .iso8601
            case .iso8601WithFractionalSeconds:
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                encoder.dateEncodingStrategy = .custom { date, encoder in try style.format(date).encode(to: encoder) }
                decoder.dateDecodingStrategy = .custom { try style.parse(String(from: $0)) }
            }
        }
    }

    /// What `JSONEncoder` wrote in one form is read by `JSONDecoder` in another one.
    @Test(arguments: 0..<TestRun.choose(1, long: 2))
    func `Dates of the years 1 to 9999 agree with Foundation's coders`(seed: Int) throws {
        var random = SeededGenerator(seed: 1 + UInt64(seed))
        let forms: [Record.DateForm] = [
            .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601,
            .iso8601WithFractionalSeconds,
        ]
        for index in 0..<TestRun.choose(600, long: 1_500) {
            let range = index % 3 == 0 ? -62_135_769_600.0...253_402_300_799 : -1e9...4e9
            var seconds = Double.random(in: range, using: &random)
            if index % 2 == 0 { seconds.round(.down) }
            let (form, newForm) = (random.pick(forms), random.pick(forms))
            let (old, new) = (Self.coding(form), Self.coding(newForm))
            let json = try old.encoder.encode(Event(at: Date(timeIntervalSince1970: seconds)))
            var record = try Record(String(decoding: json, as: UTF8.self))
            try record.changeValue("at", from: form, to: newForm)
            let read = try new.decoder.decode(Event.self, from: Data(record.storedBytes))
            let isWhole = form == .iso8601 || newForm == .iso8601
            let isMilliseconds = form == .iso8601WithFractionalSeconds
            let tolerance = isWhole ? 1 : isMilliseconds ? 0.001_1 : 0.000_1
            let difference = abs(read.at.timeIntervalSince1970 - seconds)
            #expect(difference < tolerance, "\(seconds) from \(form) to \(newForm): \(record.text)")
            if newForm == .iso8601, form != .iso8601 {
                let expected = try new.encoder.encode(old.decoder.decode(Event.self, from: json))
                let text = record.text.replacing(" ", with: "")
                #expect(text == String(decoding: expected, as: UTF8.self), "\(seconds) from \(form)")
            }
        }
    }
}

@Suite struct `Changing file URLs to paths in a directory` {
    private static let container = "/var/mobile/Containers/Data/Application/0F-1"

    private static let paths: [(String, String)] = [
        ("file://\(container)/Documents/photos/a.jpg", "photos/a.jpg"),
        ("file://localhost\(container)/Documents/photos/", "photos/"), ("FILE:\(container)/Documents/a", "a"),
        ("file://\(container)/Documents/m%C3%BC%20b%25.jpg", "mü b%.jpg"),
        // Made without encoding.
        ("file://\(container)/Documents/100% %zz b.jpg", "100% %zz b.jpg"),
        ("\(container)/Documents/a%20b#?.jpg", "a%20b#?.jpg"), ("~/Documents/a.jpg", "a.jpg"),
        ("/Documents//photos//Documents/./a.jpg", "photos/Documents/./a.jpg"), ("\(container)/Documents", ""),
        ("\(container)/Documents/", ""), ("/Documents/a:b\u{301}", "a:b\u{301}"),
        // Relative already.
        ("photos/a%20b.jpg", "photos/a%20b.jpg"), ("Documents/a.jpg", "Documents/a.jpg"), ("", ""),
        ("12:30 a:b", "12:30 a:b"),
        ("a b:c", "a b:c"), ("photos/a:b", "photos/a:b"),
    ]

    @Test func `What follows the directory is kept, and a relative path stays as it is`() throws {
        for (before, after) in Self.paths {
            var photo: Record = try Record("{}")
            photo["file"] = .string(before)
            try photo.changeValue("file", toPathIn: "Documents")
            #expect(photo["file"] == .string(after), "\(before)")
        }
        try expectChanged(#"{"f":["\/a\/Documents\/b","c\/d",null]}"#, to: #"{"f":["b","c\/d",null]}"#) {
            try $0.changeValue(["f", .each], toPathIn: "Documents")
        }
        let nested = #"{"f":"/Library/x/Library/Application Support/a"}"#
        try expectChanged(nested, to: #"{"f":"a"}"#) {
            try $0.changeValue("f", toPathIn: "Library/Application Support")
        }
    }

    private static let others: [(String, String)] = [
        (#""https://a.b/Documents/secret""#, "is a string, but not a file URL or a path"),
        (#""data:image/png;base64,secret""#, "is a string, but not"), (#""mailto:secret""#, "is a string, but not"),
        (#""content:/secret""#, "is a string, but not"),
        (#""file://server/Documents/secret""#, "is a string, but not"),
        (#""file:///Documents/secret?x""#, "is a string, but not"), (#""file:secret""#, "is a string, but not"),
        (#""file:///Documents/%2Fsecret""#, "is a string, but not"),
        (#""file:///Documents/%FFsecret""#, "is a string, but not"),
        (#""/Documents/secret\u0000""#, "is a string, but not"),
        (#""/tmp/documents/secret""#, "does not lead into the directory Documents"),
        (#""/MyDocuments/secret""#, "does not lead into"), (#""/""#, "does not lead into"),
        (#""/Documents/a/../../secret""#, "does not lead into"), ("7", "is a number, not a file URL"),
        (#"{"relative":"/Documents/secret"}"#, "is an object, not"),
    ]

    @Test(arguments: others) func `Other values are refused, kept or replaced`(value: String, problem: String) throws {
        let json = #"{"a":\#(value)}"#
        try expectRefused(json, .typeMismatch, "a", says: problem, canary: "secret") {
            try $0.changeValue("a", toPathIn: "Documents")
        }
        try expectChanged(json, to: json) { try $0.changeValue("a", toPathIn: "Documents", otherwise: .keep) }
        try expectChanged(json, to: #"{"a":null}"#) {
            try $0.changeValue("a", toPathIn: "Documents", otherwise: .value(.null))
        }
    }
}

@Suite struct `Wrapping and unwrapping values` {
    @Test func `A wrapped value is unwrapped to the same`() throws {
        let cases: [(String, Record.Wrapper, String)] = [
            (#"{"p": "555" }"#, .array, #"{"p": ["555"] }"#), (#"{"p":null}"#, .array, #"{"p":[]}"#),
            (#"{"p":{"a":[1, 2]}}"#, .array, #"{"p":[{"a":[1, 2]}]}"#), (#"{"p":null}"#, .object("n"), #"{"p":null}"#),
            (#"{"p":{"n":1,"m":2}}"#, .object("n"), #"{"p":{"n":{"n":1,"m":2}}}"#),
            (#"{"p":{}}"#, .object("n"), #"{"p":{"n":{}}}"#),
            (#"{"p":"555"}"#, .object("n\""), #"{"p":{"n\"":"555"}}"#),
        ]
        for (value, wrapper, wrapped) in cases {
            try expectChanged(value, to: wrapped) { try $0.wrap("p", in: wrapper) }
            try expectChanged(wrapped, to: value) { try $0.unwrap("p", from: wrapper) }
        }
        // An empty array or object is unwrapped to null.
        try expectChanged(#"{"p":[ ]}"#, to: #"{"p":null}"#) { try $0.unwrap("p", from: .array) }
        try expectChanged(#"{"p":{}}"#, to: #"{"p":null}"#) { try $0.unwrap("p", from: .object("n")) }
    }

    @Test func `What is wrapped already is refused`() throws {
        let cases: [(String, Record.Wrapper)] = [
            (#"{"p":["secret"]}"#, .array), (#"{"p":[ ]}"#, .array), (#"{"p":[["secret"]]}"#, .array),
            (#"{"p":{"n":"secret"}}"#, .object("n")), (#"{"p":{ "\u006e" : 1}}"#, .object("n")),
        ]
        for (json, wrapper) in cases {
            try expectRefused(json, .typeMismatch, "p", says: "already", canary: "secret") {
                try $0.wrap("p", in: wrapper)
            }
        }
    }

    @Test func `Nothing is lost by unwrapping`() throws {
        let cases: [(String, Record.Wrapper, String)] = [
            (#"{"p":[1,2]}"#, .array, "has 2 elements"), (#"{"p":{"n":1}}"#, .array, "is not an array"),
            (#"{"p":"x"}"#, .array, "is not an array"), (#"{"p":[1]}"#, .object("n"), "is not an object"),
            (#"{"p":{"m":1}}"#, .object("n"), "has no property \"n\""),
            (#"{"p":{"m":1,"n":2}}"#, .object("n"), "which would be lost"),
        ]
        for (json, wrapper, message) in cases {
            try expectRefused(json, .typeMismatch, "p", says: message) { try $0.unwrap("p", from: wrapper) }
        }
    }

    @Test func `A missing property is an error, and a value is not nested too deeply`() throws {
        try expectRefused("{}", .propertyMissing) { try $0.wrap("p", in: .array) }
        try expectRefused("{}", .propertyMissing) { try $0.unwrap("p", from: .array) }
        let deep = String(repeating: "[", count: 511) + "1" + String(repeating: "]", count: 511)
        try expectRefused(#"{"p":\#(deep)}"#, .typeMismatch) { try $0.wrap("p", in: .object("n")) }
    }
}
