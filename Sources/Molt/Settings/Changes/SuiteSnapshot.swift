/// A suite's content when it was read: all values, and the ledger that counts.
struct SuiteSnapshot {
    let values: [String: PropertyListValue]
    /// Nil if no migration has changed the suite.
    private(set) var ledger: SuiteLedger?
    /// Why it is not the ledger among the values; nil if it is.
    private(set) var finding: SuiteFinding?
    /// Whether its own ledger counts, and is not the one that is remembered, as after an upgrade on a full disk.
    private(set) var isForgotten = false

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
    /// | no ledger, or a damaged one, and one is remembered | the remembered one |
    /// | settings without a ledger, and none is remembered | what the store's file says about the suite |
    /// | the ledger of another suite | the remembered one, with the other's rows |
    ///
    /// Rows of a newer release do not count where nothing of that release is left: in an empty suite, and in the ledger
    /// of another one.
    ///
    /// - Parameters:
    ///   - fileRows: What the store's file says about the suite.
    ///   - unknown: The names of migrations in a ledger that only a newer release has.
    init(
        _ suite: Suite,
        _ fileRows: @autoclosure () -> [SuiteLedger.Row],
        unknown: (SuiteLedger) -> Set<String>
    ) throws {
        values = try suite.allValues()
        // An import knows what its suites have been through.
        guard suite.content == nil else {
            ledger = try SuiteLedger(in: values, of: suite)
            return
        }
        let (isRemembered, memory) = try SuiteMemory(of: suite).compared(with: values[Suite.ledgerKey])
        do {
            ledger = try SuiteLedger(in: values, of: suite)
        } catch let error as MoltError where error.code == .settingUnreadable && memory?.rows.isEmpty == false {
            ledger = nil
        }
        guard let own = ledger else {
            if let memory {
                let known = memory.recovered(without: isEmpty ? unknown(memory) : [])
                let isShortened = known.rows.count < memory.rows.count
                if !known.rows.isEmpty { find(.lost, known, in: suite, mustRestore: !isEmpty || isShortened) }
                return
            }
            let rows = isEmpty ? [] : fileRows()
            if !rows.isEmpty { find(.lost, SuiteLedger(of: rows), in: suite) }
            return
        }
        guard let memory, !memory.isOfSameSuite(as: own) else {
            isForgotten = !isRemembered && !own.rows.isEmpty
            return
        }
        let history = memory.history
        let known = own.recovered(without: unknown(own)).rows
        find(.foreign, memory.adding(known.filter { !history.has($0.entry.name) }), in: suite)
    }

    private mutating func find(
        _ kind: SuiteFinding.Kind,
        _ ledger: SuiteLedger,
        in suite: Suite,
        mustRestore: Bool = true
    ) {
        self.ledger = ledger
        finding = SuiteFinding(
            kind: kind,
            suite: suite.attachedName,
            version: ledger.version,
            mustRestore: mustRestore
        )
    }

    /// Whether the suite has no settings, apart from values under reserved keys.
    var isEmpty: Bool { values.keys.allSatisfy(Suite.reservedKeys.contains) }
}
