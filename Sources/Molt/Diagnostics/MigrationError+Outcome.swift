extension MigrationError {
    /// The state of a store whose upgrade failed.
    public enum Outcome: Hashable, Sendable {
        /// The store is unchanged.
        case rolledBack
        /// The upgrade is kept; the next opening makes the outstanding changes outside the store.
        case committed

        var sentence: String {
            switch self {
            case .rolledBack:
                "The upgrade was rolled back; the store is as it was."
            case .committed:
                "The upgrade is committed. Its remaining changes outside the store will be applied when the store is "
                    + "next opened."
            }
        }
    }

    /// The problem, its subject and cause, the state of the store, and the remedy, in full sentences.
    public var message: String {
        [problem, outcome?.sentence, advice].compactMap { $0 }.joined(separator: " ")
    }

    /// Whether the error is about a single record, so that the upgrade may go on without it.
    package var isAboutRecord: Bool {
        guard !(underlying is CancellationError) else { return false }
        let codes: Set<Code> = [
            .stepFailed, .malformedContent, .propertyMissing, .propertyExists, .typeMismatch, .keyExists,
        ]
        return codes.contains(code)
    }
}

extension Error {
    /// The error with the store's outcome added, if it has none.
    func with(_ outcome: MigrationError.Outcome) -> any Error {
        guard var error = self as? MigrationError, error.outcome == nil else { return self }
        error.outcome = outcome
        return error
    }
}
