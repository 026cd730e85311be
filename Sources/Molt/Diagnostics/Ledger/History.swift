/// What a target has been through, as its ledger tells: the records of a file, or a suite.
///
/// It is the only one that is asked; `LedgerTable` and `SuiteLedger` know how a ledger is stored.
struct History {
    /// The rows in the order of the ledger.
    let rows: [LedgerEntry]
    /// The rows of applied migrations by name.
    private(set) var applied: [String: LedgerEntry] = [:]
    /// The migrations that were deferred, or marked as pending by hand.
    private(set) var waiting: Set<String> = []
    /// The highest version of a row; a migration that was marked as applied says nothing about earlier ones.
    private(set) var version = 0
    /// The rows of replacements by the names of what they have replaced.
    private var replacing: [String: LedgerEntry] = [:]
    /// The names of the migrations that came before an applied one in the registry that applied it.
    let earlier: Set<String>

    init(_ rows: [LedgerEntry] = [], earlier: Set<String> = []) {
        self.rows = rows
        self.earlier = earlier
        for row in rows {
            if row.outcome != .marked { version = max(version, row.version) }
            if !row.outcome.isApplied {
                waiting.insert(row.name)
            } else if applied[row.name] == nil {
                applied[row.name] = row
            }
            guard row.isReplacing else { continue }
            for name in row.replaces where name != row.name && replacing[name] == nil { replacing[name] = row }
        }
    }

    /// The row of a migration of some name, applied or not; nil if there is none.
    func row(named name: String) -> LedgerEntry? { rows.first { $0.name == name } }

    /// Whether the target has been through a migration of some name, or through one that has replaced it.
    func has(_ name: String) -> Bool { applied[name] != nil || replacing[name] != nil }

    /// The row of a replacement that has done what a migration of some name does; nil if none has.
    func replacement(of name: String) -> LedgerEntry? { replacing[name] }

    /// Whether nothing of a migration of some name is left to do for the target, as far as its ledger tells.
    func isPast(_ name: String) -> Bool { has(name) || earlier.contains(name) }

    // MARK: Rows of another ledger

    /// Whether the target has been through the migration of another target's row, or through all that it replaces.
    func covers(_ row: LedgerEntry) -> Bool {
        has(row.name) || !row.replaces.isEmpty && row.replaces.allSatisfy(has)
    }

    /// Whether the ledger has a row, as one upgrade has written it.
    func contains(_ row: LedgerEntry) -> Bool {
        rows.contains { $0.name == row.name && $0.appliedAt == row.appliedAt }
    }

    /// Whether a migration that a row counts as applied has been applied to the target, too, whoever has done so.
    func repeats(_ row: LedgerEntry) -> Bool { row.outcome.isApplied && applied[row.name] != nil }
}
