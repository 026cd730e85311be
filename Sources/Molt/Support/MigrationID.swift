/// A migration's name and the version that it brings a store to.
public struct MigrationID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name, unique in its registry.
    public var name: String
    /// The schema version that the migration brings a store to.
    public var version: Int

    /// Creates an identity.
    public init(name: String, version: Int) {
        self.name = name
        self.version = version
    }

    /// The name in quotes and the version.
    public var description: String {
        "\"\(ErrorSummary.oneLine(name))\" (version \(version))"
    }
}
