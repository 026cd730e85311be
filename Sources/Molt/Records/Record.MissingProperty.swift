extension Record {
    /// The policy for a record that lacks the property that a step changes.
    public enum MissingProperty: Sendable {
        /// Leaves the record as it is: a nil optional is usually not encoded.
        case skip
        /// Fails the upgrade with the code `propertyMissing`.
        ///
        /// An array or dictionary before ``PropertyPath/each`` that is missing has no elements, so it never fails. If
        /// no record has it, its name may be misspelled: dry runs, debug builds and the testing kit say so.
        case fail
    }
}

extension Record.MissingProperty {
    /// Its part of fingerprints, which must stay the same in all releases of Molt.
    var identity: String {
        switch self {
        case .skip: "skip"
        case .fail: "fail"
        }
    }
}

extension Record {
    /// What a change that puts a value in another place does where something is missing.
    struct MissingPolicy: Sendable {
        /// The policy for a record without the property.
        var property: MissingProperty
        /// Whether objects on a new path are created for null and beside an enum's case, too.
        var createsObjects: Bool

        /// Its part of fingerprints, which must stay the same in all releases of Molt.
        var identity: [String] { [property.identity] + (createsObjects ? ["creatingObjects"] : []) }
    }
}
