package import Foundation

/// Reads a whole property list that may be damaged, such as a suite's file.
///
/// On Linux (Swift 6.3) Foundation's reader terminates the process on some damaged binary lists: for three of the
/// 1 296 single-bit errors of a small list. Binary lists are therefore read here. For damaged XML it only throws.
package enum PropertyListReader {
    /// Reads a binary or XML property list.
    ///
    /// - Parameter containers: The number of containers around each value of a suite, on top of the values' own depth
    ///   limit: 0 for a list that is one value, 1 for a list that is the suite's domain.
    /// - Throws: Foundation's error for a damaged list, and ``MoltError`` with the code `cannotStore` for values
    ///   that no suite can hold.
    package static func value(_ bytes: Data, around containers: Int = 0) throws -> PropertyListValue {
        guard !bytes.starts(with: "bplist".utf8) else { return try binary(bytes, around: containers) }
        let object = try SuiteFormat.withDecimalPoint {
            try PropertyListSerialization.propertyList(from: bytes, format: nil)
        }
        return try PropertyListValue(normalizing: object, around: containers)
    }

    private static func binary(_ bytes: Data, around containers: Int) throws -> PropertyListValue {
        guard let list = BinaryPropertyList(bytes) else { throw CocoaError(.propertyListReadCorrupt) }
        var reader = Reader(list, budget: bytes.count, depthLimit: PropertyListValue.depthLimit + containers)
        guard let value = reader.value(at: list.root, depth: 0) else { throw CocoaError(.propertyListReadCorrupt) }
        return value
    }

    private struct Reader {
        private let list: BinaryPropertyList
        /// The number of objects that may still be visited: each reference takes at least one byte of the list.
        private var budget: Int
        private let depthLimit: Int
        /// The scalars by index, cached because lists refer to the same string repeatedly.
        private var scalars: [PropertyListValue?]

        init(_ list: BinaryPropertyList, budget: Int, depthLimit: Int) {
            self.list = list
            self.budget = budget
            self.depthLimit = depthLimit
            scalars = Array(repeating: nil, count: list.count)
        }

        /// - Parameter depth: The number of containers around the object; only containers are subject to the limit.
        mutating func value(at index: Int, depth: Int) -> PropertyListValue? {
            budget -= 1
            guard budget >= 0, scalars.indices.contains(index) else { return nil }
            if let cached = scalars[index] { return cached }
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
