/// Removes white space from JSON text, and inserts it for readability.
///
/// The text must be valid according to the strict parser. All other bytes are preserved.
package enum JSONLayout {
    private static let width = 96

    /// The text without white space between tokens.
    package static func minified(_ text: some Collection<UInt8>) -> [UInt8] {
        let text = Array(text)
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "\"") {
                let end = endOfString(in: text, from: index)
                result += text[index..<end]
                index = end
            } else {
                if !isSpace(text[index]) { result.append(text[index]) }
                index += 1
            }
        }
        return result
    }

    static func nesting(of text: [UInt8]) -> Int {
        var depth = 0
        var deepest = 0
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                index = endOfString(in: text, from: index)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
            default:
                break
            }
            index += 1
        }
        return deepest
    }

    /// Indents text without white space; short arrays of scalars stay on one line.
    package static func indented(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count * 2)
        var index = 0
        var depth = 0
        func breakLine() {
            result.append(UInt8(ascii: "\n"))
            result += repeatElement(UInt8(ascii: " "), count: depth * 2)
        }
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                let end = endOfString(in: text, from: index)
                result += text[index..<end]
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if let end = endOfLine(in: text, from: index) {
                    appendLine(text[index..<end], to: &result)
                    index = end
                    continue
                }
                result.append(text[index])
                depth += 1
                breakLine()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                breakLine()
                result.append(text[index])
            case UInt8(ascii: ","):
                result.append(text[index])
                breakLine()
            case UInt8(ascii: ":"):
                result += ": ".utf8
            default:
                result.append(text[index])
            }
            index += 1
        }
        return result
    }

    /// The end of an array or object that fits on one line: empty, or short with only scalars; an object may have at
    /// most one member, so that a changed property is a changed line.
    private static func endOfLine(in text: [UInt8], from start: Int) -> Int? {
        let isObject = text[start] == UInt8(ascii: "{")
        var index = start + 1
        while index < text.count, index - start <= width {
            switch text[index] {
            case UInt8(ascii: "\""):
                index = endOfString(in: text, from: index)
                continue
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                return index - start <= width ? index + 1 : nil
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                return nil
            case UInt8(ascii: ",") where isObject:
                return nil
            default:
                index += 1
            }
        }
        return nil
    }

    private static func appendLine(_ line: ArraySlice<UInt8>, to result: inout [UInt8]) {
        let line = Array(line)
        var index = 0
        while index < line.count {
            if line[index] == UInt8(ascii: "\"") {
                let end = endOfString(in: line, from: index)
                result += line[index..<end]
                index = end
            } else {
                result.append(line[index])
                if line[index] == UInt8(ascii: ",") || line[index] == UInt8(ascii: ":") {
                    result.append(UInt8(ascii: " "))
                }
                index += 1
            }
        }
    }

    // MARK: Skipping tokens

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// The index after a string that starts at the given quote.
    private static func endOfString(in text: [UInt8], from start: Int) -> Int {
        var index = start + 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, text.count)
    }
}
