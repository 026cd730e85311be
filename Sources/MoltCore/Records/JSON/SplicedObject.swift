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
    /// Where the text ends in ``bytes``.
    var contentEnd: Int
    /// What the text is; unread until ``read(depth:)``.
    private(set) var kind = Kind.unread
    /// The properties of the text, in their order, then those that were added.
    private(set) var entries: [Entry] = []
    /// New names and values, one behind the other.
    private(set) var edits: [UInt8] = []
    private var liveCount = 0
    /// Whether all properties were removed at some time, and with them the inner white space.
    private(set) var hasBecomeEmpty = false
    /// Whether the text is still the one that was loaded.
    private(set) var isUnchanged = true
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

    /// Creates an object that is not read yet.
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
        isUnchanged = true
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
        isUnchanged = true
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
        withTexts { source, edited in
            Self.text(of: entry, source, edited)
        }
    }

    private static func text(
        of entry: Entry,
        _ source: UnsafePointer<UInt8>,
        _ edited: UnsafePointer<UInt8>
    ) -> String {
        let range = entry.name.range
        return JSONString.decode(
            entry.isNameEdited ? edited : source,
            from: range.lowerBound,
            to: range.upperBound
        )
    }

    /// Whether an object of the text, at any depth, may have a name twice; for a text that nothing has changed.
    var mayHaveDuplicates: Bool {
        bytes.withUnsafeBufferPointer { source in
            let isSimple = kind == .object && entries.count <= 32 && !entries.contains(where: \.nameHasEscapes)
            guard isSimple else { return JSONDuplicates.areIn(UnsafeBufferPointer(rebasing: source[..<contentEnd])) }
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

    /// The place of the last property with a name.
    func lastIndex(of name: String) -> Int? {
        lastIndex(of: name, before: entries.count)
    }

    /// The place of the last property with a name among the first ones.
    private func lastIndex(of name: String, before end: Int) -> Int? {
        var name = name
        return name.withUTF8 { text in
            withTexts { source, edited in
                entries.withUnsafeBufferPointer { entries in
                    var index = end
                    while index > 0 {
                        index -= 1
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
        if entry.isRemoved { return false }
        if entry.nameHasEscapes { return self.text(of: entry, source, edited).utf8.elementsEqual(text) }
        guard entry.name.count - 2 == text.count else { return false }
        let start = (entry.isNameEdited ? edited : source) + Int(entry.name.start) + 1
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

    /// Lends the bytes of a property's value.
    @inline(__always)
    func withValue<R>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        let entry = entries[index]
        if entry.isValueEdited {
            return try edits.withUnsafeBufferPointer { buffer in
                try body(UnsafeBufferPointer(rebasing: buffer[entry.value.range]))
            }
        }
        return try bytes.withUnsafeBufferPointer { buffer in
            try body(UnsafeBufferPointer(rebasing: buffer[entry.value.range]))
        }
    }

    // MARK: Changing

    /// Gives a property another value, or adds it behind the others.
    mutating func set(_ name: String, to value: [UInt8]) {
        set(name) { $0.append(contentsOf: value) }
    }

    /// Gives a property the value that a closure writes behind the other changes, or adds it behind the others.
    @inline(__always)
    mutating func set<Failure: Error>(
        _ name: String,
        writing body: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        let start = edits.count
        do throws(Failure) {
            try body(&edits)
        } catch {
            edits.removeSubrange(start...)
            throw error
        }
        set(name, toEdit: Slice(start, edits.count))
    }

    private mutating func set(_ name: String, toEdit value: Slice) {
        if let index = lastIndex(of: name) {
            guard !isValue(at: index, sameAs: value) else {
                edits.removeSubrange(Int(value.start)...)
                return
            }
            entries[index].value = value
            entries[index].isValueEdited = true
        } else {
            let nameSlice = append(name: name)
            let nothing = Slice(0, 0)
            entries.append(
                Entry(
                    sourceName: nothing,
                    sourceValue: nothing,
                    name: nameSlice.slice,
                    value: value,
                    nameHasEscapes: nameSlice.hasEscapes,
                    isNameEdited: true,
                    isValueEdited: true,
                    isAdded: true
                )
            )
            liveCount += 1
        }
        isUnchanged = false
        revision += 1
    }

    private func isValue(at index: Int, sameAs value: Slice) -> Bool {
        guard entries[index].value.count == value.count else { return false }
        return withValue(at: index) { old in
            edits.withUnsafeBufferPointer { edits in
                old.elementsEqual(UnsafeBufferPointer(rebasing: edits[value.range]))
            }
        }
    }

    /// Removes all properties with a name.
    ///
    /// - Returns: Whether there was one.
    mutating func remove(_ name: String) -> Bool {
        var end = entries.count
        var removed = false
        while let index = lastIndex(of: name, before: end) {
            entries[index].isRemoved = true
            liveCount -= 1
            removed = true
            end = index
        }
        guard removed else { return false }
        isUnchanged = false
        revision += 1
        if liveCount == 0 { hasBecomeEmpty = true }
        return true
    }

    /// Renames all properties with a name.
    ///
    /// - Returns: Whether there was one.
    mutating func rename(_ name: String, to newName: String) -> Bool {
        guard !RecordObject.isSame(name, newName) else { return lastIndex(of: name) != nil }
        var end = entries.count
        var newText: (slice: Slice, hasEscapes: Bool)?
        while let index = lastIndex(of: name, before: end) {
            let text = newText ?? append(name: newName)
            newText = text
            entries[index].name = text.slice
            entries[index].nameHasEscapes = text.hasEscapes
            entries[index].isNameEdited = true
            end = index
        }
        guard newText != nil else { return false }
        isUnchanged = false
        revision += 1
        return true
    }

    private mutating func append(name: String) -> (slice: Slice, hasEscapes: Bool) {
        let start = edits.count
        JSONString.write(name, to: &edits)
        let hasEscapes = edits.count - start - 2 != name.utf8.count
        return (Slice(start, edits.count), hasEscapes)
    }
}
