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

    /// The text, from 0 to ``contentEnd``; what is behind it belongs to the owner.
    var bytes: [UInt8]
    var contentEnd: Int
    private(set) var kind = Kind.unread
    private(set) var entries: [Entry] = []
    /// New names and values, one behind the other.
    private var edits: [UInt8] = []
    private var liveCount = 0
    private var hasBecomeEmpty = false
    /// Grows with each change.
    private(set) var revision = 0

    /// A property: where it stands in the bytes, and where its name and its value are now.
    struct Entry: Sendable {
        /// The name with its quotes, in the bytes as written.
        var sourceName: Slice
        /// The value, in the bytes as written.
        var sourceValue: Slice
        /// The name with its quotes as it is now.
        var name: Slice
        /// The value as it is now.
        var value: Slice
        var nameHasEscapes: Bool
        var isNameEdited = false
        var isValueEdited = false
        var isAdded = false
        var isRemoved = false
    }

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

    init(bytes: [UInt8], contentEnd: Int? = nil) {
        self.bytes = bytes
        self.contentEnd = contentEnd ?? bytes.count
    }

    // MARK: Loading and reading

    /// Takes other bytes, and keeps the buffers.
    mutating func load(_ content: UnsafeRawBufferPointer, tail: UnsafeRawBufferPointer) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: content)
        bytes.append(contentsOf: tail)
        contentEnd = content.count
        if !entries.isEmpty { entries.removeAll(keepingCapacity: true) }
        if !edits.isEmpty { edits.removeAll(keepingCapacity: true) }
        kind = .unread
        liveCount = 0
        hasBecomeEmpty = false
        revision = 0
    }

    /// Replaces the whole text, and keeps what is behind it.
    mutating func replaceContent(with content: [UInt8]) {
        bytes.replaceSubrange(0..<contentEnd, with: content)
        contentEnd = content.count
        entries.removeAll(keepingCapacity: true)
        edits.removeAll(keepingCapacity: true)
        kind = .unread
        liveCount = 0
        hasBecomeEmpty = false
        revision += 1
    }

    /// Checks the whole text and finds the properties, once.
    mutating func read(depth: Int = 0) throws(JSONSyntaxError) {
        guard kind == .unread else { return }
        var failure: JSONSyntaxError?
        var found = entries
        entries = []
        let isObject = bytes.withUnsafeBufferPointer { buffer -> Bool in
            guard let base = buffer.baseAddress, contentEnd > 0 else {
                failure = JSONSyntaxError(reason: .unexpectedEnd, offset: 0)
                return false
            }
            var scanner = JSONScanner(base: base, to: contentEnd)
            do throws(JSONSyntaxError) {
                return try Self.index(&scanner, into: &found, depth: depth)
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        entries = found
        liveCount = found.count
        kind = isObject ? .object : .other
    }

    private static func index(
        _ scanner: inout JSONScanner,
        into entries: inout [Entry],
        depth: Int
    ) throws(JSONSyntaxError) -> Bool {
        scanner.skipWhitespace()
        guard scanner.next == 0x7B else {
            try scanner.skipValue(depth: depth)
            try scanner.expectEnd()
            return false
        }
        if depth + 1 > JSONScanner.depthLimit { throw scanner.failure(.tooDeep) }
        scanner.position += 1
        scanner.skipWhitespace()
        if scanner.next == 0x7D {
            scanner.position += 1
            try scanner.expectEnd()
            return true
        }
        while true {
            let nameStart = scanner.position
            let hasEscapes = try scanner.skipString()
            let name = Slice(nameStart, scanner.position)
            scanner.skipWhitespace()
            try scanner.expect(0x3A)
            scanner.skipWhitespace()
            let valueStart = scanner.position
            try scanner.skipValue(depth: depth + 1)
            let value = Slice(valueStart, scanner.position)
            entries.append(
                Entry(
                    sourceName: name,
                    sourceValue: value,
                    name: name,
                    value: value,
                    nameHasEscapes: hasEscapes
                )
            )
            scanner.skipWhitespace()
            if scanner.next == 0x2C {
                scanner.position += 1
                scanner.skipWhitespace()
            } else {
                try scanner.expect(0x7D)
                try scanner.expectEnd()
                return true
            }
        }
    }

    /// The names of the properties that are there now, in their order, duplicates included.
    var names: [String] {
        entries.lazy.filter { !$0.isRemoved }.map { name(of: $0) }
    }

    private func name(of entry: Entry) -> String {
        withBytes(entry.isNameEdited) {
            JSONString.decode($0, from: entry.name.range.lowerBound, to: entry.name.range.upperBound)
        }
    }

    /// The place of the last property with a name.
    func lastIndex(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { text in
            var index = entries.count
            while index > 0 {
                index -= 1
                if matches(entries[index], text) { return index }
            }
            return nil
        }
    }

    @inline(__always)
    private func matches(_ entry: Entry, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if entry.isRemoved { return false }
        if entry.nameHasEscapes { return name(of: entry).utf8.elementsEqual(text) }
        guard entry.name.count - 2 == text.count else { return false }
        return withBytes(entry.isNameEdited) { base in
            let start = base + Int(entry.name.start) + 1
            for offset in 0..<text.count where start[offset] != text[offset] { return false }
            return true
        }
    }

    @inline(__always)
    private func withBytes<R>(_ isEdited: Bool, _ body: (UnsafePointer<UInt8>) -> R) -> R {
        // An entry points into one of the two only when that one is not empty, so neither base address can be nil;
        // the stand-in is never read.
        (isEdited ? edits : bytes).withUnsafeBufferPointer { buffer in
            if let base = buffer.baseAddress { return body(base) }
            return withUnsafePointer(to: 0x22) { body($0) }
        }
    }

    /// Lends the bytes of a property's value.
    @inline(__always)
    func withValue<R>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        let entry = entries[index]
        return try (entry.isValueEdited ? edits : bytes).withUnsafeBufferPointer { buffer in
            try body(UnsafeBufferPointer(rebasing: buffer[entry.value.range]))
        }
    }

    // MARK: Changing

    /// Gives a property another value, or adds it behind the others.
    mutating func set(_ name: String, to value: [UInt8]) {
        if let index = lastIndex(of: name) {
            let isSame = withValue(at: index) { $0.elementsEqual(value) }
            guard !isSame else { return }
            entries[index].value = append(value)
            entries[index].isValueEdited = true
        } else {
            let nameSlice = append(name: name)
            let nothing = Slice(0, 0)
            entries.append(
                Entry(
                    sourceName: nothing,
                    sourceValue: nothing,
                    name: nameSlice.slice,
                    value: append(value),
                    nameHasEscapes: nameSlice.hasEscapes,
                    isNameEdited: true,
                    isValueEdited: true,
                    isAdded: true
                )
            )
            liveCount += 1
        }
        revision += 1
    }

    /// Gives a string property another value without a copy in between.
    mutating func set(_ name: String, toString string: String) {
        var value: [UInt8] = []
        value.reserveCapacity(string.utf8.count + 2)
        JSONString.write(string, to: &value)
        set(name, to: value)
    }

    /// Removes all properties with a name.
    ///
    /// - Returns: Whether there was one.
    mutating func remove(_ name: String) -> Bool {
        var removed = false
        while let index = lastIndex(of: name) {
            entries[index].isRemoved = true
            liveCount -= 1
            removed = true
        }
        if removed { revision += 1 }
        if liveCount == 0 { hasBecomeEmpty = true }
        return removed
    }

    /// Renames all properties with a name.
    ///
    /// - Returns: Whether there was one.
    mutating func rename(_ name: String, to newName: String) -> Bool {
        guard !RecordObject.isSame(name, newName) else { return lastIndex(of: name) != nil }
        var renamed = false
        while let index = lastIndex(of: name) {
            let slice = append(name: newName)
            entries[index].name = slice.slice
            entries[index].nameHasEscapes = slice.hasEscapes
            entries[index].isNameEdited = true
            renamed = true
        }
        if renamed { revision += 1 }
        return renamed
    }

    private mutating func append(_ value: [UInt8]) -> Slice {
        let start = edits.count
        edits.append(contentsOf: value)
        return Slice(start, edits.count)
    }

    private mutating func append(name: String) -> (slice: Slice, hasEscapes: Bool) {
        let start = edits.count
        JSONString.write(name, to: &edits)
        let hasEscapes = edits.count - start - 2 != name.utf8.count
        return (Slice(start, edits.count), hasEscapes)
    }

    // MARK: Writing back

    /// Whether the text is still the one that was loaded.
    var isUnchanged: Bool {
        !entries.contains { $0.isAdded || $0.isRemoved || $0.isNameEdited || $0.isValueEdited }
    }

    /// Appends the text with the changes put in.
    func write(to output: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { source in
            edits.withUnsafeBufferPointer { edited in
                if isUnchanged {
                    output.append(contentsOf: UnsafeBufferPointer(rebasing: source[0..<contentEnd]))
                } else {
                    write(source, edited, to: &output)
                }
            }
        }
    }

    private func write(
        _ source: UnsafeBufferPointer<UInt8>,
        _ edited: UnsafeBufferPointer<UInt8>,
        to output: inout [UInt8]
    ) {
        func copy(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[range]))
        }
        var open = 0
        while source[open] != 0x7B { open += 1 }
        var close = contentEnd - 1
        while source[close] != 0x7D { close -= 1 }
        let sourceCount = entries.firstIndex { $0.isAdded } ?? entries.count
        let keepsSpace = sourceCount > 0 && !hasBecomeEmpty
        output.reserveCapacity(output.count + contentEnd + edited.count)
        copy(source, 0..<(keepsSpace ? Int(entries[0].sourceName.start) : open + 1))
        var isFirst = true
        for index in entries.indices where !entries[index].isRemoved {
            let entry = entries[index]
            if !isFirst {
                if entry.isAdded {
                    output.append(0x2C)
                } else {
                    copy(source, Int(entries[index - 1].sourceValue.end)..<Int(entry.sourceName.start))
                }
            }
            isFirst = false
            copy(entry.isNameEdited ? edited : source, entry.name.range)
            if entry.isAdded {
                output.append(0x3A)
            } else {
                copy(source, Int(entry.sourceName.end)..<Int(entry.sourceValue.start))
            }
            copy(entry.isValueEdited ? edited : source, entry.value.range)
        }
        copy(source, (keepsSpace ? Int(entries[sourceCount - 1].sourceValue.end) : close)..<contentEnd)
    }
}
