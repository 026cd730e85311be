/// A type whose values are stored otherwise than the store remembers, though its schema version is the same.
///
/// Records that were written before may not be readable any more: the change needs a new version, and a migration.
public struct SchemaDrift: Hashable, Sendable, Codable {
    /// The name that records of the type are written as.
    public var type: String
    /// The schema version that both shapes have.
    public var version: Int
    /// What is different, sorted by property.
    public var differences: [ShapeDifference]

    /// Creates a drift.
    package init(type: String, version: Int, differences: [ShapeDifference]) {
        self.type = type
        self.version = version
        self.differences = differences
    }
}

extension SchemaDrift: CustomStringConvertible {
    /// A headline, then one line for each difference.
    public var description: String {
        (["The shape of '\(type)' changed at version \(version) without a new version:"]
            + differences.map { "- \($0)" }).joined(separator: "\n")
    }
}
