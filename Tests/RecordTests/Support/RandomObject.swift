import Generators

/// A random JSON object, kept in parts so that a test can predict the result of a change.
struct RandomObject {
    /// A property with the text around it.
    struct Member {
        /// The comma and the white space before the name.
        var gap: String
        /// The decoded name.
        var name: String
        /// The name as written, with quotes.
        var nameText: String
        /// The colon with the white space around it.
        var colon: String
        /// The value as written.
        var value: String

        /// The property without the gap before it.
        var text: String { nameText + colon + value }
    }

    /// Options for the random documents.
    struct Options {
        /// Whether an object may have duplicate names.
        var hasDuplicates = true
        /// Whether to write only what Foundation reads without loss.
        var isForFoundation = false
    }

    /// The white space before the opening brace.
    var before: String
    /// The white space after the opening brace.
    var head: String
    var members: [Member]
    /// The white space before the closing brace.
    var tail: String
    /// The white space after the closing brace.
    var after: String

    /// The whole JSON text.
    var text: String {
        before + "{" + head + members.map { $0.gap + $0.text }.joined() + tail + "}" + after
    }

    /// Creates an object with up to eight properties.
    init(_ options: Options = Options(), depth: Int = 0, using generator: inout SeededGenerator) {
        before = depth == 0 ? Self.space(&generator) : ""
        head = Self.space(&generator)
        tail = Self.space(&generator)
        after = depth == 0 ? Self.space(&generator) : ""
        members = []
        let limit = depth == 0 ? 8 : 3
        for _ in 0..<Int.random(in: 0...limit, using: &generator) {
            let name = Self.name(options, &generator)
            if !options.hasDuplicates, members.contains(where: { $0.name == name }) { continue }
            members.append(
                Member(
                    gap: members.isEmpty ? "" : Self.space(&generator) + "," + Self.space(&generator),
                    name: name,
                    nameText: Self.quoted(name, &generator),
                    colon: Self.space(&generator) + ":" + Self.space(&generator),
                    value: Self.value(options, depth: depth + 1, &generator)
                )
            )
        }
    }

    /// A name that occurs often; some differ only in Unicode form or in case.
    static func name(_ options: Options = Options(), _ generator: inout SeededGenerator) -> String {
        let names = [
            "a", "b", "c", "", "A", "first name", "\u{E9}", "\u{0}", "q\"\\", "\u{1F600}", "a/b", "\n",
        ]
        return generator.pick(options.isForFoundation ? names : names + ["e\u{301}", "a\u{0}", "\u{7F}"])
    }

    /// A string as JSON text with randomly escaped characters.
    static func quoted(_ string: String, _ generator: inout SeededGenerator) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            guard mustEscape || generator.oneIn(6) else {
                text.unicodeScalars.append(scalar)
                continue
            }
            if let short = shortEscapes[scalar], generator.oneIn(2) {
                text += "\\" + short
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16, uppercase: generator.oneIn(2))
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return text + "\""
    }

    /// A random value as JSON text, without white space around it.
    static func value(_ options: Options = Options(), depth: Int, _ generator: inout SeededGenerator)
        -> String
    {
        let isDeep = depth >= 4
        switch Int.random(in: 0..<(isDeep ? 6 : 10), using: &generator) {
        case 0: return generator.pick(["null", "true", "false"])
        case 1, 2:
            let numbers = [
                "0", "-0", "1", "1.0", "36", "-17", "0.1", "1e3", "1E+2", "12.50e-1", "4294967296",
            ]
            let longNumbers = ["18446744073709551615", "3.14159265358979323846264338327950288", "1e9999"]
            return generator.pick(options.isForFoundation ? numbers : numbers + longNumbers)
        case 3, 4, 5:
            let strings = [
                "", "Ada", "Gr\u{E4}fin \u{1F469}\u{200D}\u{1F680}", "}],:{[\"\\", "\u{2028}\u{0}\t", "null",
            ]
            return quoted(generator.pick(strings), &generator)
        case 6, 7:
            var text = "[" + space(&generator)
            for index in 0..<Int.random(in: 0...3, using: &generator) {
                if index > 0 { text += space(&generator) + "," + space(&generator) }
                text += value(options, depth: depth + 1, &generator)
            }
            return text + space(&generator) + "]"
        default:
            return RandomObject(options, depth: depth, using: &generator).text
        }
    }

    private static let shortEscapes: [Unicode.Scalar: String] = [
        "\"": "\"", "\\": "\\", "/": "/", "\u{8}": "b", "\u{C}": "f", "\n": "n", "\r": "r", "\t": "t",
    ]

    private static func space(_ generator: inout SeededGenerator) -> String {
        generator.pick(["", "", "", " ", "\n", "\t", "\r\n", "  ", "\n    "])
    }
}
