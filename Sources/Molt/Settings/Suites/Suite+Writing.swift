internal import Foundation

// The persistent domain, changed through `UserDefaults`.

extension Suite {
    /// Makes changes that are the same for every content; a key in both arguments is set.
    ///
    /// - Throws: The same errors as ``change(restoring:_:)``.
    package func write(set values: [String: PropertyListValue], remove keys: Set<String> = []) throws {
        try change { domain in
            var changes: [String: PropertyListValue?] = values.mapValues { $0.asStored() }
            for key in values.keys { try checkForm(of: key, among: domain) }
            for key in keys where values[key] == nil { changes.updateValue(nil, forKey: key) }
            return changes
        }
    }

    /// Makes the changes computed from the current values, where nil removes a value, and reads them back.
    ///
    /// All values are in the form that the platform stores.
    ///
    /// Nothing is set if a value cannot be stored. One thread at a time changes suites, so that none reads back what
    /// another has set.
    ///
    /// - Parameters:
    ///   - snapshot: The values to restore first if a kill has destroyed the suite's file; none by default.
    ///   - makeChanges: Receives the values and returns the changes; it must not use the suite.
    /// - Throws: ``MoltError`` as ``allValues()``, `cannotStore`, or `readBackFailed` with the keys that differ.
    package func change(
        restoring snapshot: [String: PropertyListValue]? = nil,
        _ makeChanges: ([String: PropertyListValue]) throws -> [String: PropertyListValue?]
    ) throws {
        try validate()
        guard content == nil else {
            throw MoltError(
                .suiteNotWritable,
                "The settings in \(attachedName) are part of an import, which changes them after the upgrade.",
                advice: "Change them through the migration's context.",
                store: domainName
            )
        }
        try Self.lock.withLock {
            let values = try storedValues(restoring: snapshot).mapValues { $0.asStored() }
            let changes = try makeChanges(values)
            guard !changes.isEmpty else { return }
            try check(values, with: changes)
            let defaults = try makeDefaults()
            for (key, value) in Self.inOrder(changes) {
                let old = values[key]
                guard let value else {
                    if old != nil { defaults.removeObject(forKey: key) }
                    continue
                }
                // Setting an equal value would only have the platform write it again.
                guard old != value else { continue }
                set(value, replacing: old, forKey: key, in: defaults)
            }
            try save(replacing: values)
            let found = try savedValues()
            let different = changes.filter { found[$0.key]?.asStored() != $0.value }.keys.sorted()
            guard different.isEmpty else { throw readBackFailure(of: different) }
        }
    }

    private static let lock = NSLock()

    /// The changes in an order of which any part may be made before a kill.
    ///
    /// A renamed value is never under neither key, which would look as if the app had removed it. The ledger is last: a
    /// suite with a row has the changes that the row stands for.
    static func inOrder(_ changes: [String: PropertyListValue?]) -> [(key: String, value: PropertyListValue?)] {
        func rank(_ key: String, _ value: PropertyListValue?) -> Int { key == ledgerKey ? 2 : value == nil ? 1 : 0 }
        return changes.ordered { rank($0.key, $0.value) < rank($1.key, $1.value) }
    }

    private func readBackFailure(of keys: [String]) -> MoltError {
        let shown = 10
        let list = keys.prefix(shown).joined(separator: ", ")
        return MoltError(
            .readBackFailed,
            "The settings in \(attachedName) were not returned as they were written. Another process may be writing them.",
            advice: "Try again.",
            store: domainName,
            key: keys.count > shown ? "\(list) and \(keys.count - shown) more" : list
        )
    }

    // MARK: Checking values

    /// Checks that the suite can hold the values that it has after some changes.
    ///
    /// On Linux the library writes all of them again: one value that it cannot read back would lose the whole file.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore`.
    func check(_ values: [String: PropertyListValue], with changes: [String: PropertyListValue?]) throws(MoltError) {
        var values = values
        for (key, value) in changes { values[key] = value }
        for (key, value) in values { try check(value, forKey: key) }
        if let fault = SuiteFormat.fault(ofDictionary: values) {
            throw MoltError(.cannotStore, fault, store: domainName)
        }
    }

    func check(_ value: PropertyListValue, forKey key: String) throws(MoltError) {
        do throws(MoltError) {
            if let fault = SuiteFormat.fault(ofText: key) { throw MoltError(.cannotStore, fault) }
            try value.checkStorable()
        } catch {
            throw error.at(key: key).of(suite: self)
        }
    }

    /// Refuses a key that the domain has in another Unicode form: on Linux, one of the two could not be read.
    func checkForm(of key: String, among values: [String: PropertyListValue]) throws(MoltError) {
        guard let index = values.index(forKey: key), !values[index].key.utf8.elementsEqual(key.utf8) else { return }
        throw MoltError(
            .cannotStore,
            "The settings in \(attachedName) have a key that differs from \"\(key)\" in its Unicode form alone.",
            advice: "Use the form that it has.",
            store: domainName,
            key: key
        )
    }
}
