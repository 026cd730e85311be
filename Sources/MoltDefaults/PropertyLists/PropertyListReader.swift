package import Foundation

/// Reads a whole property list that may be damaged, such as a suite's file.
///
/// On Linux (Swift 6.3) Foundation's reader ends the process when a binary list is damaged: three of the 1 296 bits of a
/// small list do that when they are flipped. So binary lists are read here. A damaged XML list is only an error there.
package enum PropertyListReader {
    /// What the bytes hold, binary or XML.
    ///
    /// - Parameter containers: How many containers of the list itself may lie around a value of a suite, which has its own
    ///   limit: none for a list that is one value, one for a list that is the suite's domain.
    /// - Throws: What Foundation throws for a list that is damaged, and ``DefaultsError`` with the code `cannotStore` for
    ///   one of things that no suite holds.
    package static func value(_ bytes: Data, around containers: Int = 0) throws -> PropertyListValue {
        guard isBinary(bytes) else { return try PropertyListValue(normalizing: object(bytes), around: containers) }
        return try binary(bytes, around: containers)
    }

    /// What the bytes hold, as Foundation hands it out.
    static func object(_ bytes: Data) throws -> Any {
        // A suite's file: the domain's dictionary is around each value.
        guard !isBinary(bytes) else { return try binary(bytes, around: 1).object }
        return try SuiteFormat.withDecimalPoint { try PropertyListSerialization.propertyList(from: bytes, format: nil) }
    }

    private static func isBinary(_ bytes: Data) -> Bool {
        bytes.starts(with: "bplist".utf8)
    }

    private static func binary(_ bytes: Data, around containers: Int) throws -> PropertyListValue {
        guard let list = BinaryPropertyList(bytes) else { throw CocoaError(.propertyListReadCorrupt) }
        var reader = Reader(list, budget: bytes.count, depthLimit: PropertyListValue.depthLimit + containers)
        guard let value = reader.value(at: list.root, depth: 0) else { throw CocoaError(.propertyListReadCorrupt) }
        return value
    }

    private struct Reader {
        private let list: BinaryPropertyList
        /// How many more places may be looked at: one that is referred to takes a byte where it is.
        private var budget: Int
        private let depthLimit: Int
        /// What is no container is kept, by its index, because lists refer to the same text again and again.
        private var scalars: [PropertyListValue?]

        init(_ list: BinaryPropertyList, budget: Int, depthLimit: Int) {
            self.list = list
            self.budget = budget
            self.depthLimit = depthLimit
            scalars = Array(repeating: nil, count: list.count)
        }

        /// - Parameter depth: How many containers are around it; only a container may be too deep.
        mutating func value(at index: Int, depth: Int) -> PropertyListValue? {
            budget -= 1
            guard budget >= 0, scalars.indices.contains(index) else { return nil }
            if let known = scalars[index] { return known }
            switch list.object(at: index) {
            case .value(let value):
                scalars[index] = value
                return value
            case .array(let indices):
                guard depth < depthLimit else { return nil }
                var values: [PropertyListValue] = []
                values.reserveCapacity(indices.count)
                for index in indices {
                    guard let value = value(at: index, depth: depth + 1) else { return nil }
                    values.append(value)
                }
                return .array(values)
            case .dictionary(let entries):
                guard depth < depthLimit else { return nil }
                var values: [String: PropertyListValue] = [:]
                for (key, index) in entries {
                    guard let name = value(at: key, depth: depth + 1)?.string,
                        let value = value(at: index, depth: depth + 1)
                    else { return nil }
                    values[name] = value
                }
                return .dictionary(values)
            case .null, .reference, nil:
                return nil
            }
        }
    }
}
