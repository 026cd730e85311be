internal import Foundation

/// What a commit has promised: the ledger, and the changes that are to be made to suites.
package struct DefaultsJournal: Codable {
    /// The changes to one attached store.
    struct Entry: Codable {
        var store: String
        /// What its session gave.
        var changes: Data
    }

    var ledger: DefaultsLedger
    var entries: [Entry]
}
