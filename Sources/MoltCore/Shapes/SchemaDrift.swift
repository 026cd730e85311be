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
    /// The names in code of the types that this process has written under the name, when there are several; else empty.
    ///
    /// Such types have not changed: they are to have a ``RecordType/recordTypeName`` each.
    public var namesakes: [String]

    /// Creates a drift.
    package init(type: String, version: Int, differences: [ShapeDifference], namesakes: [String] = []) {
        self.type = type
        self.version = version
        self.differences = differences
        self.namesakes = namesakes
    }
}

extension SchemaDrift: CustomStringConvertible {
    /// A headline, then one line for each difference, then what to do when types share the name.
    public var description: String {
        let headline = "The shape of '\(type)' changed at version \(version) without a new version:"
        let lines = [headline] + differences.map { "- \($0)" } + (namesakes.isEmpty ? [] : [advice])
        return lines.joined(separator: "\n")
    }

    /// The line of code for a migration that changes no record.
    package static func migration(of type: String, from version: Int) -> String {
        let words = type.split { !$0.isLetter && !$0.isNumber }.map { $0.lowercased() }
        return "`Migration(to: \(version + 1), \"\(words.joined(separator: "-"))-of-version-\(version + 1)\"),`."
    }

    /// What to do when types share the name.
    var advice: String {
        guard !namesakes.isEmpty else {
            return "If another type has the same name, give one of them a RecordType name."
        }
        return "This process has written several types as '\(type)': \(namesakes.joined(separator: ", ")). Give each a "
            + "RecordType name of its own."
    }
}
