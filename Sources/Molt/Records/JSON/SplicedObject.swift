/// A JSON object: its original bytes, an index of its properties, and the changes to them.
///
/// The elements of an array can be indexed, too, as properties with empty names.
///
/// Writing it back copies the bytes and splices the changes in: unchanged parts stay byte for byte the same, including
/// white space and order. Two rules make the result independent of whether changes are written back one by one or all
/// at once: a property keeps the white space and comma before it, and an object that became empty loses its inner white
/// space.
struct SplicedObject: Sendable {
    enum Kind {
        case unread
        case object
        /// An array whose elements are indexed.
        case array
        case other
    }

    /// The text, up to ``contentEnd``, then the owner's bytes, up to ``tailEnd``.
    ///
    /// The rest is left over from longer contents: an array that never shrinks is cheap to fill again.
    private(set) var bytes: [UInt8]
    /// The end of the text in ``bytes``.
    private(set) var contentEnd: Int
    /// The end of the owner's bytes in ``bytes``.
    private(set) var tailEnd: Int
    /// The kind of the text; unread until ``read(depth:)`` is called.
    private(set) var kind = Kind.unread

    // Only `SplicedObject+Changing` also writes the following properties: it must update entries and `isUnchanged`
    // together.

    /// The properties of the text, in order, then the added ones.
    var entries = EntryList()
    /// New names and values, concatenated.
    var edits: [UInt8] = []
    /// The number of properties in the original text.
    private(set) var sourceCount = 0
    /// The current number of properties.
    var liveCount = 0
    /// Whether all properties were removed at some point, and the inner white space with them.
    var hasBecomeEmpty = false
    /// Whether the original text is still current.
    var isUnchanged = true
    var revision = 0

    /// A range of bytes, half the size of `Range<Int>`: SQLite limits a record to 2 GB.
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

    init(bytes: [UInt8]) {
        self.bytes = bytes
        contentEnd = bytes.count
        tailEnd = bytes.count
    }

    // MARK: Loading and reading

    /// Loads other bytes, and reuses the buffers.
    mutating func load(_ content: UnsafeRawBufferPointer, tail: UnsafeRawBufferPointer) {
        // Free the large buffer of a previous record.
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

    /// Replaces the text, and keeps the owner's bytes.
    mutating func replaceContent(with content: UnsafeRawBufferPointer) {
        let tail = contentEnd..<tailEnd
        grow(to: content.count + tail.count)
        contentEnd = content.count
        tailEnd = content.count + tail.count
        bytes.withUnsafeMutableBytes { bytes in
            // The old and new ranges of the owner's bytes may overlap.
            UnsafeMutableRawBufferPointer(rebasing: bytes[contentEnd..<tailEnd])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[tail]))
            UnsafeMutableRawBufferPointer(rebasing: bytes[..<contentEnd]).copyMemory(from: content)
        }
        clear()
        revision += 1
    }

    /// The size from which a buffer is freed if an eighth of it would suffice.
    private static let mostKept = 65_536

    private mutating func grow(to count: Int) {
        if bytes.count < count { bytes += [UInt8](repeating: 0, count: max(count, 2 * bytes.count) - bytes.count) }
    }

    private mutating func clear() {
        entries.removeAll()
        if !edits.isEmpty { edits.removeAll(keepingCapacity: true) }
        kind = .unread
        sourceCount = 0
        liveCount = 0
        hasBecomeEmpty = false
        isUnchanged = true
    }

    /// Checks the text and indexes its properties, unless that was done before.
    ///
    /// - Parameter includesArrays: Whether the elements of an array are indexed.
    mutating func read(depth: Int = 0, includesArrays: Bool = false) throws(JSONSyntaxError) {
        guard kind == .unread else { return }
        var found = entries
        entries = EntryList()
        let foundKind = try bytes.withUnsafeBufferPointer { buffer throws(JSONSyntaxError) -> Kind in
            guard let base = buffer.baseAddress, contentEnd > 0 else {
                throw JSONSyntaxError(reason: .unexpectedEnd, offset: 0)
            }
            var scanner = JSONScanner(base: base, to: contentEnd)
            return try found.index(&scanner, depth: depth, includesArrays: includesArrays)
        }
        entries = found
        sourceCount = found.count
        liveCount = found.count
        kind = foundKind
    }

    // MARK: Names and values

    /// The names of the current properties, in order, including duplicates.
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

    func lastIndex(of name: String) -> Int? {
        lastIndex(of: name, before: entries.count)
    }

    /// The index of the last property with a name among the first ones.
    func lastIndex(of name: String, before end: Int) -> Int? {
        var name = name
        return name.withUTF8 { text in
            withTexts { source, edited in
                entries.withEntries { entries in
                    // The length includes the quotes.
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
        // An entry refers only to a buffer that is not empty, whose base address is not nil; the placeholder is never
        // read.
        withUnsafePointer(to: 0x22 as UInt8) { nothing in
            bytes.withUnsafeBufferPointer { source in
                edits.withUnsafeBufferPointer { edited in
                    body(source.baseAddress ?? nothing, edited.baseAddress ?? nothing)
                }
            }
        }
    }

    /// The value of a string property; nil for other kinds.
    func string(at index: Int) -> String? {
        withValue(at: index) { bytes in
            guard let base = bytes.baseAddress, bytes[0] == 0x22 else { return nil }
            return JSONString.decode(base, from: 0, to: bytes.count)
        }
    }

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
