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

        /// Checks a complete JSON text, and indexes its properties; returns whether it is an object.
        mutating func index(_ scanner: inout JSONScanner, depth: Int) throws(JSONSyntaxError) -> Bool {
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
            var isWhole = false
            while !isWhole {
                // Most records of a type have as many properties as the previous one.
                if count == storage.count { storage += repeatElement(Entry(), count: max(8, count)) }
                var own = scanner
                (count, isWhole) = try storage.withUnsafeMutableBufferPointer {
                    [count] storage throws(JSONSyntaxError) in
                    try Self.index(&own, into: storage, from: count, depth: depth)
                }
                scanner = own
            }
            return true
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
                let valueStart = scanner.position
                try scanner.skipValue(depth: depth + 1)
                let value = Slice(valueStart, scanner.position)
                storage[count] = Entry(
                    sourceName: name,
                    sourceValue: value,
                    name: name,
                    value: value,
                    nameHasEscapes: hasEscapes
                )
                count += 1
                scanner.skipWhitespace()
                if scanner.next == 0x2C {
                    scanner.position += 1
                    scanner.skipWhitespace()
                } else {
                    try scanner.expect(0x7D)
                    try scanner.expectEnd()
                    return (count, true)
                }
            }
            return (count, false)
        }
    }
}
