/// A JSON object as the bytes that were written, an index of its properties, and a small set of changes beside them.
///
/// Writing it back copies the bytes and puts the changes in: what was not changed stays byte for byte, white space
/// and order included. Two rules make the result the same whether changes are written back after each one or all
/// at once: a property keeps the white space and comma before it, and an object that became empty loses its inner
/// white space.
struct SplicedObject: Sendable {
    /// What the bytes turned out to be.
    enum Kind {
        case unread
        case object
        case other
    }

    /// The text, from 0 to ``contentEnd``, then what belongs to the owner, to ``tailEnd``.
    ///
    /// What is behind that is left of longer ones: an array that only grows costs nothing to fill again.
    private(set) var bytes: [UInt8]
    /// Where the text ends in ``bytes``.
    private(set) var contentEnd: Int
    /// Where the owner's bytes end in ``bytes``.
    private(set) var tailEnd: Int
    /// What the text is; unread until ``read(depth:)``.
    private(set) var kind = Kind.unread

    // What follows is written by `SplicedObject+Changing`, too, and by no other file: an entry that is changed, and
    // `isUnchanged`, go together.

    /// The properties of the text, in their order, then those that were added.
    var entries = EntryList()
    /// New names and values, one behind the other.
    var edits: [UInt8] = []
    /// How many properties the text has.
    private(set) var sourceCount = 0
    /// Whether the text, as it was read, has an escape that is half of a surrogate pair: no string can hold it.
    private(set) var hasHalfPairs = false
    /// How many of the properties are there now.
    var liveCount = 0
    /// Whether all properties were removed at some time, and with them the inner white space.
    var hasBecomeEmpty = false
    /// Whether the text is still the one that was loaded.
    var isUnchanged = true
    /// Grows with each change.
    var revision = 0

    /// A range of bytes, half the size of `Range<Int>`: a record cannot be larger than SQLite's limit of 2 GB.
    struct Slice: Sendable {
        var start: Int32
        var end: Int32

        init(_ start: Int, _ end: Int) {
            self.start = Int32(truncatingIfNeeded: start)
            self.end = Int32(truncatingIfNeeded: end)
        }

        var range: Range<Int> { Int(start)..<Int(end) }
        var count: Int { Int(end - start) }
    }

    /// Creates an object that is not read yet.
    init(bytes: [UInt8]) {
        self.bytes = bytes
        contentEnd = bytes.count
        tailEnd = bytes.count
    }

    // MARK: Loading and reading

    /// Takes other bytes, and keeps the buffers.
    mutating func load(_ content: UnsafeRawBufferPointer, tail: UnsafeRawBufferPointer) {
        // What a large record needed is not kept for small ones.
        if bytes.count > Self.mostKept, bytes.count / 8 > content.count + tail.count { bytes = [] }
        grow(to: content.count + tail.count)
        contentEnd = content.count
        tailEnd = content.count + tail.count
        bytes.withUnsafeMutableBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes[..<contentEnd]).copyMemory(from: content)
            UnsafeMutableRawBufferPointer(rebasing: bytes[contentEnd..<tailEnd]).copyMemory(from: tail)
        }
        clear()
        revision = 0
    }

    /// Replaces the whole text, and keeps what is behind it.
    mutating func replaceContent(with content: UnsafeRawBufferPointer) {
        let tail = contentEnd..<tailEnd
        grow(to: content.count + tail.count)
        contentEnd = content.count
        tailEnd = content.count + tail.count
        bytes.withUnsafeMutableBytes { bytes in
            // The two places of what is behind the text may overlap.
            UnsafeMutableRawBufferPointer(rebasing: bytes[contentEnd..<tailEnd])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[tail]))
            UnsafeMutableRawBufferPointer(rebasing: bytes[..<contentEnd]).copyMemory(from: content)
        }
        clear()
        revision += 1
    }

    /// From which size on a buffer is given up when an eighth of it would do.
    private static let mostKept = 65_536

    private mutating func grow(to count: Int) {
        if bytes.count < count { bytes += [UInt8](repeating: 0, count: max(count, 2 * bytes.count) - bytes.count) }
    }

    private mutating func clear() {
        entries.removeAll()
        if !edits.isEmpty { edits.removeAll(keepingCapacity: true) }
        kind = .unread
        hasHalfPairs = false
        sourceCount = 0
        liveCount = 0
        hasBecomeEmpty = false
        isUnchanged = true
    }

    /// Checks the whole text and finds the properties, once.
    mutating func read(depth: Int = 0) throws(JSONSyntaxError) {
        guard kind == .unread else { return }
        var found = entries
        entries = EntryList()
        var halfPairs = JSONScanner.HalfPairs.allowed
        let isObject = try bytes.withUnsafeBufferPointer { buffer throws(JSONSyntaxError) -> Bool in
            guard let base = buffer.baseAddress, contentEnd > 0 else {
                throw JSONSyntaxError(reason: .unexpectedEnd, offset: 0)
            }
            var scanner = JSONScanner(base: base, to: contentEnd)
            scanner.halfPairs = halfPairs
            defer { halfPairs = scanner.halfPairs }
            return try found.index(&scanner, depth: depth)
        }
        hasHalfPairs = halfPairs == .found
        entries = found
        sourceCount = found.count
        liveCount = found.count
        kind = isObject ? .object : .other
    }

    // MARK: Names and values

    /// The names of the properties that are there now, in their order, duplicates included.
    var names: [String] {
        withTexts { source, edited in
            entries.withEntries { entries in
                entries.lazy.filter { !$0.changes.contains(.removed) }.map { Self.text(of: $0, source, edited) }
            }
        }
    }

    private static func text(
        of entry: Entry,
        _ source: UnsafePointer<UInt8>,
        _ edited: UnsafePointer<UInt8>
    ) -> String {
        let range = entry.name.range
        return JSONString.decode(
            entry.changes.contains(.named) ? edited : source,
            from: range.lowerBound,
            to: range.upperBound
        )
    }

    /// Whether an object of the text, at any depth, may have a name twice; for a text that nothing has changed.
    var mayHaveDuplicates: Bool {
        bytes.withUnsafeBufferPointer { source in
            entries.withEntries { entries in
                let isSimple = kind == .object && entries.count <= 32 && !entries.contains(where: \.nameHasEscapes)
                guard isSimple else {
                    return JSONDuplicates.areIn(UnsafeBufferPointer(rebasing: source[..<contentEnd]))
                }
                for (index, entry) in entries.enumerated() {
                    let name = source[entry.sourceName.range]
                    for other in entries[..<index] where other.sourceName.count == name.count {
                        if source[other.sourceName.range].elementsEqual(name) { return true }
                    }
                    let value = source[entry.sourceValue.range]
                    guard value.first == 0x7B || value.first == 0x5B else { continue }
                    if JSONDuplicates.areIn(UnsafeBufferPointer(rebasing: value)) { return true }
                }
                return false
            }
        }
    }

    /// The place of the last property with a name.
    func lastIndex(of name: String) -> Int? {
        lastIndex(of: name, before: entries.count)
    }

    /// The place of the last property with a name among the first ones.
    func lastIndex(of name: String, before end: Int) -> Int? {
        var name = name
        return name.withUTF8 { text in
            withTexts { source, edited in
                entries.withEntries { entries in
                    // With its quotes.
                    let length = Int32(clamping: text.count + 2)
                    var index = end
                    while index > 0 {
                        index -= 1
                        if entries[index].name.end &- entries[index].name.start != length,
                            !entries[index].nameHasEscapes
                        {
                            continue
                        }
                        if Self.matches(entries[index], text, source, edited) { return index }
                    }
                    return nil
                }
            }
        }
    }

    @inline(__always)
    private static func matches(
        _ entry: Entry,
        _ text: UnsafeBufferPointer<UInt8>,
        _ source: UnsafePointer<UInt8>,
        _ edited: UnsafePointer<UInt8>
    ) -> Bool {
        if entry.changes.contains(.removed) { return false }
        let start = (entry.changes.contains(.named) ? edited : source) + Int(entry.name.start) + 1
        if entry.nameHasEscapes {
            let name = UnsafeBufferPointer(start: start, count: entry.name.count - 2)
            return JSONString.unescaped(name).elementsEqual(text)
        }
        var offset = 0
        while offset < text.count {
            if start[offset] != text[offset] { return false }
            offset += 1
        }
        return true
    }

    @inline(__always)
    private func withTexts<R>(_ body: (UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> R) -> R {
        // An entry points into one of the two only when that one is not empty, so no base address that is asked for
        // is nil; the stand-in is never read.
        withUnsafePointer(to: 0x22 as UInt8) { nothing in
            bytes.withUnsafeBufferPointer { source in
                edits.withUnsafeBufferPointer { edited in
                    body(source.baseAddress ?? nothing, edited.baseAddress ?? nothing)
                }
            }
        }
    }

    /// The value of a property, when it is a string; nil also for one that cannot be read.
    func string(at index: Int) -> String? {
        withValue(at: index) { bytes in
            guard let base = bytes.baseAddress, bytes[0] == 0x22, !hasHalfPairs else { return nil }
            return JSONString.decode(base, from: 0, to: bytes.count)
        }
    }

    /// Lends the bytes of a property's value.
    @inline(__always)
    func withValue<R>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        let entry = entries[index]
        if entry.changes.contains(.valued) {
            return try edits.withUnsafeBufferPointer { buffer in
                try body(UnsafeBufferPointer(rebasing: buffer[entry.value.range]))
            }
        }
        return try bytes.withUnsafeBufferPointer { buffer in
            try body(UnsafeBufferPointer(rebasing: buffer[entry.value.range]))
        }
    }
}
