public import Foundation

extension MigrationError {
    /// What became of a store whose upgrade failed.
    public enum Outcome: Hashable, Sendable {
        /// The store is as it was.
        case rolledBack
        /// What was committed before the failure stays: whole migrations, or part of one that commits in batches.
        case partlyCommitted(unfinished: UnfinishedMigration?)
        /// The store was restored from a backup, and is as it was.
        case restored(from: URL)

        var sentence: String {
            switch self {
            case .rolledBack:
                "The upgrade was rolled back; the store is as it was."
            case .partlyCommitted(nil):
                "This part of the upgrade was rolled back, and what was committed before stays."
            case .partlyCommitted(let unfinished?):
                "This batch was rolled back, and what was committed before stays: \(unfinished.words), and nobody can "
                    + "read the store until it is complete."
            case .restored(let url):
                "The store was restored from the backup made before, \(url.path), and is as it was."
            }
        }
    }

    /// What happened, to which thing, why, what became of the store, and what to do, in full sentences.
    public var message: String {
        var sentences = [problem, outcome?.sentence, advice]
        if case .partlyCommitted(let unfinished) = outcome {
            if unfinished != nil, isAboutRecord {
                sentences.append(
                    "Correct what the step does, without a new revision, or have such records set aside, as by "
                        + "onFailure(.quarantine())."
                )
            }
            sentences.append("The next opening goes on from there.")
        }
        return sentences.compactMap { $0 }.joined(separator: " ")
    }

    /// Whether the error is about a single record, so that the others may go on without it.
    package var isAboutRecord: Bool {
        guard !(underlying is CancellationError) else { return false }
        let codes: Set<Code> = [.stepFailed, .malformedContent, .propertyMissing, .propertyExists, .typeMismatch]
        return codes.contains(code)
    }
}

extension Error {
    /// The error of an upgrade with what became of its store, unless its code says that already.
    func with(_ outcome: MigrationError.Outcome) -> any Error {
        guard var error = self as? MigrationError else {
            if case .partlyCommitted = outcome { return self }
            return MigrationError(.storeFailed, "The upgrade failed.", outcome, underlying: self)
        }
        if case .partlyCommitted = outcome, [.superseded, .migrationMissing, .migrationEdited].contains(error.code) {
            return error
        }
        error.outcome = outcome
        return error
    }
}

extension UnfinishedMigration {
    /// The migration and how far it has come, as the beginning of a sentence.
    var words: String {
        "migration \(migration) is half done, with \(counts.read) of \(total) records"
    }
}
