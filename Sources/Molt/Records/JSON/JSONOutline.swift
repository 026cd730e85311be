/// The values of a JSON text and their places in it, found in one pass.
///
/// The values are in the order of the text: an object or an array comes before the values in it.
struct JSONOutline: Sendable {
    enum Kind: UInt8, Sendable {
        case object
        case array
        case other
    }

    struct Value: Sendable {
        let kind: Kind
        fileprivate(set) var start: Int32
        fileprivate(set) var end: Int32 = 0
        /// The place of the property's name with its quotes; empty for an element, and for the whole.
        fileprivate(set) var nameStart: Int32 = 0
        fileprivate(set) var nameEnd: Int32 = 0
        fileprivate(set) var nameHasEscapes = false
        /// The index of the first value that is not inside this one.
        fileprivate(set) var next: Int32 = 0

        var range: Range<Int> { Int(start)..<Int(end) }
        var nameRange: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    }

    let bytes: [UInt8]
    private(set) var values: [Value] = []

    /// - Throws: ``JSONSyntaxError`` unless the text is one JSON value.
    init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        self.bytes = bytes
        values = try bytes.withUnsafeBufferPointer { buffer throws(JSONSyntaxError) in
            guard let base = buffer.baseAddress else { throw JSONSyntaxError(reason: .unexpectedEnd, offset: 0) }
            var reader = Reader(scanner: JSONScanner(base: base, to: buffer.count))
            try reader.readValue(depth: 0)
            try reader.scanner.expectEnd()
            return reader.values
        }
    }

    /// The indexes of the properties or elements of a value, in the order of the text.
    func children(of index: Int) -> some Sequence<Int> {
        let end = Int(values[index].next)
        return sequence(state: index + 1) { position in
            guard position < end else { return nil }
            defer { position = Int(values[position].next) }
            return position
        }
    }

    /// The indexes of the properties of an object by name; the last one of each name.
    func properties(of index: Int) -> [ExactName: Int] {
        var properties: [ExactName: Int] = [:]
        for child in children(of: index) { properties[ExactName(name(of: child))] = child }
        return properties
    }

    func name(of index: Int) -> String {
        let range = values[index].nameRange
        return bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { JSONString.decode($0, from: range.lowerBound, to: range.upperBound) } ?? ""
        }
    }

    /// Whether two values have names with the same bytes in their texts.
    func hasSameName(_ index: Int, as other: Int, in outline: JSONOutline) -> Bool {
        let (value, otherValue) = (values[index], outline.values[other])
        guard !value.nameHasEscapes, !otherValue.nameHasEscapes else {
            return ExactName.isSame(name(of: index), outline.name(of: other))
        }
        return Self.isSame(bytes, value.nameRange, outline.bytes, otherValue.nameRange)
    }

    /// Whether two values have the same bytes.
    func isSame(_ index: Int, as other: Int, in outline: JSONOutline) -> Bool {
        Self.isSame(bytes, values[index].range, outline.bytes, outline.values[other].range)
    }

    private static func isSame(_ bytes: [UInt8], _ range: Range<Int>, _ others: [UInt8], _ other: Range<Int>) -> Bool {
        guard range.count == other.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            others.withUnsafeBytes { others in
                UnsafeRawBufferPointer(rebasing: bytes[range])
                    .elementsEqual(UnsafeRawBufferPointer(rebasing: others[other]))
            }
        }
    }

    /// Whether an array has an object or an array in it.
    var hasNestedElements: Bool {
        values.indices.contains { index in
            values[index].kind == .array && children(of: index).contains { values[$0].kind != .other }
        }
    }

    /// A hash of the names in a value, which is the same for values that have the same ones at the same places.
    func hashOfNames(in index: Int) -> Int {
        var hasher = Hasher()
        switch values[index].kind {
        case .object:
            for child in children(of: index) {
                bytes.withUnsafeBytes {
                    hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[values[child].nameRange]))
                }
                hasher.combine(hashOfNames(in: child))
            }
        case .array:
            // The number of elements does not matter.
            hasher.combine(Set(children(of: index).map(hashOfNames)))
        case .other: break
        }
        return hasher.finalize()
    }

    private struct Reader {
        var scanner: JSONScanner
        var values: [Value] = []

        mutating func readValue(depth: Int, name: Range<Int> = 0..<0, hasEscapes: Bool = false) throws(JSONSyntaxError)
        {
            scanner.skipWhitespace()
            let kind: Kind =
                switch scanner.next {
                case 0x7B: .object
                case 0x5B: .array
                default: .other
                }
            let index = values.count
            var value = Value(kind: kind, start: Int32(truncatingIfNeeded: scanner.position))
            value.nameStart = Int32(truncatingIfNeeded: name.lowerBound)
            value.nameEnd = Int32(truncatingIfNeeded: name.upperBound)
            value.nameHasEscapes = hasEscapes
            values.append(value)
            if kind == .other {
                try scanner.skipValue(depth: depth)
            } else {
                try readChildren(of: kind, depth: depth + 1)
            }
            values[index].end = Int32(truncatingIfNeeded: scanner.position)
            values[index].next = Int32(truncatingIfNeeded: values.count)
        }

        private mutating func readChildren(of kind: Kind, depth: Int) throws(JSONSyntaxError) {
            if depth > JSONScanner.depthLimit { throw scanner.failure(.tooDeep) }
            scanner.position += 1
            scanner.skipWhitespace()
            let bracket: UInt8 = kind == .object ? 0x7D : 0x5D
            if scanner.next == bracket {
                scanner.position += 1
                return
            }
            while true {
                if kind == .object {
                    scanner.skipWhitespace()
                    let start = scanner.position
                    let hasEscapes = try scanner.skipString()
                    let name = start..<scanner.position
                    scanner.skipWhitespace()
                    try scanner.expect(0x3A)
                    try readValue(depth: depth, name: name, hasEscapes: hasEscapes)
                } else {
                    try readValue(depth: depth)
                }
                scanner.skipWhitespace()
                guard scanner.next == 0x2C else { return try scanner.expect(bracket) }
                scanner.position += 1
            }
        }
    }
}
