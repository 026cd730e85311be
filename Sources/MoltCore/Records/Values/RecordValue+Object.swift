extension RecordValue {
    /// A JSON object: properties in their stored order, including duplicates.
    ///
    /// ```swift
    /// var address: Object = ["street": "Main Street 1", "city": "Paris"]
    /// address["city"] = "Lyon"
    /// ```
    public struct Object: Hashable, Sendable, ExpressibleByDictionaryLiteral {
        /// A name and its value.
        public struct Property: Hashable, Sendable {
            /// The name, unquoted and unescaped.
            public var name: String
            /// The value.
            public var value: RecordValue

            /// Creates a property.
            public init(name: String, value: RecordValue) {
                self.name = name
                self.value = value
            }
        }

        /// The properties, in their stored order.
        public var properties: [Property]

        /// Creates an object; names may be repeated.
        public init(_ properties: [Property] = []) {
            self.properties = properties
        }

        /// Creates an object from a dictionary literal.
        public init(dictionaryLiteral elements: (String, RecordValue)...) {
            properties = elements.map { Property(name: $0.0, value: $0.1) }
        }

        /// The value of the last property with a name; setting nil removes all properties with that name.
        public subscript(name: String) -> RecordValue? {
            get {
                properties.last { Self.isSame($0.name, name) }?.value
            }
            set {
                guard let newValue else {
                    properties.removeAll { Self.isSame($0.name, name) }
                    return
                }
                if let index = properties.lastIndex(where: { Self.isSame($0.name, name) }) {
                    properties[index].value = newValue
                } else {
                    properties.append(Property(name: name, value: newValue))
                }
            }
        }

        /// Whether two names have the same bytes; Swift's `==` treats canonically equivalent strings as equal.
        package static func isSame(_ name: String, _ other: String) -> Bool {
            // Avoids the slow bytewise loop of `elementsEqual`.
            let isSame = name.utf8.withContiguousStorageIfAvailable { name in
                other.utf8.withContiguousStorageIfAvailable { other in
                    areSame(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer(other))
                }
            }
            return (isSame ?? nil) ?? name.utf8.elementsEqual(other.utf8)
        }

        private static func areSame(_ bytes: UnsafeRawBufferPointer, _ others: UnsafeRawBufferPointer) -> Bool {
            guard bytes.count == others.count else { return false }
            var offset = 0
            while offset + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                guard word == others.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
                offset += 8
            }
            while offset < bytes.count {
                guard bytes[offset] == others[offset] else { return false }
                offset += 1
            }
            return true
        }
    }
}
