extension MigrationError {
    /// What became of a store whose upgrade failed.
    public enum Outcome: Hashable, Sendable {
        /// The store is as it was.
        case rolledBack
        /// The upgrade stays; the next opening makes the changes outside the store that could not be made.
        case committed

        var sentence: String {
            switch self {
            case .rolledBack:
                "The upgrade was rolled back; the store is as it was."
            case .committed:
                "The upgrade is committed. Its changes outside the store are kept, and made when the store is next opened."
            }
        }
    }

    /// What happened, to which thing, why, what became of the store, and what to do, in full sentences.
    public var message: String {
        [problem, outcome?.sentence, advice].compactMap { $0 }.joined(separator: " ")
    }

    /// Whether the error is about a single record, so that the others may go on without it.
    package var isAboutRecord: Bool {
        guard !(underlying is CancellationError) else { return false }
        let codes: Set<Code> = [.stepFailed, .malformedContent, .propertyMissing, .propertyExists, .typeMismatch]
        return codes.contains(code)
    }
}
