extension RecordValue {
    /// Parses a value from JSON text; numbers keep their digits, and objects the order of their properties.
    ///
    /// ```swift
    /// let value = try RecordValue(json: #"{"theme":"dark","zoom":1.50}"#)
    /// ```
    ///
    /// - Parameter text: The complete JSON text.
    /// - Throws: ``MoltError`` with the code `malformedContent`.
    public init(json text: String) throws {
        do {
            try self.init(json: text.utf8)
        } catch let syntax as JSONSyntaxError {
            throw MoltError(.malformedContent, "The text is not JSON: \(syntax).", underlying: syntax)
        }
    }

    /// Parses a value from JSON.
    ///
    /// - Throws: ``JSONSyntaxError``.
    package init(json: some Sequence<UInt8>) throws {
        try self.init(bytes: Array(json))
    }

    // Compiled once, and not again for each kind of sequence.
    @inline(never)
    private init(bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBufferPointer { text in
            let range = try JSONScanner.rangeOfValue(in: text)
            return RecordValue(checked: UnsafeBufferPointer(rebasing: text[range]))
        }
    }

    /// The value as compact JSON, with only the required escapes.
    ///
    /// - Throws: ``JSONSyntaxError`` with the reason `tooDeep`.
    package func json() throws -> [UInt8] { try json(depth: 0) }

    /// - Parameter depth: The number of enclosing arrays and objects.
    func json(depth: Int) throws(JSONSyntaxError) -> [UInt8] {
        var bytes: [UInt8] = []
        try write(to: &bytes, depth: depth)
        return bytes
    }

    /// The value as JSON; nil if it is nested too deeply for one of the paths.
    func json(within paths: [PropertyPath]) -> [UInt8]? {
        try? json(depth: paths.map(\.count).max() ?? 0)
    }

    /// Parses a value from bytes that a scanner has accepted, without surrounding white space.
    @inline(never)
    init(checked bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else {
            self = .null
            return
        }
        var reader = ScannedReader(base: base, end: bytes.count)
        self = reader.value()
    }

    /// Writes the value as JSON.
    ///
    /// - Parameter depth: The number of enclosing arrays and objects.
    func write(to bytes: inout [UInt8], depth: Int) throws(JSONSyntaxError) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .string(let string): JSONString.write(string, to: &bytes)
        case .array(let elements):
            try Self.check(depth: depth + 1, at: bytes.count)
            bytes.append(0x5B)
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(0x2C) }
                try element.write(to: &bytes, depth: depth + 1)
            }
            bytes.append(0x5D)
        case .object(let object):
            try Self.check(depth: depth + 1, at: bytes.count)
            bytes.append(0x7B)
            for (index, property) in object.properties.enumerated() {
                if index > 0 { bytes.append(0x2C) }
                JSONString.write(property.name, to: &bytes)
                bytes.append(0x3A)
                try property.value.write(to: &bytes, depth: depth + 1)
            }
            bytes.append(0x7D)
        }
    }

    private static func check(depth: Int, at offset: Int) throws(JSONSyntaxError) {
        guard depth <= JSONScanner.depthLimit else { throw JSONSyntaxError(reason: .tooDeep, offset: offset) }
    }
}

/// Parses values from bytes that a scanner has accepted, without checking them again.
private struct ScannedReader {
    let base: UnsafePointer<UInt8>
    let end: Int
    var position = 0

    mutating func value() -> RecordValue {
        skipWhitespace()
        switch base[position] {
        case 0x22: return .string(string())
        case 0x7B: return .object(object())
        case 0x5B: return .array(array())
        case 0x74:
            position += 4
            return .bool(true)
        case 0x66:
            position += 5
            return .bool(false)
        case 0x6E:
            position += 4
            return .null
        default: return .number(number())
        }
    }

    private mutating func skipWhitespace() {
        while position < end, base[position] <= 0x20 { position += 1 }
    }

    private mutating func string() -> String {
        let start = position
        position += 1
        while base[position] != 0x22 { position += base[position] == 0x5C ? 2 : 1 }
        position += 1
        return JSONString.decode(base, from: start, to: position)
    }

    private mutating func number() -> RecordValue.Number {
        let start = position
        while position < end {
            switch base[position] {
            case 0x2B, 0x2D, 0x2E, 0x30...0x39, 0x45, 0x65: position += 1
            default: return text(from: start)
            }
        }
        return text(from: start)
    }

    private func text(from start: Int) -> RecordValue.Number {
        let bytes = UnsafeBufferPointer(start: base + start, count: position - start)
        return RecordValue.Number(checked: String(decoding: bytes, as: UTF8.self))
    }

    private mutating func array() -> [RecordValue] {
        var elements: [RecordValue] = []
        position += 1
        skipWhitespace()
        while base[position] != 0x5D {
            elements.append(value())
            skipSeparator()
        }
        position += 1
        return elements
    }

    private mutating func object() -> RecordValue.Object {
        var properties: [(name: String, value: RecordValue)] = []
        position += 1
        skipWhitespace()
        while base[position] != 0x7D {
            let name = string()
            skipWhitespace()
            position += 1
            properties.append((name: name, value: value()))
            skipSeparator()
        }
        position += 1
        return RecordValue.Object(properties)
    }

    private mutating func skipSeparator() {
        skipWhitespace()
        if base[position] == 0x2C {
            position += 1
            skipWhitespace()
        }
    }
}

extension RecordValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String {
        (try? json()).map { String(decoding: $0, as: UTF8.self) } ?? "a value nested too deep for JSON"
    }
}

extension RecordValue.Object: CustomStringConvertible {
    /// The object as compact JSON.
    public var description: String { RecordValue.object(self).description }
}
