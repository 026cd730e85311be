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

    /// The properties of the text, in order, then the added ones.
    private(set) var members = MemberList()
    /// New names and values, concatenated.
    private var edits: [UInt8] = []
    /// The number of properties in the original text.
    private var sourceCount = 0
    /// The current number of properties.
    private var liveCount = 0
    /// Reused memory for a nested object that is being changed; an array, because a structure cannot contain itself.
    private var inside: [SplicedObject] = []
    /// Whether all properties were removed at some point, and the inner white space with them.
    private var hasBecomeEmpty = false
    /// Whether the original text is still current.
    private(set) var isUnchanged = true
    /// Increases with each change.
    private(set) var revision = 0

    /// - Parameter contentEnd: Where the owner's bytes begin; nil if there are none.
    init(bytes: [UInt8], contentEnd: Int? = nil) {
        self.bytes = bytes
        self.contentEnd = contentEnd ?? bytes.count
        tailEnd = bytes.count
    }

    // MARK: Loading and reading

    /// Loads other bytes, and reuses the buffers.
    mutating func load(_ content: UnsafeRawBufferPointer, tail: UnsafeRawBufferPointer) {
        // Free the large buffers of a previous record.
        if bytes.count > Self.mostKept, bytes.count / 8 > content.count + tail.count {
            bytes = []
            edits = []
            inside = []
            members = MemberList()
        }
        contentEnd = content.count
        tailEnd = content.count + tail.count
        if bytes.count < tailEnd {
            let count = max(tailEnd, 2 * bytes.count)
            // The old bytes are not needed beside the new ones.
            bytes = []
            bytes = [UInt8](repeating: 0, count: count)
        }
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
        members.removeAll()
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
    @inline(never)
    mutating func read(depth: Int = 0, includesArrays: Bool = false) throws(JSONSyntaxError) {
        guard kind == .unread else { return }
        var found = members
        members = MemberList()
        let foundKind = try bytes.withUnsafeBufferPointer { buffer throws(JSONSyntaxError) -> Kind in
            guard let base = buffer.baseAddress, contentEnd > 0 else {
                throw JSONSyntaxError(reason: .unexpectedEnd, offset: 0)
            }
            var scanner = JSONScanner(base: base, to: contentEnd)
            return try found.index(&scanner, depth: depth, includesArrays: includesArrays)
        }
        members = found
        sourceCount = found.count
        liveCount = found.count
        kind = foundKind
    }

    // MARK: Names and values

    /// The names of the current properties, in order, including duplicates.
    var names: [String] {
        withTexts { source, edited in
            members.withMembers { members in
                members.lazy.filter { !$0.changes.contains(.removed) }.map { Self.text(of: $0, source, edited) }
            }
        }
    }

    private static func text(
        of member: Member,
        _ source: UnsafePointer<UInt8>,
        _ edited: UnsafePointer<UInt8>
    ) -> String {
        let range = member.name.range
        return JSONString.decode(
            member.changes.contains(.named) ? edited : source,
            from: range.lowerBound,
            to: range.upperBound
        )
    }

    func lastIndex(of name: String) -> Int? {
        lastIndex(of: name, before: members.count)
    }

    /// The index of the last property with a name among the first ones.
    private func lastIndex(of name: String, before end: Int) -> Int? {
        var found: Int?
        search(name, before: end) { index in
            found = index
            return false
        }
        return found
    }

    /// The indexes of the first and the last property with a name; the same for one that is not repeated.
    private func firstAndLast(of name: String) -> ClosedRange<Int>? {
        var found: ClosedRange<Int>?
        search(name, before: members.count) { index in
            found = index...(found?.upperBound ?? index)
            return true
        }
        return found
    }

    /// Passes the indices of the properties with a name to a closure, from the last one on, while it returns true.
    @inline(__always)
    private func search(_ name: String, before end: Int, _ body: (Int) -> Bool) {
        var name = name
        name.withUTF8 { text in
            withTexts { source, edited in
                members.withMembers { members in
                    // The length includes the quotes.
                    let length = Int32(clamping: text.count + 2)
                    var index = end
                    while index > 0 {
                        index -= 1
                        if members[index].name.end &- members[index].name.start != length,
                            !members[index].nameHasEscapes
                        {
                            continue
                        }
                        if Self.matches(members[index], text, source, edited), !body(index) { return }
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func matches(
        _ member: Member,
        _ text: UnsafeBufferPointer<UInt8>,
        _ source: UnsafePointer<UInt8>,
        _ edited: UnsafePointer<UInt8>
    ) -> Bool {
        if member.changes.contains(.removed) { return false }
        let start = (member.changes.contains(.named) ? edited : source) + Int(member.name.start) + 1
        if member.nameHasEscapes {
            let name = UnsafeBufferPointer(start: start, count: member.name.count - 2)
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
        // A member refers only to a buffer that is not empty, whose base address is not nil; the placeholder is never
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
        let member = members[index]
        if member.changes.contains(.valued) {
            return try edits.withUnsafeBufferPointer { buffer in
                try body(UnsafeBufferPointer(rebasing: buffer[member.value.range]))
            }
        }
        return try bytes.withUnsafeBufferPointer { buffer in
            try body(UnsafeBufferPointer(rebasing: buffer[member.value.range]))
        }
    }

    // MARK: Changing

    /// Sets a property's value, or appends the property.
    mutating func set(_ name: String, to value: [UInt8]) {
        set(name) { $0.append(contentsOf: value) }
    }

    /// Sets a property to a value that a closure appends to the edits, or appends the property.
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

    mutating func setIfMissing(_ name: String, to value: [UInt8]) {
        guard let index = lastIndex(of: name) else { return append(name) { $0.append(contentsOf: value) } }
        if withValue(at: index, { $0.elementsEqual("null".utf8) }) { set(index) { $0.append(contentsOf: value) } }
    }

    private mutating func set(_ name: String, toEdit value: Slice) {
        if let index = lastIndex(of: name) { set(index, toEdit: value) } else { append(name, edit: value) }
    }

    /// Appends a property whose name must not exist yet, with a value that a closure appends to the edits.
    @inline(__always)
    mutating func append(_ name: String, writing body: (inout [UInt8]) -> Void) {
        let start = edits.count
        body(&edits)
        append(name, edit: Slice(start, edits.count))
    }

    private mutating func append(_ name: String, edit value: Slice) {
        let nameSlice = append(name: name)
        members.append(
            Member(
                name: nameSlice.slice,
                value: value,
                nameHasEscapes: nameSlice.hasEscapes,
                changes: [.named, .valued, .added]
            )
        )
        liveCount += 1
        isUnchanged = false
        revision += 1
    }

    /// Sets the value of a property or element.
    mutating func set(_ index: Int, writing body: (inout [UInt8]) -> Void) {
        let start = edits.count
        body(&edits)
        set(index, toEdit: Slice(start, edits.count))
    }

    private mutating func set(_ index: Int, toEdit value: Slice) {
        guard !isValue(at: index, sameAs: value) else {
            edits.removeSubrange(Int(value.start)...)
            return
        }
        members[index].value = value
        members[index].changes.insert(.valued)
        isUnchanged = false
        revision += 1
    }

    private func isValue(at index: Int, sameAs value: Slice) -> Bool {
        guard members[index].value.count == value.count else { return false }
        return withValue(at: index) { old in
            edits.withUnsafeBufferPointer { edits in
                old.elementsEqual(UnsafeBufferPointer(rebasing: edits[value.range]))
            }
        }
    }

    /// Removes all properties with a name; returns whether there was one.
    mutating func remove(_ name: String) -> Bool {
        guard let found = firstAndLast(of: name) else { return false }
        var index = found.upperBound
        remove(index)
        while index > found.lowerBound, let next = lastIndex(of: name, before: index) {
            remove(next)
            index = next
        }
        return true
    }

    /// Removes a property or element.
    mutating func remove(_ index: Int) {
        members[index].changes.insert(.removed)
        liveCount -= 1
        isUnchanged = false
        revision += 1
        if liveCount == 0 { hasBecomeEmpty = true }
    }

    enum Renaming {
        case done
        case missing
        /// The new name is in use; nothing was changed.
        case exists
    }

    /// Renames all properties with a name, unless the new name is in use.
    mutating func rename(_ name: String, to newName: String) -> Renaming {
        guard let found = firstAndLast(of: name) else { return .missing }
        if ExactName.isSame(name, newName) { return .done }
        if lastIndex(of: newName) != nil { return .exists }
        let text = append(name: newName)
        var index = found.upperBound
        setName(of: index, to: text)
        while index > found.lowerBound, let next = lastIndex(of: name, before: index) {
            setName(of: next, to: text)
            index = next
        }
        isUnchanged = false
        revision += 1
        return .done
    }

    private mutating func setName(of index: Int, to text: (slice: Slice, hasEscapes: Bool)) {
        members[index].name = text.slice
        members[index].nameHasEscapes = text.hasEscapes
        members[index].changes.insert(.named)
    }

    private mutating func append(name: String) -> (slice: Slice, hasEscapes: Bool) {
        let start = edits.count
        JSONString.write(name, to: &edits)
        let hasEscapes = edits.count - start - 2 != name.utf8.count
        return (Slice(start, edits.count), hasEscapes)
    }

    // MARK: Paths

    /// A value on the path of a new property that is neither an object nor null.
    struct Obstacle: Error {
        var path: [String]
    }

    /// Passes the object that contains the last name of a path to a closure, and writes its changes back.
    ///
    /// - Parameter createsParents: Whether missing or null objects on the path are created.
    /// - Returns: nil when there is no such object.
    /// - Throws: ``Obstacle`` when an object cannot be created because of another value.
    mutating func edit<R>(
        _ path: ArraySlice<PropertyPath.Part>,
        createsParents: Bool = false,
        _ body: (inout SplicedObject, _ name: String) throws -> R
    ) throws -> R? {
        guard let name = path.first?.text else { return nil }
        if path.count == 1 { return try body(&self, name) }
        let index = lastIndex(of: name)
        var child = inside.popLast() ?? SplicedObject(bytes: [])
        if let index { withValue(at: index) { child.loadChecked($0) } }
        if index == nil || child.kind != .object {
            guard createsParents else {
                inside.append(consume child)
                return nil
            }
            if let index, !withValue(at: index, { $0.elementsEqual("null".utf8) }) { throw Obstacle(path: [name]) }
            child = SplicedObject(bytes: Array("{}".utf8))
            // These bytes are valid.
            try? child.read()
        }
        let result: R?
        do {
            result = try child.edit(path.dropFirst(), createsParents: createsParents, body)
        } catch let obstacle as Obstacle {
            throw Obstacle(path: [name] + obstacle.path)
        }
        if child.revision > 0 {
            let start = edits.count
            child.write(to: &edits)
            let value = Slice(start, edits.count)
            if let index { set(index, toEdit: value) } else { append(name, edit: value) }
        }
        inside.append(consume child)
        return result
    }

    /// Loads and reads a value, which was checked with the text that it is in.
    private mutating func loadChecked(_ value: UnsafeBufferPointer<UInt8>) {
        load(UnsafeRawBufferPointer(value), tail: UnsafeRawBufferPointer(start: nil, count: 0))
        try? read()
    }

    /// Passes the bytes of the value at a path to a closure; returns nil when there is none.
    func withValue<R>(
        at path: ArraySlice<PropertyPath.Part>,
        _ body: (UnsafeBufferPointer<UInt8>) throws -> R
    ) rethrows -> R? {
        guard let last = path.last, let parent = parent(of: path), let index = parent.lastIndex(of: last.text) else {
            return nil
        }
        return try parent.withValue(at: index, body)
    }

    /// The object that may have the last name of a path; nil if there is none.
    private func parent(of path: ArraySlice<PropertyPath.Part>) -> SplicedObject? {
        var object = self
        for part in path.dropLast() {
            guard let index = object.lastIndex(of: part.text), let child = object.child(at: index) else { return nil }
            object = child
        }
        return object
    }

    /// The object that is the value of a property; nil for other kinds.
    @inline(never)
    func child(at index: Int) -> SplicedObject? {
        var child = SplicedObject(bytes: withValue(at: index) { Array($0) })
        // The content was checked when it was read, so this never throws.
        try? child.read()
        return child.kind == .object ? child : nil
    }

    // MARK: Writing

    /// Appends the text with its changes.
    func write(to output: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { source in
            guard !isUnchanged else {
                return output.append(contentsOf: UnsafeBufferPointer(rebasing: source[0..<contentEnd]))
            }
            edits.withUnsafeBufferPointer { edited in
                members.withMembers { write(source, edited, $0, to: &output) }
            }
        }
    }

    private func write(
        _ source: UnsafeBufferPointer<UInt8>,
        _ edited: UnsafeBufferPointer<UInt8>,
        _ members: UnsafeBufferPointer<Member>,
        to output: inout [UInt8]
    ) {
        // Each byte of the text, each change, and a comma and a colon for each added property.
        var mostCount = contentEnd
        for index in members.indices where !members[index].changes.isEmpty {
            mostCount += members[index].name.count + members[index].value.count + 2
        }
        let count = output.count + mostCount
        // Grow exponentially, or the next record would copy everything again.
        if count > output.capacity { output.reserveCapacity(max(count, 2 * output.capacity)) }
        // Do not capture `self` in the closure, which would retain all of its arrays.
        let text = UnsafeBufferPointer(rebasing: source[..<contentEnd])
        let (sourceCount, keepsSpace) = (sourceCount, sourceCount > 0 && !hasBecomeEmpty)
        output.append(upTo: mostCount) { buffer in
            var writer = Writer(source: text, edited: edited, output: buffer)
            writer.write(members, sourceCount: sourceCount, keepsSpace: keepsSpace)
            return writer.count
        }
    }
}

// MARK: - Index

extension SplicedObject {
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

    /// A property: its original ranges, and the current ranges of its name and value.
    struct Member: Sendable {
        /// The quoted name in the original bytes.
        var sourceName = Slice(0, 0)
        /// The value in the original bytes.
        var sourceValue = Slice(0, 0)
        var name = Slice(0, 0)
        var value = Slice(0, 0)
        var nameHasEscapes = false
        /// The property's changes; empty if it is unchanged.
        var changes: Changes = []
    }

    struct Changes: OptionSet {
        let rawValue: UInt8

        static let named = Changes(rawValue: 1)
        static let valued = Changes(rawValue: 2)
        /// It is not in the original text.
        static let added = Changes(rawValue: 4)
        /// It must not be written.
        static let removed = Changes(rawValue: 8)
    }

    /// The properties of an object, in storage that never shrinks.
    struct MemberList: Sendable {
        private var storage: [Member] = []
        private(set) var count = 0

        subscript(index: Int) -> Member {
            get { storage[index] }
            _modify { yield &storage[index] }
        }

        mutating func append(_ member: Member) {
            if count == storage.count { storage.append(member) } else { storage[count] = member }
            count += 1
        }

        mutating func removeAll() {
            count = 0
        }

        /// Passes the properties to a closure.
        @inline(__always)
        func withMembers<R>(_ body: (UnsafeBufferPointer<Member>) -> R) -> R {
            storage.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
        }

        // MARK: Indexing

        /// Checks a complete JSON text, and indexes its properties; returns its kind.
        mutating func index(
            _ scanner: inout JSONScanner,
            depth: Int,
            includesArrays: Bool
        ) throws(JSONSyntaxError) -> Kind {
            scanner.skipWhitespace()
            let kind: Kind =
                switch scanner.next {
                case 0x7B: .object
                case 0x5B where includesArrays: .array
                default: .other
                }
            guard kind != .other else {
                try scanner.skipValue(depth: depth)
                try scanner.expectEnd()
                return .other
            }
            if depth + 1 > JSONScanner.depthLimit { throw scanner.failure(.tooDeep) }
            scanner.position += 1
            scanner.skipWhitespace()
            if scanner.next == (kind == .object ? 0x7D : 0x5D) {
                scanner.position += 1
                try scanner.expectEnd()
                return kind
            }
            var isWhole = false
            while !isWhole {
                // Most records of a type have as many properties as the previous one.
                if count == storage.count { storage += repeatElement(Member(), count: max(8, count)) }
                var own = scanner
                (count, isWhole) = try storage.withUnsafeMutableBufferPointer {
                    [count] storage throws(JSONSyntaxError) in
                    try kind == .object
                        ? Self.index(&own, into: storage, from: count, depth: depth, of: .object)
                        : Self.index(&own, into: storage, from: count, depth: depth, of: .array)
                }
                scanner = own
            }
            return kind
        }

        /// Indexes properties until the storage is full, or elements, as properties with an empty name.
        ///
        /// - Parameter scanner: Positioned before a name or element; it stays there unless the text has ended.
        /// - Returns: The number of properties, and whether the text has ended.
        @inline(__always)
        private static func index(
            _ scanner: inout JSONScanner,
            into storage: UnsafeMutableBufferPointer<Member>,
            from count: Int,
            depth: Int,
            of kind: Kind
        ) throws(JSONSyntaxError) -> (count: Int, isWhole: Bool) {
            var count = count
            while count < storage.count {
                let nameStart = scanner.position
                let hasEscapes = try kind == .object ? scanner.skipString() : false
                let name = Slice(nameStart, scanner.position)
                if kind == .object {
                    scanner.skipWhitespace()
                    try scanner.expect(0x3A)
                    scanner.skipWhitespace()
                }
                let valueStart = scanner.position
                try scanner.skipValue(depth: depth + 1)
                let value = Slice(valueStart, scanner.position)
                storage[count] = Member(
                    sourceName: name,
                    sourceValue: value,
                    name: name,
                    value: value,
                    nameHasEscapes: hasEscapes
                )
                count += 1
                if try passEnd(kind == .object ? 0x7D : 0x5D, &scanner) { return (count, true) }
            }
            return (count, false)
        }

        /// Skips a comma, or the closing bracket and the end of the text; returns whether it was the end.
        @inline(__always)
        private static func passEnd(_ bracket: UInt8, _ scanner: inout JSONScanner) throws(JSONSyntaxError) -> Bool {
            scanner.skipWhitespace()
            if scanner.next == 0x2C {
                scanner.position += 1
                scanner.skipWhitespace()
                return false
            }
            try scanner.expect(bracket)
            try scanner.expectEnd()
            return true
        }
    }
}

// MARK: - Writer

/// Assembles an object or an array; adjacent parts of the source are copied together.
private struct Writer {
    let source: UnsafeBufferPointer<UInt8>
    let edited: UnsafeBufferPointer<UInt8>
    let output: UnsafeMutableBufferPointer<UInt8>
    var count = 0
    /// The pending range of the source.
    var start = 0
    var end = 0

    /// Writes the object or array.
    ///
    /// - Parameters:
    ///   - sourceCount: The number of properties in the source; added ones follow them.
    ///   - keepsSpace: Whether to keep the white space inside the brackets.
    mutating func write(_ members: UnsafeBufferPointer<SplicedObject.Member>, sourceCount: Int, keepsSpace: Bool) {
        var open = 0
        while source[open] <= 0x20 { open += 1 }
        keep(0, keepsSpace ? Int(members[0].sourceName.start) : open + 1)
        var isFirst = true
        for index in members.indices {
            if members[index].changes.isEmpty, !isFirst, end == Int(members[index - 1].sourceValue.end) {
                // Includes everything between the two.
                end = Int(members[index].sourceValue.end)
                continue
            }
            let member = members[index]
            if member.changes.contains(.removed) { continue }
            let isAdded = member.changes.contains(.added)
            if !isFirst {
                if isAdded {
                    put(0x2C)
                } else {
                    keep(Int(members[index - 1].sourceValue.end), Int(member.sourceName.start))
                }
            }
            isFirst = false
            if member.changes.contains(.named) { put(member.name) } else { keep(member.sourceName) }
            if isAdded { put(0x3A) } else { keep(Int(member.sourceName.end), Int(member.sourceValue.start)) }
            if member.changes.contains(.valued) { put(member.value) } else { keep(member.sourceValue) }
        }
        if keepsSpace {
            keep(Int(members[sourceCount - 1].sourceValue.end), source.count)
        } else {
            var close = source.count - 1
            while source[close] <= 0x20 { close -= 1 }
            keep(close, source.count)
        }
        flush()
    }

    /// Copies a range of the source.
    @inline(__always)
    private mutating func keep(_ from: Int, _ to: Int) {
        if end != from {
            flush()
            start = from
        }
        end = to
    }

    @inline(__always)
    private mutating func keep(_ slice: SplicedObject.Slice) {
        keep(Int(slice.start), Int(slice.end))
    }

    private mutating func put(_ edit: SplicedObject.Slice) {
        flush()
        start = end
        copy(edited, edit.range)
    }

    private mutating func put(_ byte: UInt8) {
        flush()
        start = end
        output[count] = byte
        count += 1
    }

    /// Copies the pending range.
    private mutating func flush() {
        copy(source, start..<end)
    }

    @inline(__always)
    private mutating func copy(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(output)[count...])
            .copyMemory(from: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range])))
        count += range.count
    }
}
