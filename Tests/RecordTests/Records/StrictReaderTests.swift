import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Reading JSON strictly` {
    @Test func `Text that the grammar allows is read and written again without loss`() throws {
        for (json, written) in SyntaxCase.accepted {
            let value = try RecordValue(json: json)
            #expect(try value.json() == written)
            #expect(try RecordValue(json: written) == value)
            #expect(try Record(json: json).storedBytes == json)
        }
    }

    @Test func `Text that the grammar does not allow is refused with the reason`() {
        for (json, reason) in SyntaxCase.refused {
            let text = String(decoding: json, as: UTF8.self).debugDescription
            let error = syntaxError(json)
            #expect(error?.reason == reason, "\(text)")
            #expect((0...json.count).contains(error?.offset ?? -1), "\(text)")
            let recordError = MoltError.thrown { _ = try Record(key: "ada", typeName: "Person", json: json) }
            #expect(recordError?.code == .malformedContent, "\(text)")
            #expect([recordError?.key, recordError?.type] == ["ada", "Person"])
            #expect((recordError?.underlying as? JSONSyntaxError)?.reason == reason, "\(text)")
        }
    }

    @Test func `The error has the offset of the byte`() {
        let cases: [(String, JSONSyntaxError.Reason, Int)] = [
            ("[1,2,x]", .unexpectedByte, 5), ("[1", .unexpectedEnd, 2), ("[] x", .trailingBytes, 3),
            (#"{"a":"\uD800"}"#, .loneSurrogate, 6), ("[\"ab\n\"]", .controlCharacter, 4), ("[-x]", .invalidNumber, 2),
        ]
        for (text, reason, offset) in cases {
            let error = syntaxError(text.utf8)
            #expect(error == JSONSyntaxError(reason: reason, offset: offset))
            let sentence = "This is not JSON text: \(reason.rawValue), at byte \(offset)."
            #expect(error?.localizedDescription == sentence)
        }
    }

    @Test func `512 levels are read, and 513 levels are an error`() throws {
        let texts = [
            nested("[", "", "]", 512), nested(#"{"a":"#, "0", "}", 512), nested(#"[{"a":"#, "[[]]", "}]", 255),
        ]
        for text in texts {
            #expect(try RecordValue(json: text.utf8).json() == Array(text.utf8))
            #expect(try Record(text).text == text)
            for deeper in ["[\(text)]", #"{"x":\#(text)}"#] {
                #expect(syntaxError(deeper.utf8)?.reason == .tooDeep)
                #expect(MoltError.thrown { _ = try Record(deeper) }?.code == .malformedContent)
            }
        }
    }

    @Test(arguments: ["[", #"{"a":"#, #"[{"":"#, "[[],", #"{"a":1,"b":"#, " [ "])
    func `Text with 100000 open levels is an error and does not crash`(open: String) {
        let text = String(repeating: open, count: 100_000)
        #expect(syntaxError(text.utf8)?.reason == .tooDeep)
        #expect(MoltError.thrown { _ = try Record(text) }?.code == .malformedContent)
    }

    @Test func `Many empty containers side by side do not count as depth`() throws {
        let text = "[" + String(repeating: "[[]],{},", count: 5_000) + "0]"
        #expect(try RecordValue(json: text.utf8).array?.count == 10_001)
    }

    @Test(arguments: [
        #"{"name":"Gr\u00e4fin \ud83d\ude00","n":[-12.5e+3,0,true,false,null],"é😀":{"":[]}}"#,
        #" [ "aé€😀\n" , { "a" : -0.1E-7 } ] "#,
        #""\ud83d\ude00é""#,
        "null", "-12.5e+10",
    ])
    func `Text truncated at any byte is refused, or is a shorter number`(text: String) {
        let bytes = Array(text.utf8)
        let isNumber = bytes[0] == UInt8(ascii: "-")
        let end = bytes.lastIndex { $0 != 0x20 } ?? 0
        for count in 0...end {
            let prefix = bytes.prefix(count)
            let value = try? RecordValue(json: prefix)
            if isNumber {
                #expect(value == nil || value?.number?.text == String(decoding: prefix, as: UTF8.self))
            } else {
                #expect(value == nil, "\(count) bytes of \(text)")
            }
        }
        #expect((try? RecordValue(json: bytes)) != nil)
    }

    @Test func `A special byte is detected at every place of a string of any length`() throws {
        for length in 0..<TestRun.choose(18, long: 40) {
            for place in 0..<max(length, 1) {
                for special in ["\\n", "\u{E9}", "\u{20AC}", "\u{1F600}", "\\u0041", "\\\"", "\u{7F}"] {
                    let text = padded(length, place, Array(special.utf8))
                    #expect(try RecordValue(json: text).string?.unicodeScalars.count == length + 1)
                }
                for wrong: [UInt8] in [
                    [0x00], [0x0A], [0x1F], [0x80], [0xC3], [0xFF], [0x5C, 0x71], [0xED, 0xA0, 0x80],
                ] {
                    #expect(syntaxError(padded(length, place, wrong)) != nil)
                }
            }
        }
    }

    @Test func `Every scalar is read as itself, plain and escaped`() throws {
        // The short form has the first ones, and every 61st of the others.
        let step = TestRun.choose(61, long: 1) as UInt32
        let scalars = (0...0x10FFFF as ClosedRange<UInt32>).filter { $0 < 0x1000 || $0 % step == 0 }
            .compactMap(Unicode.Scalar.init)
        for start in stride(from: 0, to: scalars.count, by: 4_096) {
            var (plain, sevenths, escaped) = ("", "", "")
            for scalar in scalars[start..<min(start + 4_096, scalars.count)] {
                if scalar.value >= 0x20, scalar != "\"", scalar != "\\" {
                    plain.unicodeScalars.append(scalar)
                }
                guard scalar.value % 7 == 0 else { continue }
                sevenths.unicodeScalars.append(scalar)
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
            for (json, expected) in [(plain, plain), (escaped, sevenths)] {
                let string = try RecordValue(json: "\"\(json)\"".utf8).string
                #expect(string?.isSameText(as: expected) == true)
            }
        }
    }

    private func syntaxError(_ json: some Sequence<UInt8>) -> JSONSyntaxError? {
        do {
            _ = try RecordValue(json: json)
            return nil
        } catch {
            return error as? JSONSyntaxError
        }
    }

    private func nested(_ open: String, _ middle: String, _ close: String, _ count: Int) -> String {
        String(repeating: open, count: count) + middle + String(repeating: close, count: count)
    }

    private func padded(_ length: Int, _ place: Int, _ special: [UInt8]) -> [UInt8] {
        let before = [UInt8](repeating: 0x61, count: place)
        let after = [UInt8](repeating: 0x62, count: length - place)
        return [0x22] + before + special + after + [0x22]
    }
}

@Suite("Parts of JSON text")
struct JSONPartTests {
    @Test func `Parts keep their characters`() throws {
        let part = try JSONPart(" [ 1.10, {\"a\" : \"\\u0041\\/\"} ,\"x\",[ ],{ }, true,false,null ]\n")
        let elements = try #require(part.elements)
        let texts = ["1.10", "{\"a\" : \"\\u0041\\/\"}", "\"x\"", "[ ]", "{ }", "true", "false", "null"]
        #expect(elements.map(\.text) == texts)
        #expect(elements.map { String(decoding: $0.utf8, as: UTF8.self) } == texts)
        #expect(elements.map(\.kind) == [.number, .object, .string, .array, .object, .bool, .bool, .null])
        #expect(elements.map(\.bool) == [nil, nil, nil, nil, nil, true, false, nil])
        #expect(elements.map(\.string) == [nil, nil, "x", nil, nil, nil, nil, nil])
        #expect(elements.map(\.elements?.count) == [nil, nil, nil, 0, nil, nil, nil, nil])
        #expect(elements.map(\.properties?.count) == [nil, 1, nil, nil, 0, nil, nil, nil])
        let properties = try #require(elements[1].properties)
        #expect(properties.map(\.name) == ["a"])
        #expect(properties[0].value.string == "A/")
    }

    @Test func `The last of two properties with the same name counts, at the place of the first`() throws {
        let properties = try #require(try JSONPart(#"{"a":1,"b":2,"\u0061":3}"#).properties)
        #expect(properties.map(\.name) == ["a", "b"])
        #expect(properties.map(\.value.text) == ["3", "2"])
    }

    @Test func `Text that is not JSON is refused`() {
        let cases: [(String, JSONSyntaxError.Reason, Int)] = [
            ("", .unexpectedEnd, 0), ("[1", .unexpectedEnd, 2), ("[1],[2]", .trailingBytes, 3),
            ("[1,]", .unexpectedByte, 3), ("{1:2}", .unexpectedByte, 1),
        ]
        for (text, reason, offset) in cases {
            let error = #expect(throws: JSONSyntaxError.self) { try JSONPart(text) }
            #expect(error == JSONSyntaxError(reason: reason, offset: offset))
        }
    }
}
