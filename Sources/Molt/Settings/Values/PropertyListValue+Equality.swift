internal import Foundation

extension PropertyListValue: Hashable {
    /// Whether a suite returns the same value for both.
    public static func == (left: PropertyListValue, right: PropertyListValue) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        // NaN equals itself; otherwise a suite that holds one would never read back as it was written.
        case (.double(let left), .double(let right)): left == right || (left.isNaN && right.isNaN)
        case (.string(let left), .string(let right)): hasSameBytes(left, right)
        case (.date(let left), .date(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)):
            left.count == right.count
                && left.allSatisfy { key, value in
                    right.index(forKey: key).map { hasSameBytes(right[$0].key, key) && right[$0].value == value }
                        ?? false
                }
        default: false
        }
    }

    /// Strings that are only canonically equivalent are different values.
    private static func hasSameBytes(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    /// Hashes the value and its kind.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .bool(let bool): hasher.combine(bool)
        case .int(let int): hasher.combine(int)
        case .unsigned(let unsigned): hasher.combine(unsigned)
        case .double(let double): hasher.combine(double.isNaN ? .nan : double)
        case .string(let string): hasher.combine(string)
        case .date(let date): hasher.combine(date)
        case .data(let data): hasher.combine(data)
        case .array(let array): hasher.combine(array)
        case .dictionary(let dictionary): hasher.combine(dictionary)
        }
    }
}
