package import Molt

/// The shapes of the records in a store: the properties of each type and the kinds of their values.
package struct StoreShapes: Hashable, Sendable, Encodable {
    /// The kinds of JSON values, and of content that is not JSON.
    package enum Kind: String, Hashable, Sendable, CaseIterable, Encodable, CodingKeyRepresentable {
        case object
        case array
        case string
        case number
        case boolean
        case null
        case data
        case unreadable
    }

    /// The records of one type.
    package struct TypeShape: Hashable, Sendable, Encodable {
        package let type: String
        package let records: Int
        /// The numbers of records by the kind of their content.
        package let kinds: [Kind: Int]
        /// The properties, each after the one that contains it.
        package let properties: [PropertyShape]
        /// Whether there are more properties than ``StoreShapes/propertyLimit``.
        package let isTruncated: Bool
        /// The object that has most of the properties, if there are too many; its names are probably keys.
        package let widestObject: String?
    }

    /// The values at one path.
    package struct PropertyShape: Hashable, Sendable, Encodable {
        /// The names, joined with dots, with `[]` for the elements of an array.
        package let path: String
        /// The numbers of values by kind.
        package let kinds: [Kind: Int]
        /// The number of records that have the property.
        package let records: Int
        package let isSometimesNull: Bool
        /// Whether an object that could have the property lacks it.
        package let isSometimesMissing: Bool
    }

    /// The number of properties of a type that are kept, so that dictionaries with many keys do not exhaust memory.
    package static let propertyLimit = 1_000

    package let file: String
    /// The types, by name.
    package let types: [TypeShape]

    /// Reads all records of a file, in flat memory.
    ///
    /// - Parameter note: Called for each record.
    package init(of file: CacheFile, noting note: () -> Void = {}) throws {
        var collectors: [String: ShapeCollector] = [:]
        try file.eachRecord { record in
            collectors[record.stored.typeName, default: ShapeCollector()].add(
                record.stored.content,
                isData: record.stored.isData
            )
            note()
        }
        self.file = file.name
        types = collectors.sorted { $0.key < $1.key }.map { $0.value.shape(of: $0.key) }
    }
}

extension [StoreShapes.Kind: Int] {
    /// The kinds in a line, such as "string, null".
    var text: String {
        StoreShapes.Kind.allCases.filter { self[$0] != nil }.map(\.rawValue).joined(separator: ", ")
    }
}
