extension RecordValue {
    /// A JSON object: properties in their stored order, including duplicates.
    ///
    /// Objects that differ only in the order of their properties are equal, since the order has no meaning in JSON.
    ///
    /// ```swift
    /// var address: Object = ["street": "Main Street 1", "city": "Paris"]
    /// address["city"] = "Lyon"
    /// ```
    public struct Object: Hashable, Sendable, ExpressibleByDictionaryLiteral {
        /// The properties, in their stored order; names are unquoted and unescaped.
        public var properties: [(name: String, value: RecordValue)]

        /// Creates an object; names may be repeated.
        public init(_ properties: [(name: String, value: RecordValue)] = []) {
            self.properties = properties
        }

        /// Creates an object from a dictionary literal.
        public init(dictionaryLiteral elements: (String, RecordValue)...) {
            properties = elements.map { (name: $0.0, value: $0.1) }
        }

        /// The value of the last property with a name; setting nil removes all properties with that name.
        public subscript(name: String) -> RecordValue? {
            get {
                properties.last { ExactName.isSame($0.name, name) }?.value
            }
            set {
                guard let newValue else {
                    properties.removeAll { ExactName.isSame($0.name, name) }
                    return
                }
                if let index = properties.lastIndex(where: { ExactName.isSame($0.name, name) }) {
                    properties[index].value = newValue
                } else {
                    properties.append((name: name, value: newValue))
                }
            }
        }

        // MARK: Comparing

        /// Whether both have the same names with the same values, in any order.
        ///
        /// Of several properties with one name, the last one counts, as when the value is read.
        public static func == (object: Object, other: Object) -> Bool {
            object.values == other.values
        }

        /// Hashes the names and their values, in no order.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(values)
        }

        /// The values that are read, by name.
        private var values: [ExactName: RecordValue] {
            Dictionary(properties.map { (ExactName($0.name), $0.value) }) { $1 }
        }

        /// The properties that are read, in the order of their names.
        var sorted: Object {
            Object(
                values.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
                    .map { (name: $0.key.text, value: $0.value.sorted) }
            )
        }
    }
}
