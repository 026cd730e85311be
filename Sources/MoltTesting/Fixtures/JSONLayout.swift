/// Removes white space from JSON text, and inserts it for readability.
///
/// The text must be valid according to the strict parser. All other bytes are preserved.
package enum JSONLayout {
    private static let width = 96

    /// The text without white space between tokens.
    package static func minified(_ text: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for token in Tokens(text: Array(text)) where !isSpace(token[token.startIndex]) { result += token }
        return result
    }

    static func nesting(of text: [UInt8]) -> Int {
        var depth = 0
        var deepest = 0
        for token in Tokens(text: text) {
            switch token.first {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
            default:
                break
            }
        }
        return deepest
    }

    /// Indents text without white space; short arrays of scalars stay on one line.
    package static func indented(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count * 2)
        var depth = 0
        func breakLine() {
            result.append(UInt8(ascii: "\n"))
            result += repeatElement(UInt8(ascii: " "), count: depth * 2)
        }
        var tokens = Tokens(text: text)
        while let token = tokens.next() {
            switch token.first {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if let end = endOfLine(in: text, from: token.startIndex) {
                    result += spaced(text[token.startIndex..<end])
                    tokens.index = end
                } else {
                    result += token
                    depth += 1
                    breakLine()
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                breakLine()
                result += token
            case UInt8(ascii: ","):
                result += token
                breakLine()
            case UInt8(ascii: ":"):
                result += ": ".utf8
            default:
                result += token
            }
        }
        return result
    }

    /// The end of an array or object that fits on one line: empty, or short with only scalars; an object may have at
    /// most one member, so that a changed property is a changed line.
    private static func endOfLine(in text: [UInt8], from start: Int) -> Int? {
        let isObject = text[start] == UInt8(ascii: "{")
        var tokens = Tokens(text: text, index: start + 1)
        while let token = tokens.next(), token.startIndex - start <= width {
            switch token.first {
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                return token.endIndex
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                return nil
            case UInt8(ascii: ",") where isObject:
                return nil
            default:
                break
            }
        }
        return nil
    }

    /// A line with a space after each comma and colon.
    private static func spaced(_ line: ArraySlice<UInt8>) -> [UInt8] {
        Tokens(text: Array(line)).reduce(into: []) { result, token in
            result += token
            if token.first == UInt8(ascii: ",") || token.first == UInt8(ascii: ":") { result.append(UInt8(ascii: " ")) }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// The strings of a text, and all other bytes one by one.
    private struct Tokens: Sequence, IteratorProtocol {
        let text: [UInt8]
        var index = 0

        mutating func next() -> ArraySlice<UInt8>? {
            guard index < text.count else { return nil }
            let start = index
            index += 1
            guard text[start] == UInt8(ascii: "\"") else { return text[start..<index] }
            while index < text.count, text[index] != UInt8(ascii: "\"") {
                index += text[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            index = Swift.min(index + 1, text.count)
            return text[start..<index]
        }
    }
}
