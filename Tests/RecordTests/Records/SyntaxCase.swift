import Molt

/// JSON texts by the families of cases in RFC 8259's grammar.
enum SyntaxCase {
    /// Valid JSON texts, and how they are written again.
    static let accepted: [([UInt8], [UInt8])] = {
        let texts: [(String, String)] = kept.map { ($0, $0) } + rewritten
        let bytes = texts.map { (Array($0.utf8), Array($1.utf8)) }
        return bytes + [(Array(#"["\uFFFF\uFFFE\uFDD0"]"#.utf8), noncharacters)]
    }()

    /// Invalid JSON texts, and the reasons.
    static let refused: [([UInt8], JSONSyntaxError.Reason)] = {
        var cases: [([UInt8], JSONSyntaxError.Reason)] = []
        for (reason, texts) in refusedTexts { for text in texts { cases.append((Array(text.utf8), reason)) } }
        for (reason, texts) in refusedBytes { for text in texts { cases.append((text, reason)) } }
        for text in notUTF8 { cases.append(([0x5B, 0x22] + text + [0x22, 0x5D], .invalidUTF8)) }
        return cases
    }()

    // MARK: Accepted

    /// Texts that are written again as they are.
    private static let kept: [String] = [
        // Containers and names.
        "[]", "{}", "[[],[[]],[[[]]]]", "[null,null]", #"[null,1,"1",{},[],true,false]"#, #"{"a":[]}"#, #"[{"a":{}}]"#,
        #"{"a":{"b":{"c":{}}}}"#, #"{"":0}"#, #"{"a":1,"a":2}"#, #"{"a":1,"a":1}"#, #"{"foo\u0000bar":42}"#,
        #"{"\u0000":1}"#, #"{"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx":"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"}"#,
        #"{"\"":1}"#, #"{"\#u{E9}\#u{4E2D}\#u{1F600}":1}"#,
        // Values at the top.
        "null", "true", "false", "42", "-0.1", #""asd""#, "\"\"",
        // Numbers.
        "[0]", "[-0]", "[1]", "[-1]", "[10]", "[123456789]", "[-123]", "[0.5]", "[-0.0]", "[1.0]", "[123.456789]",
        "[1e5]", "[1E5]", "[1e+2]", "[1e-2]", "[1E+2]", "[1E-2]", "[0e1]", "[0e+1]", "[0E-0]", "[0.1e1]", "[1.5E9999]",
        "[-1e-9999]", "[0.00000000000000000000000001]", "[123e45]", "[123.456e78]",
        "[100000000000000000000000000000000000000]", "[-237462374673276894279832749832423479823246327846]",
        "[18446744073709551615]", "[18446744073709551616]", "[9223372036854775808]",
        "[0.4e00669999999999999999999999999]", "[1e00]",
        "[3.11111111111111111111111111111111111111111111111111111111111111111111111111111111]",
        "[\(String(repeating: "9", count: 200))]",
        // Strings.
        #"["\#u{FFFF}\#u{10FFFF}\#u{1FFFF}"]"#, #"["\u0000"]"#, #"["\\u0000"]"#, #"["\\a"]"#, #"["\\\""]"#,
        #"["a\#u{7F}a"]"#, #"["\#u{7F}\#u{80}"]"#, #"["\#u{85}"]"#, #"["\#u{E9}\#u{7FF}"]"#,
        #"["\#u{800}\#u{20AC}\#u{2028}\#u{2029}\#u{D7FF}\#u{E000}"]"#, #"["\#u{10000}\#u{1F600}\#u{10FFFF}"]"#,
        #"["\#u{FEFF}"]"#, #"["\#u{2064}"]"#, #"["}]{[,:"]"#,
        #"["abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh"]"#, #"["abcdefgh\"ijklmnop"]"#,
        #"["abcdefgh\#u{E9}"]"#, #"["abcdefg\n"]"#, #"[" "]"#, #"["/ & /"]"#, #"[" a"]"#,
    ]

    /// Texts with white space, or with escapes that JSON does not require, and how they are written again.
    private static let rewritten: [(String, String)] = [
        (" [ ] ", "[]"), ("{\u{9}}", "{}"),
        ("\r\n\t [ \r\n\t1 \r\n\t, \r\n\t2\r\n\t ] \r\n\t", "[1,2]"),
        ("[1]\u{A}", "[1]"), ("\u{D}[1]", "[1]"), (#"{"a" : 1}"#, #"{"a":1}"#),
        (#"{\#u{A}"a":\#u{A}"b"\#u{A}}"#, #"{"a":"b"}"#), (#"{"a":1,"\u0061":2}"#, #"{"a":1,"a":2}"#),
        (#" "x"\#u{A}"#, #""x""#), ("[4 ]", "[4]"), (#"["\"\\\/\b\f\n\r\t"]"#, #"["\"\\/\b\f\n\r\t"]"#),
        (#"["\u0061\u30af\u30EA\u30b9"]"#, #"["a\#u{30AF}\#u{30EA}\#u{30B9}"]"#),
        (#"["\uABCD\uabcd"]"#, #"["\#u{ABCD}\#u{ABCD}"]"#), (#"["\uD83D\uDE00"]"#, #"["\#u{1F600}"]"#),
        (#"["\ud801\udc37"]"#, #"["\#u{10437}"]"#), (#"["\ud83d\ude39\ud83d\udc8d"]"#, #"["\#u{1F639}\#u{1F48D}"]"#),
        (#"["\uD800\uDC00\uDBFF\uDFFF"]"#, #"["\#u{10000}\#u{10FFFF}"]"#),
        (#"["\uD7FF\uE000"]"#, #"["\#u{D7FF}\#u{E000}"]"#), (#"["\u0012\u001F"]"#, #"["\u0012\u001f"]"#),
        (#"["\u000a\u0008\u0009\u000c\u000d"]"#, #"["\n\b\t\f\r"]"#), (#"["\u0022"]"#, #"["\""]"#),
        (#"["\u005C"]"#, #"["\\"]"#), (#"["\/"]"#, #"["/"]"#),
    ]

    /// Noncharacters in a string; Swift's literals cannot have all of them.
    private static let noncharacters: [UInt8] = [
        0x5B, 0x22, 0xEF, 0xBF, 0xBF, 0xEF, 0xBF, 0xBE, 0xEF, 0xB7, 0x90, 0x22, 0x5D,
    ]

    // MARK: Refused

    private static let refusedTexts: [JSONSyntaxError.Reason: [String]] = [
        .unexpectedEnd: [
            "", " \u{A}", "[", "[1", "[1,", #"["a"#, "{", #"{"a""#, #"{"a":"#, #"{"a":1"#, #"{"a":1,"#, "[[[[[",
            #"[{"a":1}"#, "nul", "fals", "-", "1.", "1e", "1E-", #""a"#, "\"", #""\"#, #""\""#, #""\u00"#,
        ],
        .unexpectedByte: [
            "]", "}", ",", ":", "[}", "{]", "[1,]", "[1,,2]", "[,1]", "[,]", "[1 2]", #"["a" "b"]"#, #"["a":1]"#,
            "[3[4]]", "[1;2]", #"{"a":1,}"#, #"{"a":1,,"b":2}"#, #"{,"a":1}"#, #"{"a" 1}"#, #"{"a"::1}"#,
            #"{"a",1}"#, #"{"a":}"#, #"{"a":,"b":1}"#, "{1:1}", "{null:1}", "{[]:1}", "{a:1}", "{'a':1}",
            #"{"a":1 "b":2}"#, #"{"a"}"#, #"{"a":1 2}"#, #"{"a"=1}"#, "[1/*x*/]", "//x\u{A}[]", "#{}", "\u{0}[]",
            "[1\u{0}]", "\u{0}", "[True]", "[NULL]", "[tru]", "[truee]", "undefined", "['a']", "[a]", "[`a`]", "*",
            "{x}", "<null>", "[NaN]", "[nan]", "[Infinity]", "[+1]", "[.5]", "[1.2.3]", "[1e1e1]", "[1e1.5]",
            "[1a]", "[0x1]", "[0o7]", "[1_000]", "[1 000]", "[1+2]", "[\u{FF11}]", "\u{FEFF}[]", "\u{FEFF}",
            "[\u{A0}1]", "[\u{C}]", "\u{B}[]", "[\u{2060}]", "[\u{E9}]", #"[\#u{0}"\#u{0}]\#u{0}"#,
        ],
        .trailingBytes: [
            "[1]]", "{}}", #"{"a":1}//"#, #"{"a":1}#"#, #"{"a":1}x"#, "1 2", "[][]", "[],", #""a""b""#, "truefalse",
            "[]\u{0}", "[1]\u{2028}",
        ],
        .invalidNumber: [
            "[-Infinity]", "[-]", "[--1]", "[01]", "[00]", "[-01]", "[-.5]", "[1.]", "[1.e1]", "[1e]", "[1e+]",
            "[- 1]", "-012",
        ],
        .controlCharacter: [
            #"["a\#u{A}b"]"#, #"["\#u{9}"]"#, #"["a\#u{0}b"]"#, #"["\#u{1F}"]"#, #"{"a\#u{A}":1}"#,
            #"["abcdefgh\#u{A}"]"#,
        ],
        .invalidEscape: [
            #"["\a"]"#, #"["\x00"]"#, #"["\0"]"#, #"["\'"]"#, #"["\\#u{A}"]"#, #"["\U0041"]"#, #"["\\#u{9}"]"#,
            #"["\\#u{1F300}"]"#, #"["\u12"]    "#, #"["\u00g0"]"#, #"["\u+041"]"#, #"["\u 041"]"#, #"["\u"    ]"#,
            #"{"\q":1}"#, #"["\uD800\u"    ]"#,
        ],
        .loneSurrogate: [
            #"["\uD800"]"#, #"["\uDBFFx"]"#, #"["\uDC00"]"#, #"["\uDFFF"]"#, #"["\uD800\uD800"]"#,
            #"["\uDC00\uD800"]"#, #"["\uD800\u0061"]"#, #"["\uD800\n"]"#, #"{"\uD83D":1}"#,
            #"["\uD83D\uDE00\uD83D"]"#,
        ],
    ]

    private static let refusedBytes: [JSONSyntaxError.Reason: [[UInt8]]] = [
        .unexpectedByte: [[0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], [0x5B, 0xFF, 0x5D], [0x5B, 0x31, 0xE5, 0x5D]],
        .trailingBytes: [[0x5B, 0x31, 0x5D, 0xE5]],
        .invalidUTF8: [[0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], [0x22, 0xE2, 0x82], [0x22, 0xF0]],
        .invalidEscape: [
            [0x5B, 0x22, 0x5C, 0xE5, 0x22, 0x5D], [0x5B, 0x22, 0x5C, 0x75, 0x30, 0x30, 0xE5, 0xE5, 0x22, 0x5D],
        ],
    ]

    /// Bytes inside a string that are not UTF-8.
    private static let notUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0xAF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF],
        [0xF0, 0x80, 0x80, 0xAF], [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
        [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
        [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xE9], [0xC3],
        [0xC3, 0x61], [0xC3, 0xC3], [0xE2, 0x82], [0xE2, 0x82, 0x61], [0xE2, 0x82, 0xE2], [0xF0, 0x9F, 0x98],
        [0xF0, 0x9F, 0x61, 0x80], [0xF0, 0x9F, 0x98, 0x61], [0xC3, 0xA9, 0xA9],
        [0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0xFF], [0x5C, 0x75, 0x30, 0x30, 0x65, 0x39, 0xE9],
    ]
}
