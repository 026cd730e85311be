/// A value inside JSON text, with its original bytes.
///
/// It serves code that splits JSON and keeps parts of it unchanged. The complete text is checked when it is read; its
/// parts are found on demand.
package struct JSONPart: Sendable {
    package enum Kind: String, Sendable {
        case null
        case bool = "a Boolean"
        case number = "a number"
        case string = "a string"
        case array = "an array"
        case object = "an object"
    }

    private let bytes: [UInt8]
    /// The range of the value, without surrounding white space.
    private let range: Range<Int>

    /// Parses JSON, with optional white space around its value.
    package init(_ text: String) throws(JSONSyntaxError) {
        try self.init(Array(text.utf8))
    }

    /// Parses JSON in UTF-8.
    init(_ text: [UInt8]) throws(JSONSyntaxError) {
        bytes = text
        range = try bytes.withUnsafeBufferPointer { buffer throws(JSONSyntaxError) in
            try JSONScanner.rangeOfValue(in: buffer)
        }
    }

    private init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    package var kind: Kind {
        switch bytes[range.lowerBound] {
        case 0x22: .string
        case 0x5B: .array
        case 0x7B: .object
        case 0x6E: .null
        case 0x74, 0x66: .bool
        default: .number
        }
    }

    /// The number of bytes before the value in the parsed text.
    package var offset: Int { range.lowerBound }

    package var text: String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    package var utf8: [UInt8] {
        Array(bytes[range])
    }

    /// The string, unquoted and unescaped; nil for other kinds.
    package var string: String? {
        guard kind == .string else { return nil }
        return bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { JSONString.decode($0, from: range.lowerBound, to: range.upperBound) }
        }
    }

    package var bool: Bool? {
        kind == .bool ? bytes[range.lowerBound] == 0x74 : nil
    }

    package var elements: [JSONPart]? {
        guard kind == .array else { return nil }
        var elements: [JSONPart] = []
        forEachChild { value, _ in elements.append(value) }
        return elements
    }

    /// The members of an object, in order, with repeated names; nil for other kinds.
    package var members: [(name: JSONPart, value: JSONPart)]? {
        guard kind == .object else { return nil }
        var members: [(name: JSONPart, value: JSONPart)] = []
        forEachChild { value, name in
            if let name { members.append((name, value)) }
        }
        return members
    }

    /// The properties of an object, in order, with only the last of each name; nil for other kinds.
    package var properties: [(name: String, value: JSONPart)]? {
        guard let members else { return nil }
        var properties: [(name: String, value: JSONPart)] = []
        var indices: [String: Int] = [:]
        for (name, value) in members {
            let name = name.string ?? ""
            if let index = indices[name] {
                properties[index].value = value
            } else {
                indices[name] = properties.count
                properties.append((name, value))
            }
        }
        return properties
    }

    private func forEachChild(_ body: (_ value: JSONPart, _ name: JSONPart?) -> Void) {
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            let scanner = JSONScanner(base: base, from: range.lowerBound + 1, to: range.upperBound - 1)
            // The whole text was accepted before, so this never throws.
            try? passChildren(scanner, body)
        }
    }

    private func passChildren(
        _ scanner: JSONScanner,
        _ body: (_ value: JSONPart, _ name: JSONPart?) -> Void
    ) throws(JSONSyntaxError) {
        var scanner = scanner
        let isObject = kind == .object
        scanner.skipWhitespace()
        while scanner.position < scanner.end {
            var name: JSONPart?
            if isObject {
                name = JSONPart(bytes, try scanner.passValue())
                scanner.skipWhitespace()
                try scanner.expect(0x3A)
            }
            body(JSONPart(bytes, try scanner.passValue()), name)
            scanner.skipWhitespace()
            if scanner.position < scanner.end { try scanner.expect(0x2C) }
        }
    }
}
