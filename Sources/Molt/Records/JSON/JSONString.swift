enum JSONString {
    /// Writes a string with its quotes; only quotes, backslashes and control characters are escaped.
    static func write(_ string: String, to bytes: inout [UInt8]) {
        var string = string
        string.withUTF8 { write($0, to: &bytes) }
    }

    /// Writes text with quotes.
    static func write(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        if text.contains(where: isEscaped) {
            write(escaping: text, to: &bytes)
        } else {
            write(unescaped: text, to: &bytes)
        }
    }

    /// Writes text without characters that must be escaped, with quotes.
    static func write(unescaped text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(upTo: text.count + 2) { buffer in
            buffer[0] = 0x22
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[1...])
                .copyMemory(from: UnsafeRawBufferPointer(text))
            buffer[text.count + 1] = 0x22
            return text.count + 2
        }
    }

    @inline(__always)
    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x22 || byte == 0x5C
    }

    private static func write(escaping text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        let count = text.reduce(2) { $0 + 1 + (isEscaped($1) ? (shortEscape(of: $1) == nil ? 5 : 1) : 0) }
        bytes.append(upTo: count) { buffer in
            var end = 0
            func put(_ byte: UInt8) {
                buffer[end] = byte
                end += 1
            }
            put(0x22)
            for byte in text {
                guard isEscaped(byte) else {
                    put(byte)
                    continue
                }
                put(0x5C)
                if let letter = shortEscape(of: byte) {
                    put(letter)
                } else {
                    for digit in [0x75, 0x30, 0x30, hexDigit(byte >> 4), hexDigit(byte & 15)] { put(digit) }
                }
            }
            put(0x22)
            return end
        }
    }

    /// The byte after the backslash; nil for a control character that needs its number.
    @inline(__always)
    private static func shortEscape(of byte: UInt8) -> UInt8? {
        switch byte {
        case 0x22, 0x5C: byte
        case 0x08: 0x62
        case 0x0C: 0x66
        case 0x0A: 0x6E
        case 0x0D: 0x72
        case 0x09: 0x74
        default: nil
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// Decodes a quoted string from bytes that a scanner has accepted.
    static func decode(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> String {
        let text = UnsafeBufferPointer(start: base + start + 1, count: end - start - 2)
        guard text.contains(0x5C) else { return String(decoding: text, as: UTF8.self) }
        return String(decoding: unescaped(text), as: UTF8.self)
    }

    /// The bytes between the quotes, unescaped; an unpaired surrogate becomes three bytes that are not valid UTF-8.
    static func unescaped(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        // No escape is shorter than what it stands for.
        bytes.append(upTo: text.count) { unescape(text, into: $0) }
        return bytes
    }

    /// - Returns: The number of bytes that were written.
    private static func unescape(
        _ text: UnsafeBufferPointer<UInt8>,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var end = 0
        var index = 0
        func put(_ byte: UInt8) {
            buffer[end] = byte
            end += 1
        }
        while index < text.count {
            guard text[index] == 0x5C else {
                put(text[index])
                index += 1
                continue
            }
            let escape = text[index + 1]
            index += 2
            switch escape {
            case 0x62: put(0x08)
            case 0x66: put(0x0C)
            case 0x6E: put(0x0A)
            case 0x72: put(0x0D)
            case 0x74: put(0x09)
            case 0x75:
                var scalar = unit(text, at: index)
                index += 4
                if 0xD800...0xDBFF ~= scalar, index + 6 <= text.count, text[index] == 0x5C, text[index + 1] == 0x75,
                    0xDC00...0xDFFF ~= unit(text, at: index + 2)
                {
                    scalar = 0x10000 + ((scalar - 0xD800) << 10) + (unit(text, at: index + 2) - 0xDC00)
                    index += 6
                }
                if let scalar = Unicode.Scalar(scalar) {
                    for byte in UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter { put(byte) }
                } else {
                    for byte in [0xED, UInt8(0x80 | scalar >> 6 & 0x3F), UInt8(0x80 | scalar & 0x3F)] { put(byte) }
                }
            default: put(escape)
            }
        }
        return end
    }

    private static func unit(_ text: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32 {
        var unit: UInt32 = 0
        for index in start..<start + 4 {
            unit = unit << 4 | (JSONScanner.hexDigit(text[index]) ?? 0)
        }
        return unit
    }
}

extension [UInt8] {
    /// Appends the bytes that a closure writes to a buffer.
    ///
    /// - Parameters:
    ///   - limit: The size of the buffer.
    ///   - body: Fills the buffer, and returns the number of bytes written.
    @inline(__always)
    package mutating func append(upTo limit: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
        #if compiler(>=6.3)
            append(addingCapacity: limit) { span in
                span.withUnsafeMutableBufferPointer { buffer, count in count = body(buffer) }
            }
        #else
            // Swift 6.2 cannot give access to uninitialized capacity.
            let start = count
            append(contentsOf: repeatElement(0, count: limit))
            let written = withUnsafeMutableBufferPointer { body(UnsafeMutableBufferPointer(rebasing: $0[start...])) }
            if written < limit { removeLast(limit - written) }
        #endif
    }
}

extension String {
    /// Decodes UTF-8; nil if any byte is invalid.
    ///
    /// `String(validating:as:)` does the same, but needs iOS 18.
    @inlinable
    package init?(utf8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // Each invalid byte was replaced.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
