import MoltCore
import Testing

/// JSON text and the strict reader's result for it, by the families of cases in RFC 8259's grammar.
struct SyntaxCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var json: [UInt8]
    /// The text as it is written again; empty if it is refused.
    var written: [UInt8]
    /// The reason for refusing it.
    var reason: JSONSyntaxError.Reason?

    private init(accepted label: String, _ json: [UInt8], _ written: [UInt8]? = nil) {
        testDescription = label
        self.json = json
        self.written = written ?? json
    }

    private init(refused label: String, _ json: [UInt8], _ reason: JSONSyntaxError.Reason) {
        testDescription = label
        self.json = json
        self.reason = reason
        written = []
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}

extension SyntaxCase {
    /// Valid JSON texts, and how they are written again.
    static let accepted = [
        SyntaxCase(accepted: "empty array", bytes("[]")),
        SyntaxCase(accepted: "empty object", bytes("{}")),
        SyntaxCase(accepted: "array with space", bytes(" [ ] "), bytes("[]")),
        SyntaxCase(accepted: "object with space", bytes("{\u{9}}"), bytes("{}")),
        SyntaxCase(
            accepted: "all white space",
            bytes(
                "\u{D}\u{A}\u{9} [ \u{D}\u{A}\u{9}1 \u{D}\u{A}\u{9}, \u{D}\u{A}\u{9}2\u{D}\u{A}\u{9} ] \u{D}\u{A}\u{9}"
            ),
            bytes("[1,2]")
        ),
        SyntaxCase(accepted: "line feed behind", bytes("[1]\u{A}"), bytes("[1]")),
        SyntaxCase(accepted: "carriage return before", bytes("\u{D}[1]"), bytes("[1]")),
        SyntaxCase(accepted: "arrays inside", bytes("[[],[[]],[[[]]]]")),
        SyntaxCase(accepted: "array of nothings", bytes("[null,null]")),
        SyntaxCase(accepted: "mixed array", bytes("[null,1,\"1\",{},[],true,false]")),
        SyntaxCase(accepted: "array in object", bytes("{\"a\":[]}")),
        SyntaxCase(accepted: "object in array", bytes("[{\"a\":{}}]")),
        SyntaxCase(accepted: "objects inside", bytes("{\"a\":{\"b\":{\"c\":{}}}}")),
        SyntaxCase(accepted: "space around colon", bytes("{\"a\" : 1}"), bytes("{\"a\":1}")),
        SyntaxCase(
            accepted: "line feeds in object",
            bytes("{\u{A}\"a\":\u{A}\"b\"\u{A}}"),
            bytes("{\"a\":\"b\"}")
        ),
        SyntaxCase(accepted: "empty name", bytes("{\"\":0}")),
        SyntaxCase(accepted: "double name", bytes("{\"a\":1,\"a\":2}")),
        SyntaxCase(accepted: "double name and value", bytes("{\"a\":1,\"a\":1}")),
        SyntaxCase(
            accepted: "escaped double name",
            bytes("{\"a\":1,\"\\u0061\":2}"),
            bytes("{\"a\":1,\"a\":2}")
        ),
        SyntaxCase(accepted: "NUL in a name", bytes("{\"foo\\u0000bar\":42}")),
        SyntaxCase(accepted: "name of a NUL alone", bytes("{\"\\u0000\":1}")),
        SyntaxCase(
            accepted: "long names",
            bytes(
                "{\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\":\"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\"}"
            )
        ),
        SyntaxCase(accepted: "quote in name", bytes("{\"\\\"\":1}")),
        SyntaxCase(accepted: "not ASCII name", bytes("{\"\u{E9}\u{4E2D}\u{1F600}\":1}")),
        SyntaxCase(accepted: "top-level null", bytes("null")),
        SyntaxCase(accepted: "top-level true", bytes("true")),
        SyntaxCase(accepted: "top-level false", bytes("false")),
        SyntaxCase(accepted: "top-level number", bytes("42")),
        SyntaxCase(accepted: "top-level negative", bytes("-0.1")),
        SyntaxCase(accepted: "top-level string", bytes("\"asd\"")),
        SyntaxCase(accepted: "top-level empty string", bytes("\"\"")),
        SyntaxCase(accepted: "top-level with space", bytes(" \"x\"\u{A}"), bytes("\"x\"")),
        SyntaxCase(accepted: "number 0", bytes("[0]")),
        SyntaxCase(accepted: "number -0", bytes("[-0]")),
        SyntaxCase(accepted: "number 1", bytes("[1]")),
        SyntaxCase(accepted: "number -1", bytes("[-1]")),
        SyntaxCase(accepted: "number 10", bytes("[10]")),
        SyntaxCase(accepted: "number 123456789", bytes("[123456789]")),
        SyntaxCase(accepted: "number -123", bytes("[-123]")),
        SyntaxCase(accepted: "number 0.5", bytes("[0.5]")),
        SyntaxCase(accepted: "number -0.0", bytes("[-0.0]")),
        SyntaxCase(accepted: "number 1.0", bytes("[1.0]")),
        SyntaxCase(accepted: "number 123.456789", bytes("[123.456789]")),
        SyntaxCase(accepted: "number 1e5", bytes("[1e5]")),
        SyntaxCase(accepted: "number 1E5", bytes("[1E5]")),
        SyntaxCase(accepted: "number 1e+2", bytes("[1e+2]")),
        SyntaxCase(accepted: "number 1e-2", bytes("[1e-2]")),
        SyntaxCase(accepted: "number 1E+2", bytes("[1E+2]")),
        SyntaxCase(accepted: "number 1E-2", bytes("[1E-2]")),
        SyntaxCase(accepted: "number 0e1", bytes("[0e1]")),
        SyntaxCase(accepted: "number 0e+1", bytes("[0e+1]")),
        SyntaxCase(accepted: "number 0E-0", bytes("[0E-0]")),
        SyntaxCase(accepted: "number 0.1e1", bytes("[0.1e1]")),
        SyntaxCase(accepted: "number 1.5E9999", bytes("[1.5E9999]")),
        SyntaxCase(accepted: "number -1e-9999", bytes("[-1e-9999]")),
        SyntaxCase(accepted: "number 0.00000000000000000000000001", bytes("[0.00000000000000000000000001]")),
        SyntaxCase(accepted: "number 123e45", bytes("[123e45]")),
        SyntaxCase(accepted: "number 123.456e78", bytes("[123.456e78]")),
        SyntaxCase(
            accepted: "number 100000000000000000000000000000000000000",
            bytes("[100000000000000000000000000000000000000]")
        ),
        SyntaxCase(
            accepted: "number 49 characters long",
            bytes("[-237462374673276894279832749832423479823246327846]")
        ),
        SyntaxCase(accepted: "number 18446744073709551615", bytes("[18446744073709551615]")),
        SyntaxCase(accepted: "number 18446744073709551616", bytes("[18446744073709551616]")),
        SyntaxCase(accepted: "number 9223372036854775808", bytes("[9223372036854775808]")),
        SyntaxCase(
            accepted: "number 0.4e00669999999999999999999999999",
            bytes("[0.4e00669999999999999999999999999]")
        ),
        SyntaxCase(accepted: "number 1e00", bytes("[1e00]")),
        SyntaxCase(
            accepted: "number 82 characters long",
            bytes("[3.11111111111111111111111111111111111111111111111111111111111111111111111111111111]")
        ),
        SyntaxCase(
            accepted: "number 200 characters long",
            bytes(
                "[99999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999]"
            )
        ),
        SyntaxCase(accepted: "space behind a number", bytes("[4 ]"), bytes("[4]")),
        SyntaxCase(
            accepted: "each short escape",
            bytes("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]"),
            bytes("[\"\\\"\\\\/\\b\\f\\n\\r\\t\"]")
        ),
        SyntaxCase(
            accepted: "escaped letters",
            bytes("[\"\\u0061\\u30af\\u30EA\\u30b9\"]"),
            bytes("[\"a\u{30AF}\u{30EA}\u{30B9}\"]")
        ),
        SyntaxCase(
            accepted: "upper and lower hex",
            bytes("[\"\\uABCD\\uabcd\"]"),
            bytes("[\"\u{ABCD}\u{ABCD}\"]")
        ),
        SyntaxCase(accepted: "surrogate pair", bytes("[\"\\uD83D\\uDE00\"]"), bytes("[\"\u{1F600}\"]")),
        SyntaxCase(
            accepted: "surrogate pair in lower case",
            bytes("[\"\\ud801\\udc37\"]"),
            bytes("[\"\u{10437}\"]")
        ),
        SyntaxCase(
            accepted: "two surrogate pairs",
            bytes("[\"\\ud83d\\ude39\\ud83d\\udc8d\"]"),
            bytes("[\"\u{1F639}\u{1F48D}\"]")
        ),
        SyntaxCase(
            accepted: "first and last pair",
            bytes("[\"\\uD800\\uDC00\\uDBFF\\uDFFF\"]"),
            bytes("[\"\u{10000}\u{10FFFF}\"]")
        ),
        SyntaxCase(
            accepted: "just before the surrogates",
            bytes("[\"\\uD7FF\\uE000\"]"),
            bytes("[\"\u{D7FF}\u{E000}\"]")
        ),
        SyntaxCase(
            accepted: "escaped noncharacter",
            bytes("[\"\\uFFFF\\uFFFE\\uFDD0\"]"),
            [0x5B, 0x22, 0xEF, 0xBF, 0xBF, 0xEF, 0xBF, 0xBE, 0xEF, 0xB7, 0x90, 0x22, 0x5D]
        ),
        SyntaxCase(accepted: "noncharacter", bytes("[\"\u{FFFF}\u{10FFFF}\u{1FFFF}\"]")),
        SyntaxCase(accepted: "escaped NUL", bytes("[\"\\u0000\"]")),
        SyntaxCase(
            accepted: "escaped control character",
            bytes("[\"\\u0012\\u001F\"]"),
            bytes("[\"\\u0012\\u001f\"]")
        ),
        SyntaxCase(
            accepted: "control characters with short escapes",
            bytes("[\"\\u000a\\u0008\\u0009\\u000c\\u000d\"]"),
            bytes("[\"\\n\\b\\t\\f\\r\"]")
        ),
        SyntaxCase(accepted: "escaped backslash before u", bytes("[\"\\\\u0000\"]")),
        SyntaxCase(accepted: "escaped backslash before a", bytes("[\"\\\\a\"]")),
        SyntaxCase(accepted: "backslash and quote", bytes("[\"\\\\\\\"\"]")),
        SyntaxCase(accepted: "escaped quote", bytes("[\"\\u0022\"]"), bytes("[\"\\\"\"]")),
        SyntaxCase(accepted: "escaped backslash", bytes("[\"\\u005C\"]"), bytes("[\"\\\\\"]")),
        SyntaxCase(accepted: "DEL", bytes("[\"a\u{7F}a\"]")),
        SyntaxCase(accepted: "last of one byte and first of two", bytes("[\"\u{7F}\u{80}\"]")),
        SyntaxCase(accepted: "C1 control", bytes("[\"\u{85}\"]")),
        SyntaxCase(accepted: "two bytes", bytes("[\"\u{E9}\u{7FF}\"]")),
        SyntaxCase(accepted: "three bytes", bytes("[\"\u{800}\u{20AC}\u{2028}\u{2029}\u{D7FF}\u{E000}\"]")),
        SyntaxCase(accepted: "four bytes", bytes("[\"\u{10000}\u{1F600}\u{10FFFF}\"]")),
        SyntaxCase(accepted: "a BOM inside", bytes("[\"\u{FEFF}\"]")),
        SyntaxCase(accepted: "reserved", bytes("[\"\u{2064}\"]")),
        SyntaxCase(accepted: "text with braces", bytes("[\"}]{[,:\"]")),
        SyntaxCase(
            accepted: "long ASCII",
            bytes("[\"abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh\"]")
        ),
        SyntaxCase(accepted: "quote behind eight bytes", bytes("[\"abcdefgh\\\"ijklmnop\"]")),
        SyntaxCase(accepted: "not ASCII behind eight bytes", bytes("[\"abcdefgh\u{E9}\"]")),
        SyntaxCase(accepted: "escape in the eighth byte", bytes("[\"abcdefg\\n\"]")),
        SyntaxCase(accepted: "space alone", bytes("[\" \"]")),
        SyntaxCase(accepted: "slash", bytes("[\"/ & /\"]")),
        SyntaxCase(accepted: "escaped slash", bytes("[\"\\/\"]"), bytes("[\"/\"]")),
        SyntaxCase(accepted: "one byte", bytes("[\" a\"]")),
    ]

    /// Invalid JSON texts, and the reasons.
    static let refused = [
        SyntaxCase(refused: "nothing", bytes(""), .unexpectedEnd),
        SyntaxCase(refused: "white space alone", bytes(" \u{A}"), .unexpectedEnd),
        SyntaxCase(refused: "open array", bytes("["), .unexpectedEnd),
        SyntaxCase(refused: "open array with a value", bytes("[1"), .unexpectedEnd),
        SyntaxCase(refused: "open array with a comma", bytes("[1,"), .unexpectedEnd),
        SyntaxCase(refused: "open string in array", bytes("[\"a"), .unexpectedEnd),
        SyntaxCase(refused: "open object", bytes("{"), .unexpectedEnd),
        SyntaxCase(refused: "name alone", bytes("{\"a\""), .unexpectedEnd),
        SyntaxCase(refused: "name and colon", bytes("{\"a\":"), .unexpectedEnd),
        SyntaxCase(refused: "open object with a value", bytes("{\"a\":1"), .unexpectedEnd),
        SyntaxCase(refused: "open object with a comma", bytes("{\"a\":1,"), .unexpectedEnd),
        SyntaxCase(refused: "arrays left open", bytes("[[[[["), .unexpectedEnd),
        SyntaxCase(refused: "object in array left open", bytes("[{\"a\":1}"), .unexpectedEnd),
        SyntaxCase(refused: "close alone", bytes("]"), .unexpectedByte),
        SyntaxCase(refused: "close object alone", bytes("}"), .unexpectedByte),
        SyntaxCase(refused: "comma alone", bytes(","), .unexpectedByte),
        SyntaxCase(refused: "colon alone", bytes(":"), .unexpectedByte),
        SyntaxCase(refused: "closed by the other", bytes("[}"), .unexpectedByte),
        SyntaxCase(refused: "object closed by the other", bytes("{]"), .unexpectedByte),
        SyntaxCase(refused: "closed twice", bytes("[1]]"), .trailingBytes),
        SyntaxCase(refused: "object closed twice", bytes("{}}"), .trailingBytes),
        SyntaxCase(refused: "trailing comma", bytes("[1,]"), .unexpectedByte),
        SyntaxCase(refused: "two commas", bytes("[1,,2]"), .unexpectedByte),
        SyntaxCase(refused: "comma first", bytes("[,1]"), .unexpectedByte),
        SyntaxCase(refused: "comma only", bytes("[,]"), .unexpectedByte),
        SyntaxCase(refused: "missing comma", bytes("[1 2]"), .unexpectedByte),
        SyntaxCase(refused: "missing comma between strings", bytes("[\"a\" \"b\"]"), .unexpectedByte),
        SyntaxCase(refused: "colon in array", bytes("[\"a\":1]"), .unexpectedByte),
        SyntaxCase(refused: "array without comma", bytes("[3[4]]"), .unexpectedByte),
        SyntaxCase(refused: "semicolon", bytes("[1;2]"), .unexpectedByte),
        SyntaxCase(refused: "object trailing comma", bytes("{\"a\":1,}"), .unexpectedByte),
        SyntaxCase(refused: "object two commas", bytes("{\"a\":1,,\"b\":2}"), .unexpectedByte),
        SyntaxCase(refused: "object comma first", bytes("{,\"a\":1}"), .unexpectedByte),
        SyntaxCase(refused: "missing colon", bytes("{\"a\" 1}"), .unexpectedByte),
        SyntaxCase(refused: "two colons", bytes("{\"a\"::1}"), .unexpectedByte),
        SyntaxCase(refused: "comma for colon", bytes("{\"a\",1}"), .unexpectedByte),
        SyntaxCase(refused: "missing value", bytes("{\"a\":}"), .unexpectedByte),
        SyntaxCase(refused: "missing value and comma", bytes("{\"a\":,\"b\":1}"), .unexpectedByte),
        SyntaxCase(refused: "number as name", bytes("{1:1}"), .unexpectedByte),
        SyntaxCase(refused: "null as name", bytes("{null:1}"), .unexpectedByte),
        SyntaxCase(refused: "array as name", bytes("{[]:1}"), .unexpectedByte),
        SyntaxCase(refused: "name without quotes", bytes("{a:1}"), .unexpectedByte),
        SyntaxCase(refused: "name in single quotes", bytes("{'a':1}"), .unexpectedByte),
        SyntaxCase(refused: "missing comma in object", bytes("{\"a\":1 \"b\":2}"), .unexpectedByte),
        SyntaxCase(refused: "string in object alone", bytes("{\"a\"}"), .unexpectedByte),
        SyntaxCase(refused: "value behind a value", bytes("{\"a\":1 2}"), .unexpectedByte),
        SyntaxCase(refused: "equals sign", bytes("{\"a\"=1}"), .unexpectedByte),
        SyntaxCase(refused: "comment", bytes("[1/*x*/]"), .unexpectedByte),
        SyntaxCase(refused: "line comment", bytes("//x\u{A}[]"), .unexpectedByte),
        SyntaxCase(refused: "comment behind", bytes("{\"a\":1}//"), .trailingBytes),
        SyntaxCase(refused: "hash comment", bytes("{\"a\":1}#"), .trailingBytes),
        SyntaxCase(refused: "hash before", bytes("#{}"), .unexpectedByte),
        SyntaxCase(refused: "something behind an object", bytes("{\"a\":1}x"), .trailingBytes),
        SyntaxCase(refused: "two values", bytes("1 2"), .trailingBytes),
        SyntaxCase(refused: "two arrays", bytes("[][]"), .trailingBytes),
        SyntaxCase(refused: "array and comma", bytes("[],"), .trailingBytes),
        SyntaxCase(refused: "string behind a string", bytes("\"a\"\"b\""), .trailingBytes),
        SyntaxCase(refused: "word behind", bytes("truefalse"), .trailingBytes),
        SyntaxCase(refused: "NUL behind", bytes("[]\u{0}"), .trailingBytes),
        SyntaxCase(refused: "NUL before", bytes("\u{0}[]"), .unexpectedByte),
        SyntaxCase(refused: "NUL in an array", bytes("[1\u{0}]"), .unexpectedByte),
        SyntaxCase(refused: "NUL alone", bytes("\u{0}"), .unexpectedByte),
        SyntaxCase(refused: "capital True", bytes("[True]"), .unexpectedByte),
        SyntaxCase(refused: "capital NULL", bytes("[NULL]"), .unexpectedByte),
        SyntaxCase(refused: "truncated true", bytes("[tru]"), .unexpectedByte),
        SyntaxCase(refused: "truncated null at the end", bytes("nul"), .unexpectedEnd),
        SyntaxCase(refused: "truncated false at the end", bytes("fals"), .unexpectedEnd),
        SyntaxCase(refused: "long true", bytes("[truee]"), .unexpectedByte),
        SyntaxCase(refused: "undefined", bytes("undefined"), .unexpectedByte),
        SyntaxCase(refused: "single quotes", bytes("['a']"), .unexpectedByte),
        SyntaxCase(refused: "bare word", bytes("[a]"), .unexpectedByte),
        SyntaxCase(refused: "backquote", bytes("[`a`]"), .unexpectedByte),
        SyntaxCase(refused: "star", bytes("*"), .unexpectedByte),
        SyntaxCase(refused: "brace word", bytes("{x}"), .unexpectedByte),
        SyntaxCase(refused: "angle", bytes("<null>"), .unexpectedByte),
        SyntaxCase(refused: "NaN", bytes("[NaN]"), .unexpectedByte),
        SyntaxCase(refused: "nan", bytes("[nan]"), .unexpectedByte),
        SyntaxCase(refused: "Infinity", bytes("[Infinity]"), .unexpectedByte),
        SyntaxCase(refused: "minus Infinity", bytes("[-Infinity]"), .invalidNumber),
        SyntaxCase(refused: "minus alone", bytes("[-]"), .invalidNumber),
        SyntaxCase(refused: "minus at the end", bytes("-"), .unexpectedEnd),
        SyntaxCase(refused: "plus", bytes("[+1]"), .unexpectedByte),
        SyntaxCase(refused: "two minus", bytes("[--1]"), .invalidNumber),
        SyntaxCase(refused: "leading zero", bytes("[01]"), .invalidNumber),
        SyntaxCase(refused: "leading zeros", bytes("[00]"), .invalidNumber),
        SyntaxCase(refused: "negative leading zero", bytes("[-01]"), .invalidNumber),
        SyntaxCase(refused: "leading point", bytes("[.5]"), .unexpectedByte),
        SyntaxCase(refused: "minus and point", bytes("[-.5]"), .invalidNumber),
        SyntaxCase(refused: "trailing point", bytes("[1.]"), .invalidNumber),
        SyntaxCase(refused: "trailing point at the end", bytes("1."), .unexpectedEnd),
        SyntaxCase(refused: "point and exponent", bytes("[1.e1]"), .invalidNumber),
        SyntaxCase(refused: "two points", bytes("[1.2.3]"), .unexpectedByte),
        SyntaxCase(refused: "exponent alone", bytes("[1e]"), .invalidNumber),
        SyntaxCase(refused: "exponent sign alone", bytes("[1e+]"), .invalidNumber),
        SyntaxCase(refused: "exponent at the end", bytes("1e"), .unexpectedEnd),
        SyntaxCase(refused: "exponent sign at the end", bytes("1E-"), .unexpectedEnd),
        SyntaxCase(refused: "two exponents", bytes("[1e1e1]"), .unexpectedByte),
        SyntaxCase(refused: "fraction in the exponent", bytes("[1e1.5]"), .unexpectedByte),
        SyntaxCase(refused: "letter in a number", bytes("[1a]"), .unexpectedByte),
        SyntaxCase(refused: "hex", bytes("[0x1]"), .unexpectedByte),
        SyntaxCase(refused: "octal", bytes("[0o7]"), .unexpectedByte),
        SyntaxCase(refused: "underscore", bytes("[1_000]"), .unexpectedByte),
        SyntaxCase(refused: "space in a number", bytes("[1 000]"), .unexpectedByte),
        SyntaxCase(refused: "sign in a number", bytes("[1+2]"), .unexpectedByte),
        SyntaxCase(refused: "minus and space", bytes("[- 1]"), .invalidNumber),
        SyntaxCase(refused: "full-width digit", bytes("[\u{FF11}]"), .unexpectedByte),
        SyntaxCase(refused: "leading zero at the top", bytes("-012"), .invalidNumber),
        SyntaxCase(refused: "open string", bytes("\"a"), .unexpectedEnd),
        SyntaxCase(refused: "quote alone", bytes("\""), .unexpectedEnd),
        SyntaxCase(refused: "backslash at the end", bytes("\"\\"), .unexpectedEnd),
        SyntaxCase(refused: "escaped quote at the end", bytes("\"\\\""), .unexpectedEnd),
        SyntaxCase(refused: "line feed in a string", bytes("[\"a\u{A}b\"]"), .controlCharacter),
        SyntaxCase(refused: "tab in a string", bytes("[\"\u{9}\"]"), .controlCharacter),
        SyntaxCase(refused: "NUL in a string", bytes("[\"a\u{0}b\"]"), .controlCharacter),
        SyntaxCase(refused: "US in a string", bytes("[\"\u{1F}\"]"), .controlCharacter),
        SyntaxCase(refused: "control character in a name", bytes("{\"a\u{A}\":1}"), .controlCharacter),
        SyntaxCase(
            refused: "control character behind eight bytes",
            bytes("[\"abcdefgh\u{A}\"]"),
            .controlCharacter
        ),
        SyntaxCase(refused: "unknown escape", bytes("[\"\\a\"]"), .invalidEscape),
        SyntaxCase(refused: "escaped x", bytes("[\"\\x00\"]"), .invalidEscape),
        SyntaxCase(refused: "escaped zero", bytes("[\"\\0\"]"), .invalidEscape),
        SyntaxCase(refused: "escaped single quote", bytes("[\"\\'\"]"), .invalidEscape),
        SyntaxCase(refused: "escaped line feed", bytes("[\"\\\u{A}\"]"), .invalidEscape),
        SyntaxCase(refused: "capital U", bytes("[\"\\U0041\"]"), .invalidEscape),
        SyntaxCase(refused: "escaped tab", bytes("[\"\\\u{9}\"]"), .invalidEscape),
        SyntaxCase(refused: "escaped emoji", bytes("[\"\\\u{1F300}\"]"), .invalidEscape),
        SyntaxCase(refused: "short hex", bytes("[\"\\u12\"]    "), .invalidEscape),
        SyntaxCase(refused: "hex with a letter", bytes("[\"\\u00g0\"]"), .invalidEscape),
        SyntaxCase(refused: "hex with a sign", bytes("[\"\\u+041\"]"), .invalidEscape),
        SyntaxCase(refused: "hex with a space", bytes("[\"\\u 041\"]"), .invalidEscape),
        SyntaxCase(refused: "hex missing", bytes("[\"\\u\"    ]"), .invalidEscape),
        SyntaxCase(refused: "hex at the end", bytes("\"\\u00"), .unexpectedEnd),
        SyntaxCase(refused: "unknown escape in a name", bytes("{\"\\q\":1}"), .invalidEscape),
        SyntaxCase(refused: "high surrogate alone", bytes("[\"\\uD800\"]"), .loneSurrogate),
        SyntaxCase(refused: "high surrogate at the end of text", bytes("[\"\\uDBFFx\"]"), .loneSurrogate),
        SyntaxCase(refused: "low surrogate alone", bytes("[\"\\uDC00\"]"), .loneSurrogate),
        SyntaxCase(refused: "last low surrogate alone", bytes("[\"\\uDFFF\"]"), .loneSurrogate),
        SyntaxCase(refused: "two high surrogates", bytes("[\"\\uD800\\uD800\"]"), .loneSurrogate),
        SyntaxCase(refused: "pair turned round", bytes("[\"\\uDC00\\uD800\"]"), .loneSurrogate),
        SyntaxCase(refused: "high surrogate and a letter", bytes("[\"\\uD800\\u0061\"]"), .loneSurrogate),
        SyntaxCase(refused: "high surrogate and an escape", bytes("[\"\\uD800\\n\"]"), .loneSurrogate),
        SyntaxCase(
            refused: "high surrogate and half an escape",
            bytes("[\"\\uD800\\u\"    ]"),
            .invalidEscape
        ),
        SyntaxCase(refused: "high surrogate in a name", bytes("{\"\\uD83D\":1}"), .loneSurrogate),
        SyntaxCase(refused: "pair and a high one", bytes("[\"\\uD83D\\uDE00\\uD83D\"]"), .loneSurrogate),
        SyntaxCase(refused: "BOM", bytes("\u{FEFF}[]"), .unexpectedByte),
        SyntaxCase(refused: "BOM alone", bytes("\u{FEFF}"), .unexpectedByte),
        SyntaxCase(refused: "no-break space", bytes("[\u{A0}1]"), .unexpectedByte),
        SyntaxCase(refused: "line separator", bytes("[1]\u{2028}"), .trailingBytes),
        SyntaxCase(refused: "form feed", bytes("[\u{C}]"), .unexpectedByte),
        SyntaxCase(refused: "vertical tab", bytes("\u{B}[]"), .unexpectedByte),
        SyntaxCase(refused: "word joiner", bytes("[\u{2060}]"), .unexpectedByte),
        SyntaxCase(refused: "not ASCII word", bytes("[\u{E9}]"), .unexpectedByte),
        SyntaxCase(refused: "UTF-16", bytes("[\u{0}\"\u{0}]\u{0}"), .unexpectedByte),
        SyntaxCase(refused: "UTF-16 with BOM", [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], .unexpectedByte),
        SyntaxCase(refused: "byte outside a string", [0x5B, 0xFF, 0x5D], .unexpectedByte),
        SyntaxCase(refused: "byte in a number", [0x5B, 0x31, 0xE5, 0x5D], .unexpectedByte),
        SyntaxCase(refused: "byte behind", [0x5B, 0x31, 0x5D, 0xE5], .trailingBytes),
        SyntaxCase(refused: "continuation alone", [0x5B, 0x22, 0x80, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "last continuation alone", [0x5B, 0x22, 0xBF, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "overlong slash of two", [0x5B, 0x22, 0xC0, 0xAF, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "overlong NUL", [0x5B, 0x22, 0xC0, 0x80, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "C1 lead", [0x5B, 0x22, 0xC1, 0xBF, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "overlong of three", [0x5B, 0x22, 0xE0, 0x80, 0xAF, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(
            refused: "greatest overlong of three",
            [0x5B, 0x22, 0xE0, 0x9F, 0xBF, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(
            refused: "overlong of four",
            [0x5B, 0x22, 0xF0, 0x80, 0x80, 0xAF, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(
            refused: "greatest overlong of four",
            [0x5B, 0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(refused: "first surrogate", [0x5B, 0x22, 0xED, 0xA0, 0x80, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "last surrogate", [0x5B, 0x22, 0xED, 0xBF, 0xBF, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(
            refused: "surrogate pair as CESU-8",
            [0x5B, 0x22, 0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(
            refused: "above U+10FFFF",
            [0x5B, 0x22, 0xF4, 0x90, 0x80, 0x80, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(refused: "F5 lead", [0x5B, 0x22, 0xF5, 0x80, 0x80, 0x80, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(
            refused: "five bytes",
            [0x5B, 0x22, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(
            refused: "six bytes",
            [0x5B, 0x22, 0xFC, 0x84, 0x80, 0x80, 0x80, 0x80, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(refused: "FE", [0x5B, 0x22, 0xFE, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "FF", [0x5B, 0x22, 0xFF, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "ISO Latin 1", [0x5B, 0x22, 0xE9, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "two without its second", [0x5B, 0x22, 0xC3, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "two with a letter", [0x5B, 0x22, 0xC3, 0x61, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "two with a lead", [0x5B, 0x22, 0xC3, 0xC3, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "three without its third", [0x5B, 0x22, 0xE2, 0x82, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "three with a letter", [0x5B, 0x22, 0xE2, 0x82, 0x61, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(refused: "three with a lead", [0x5B, 0x22, 0xE2, 0x82, 0xE2, 0x22, 0x5D], .invalidUTF8),
        SyntaxCase(
            refused: "four without its fourth",
            [0x5B, 0x22, 0xF0, 0x9F, 0x98, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(
            refused: "four with a letter third",
            [0x5B, 0x22, 0xF0, 0x9F, 0x61, 0x80, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(
            refused: "four with a letter fourth",
            [0x5B, 0x22, 0xF0, 0x9F, 0x98, 0x61, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(
            refused: "continuation too many",
            [0x5B, 0x22, 0xC3, 0xA9, 0xA9, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(refused: "not UTF-8 in a name", [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], .invalidUTF8),
        SyntaxCase(
            refused: "not UTF-8 behind eight bytes",
            [0x5B, 0x22, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0xFF, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(
            refused: "not UTF-8 behind an escape",
            [0x5B, 0x22, 0x5C, 0x75, 0x30, 0x30, 0x65, 0x39, 0xE9, 0x22, 0x5D],
            .invalidUTF8
        ),
        SyntaxCase(
            refused: "not UTF-8 behind a backslash",
            [0x5B, 0x22, 0x5C, 0xE5, 0x22, 0x5D],
            .invalidEscape
        ),
        SyntaxCase(
            refused: "not UTF-8 in hex",
            [0x5B, 0x22, 0x5C, 0x75, 0x30, 0x30, 0xE5, 0xE5, 0x22, 0x5D],
            .invalidEscape
        ),
        SyntaxCase(refused: "text ends in a character", [0x22, 0xE2, 0x82], .invalidUTF8),
        SyntaxCase(refused: "text ends behind a lead", [0x22, 0xF0], .invalidUTF8),
    ]
}
