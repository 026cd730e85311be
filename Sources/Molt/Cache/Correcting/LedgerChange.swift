/// A change of a ledger's row to make by hand; see
/// ``CacheFile/correctLedger(_:migrations:reason:configuration:)``.
package enum LedgerChange: Equatable, Sendable {
    /// The migration with a name counts as applied, without running.
    case markApplied(String)
    /// The migration with a name is not applied any more, so that the next opening runs it.
    case markPending(String)
    /// The edit of the migration with a name is accepted: the ledger gets its current fingerprint.
    case acceptEdit(String)

    /// The migration's name.
    package var migration: String {
        switch self {
        case .markApplied(let name), .markPending(let name), .acceptEdit(let name): name
        }
    }

    var kind: LedgerCorrection.Kind {
        switch self {
        case .markApplied: .markedApplied
        case .markPending: .markedPending
        case .acceptEdit: .acceptedEdit
        }
    }
}
