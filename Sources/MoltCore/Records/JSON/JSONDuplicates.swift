/// Finds and drops duplicate properties, for coders that do not read the last one.
///
/// RFC 8259 does not define their meaning. Foundation reads the first one on some platforms; a record reads the last.
enum JSONDuplicates {
    /// Whether any object in bytes that a scanner has accepted has duplicate names.
    ///
    /// Names that differ only in their Unicode normalization may be reported too.
    static func areIn(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        var finder = DuplicateFinder(base: base, end: bytes.count)
        return finder.valueHasDuplicates()
    }

    /// The value with only the last property of each name, at every depth.
    static func dropped(from value: RecordValue) -> RecordValue {
        switch value {
        case .array(let elements):
            return .array(elements.map(dropped(from:)))
        case .object(let object):
            var seen: Set<[UInt8]> = []
            let kept = object.properties.reversed().filter { seen.insert(Array($0.name.utf8)).inserted }
            return .object(
                RecordObject(
                    kept.reversed().map {
                        RecordObject.Property(name: $0.name, value: dropped(from: $0.value))
                    }
                )
            )
        default:
            return value
        }
    }
}

/// Scans bytes that a scanner has accepted, without checking them again.
private struct DuplicateFinder {
    /// The number of properties from which a set finds names faster than a linear search.
    private static let manyNames = 32

    let base: UnsafePointer<UInt8>
    var position = 0
    let end: Int
    /// The names seen so far in the open objects, those of the innermost object last.
    private var names: [Range<Int>] = []

    init(base: UnsafePointer<UInt8>, end: Int) {
        self.base = base
        self.end = end
        names.reserveCapacity(Self.manyNames)
    }

    mutating func valueHasDuplicates() -> Bool {
        skipWhitespace()
        switch base[position] {
        case 0x22: skipString()
        case 0x7B: return objectHasDuplicates()
        case 0x5B: return arrayHasDuplicates()
        default: skipScalar()
        }
        return false
    }

    private mutating func objectHasDuplicates() -> Bool {
        let outerCount = names.count
        defer { names.removeSubrange(outerCount...) }
        var manyNames: Set<String> = []
        position += 1
        skipWhitespace()
        while base[position] != 0x7D {
            let start = position
            skipString()
            let name = start..<position
            if names.count - outerCount < Self.manyNames {
                if names[outerCount...].contains(where: { isSame($0, name) }) { return true }
                names.append(name)
            } else {
                if manyNames.isEmpty { manyNames.formUnion(names[outerCount...].map(text)) }
                if !manyNames.insert(text(name)).inserted { return true }
            }
            skipWhitespace()
            position += 1
            if valueHasDuplicates() { return true }
            skipSeparator()
        }
        position += 1
        return false
    }

    private mutating func arrayHasDuplicates() -> Bool {
        position += 1
        skipWhitespace()
        while base[position] != 0x5D {
            if valueHasDuplicates() { return true }
            skipSeparator()
        }
        position += 1
        return false
    }

    private func isSame(_ name: Range<Int>, _ other: Range<Int>) -> Bool {
        let length = min(name.count, other.count)
        var offset = 0
        while offset < length, base[name.lowerBound + offset] == base[other.lowerBound + offset] {
            // Before the first escape, equal bytes are equal characters.
            if base[name.lowerBound + offset] == 0x5C { break }
            offset += 1
        }
        if offset == length { return name.count == other.count }
        guard base[name.lowerBound + offset] == 0x5C || base[other.lowerBound + offset] == 0x5C else {
            return false
        }
        return RecordObject.isSame(text(name), text(other))
    }

    private func text(_ name: Range<Int>) -> String {
        JSONString.decode(base, from: name.lowerBound, to: name.upperBound)
    }

    private mutating func skipWhitespace() {
        while position < end, base[position] <= 0x20 { position += 1 }
    }

    private mutating func skipString() {
        position += 1
        while base[position] != 0x22 { position += base[position] == 0x5C ? 2 : 1 }
        position += 1
    }

    private mutating func skipScalar() {
        while position < end {
            switch base[position] {
            case 0x00...0x20, 0x2C, 0x5D, 0x7D: return
            default: position += 1
            }
        }
    }

    private mutating func skipSeparator() {
        skipWhitespace()
        if base[position] == 0x2C {
            position += 1
            skipWhitespace()
        }
    }
}
