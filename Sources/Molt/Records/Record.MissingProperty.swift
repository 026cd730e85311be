extension Record {
    /// The policy for a record that lacks the property that a step changes.
    public enum MissingProperty: String, Hashable, Sendable {
        /// Leaves the record as it is: a nil optional is usually not encoded.
        case skip
        /// Fails the upgrade with the code `propertyMissing`.
        case fail
    }
}
