/// A strict scanner of JSON (RFC 8259) over borrowed bytes.
///
/// It checks everything that it skips: grammar, UTF-8, escapes, surrogates, depth. Accepted bytes can be read again
/// without checks. It must not outlive the closure that provides the bytes.
struct JSONScanner {
    /// The maximum nesting depth of arrays and objects.
    static let depthLimit = 512

    let base: UnsafePointer<UInt8>
    let end: Int
    var position: Int

    /// Creates a scanner; the bytes must not move.
    init(base: UnsafePointer<UInt8>, from position: Int = 0, to end: Int) {
        self.base = base
        self.position = position
        self.end = end
    }

    // MARK: Tokens

    /// The next byte, or 0 at the end: 0 is never valid in JSON.
    @inline(__always)
    var next: UInt8 {
        position < end ? base[position] : 0
    }

    /// Skips spaces, tabs, line feeds and carriage returns.
    @inline(__always)
    mutating func skipWhitespace() {
        while position < end {
            switch base[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// Skips a required byte.
    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONSyntaxError) {
        guard next == byte else { throw unexpected() }
        position += 1
    }

    /// The error for the next byte, or for the end.
    func unexpected() -> JSONSyntaxError {
        JSONSyntaxError(reason: position < end ? .unexpectedByte : .unexpectedEnd, offset: position)
    }

    func failure(_ reason: JSONSyntaxError.Reason) -> JSONSyntaxError {
        JSONSyntaxError(reason: reason, offset: position)
    }

    /// Throws unless only white space follows.
    mutating func expectEnd() throws(JSONSyntaxError) {
        skipWhitespace()
        if position < end { throw failure(.trailingBytes) }
    }

    // MARK: Strings

    /// Skips a string, including its quotes; returns whether it contains an escape.
    @inline(__always)
    mutating func skipString() throws(JSONSyntaxError) -> Bool {
        try expect(0x22)
        // Skip eight bytes at a time unless one is a quote, a backslash, a control character or not ASCII.
        while position + 8 <= end {
            let word = UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self).littleEndian
            let special = Self.specialBytes(of: word)
            guard special == 0 else {
                position += special.trailingZeroBitCount >> 3
                if base[position] == 0x22 {
                    position += 1
                    return false
                }
                return try skipRestOfString()
            }
            position += 8
        }
        while position < end {
            let byte = base[position]
            if byte == 0x22 {
                position += 1
                return false
            }
            if byte == 0x5C || byte < 0x20 || byte >= 0x80 { break }
            position += 1
        }
        return try skipRestOfString()
    }

    /// The high bits of bytes that need a check: the lowest set bit is exact, higher ones may be false positives.
    @inline(__always)
    private static func specialBytes(of word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let quotes = word ^ 0x2222_2222_2222_2222
        let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
        // A byte is 0 exactly when subtracting 1 borrows into its high bit and the bit was clear before. The borrow
        // propagates to the next byte, so only bytes above a true hit can be false positives.
        let found =
            ((quotes &- ones) & ~quotes)
            | ((backslashes &- ones) & ~backslashes)
            | ((word &- 0x2020_2020_2020_2020) & ~word)
            | word
        return found & highs
    }

    private mutating func skipRestOfString() throws(JSONSyntaxError) -> Bool {
        var hasEscapes = false
        while position < end {
            let byte = base[position]
            if byte == 0x22 {
                position += 1
                return hasEscapes
            } else if byte == 0x5C {
                hasEscapes = true
                try skipEscape()
            } else if byte < 0x20 {
                throw failure(.controlCharacter)
            } else if byte < 0x80 {
                position += 1
            } else {
                try skipMultibyteCharacter()
            }
        }
        throw failure(.unexpectedEnd)
    }

    private mutating func skipEscape() throws(JSONSyntaxError) {
        guard position + 1 < end else {
            position = end
            throw failure(.unexpectedEnd)
        }
        switch base[position + 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
            position += 2
        case 0x75:
            let start = position
            let unit = try hexUnit(at: position + 2)
            position += 6
            guard 0xD800...0xDFFF ~= unit else { return }
            if unit < 0xDC00, position + 1 < end, base[position] == 0x5C, base[position + 1] == 0x75,
                0xDC00...0xDFFF ~= (try hexUnit(at: position + 2))
            {
                position += 6
            } else {
                // RFC 8259 allows it, but a string cannot represent it.
                throw JSONSyntaxError(reason: .loneSurrogate, offset: start)
            }
        default:
            throw failure(.invalidEscape)
        }
    }

    private func hexUnit(at start: Int) throws(JSONSyntaxError) -> UInt32 {
        guard start + 4 <= end else { throw JSONSyntaxError(reason: .unexpectedEnd, offset: end) }
        var unit: UInt32 = 0
        for index in start..<start + 4 {
            guard let digit = Self.hexDigit(base[index]) else {
                throw JSONSyntaxError(reason: .invalidEscape, offset: index)
            }
            unit = unit << 4 | digit
        }
        return unit
    }

    /// The value of a hexadecimal digit in either case.
    static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x41 + 10)
        case 0x61...0x66: UInt32(byte - 0x61 + 10)
        default: nil
        }
    }

    /// Skips a character of two to four bytes, according to the Unicode table of well-formed UTF-8 (section 3.9).
    private mutating func skipMultibyteCharacter() throws(JSONSyntaxError) {
        let first = base[position]
        var length = 0
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0:
            length = 3
            second = 0xA0...0xBF
        case 0xE1...0xEC, 0xEE...0xEF: length = 3
        case 0xED:
            length = 3
            second = 0x80...0x9F
        case 0xF0:
            length = 4
            second = 0x90...0xBF
        case 0xF1...0xF3: length = 4
        case 0xF4:
            length = 4
            second = 0x80...0x8F
        default: throw failure(.invalidUTF8)
        }
        guard position + length <= end, second ~= base[position + 1] else { throw failure(.invalidUTF8) }
        var index = position + 2
        while index < position + length {
            guard 0x80...0xBF ~= base[index] else { throw failure(.invalidUTF8) }
            index += 1
        }
        position += length
    }

    // MARK: Numbers and literals

    private mutating func skipNumber() throws(JSONSyntaxError) {
        if next == 0x2D { position += 1 }
        switch next {
        case 0x30: position += 1
        case 0x31...0x39: skipDigits()
        default: throw failure(position < end ? .invalidNumber : .unexpectedEnd)
        }
        if next == 0x2E {
            position += 1
            try expectDigits()
        }
        if next == 0x65 || next == 0x45 {
            position += 1
            if next == 0x2B || next == 0x2D { position += 1 }
            try expectDigits()
        }
        if 0x30...0x39 ~= next { throw failure(.invalidNumber) }
    }

    @inline(__always)
    private mutating func skipDigits() {
        while position < end, 0x30...0x39 ~= base[position] { position += 1 }
    }

    private mutating func expectDigits() throws(JSONSyntaxError) {
        guard 0x30...0x39 ~= next else { throw failure(position < end ? .invalidNumber : .unexpectedEnd) }
        skipDigits()
    }

    private mutating func skipWord(_ word: StaticString) throws(JSONSyntaxError) {
        for index in 0..<word.utf8CodeUnitCount {
            try expect(word.utf8Start[index])
        }
    }

    // MARK: Values

    /// The range of the only value in a text, without surrounding white space.
    ///
    /// - Parameter depth: The number of arrays and objects that the text will be in.
    @inline(never)
    static func rangeOfValue(in text: UnsafeBufferPointer<UInt8>, depth: Int = 0) throws(JSONSyntaxError) -> Range<Int>
    {
        guard let base = text.baseAddress else { throw JSONSyntaxError(reason: .unexpectedEnd, offset: 0) }
        var scanner = JSONScanner(base: base, to: text.count)
        let range = try scanner.passValue(depth: depth)
        try scanner.expectEnd()
        return range
    }

    /// What keeps a text from being valid JSON at a nesting depth; nil if nothing does.
    static func fault(in text: UnsafeBufferPointer<UInt8>, depth: Int = 0) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            _ = try rangeOfValue(in: text, depth: depth)
            return nil
        } catch {
            return error
        }
    }

    /// Skips white space and a value, and returns the value's range.
    mutating func passValue(depth: Int = 0) throws(JSONSyntaxError) -> Range<Int> {
        skipWhitespace()
        let start = position
        try skipValue(depth: depth)
        return start..<position
    }

    /// Skips a value of any kind.
    ///
    /// - Parameter depth: The number of enclosing arrays and objects.
    @inline(__always)
    mutating func skipValue(depth: Int) throws(JSONSyntaxError) {
        switch next {
        case 0x22: _ = try skipString()
        case 0x7B, 0x5B: try skipContainer(depth: depth)
        default: try skipScalar()
        }
    }

    private mutating func skipScalar() throws(JSONSyntaxError) {
        switch next {
        case 0x22: _ = try skipString()
        case 0x2D, 0x30...0x39: try skipNumber()
        case 0x74: try skipWord("true")
        case 0x66: try skipWord("false")
        case 0x6E: try skipWord("null")
        default: throw unexpected()
        }
    }

    /// Skips an array or an object without recursion: one bit per level says which of the two it is.
    private mutating func skipContainer(depth outerDepth: Int) throws(JSONSyntaxError) {
        var levels = ContainerStack()
        var depth = outerDepth
        while true {
            skipWhitespace()
            let byte = next
            if byte == 0x7B || byte == 0x5B {
                depth += 1
                guard depth <= Self.depthLimit else { throw failure(.tooDeep) }
                position += 1
                let isObject = byte == 0x7B
                levels.push(isObject: isObject)
                skipWhitespace()
                if next == (isObject ? 0x7D : 0x5D) {
                    // An empty container continues like the end of a value.
                } else {
                    if isObject { try skipNameAndColon() }
                    continue
                }
            } else {
                try skipScalar()
            }
            // After a value: close containers that end, or continue after a comma.
            while true {
                skipWhitespace()
                let isObject = levels.isObject
                switch next {
                case 0x2C:
                    position += 1
                    if isObject {
                        skipWhitespace()
                        try skipNameAndColon()
                    }
                case 0x7D where isObject, 0x5D where !isObject:
                    position += 1
                    levels.pop()
                    depth -= 1
                    if levels.isEmpty { return }
                    continue
                default:
                    throw unexpected()
                }
                break
            }
        }
    }

    @inline(__always)
    private mutating func skipNameAndColon() throws(JSONSyntaxError) {
        _ = try skipString()
        skipWhitespace()
        try expect(0x3A)
    }
}

/// A stack of bits that say which open containers are objects; the depth limit keeps it within 512 bits.
private struct ContainerStack {
    private var bits = SIMD8<UInt64>.zero
    private var count = 0

    var isEmpty: Bool { count == 0 }

    var isObject: Bool {
        let index = count - 1
        return bits[index >> 6] >> UInt64(index & 63) & 1 == 1
    }

    mutating func push(isObject: Bool) {
        let mask: UInt64 = 1 << UInt64(count & 63)
        if isObject {
            bits[count >> 6] |= mask
        } else {
            bits[count >> 6] &= ~mask
        }
        count += 1
    }

    mutating func pop() {
        count -= 1
    }
}
