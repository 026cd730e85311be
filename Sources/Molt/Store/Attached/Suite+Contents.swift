/// Access to the whole content of a suite, for fixtures: suites that a test makes and erases.
extension Suite {
    /// The ledger as the state of a store; nil if no migration has changed the suite.
    ///
    /// While changes of an upgrade without a cache are pending, it is that of the upgrade.
    package func state() throws -> StoreContents? {
        let file = try StoreFile.state(at: SuiteFiles(self).store)
        guard file.journal.isEmpty else { return StoreContents(version: file.version, ledger: file.ledger) }
        return try ledger().map(StoreContents.init)
    }

    /// Separates the ledger from a suite's values.
    ///
    /// - Returns: The state, nil if no migration has changed the suite, and the other values.
    package func separated(
        _ values: [String: PropertyListValue]
    ) throws -> (state: StoreContents?, values: [String: PropertyListValue]) {
        let ledger = try SuiteLedger(in: values, of: self)
        return (ledger.map(StoreContents.init), values.filter { $0.key != Self.ledgerKey })
    }

    /// Writes the values of a fixture, including values under reserved keys.
    ///
    /// - Parameter state: The version and the ledger, if migrations have changed the suite.
    package func fill(_ values: [String: PropertyListValue], state: StoreContents? = nil) throws {
        var values = values
        if let state {
            let rows = state.ledger.map { SuiteLedger.Row($0) }
            values[Self.ledgerKey] = try SuiteLedger(version: state.version, rows: rows).stored()
        }
        if !values.isEmpty { try write(set: values) }
    }

    /// The suites with changes of an unfinished upgrade of this suite without a cache.
    package func pendingJournal() throws -> [String] {
        try StoreFile.state(at: SuiteFiles(self).store).journal
    }

    /// Removes a named suite and the files that Molt has made beside it; the app's own suite is never removed.
    ///
    /// - Important: It does not wait until another process has upgraded the suite.
    package func erase() {
        // Suites made by tests always have a name.
        guard name != nil else { return }
        // Nothing uses the suite any more, so errors are ignored; the next process tries again.
        try? write(set: [:], remove: Set(allValues().keys))
        SuiteFiles(self).removeAll()
        removeFile()
    }
}

extension StoreContents {
    fileprivate init(_ ledger: SuiteLedger) {
        self.init(version: ledger.version, ledger: ledger.history.rows)
    }
}
