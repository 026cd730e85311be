extension SplicedObject {
    /// A property: where it stands in the bytes, and where its name and its value are now.
    struct Entry: Sendable {
        /// The name with its quotes, in the bytes as written.
        var sourceName = Slice(0, 0)
        /// The value, in the bytes as written.
        var sourceValue = Slice(0, 0)
        /// The name with its quotes as it is now.
        var name = Slice(0, 0)
        /// The value as it is now.
        var value = Slice(0, 0)
        /// Whether the name, as it is now, has escapes.
        var nameHasEscapes = false
        /// What was done to the property; empty when it stands where it stood, as it was.
        var changes: Changes = []
    }

    /// What can be done to a property.
    struct Changes: OptionSet {
        let rawValue: UInt8

        /// It has another name.
        static let named = Changes(rawValue: 1)
        /// It has another value.
        static let valued = Changes(rawValue: 2)
        /// It is not in the text.
        static let added = Changes(rawValue: 4)
        /// It is not to be written.
        static let removed = Changes(rawValue: 8)
    }

    /// The properties of an object; what they are kept in only grows.
    struct EntryList: Sendable {
        private var storage: [Entry] = []
        /// How many there are.
        private(set) var count = 0

        subscript(index: Int) -> Entry {
            get { storage[index] }
            _modify { yield &storage[index] }
        }

        /// Adds a property behind the others.
        mutating func append(_ entry: Entry) {
            if count == storage.count { storage.append(entry) } else { storage[count] = entry }
            count += 1
        }

        /// Forgets all properties, and keeps the memory.
        mutating func removeAll() {
            count = 0
        }

        /// Lends the properties.
        @inline(__always)
        func withEntries<R>(_ body: (UnsafeBufferPointer<Entry>) -> R) -> R {
            storage.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
        }

        // MARK: Finding them

        /// Checks a whole text, and finds its properties when it is an object.
        ///
        /// - Returns: Whether it is an object.
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
                // Most records of a type have as many properties as the one before.
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

        /// Finds properties until there is no place for one more.
        ///
        /// - Parameter scanner: In front of a name, and left there unless the object has ended.
        /// - Returns: How many there are now, and whether the object has ended, and the text with it.
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
