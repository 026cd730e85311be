/// Data that a migration removes: a property, records, or a setting.
///
/// A plan lists what the declarations of its steps say. A report lists what was removed, including the records that
/// closures dropped. Only a dry run reports top-level properties that a closure removed, even if the closure has moved
/// their values.
public struct DataLoss: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The kind of the removed data.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// A property of the records of a type.
        case property
        /// Some values of a property, or fractions of seconds in them, depending on the values.
        case values
        /// Records of a type.
        case records
        /// A setting of a suite.
        case setting
    }

    /// The kind of the data.
    public var kind: Kind
    /// The property with its type, such as "Person.fax", the type of the records, or the key of the setting.
    public var name: String
    /// The number of records that lost the property or were deleted; nil in a plan, and for a setting.
    public var count: Int?

    package init(_ kind: Kind, _ name: String, count: Int? = nil) {
        self.kind = kind
        self.name = name
        self.count = count
    }

    /// The data in a few words.
    public var description: String {
        let records = count.map(MigrationReport.records)
        return switch kind {
        case .property: "\(name)" + (records.map { " in \($0)" } ?? "")
        case .values: "possibly some values of \(name)"
        case .records: "\(records ?? "all records") of type \(name)"
        case .setting: "the setting \(name)"
        }
    }
}
