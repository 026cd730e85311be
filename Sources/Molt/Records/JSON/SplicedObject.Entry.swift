extension SplicedObject {
    /// A property: its original ranges, and the current ranges of its name and value.
    struct Entry: Sendable {
        /// The quoted name in the original bytes.
        var sourceName = Slice(0, 0)
        /// The value in the original bytes.
        var sourceValue = Slice(0, 0)
        var name = Slice(0, 0)
        var value = Slice(0, 0)
        /// Whether the current name has escapes.
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
    struct EntryList: Sendable {
        private var storage: [Entry] = []
        private(set) var count = 0

        subscript(index: Int) -> Entry {
            get { storage[index] }
            _modify { yield &storage[index] }
        }

        mutating func append(_ entry: Entry) {
            if count == storage.count { storage.append(entry) } else { storage[count] = entry }
            count += 1
        }

        mutating func removeAll() {
            count = 0
        }

        /// Passes the properties to a closure.
        @inline(__always)
        func withEntries<R>(_ body: (UnsafeBufferPointer<Entry>) -> R) -> R {
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
                if count == storage.count { storage += repeatElement(Entry(), count: max(8, count)) }
                var own = scanner
                (count, isWhole) = try storage.withUnsafeMutableBufferPointer {
                    [count] storage throws(JSONSyntaxError) in
                    if kind == .array { return try Self.indexElements(&own, into: storage, from: count, depth: depth) }
                    return try Self.index(&own, into: storage, from: count, depth: depth)
                }
                scanner = own
            }
            return kind
        }

        /// Indexes properties until the storage is full.
        ///
        /// - Parameter scanner: Positioned before a name; it stays there unless the object has ended.
        /// - Returns: The number of properties, and whether the object and the text have ended.
        private static func index(
            _ scanner: inout JSONScanner,
            into storage: UnsafeMutableBufferPointer<Entry>,
            from count: Int,
            depth: Int
        ) throws(JSONSyntaxError) -> (count: Int, isWhole: Bool) {
            var count = count
            while count < storage.count {
                let nameStart = scanner.position
                let hasEscapes = try scanner.skipString()
                let name = Slice(nameStart, scanner.position)
                scanner.skipWhitespace()
                try scanner.expect(0x3A)
                scanner.skipWhitespace()
                let value = try scanner.passSlice(depth: depth + 1)
                storage[count] = Entry(
                    sourceName: name,
                    sourceValue: value,
                    name: name,
                    value: value,
                    nameHasEscapes: hasEscapes
                )
                count += 1
                if try scanner.passEnd(0x7D) { return (count, true) }
            }
            return (count, false)
        }

        /// Indexes elements until the storage is full, as properties with an empty name.
        private static func indexElements(
            _ scanner: inout JSONScanner,
            into storage: UnsafeMutableBufferPointer<Entry>,
            from count: Int,
            depth: Int
        ) throws(JSONSyntaxError) -> (count: Int, isWhole: Bool) {
            var count = count
            while count < storage.count {
                let name = Slice(scanner.position, scanner.position)
                let value = try scanner.passSlice(depth: depth + 1)
                storage[count] = Entry(sourceName: name, sourceValue: value, name: name, value: value)
                count += 1
                if try scanner.passEnd(0x5D) { return (count, true) }
            }
            return (count, false)
        }
    }
}

extension JSONScanner {
    @inline(__always)
    fileprivate mutating func passSlice(depth: Int) throws(JSONSyntaxError) -> SplicedObject.Slice {
        let start = position
        try skipValue(depth: depth)
        return SplicedObject.Slice(start, position)
    }

    /// Skips a comma, or the closing bracket and the end of the text; returns whether it was the end.
    @inline(__always)
    fileprivate mutating func passEnd(_ bracket: UInt8) throws(JSONSyntaxError) -> Bool {
        skipWhitespace()
        if next == 0x2C {
            position += 1
            skipWhitespace()
            return false
        }
        try expect(bracket)
        try expectEnd()
        return true
    }
}
