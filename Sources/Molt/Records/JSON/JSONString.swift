enum JSONString {
    /// Writes a string with its quotes; only quotes, backslashes and control characters are escaped.
    static func write(_ string: String, to bytes: inout [UInt8]) {
        var string = string
        string.withUTF8 { text in
            if let escaped = text.firstIndex(where: isEscaped) {
                write(text, escapingFrom: escaped, to: &bytes)
            } else {
                write(unescaped: text, to: &bytes)
            }
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

    private static func write(_ text: UnsafeBufferPointer<UInt8>, escapingFrom first: Int, to bytes: inout [UInt8]) {
        bytes.append(0x22)
        var start = 0
        for index in first..<text.count where isEscaped(text[index]) {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            appendEscape(of: text[index], to: &bytes)
            start = index + 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        bytes.append(0x22)
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(0x5C)
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x08: bytes.append(0x62)
        case 0x0C: bytes.append(0x66)
        case 0x0A: bytes.append(0x6E)
        case 0x0D: bytes.append(0x72)
        case 0x09: bytes.append(0x74)
        default:
            let digits = StaticString("0123456789abcdef").utf8Start
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }

    /// Decodes a quoted string from bytes that a scanner has accepted.
    static func decode(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> String {
        let text = UnsafeBufferPointer(start: base + start + 1, count: end - start - 2)
        guard text.contains(0x5C) else { return String(decoding: text, as: UTF8.self) }
        return String(decoding: unescaped(text), as: UTF8.self)
    }

    /// The bytes between the quotes, unescaped; an unpaired surrogate becomes three bytes that are not valid UTF-8.
    static func unescaped(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            guard text[index] == 0x5C else {
                bytes.append(text[index])
                index += 1
                continue
            }
            let escape = text[index + 1]
            index += 2
            switch escape {
            case 0x62: bytes.append(0x08)
            case 0x66: bytes.append(0x0C)
            case 0x6E: bytes.append(0x0A)
            case 0x72: bytes.append(0x0D)
            case 0x74: bytes.append(0x09)
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
                    bytes.append(contentsOf: String(scalar).utf8)
                } else {
                    bytes += [0xED, UInt8(0x80 | scalar >> 6 & 0x3F), UInt8(0x80 | scalar & 0x3F)]
                }
            default: bytes.append(escape)
            }
        }
        return bytes
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
    mutating func append(upTo limit: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
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
