extension Record {
    /// The policy for a record that lacks the property that a step changes.
    public enum MissingProperty: String, Hashable, Sendable {
        /// Leaves the record as it is: a nil optional is usually not encoded.
        case skip
        /// Fails the upgrade with the code `propertyMissing`.
        ///
        /// An array or dictionary before ``PropertyPath/each`` that is missing has no elements, so it never fails. If
        /// no record has it, its name may be misspelled: dry runs, debug builds and the testing kit say so.
        case fail
    }
}

extension Record.MissingProperty: FingerprintPart {}
