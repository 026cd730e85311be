@testable import Molt

/// The part of a committed upgrade's changes to a suite that is made at once.
enum AppliedPart: String, Codable, CaseIterable, Sendable {
    /// All, if no other suite changes.
    case all
    /// Additions and replacements, and the rows of the ledger.
    case add
    /// Removals.
    case remove
}

extension UpgradePoint {
    /// The point after the commit at which a part of the changes to a suite is about to be made.
    static func before(_ part: AppliedPart, of suite: Suite) -> UpgradePoint {
        UpgradePoint(.beforeApply, "\(suite.attachedName) (\(part))")
    }
}
