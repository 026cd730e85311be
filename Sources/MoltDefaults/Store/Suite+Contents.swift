internal import Foundation
package import MoltCore

/// All that a suite holds, for fixtures: suites that a test makes and erases.
extension Suite {
    /// All values but the ledger of a suite that is a store.
    package func contents() throws -> [String: PropertyListValue] {
        try SuiteDomain(self).read().filter { $0.key != Self.ledgerKey }
    }

    /// What a suite's values say of it as a store, and the values without that.
    ///
    /// - Returns: A state that is nil when the suite never was a store.
    package func separated(
        _ values: [String: PropertyListValue]
    ) throws -> (state: StoreContents?, values: [String: PropertyListValue]) {
        var values = values
        let ledger = try values.removeValue(forKey: Self.ledgerKey).map { try DefaultsLedger($0, in: self) }
        return (ledger.map { StoreContents(version: $0.version, ledger: $0.entries) }, values)
    }

    /// Writes the values of a fixture, those that Molt keeps for itself included.
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

    /// Removes a suite, but never the app's own, with the files that Molt has made beside it.
    ///
    /// - Important: It waits for no other process.
    package func erase() {
        // Tests make suites of other names.
        guard name != nil else { return }
        try? removeAll()
        DefaultsStoreFiles(self).removeAll()
        #if canImport(Darwin)
            UserDefaults.standard.removePersistentDomain(forName: domainName)
        #else
            let file = SuiteFile(self)
            for suffix in ["", ".damaged"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
        #endif
    }
}
