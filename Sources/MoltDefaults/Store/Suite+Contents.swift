package import Foundation
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
        // Nobody uses the suite any more, so nobody is served by an error; the next process tries again.
        try? removeAll()
        DefaultsStoreFiles(self).removeAll()
        #if canImport(Darwin)
            UserDefaults.standard.removePersistentDomain(forName: domainName)
            // The system leaves the file, with nothing in it.
            if let library = FileManager.default.urls(for: .libraryDirectory, in: .userDomainMask).first {
                try? FileManager.default.removeItem(at: library.appending(path: "Preferences/\(domainName).plist"))
            }
        #else
            let file = SuiteFile(self)
            for suffix in ["", ".damaged"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
        #endif
    }

    /// Removes files of suites that nobody uses any more; where the system keeps the suites, it does nothing.
    package static func removeFiles(where isLeftover: (URL) -> Bool) {
        #if !canImport(Darwin)
            let home = URL(fileURLWithPath: SuiteFile.home, isDirectory: true)
            // What cannot be listed or removed is left to the next process.
            for name in (try? FileManager.default.contentsOfDirectory(atPath: home.path)) ?? [] {
                let url = home.appending(path: name, directoryHint: .notDirectory)
                if isLeftover(url) { try? FileManager.default.removeItem(at: url) }
            }
        #endif
    }
}
