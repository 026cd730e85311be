/// Access to the whole content of a suite, for fixtures: suites that a test makes and erases.
extension Suite {
    /// All values except the ledger.
    package func contents() throws -> [String: PropertyListValue] {
        try SuiteDomain(self).read().filter { $0.key != Self.ledgerKey }
    }

    /// Separates the ledger from a suite's values.
    ///
    /// - Returns: The state, nil if the suite was never a store, and the other values.
    package func separated(
        _ values: [String: PropertyListValue]
    ) throws -> (state: StoreContents?, values: [String: PropertyListValue]) {
        var values = values
        let ledger = try values.removeValue(forKey: Self.ledgerKey).map { try DefaultsLedger($0, in: self) }
        return (ledger.map { StoreContents(version: $0.version, ledger: $0.entries) }, values)
    }

    /// Writes the values of a fixture, including values under reserved keys.
    ///
    /// - Parameters:
    ///   - state: The version and the ledger, for a suite that is a store of its own.
    package func fill(_ values: [String: PropertyListValue], state: StoreContents? = nil) throws {
        var values = values
        if let state {
            values[Self.ledgerKey] = try DefaultsLedger(version: state.version, entries: state.ledger).stored()
        }
        if !values.isEmpty { try SuiteDomain(self).write(set: values) }
    }

    /// Removes a named suite and the files that Molt has made beside it; the app's own suite is never removed.
    ///
    /// - Important: It does not wait until another process has upgraded the suite.
    package func erase() {
        // Suites made by tests always have a name.
        guard name != nil else { return }
        // Nothing uses the suite any more, so errors are ignored; the next process tries again.
        try? removeAll()
        DefaultsStoreFiles(self).removeAll()
        removeFile()
    }
}
