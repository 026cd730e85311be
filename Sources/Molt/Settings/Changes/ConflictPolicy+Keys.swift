extension ConflictPolicy<PropertyListValue> {
    /// A closure merges the value that gets a new key into the one that is there.
    ///
    /// The rules are those of the merging of properties.
    public static func merge(
        revision: Int = 1,
        _ body: @escaping @Sendable (_ value: inout PropertyListValue, _ other: PropertyListValue) throws -> Void
    ) -> Self {
        Self(rule: .merge(revision: revision, body))
    }
}
