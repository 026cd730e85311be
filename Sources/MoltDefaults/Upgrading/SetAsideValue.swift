/// A setting as it was before a migration salvaged the good parts of it; ``Suite/setAsideValues()`` gives them.
public struct SetAsideValue: Hashable, Sendable, Codable {
    /// A part that could not be converted.
    public struct Part: Hashable, Sendable, Codable {
        /// The place inside the value, as `["Ada"][2]`.
        public var place: String
        /// What stands there: of a JSON text the part of the text, as it was written.
        public var value: PropertyListValue
        /// Why it could not be converted.
        public var reason: String

        /// Creates a part.
        public init(place: String, value: PropertyListValue, reason: String) {
            self.place = place
            self.value = value
            self.reason = reason
        }
    }

    /// The name of the migration.
    public var migration: String
    /// The whole value, as it was stored.
    public var value: PropertyListValue
    /// What was left out of the new value.
    public var parts: [Part]

    /// Creates a value that was set aside.
    public init(migration: String, value: PropertyListValue, parts: [Part]) {
        self.migration = migration
        self.value = value
        self.parts = parts
    }
}
