package import Foundation

/// A change of a ledger's row that somebody made by hand.
package struct LedgerCorrection: Equatable, Sendable, Codable {
    /// What was changed.
    package enum Kind: String, Hashable, Sendable, Codable {
        /// The migration was marked as applied, without running it.
        case markedApplied
        /// The migration was marked as pending, so that the next opening runs it.
        case markedPending
        /// The fingerprint of an edited migration was recorded in place of the earlier one.
        case acceptedEdit
    }

    /// What was changed.
    package var kind: Kind
    /// Why, in the words of the person who made the change.
    package var reason: String
    /// When it was changed.
    package var date: Date
    /// The version of the app that changed it, as given by the app; empty if it gave none.
    package var appVersion: String
    /// The store's version before a migration was marked as applied, if that has raised it.
    package var versionBefore: Int?

    /// Creates a correction.
    package init(_ kind: Kind, reason: String, date: Date, appVersion: String = "") {
        self.kind = kind
        self.reason = reason
        self.date = date
        self.appVersion = appVersion
    }
}

extension LedgerCorrection: CustomStringConvertible {
    /// What was changed, when and why, in one line.
    package var description: String {
        let change =
            switch kind {
            case .markedApplied: "marked as applied"
            case .markedPending: "marked as pending"
            case .acceptedEdit: "edit accepted"
            }
        return "\(change) \(DisplayText.time(date)) (\(ErrorSummary.oneLine(reason)))"
    }
}
