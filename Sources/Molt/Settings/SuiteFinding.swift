/// Why the ledger in a suite's settings is not the one that counts.
package struct SuiteFinding: Equatable, Sendable {
    enum Kind: Sendable {
        /// Something has emptied or overwritten the suite: it has no ledger.
        case lost
        /// The ledger is that of another device, or of another suite.
        case foreign
    }

    let kind: Kind
    /// The suite as plans and reports name it.
    let suite: String
    /// The version that counts.
    let version: Int
    /// Whether the ledger that counts has to be put into the settings at once.
    ///
    /// An empty suite has nothing to upgrade, and gets it with the next migration.
    let mustRestore: Bool

    /// What was found, and what Molt makes of it, in a sentence.
    package var description: String {
        let found =
            switch kind {
            case .lost: "have no ledger any more: something has emptied or overwritten them"
            case .foreign: "have the ledger of another device or suite: something has copied it here"
            }
        return "The settings in \(suite) \(found). They count as those of version \(version), and no migration up to "
            + "it runs on them again."
    }
}
