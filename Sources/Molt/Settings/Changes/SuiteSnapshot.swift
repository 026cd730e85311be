/// A suite's content when it was read: all values, and the ledger that counts.
struct SuiteSnapshot {
    let values: [String: PropertyListValue]
    /// Nil if no migration has changed the suite.
    private(set) var ledger: SuiteLedger?
    /// Why it is not the ledger among the values; nil if it is.
    private(set) var finding: SuiteFinding?

    /// Reads a suite, whose own ledger counts.
    init(_ suite: Suite) throws {
        values = try suite.allValues()
        ledger = try SuiteLedger(in: values, of: suite)
    }

    /// Reads a suite, and compares its ledger with what is remembered of it.
    ///
    /// | the suite has | what counts |
    /// |---|---|
    /// | its own ledger, also an older copy | that ledger |
    /// | no ledger, and one is remembered | the remembered one |
    /// | settings without a ledger, and none is remembered | what the store's file says about the suite |
    /// | the ledger of another suite | the remembered one, with the other's rows that the registry knows |
    ///
    /// - Parameters:
    ///   - rows: The rows of the store's file.
    ///   - isKnown: Whether the registry knows the migration of a row.
    init(_ suite: Suite, _ rows: [LedgerEntry], isKnown: (LedgerEntry) -> Bool) throws {
        try self.init(suite)
        // An import knows what its suites have been through.
        guard suite.content == nil else { return }
        let memory = try SuiteMemory(of: suite).ledger(otherThan: values[Suite.ledgerKey])
        guard let own = ledger else {
            if let memory {
                if !memory.rows.isEmpty { find(.lost, memory, in: suite) }
            } else if !isEmpty {
                let rows = rows.filter { $0.outcome.isApplied && $0.attachedCounts[suite.attachedName] != nil }
                if !rows.isEmpty { find(.lost, SuiteLedger(of: rows), in: suite) }
            }
            return
        }
        guard let memory, !memory.isOfSameSuite(as: own) else { return }
        let history = memory.history
        find(
            .foreign,
            memory.adding(own.rows.filter { !history.has($0.entry.name) && isKnown($0.entry) }),
            in: suite
        )
    }

    private mutating func find(_ kind: SuiteFinding.Kind, _ ledger: SuiteLedger, in suite: Suite) {
        self.ledger = ledger
        finding = SuiteFinding(kind: kind, suite: suite.attachedName, version: ledger.version)
    }

    /// Whether the suite has no settings, apart from values under reserved keys.
    var isEmpty: Bool { values.keys.allSatisfy(Suite.reservedKeys.contains) }
}
