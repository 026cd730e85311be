internal import Foundation

/// The persistent domain of a suite, read and changed through `UserDefaults`.
package struct SuiteDomain: Sendable {
    package let suite: Suite

    package init(_ suite: Suite) {
        self.suite = suite
    }

    /// All values in the domain; on Linux, the app's unsaved ones are saved first.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite`, `unreadable`, `noPermission` or `notWritable`.
    package func read() throws -> [String: PropertyListValue] {
        try suite.validate()
        return try Self.normalized(suite.objects(), of: suite)
    }

    /// One value as the app sees it.
    func liveValue(forKey key: String) throws -> PropertyListValue? {
        try suite.validate()
        return try Self.normalized(suite.object(forKey: key).map { [key: $0] } ?? [:], of: suite)[key]
    }

    /// Makes changes that are the same for every content.
    ///
    /// - Throws: The same errors as ``change(restoring:_:)``.
    package func write(set values: [String: PropertyListValue], remove keys: Set<String> = []) throws {
        try change { domain in
            for key in values.keys { try Self.checkForm(of: key, among: domain, in: suite) }
            return SuiteEdit(values: values, removed: keys)
        }
    }

    /// Refuses a key that the domain has in another Unicode form: on Linux, one of the two could not be read.
    static func checkForm(
        of key: String,
        among domain: [String: PropertyListValue],
        in suite: Suite
    ) throws(MoltError) {
        guard let index = domain.index(forKey: key), !domain[index].key.utf8.elementsEqual(key.utf8) else { return }
        throw MoltError(
            .cannotStore,
            "The suite has a key that differs from this one in its Unicode form alone.",
            advice: "Use the same form.",
            store: suite.domainName,
            key: key
        )
    }

    /// Makes the changes computed from the current values, and reads them back.
    ///
    /// Nothing is set if a value cannot be stored. One thread at a time changes suites, so that none reads back what
    /// another has set.
    ///
    /// - Parameters:
    ///   - snapshot: The values to restore first if a kill has destroyed the suite's file; none by default.
    ///   - makeEdit: Receives the values and returns the changes; it must not use the suite.
    /// - Throws: ``MoltError`` as ``read()``, `cannotStore`, or `readBackFailed` with the keys that differ.
    package func change(
        restoring snapshot: [String: PropertyListValue]? = nil,
        _ makeEdit: ([String: PropertyListValue]) throws -> SuiteEdit
    ) throws {
        try suite.validate()
        try Self.lock.withLock {
            if let snapshot { try suite.restoreLostFile(snapshot.mapValues(\.object)) }
            let values = try read()
            let edit = try makeEdit(values)
            guard !edit.isEmpty else { return }
            try edit.check(on: values, of: suite)
            let defaults = try suite.makeDefaults()
            for (key, value) in edit.changes {
                let old = values[key]
                guard let value else {
                    if old != nil { defaults.removeObject(forKey: key) }
                    continue
                }
                // Setting an equal value would only have the platform write it again.
                guard old?.asStored() != value.asStored() else { continue }
                suite.set(value, replacing: old, forKey: key, in: defaults)
            }
            try suite.save()
            let different = Self.differences(try read(), edit)
            if !different.isEmpty { throw Self.failure(differing: different, of: suite) }
        }
    }

    private static let lock = NSLock()

    /// Saves values that the app has set.
    func flush() throws {
        _ = try read()
        try suite.save()
    }

    /// Checks that the domain could be written now, without writing it.
    ///
    /// - Throws: ``MoltError`` with the code `invalidSuite`, `noPermission` or `notWritable`.
    package func checkWritable() throws {
        try suite.validate()
        try suite.checkWritable()
    }

    static func check(_ value: PropertyListValue, forKey key: String, in suite: Suite) throws(MoltError) {
        do throws(MoltError) {
            if let fault = SuiteFormat.fault(ofText: key) { throw MoltError(.cannotStore, fault) }
            try value.checkStorable()
        } catch {
            throw error.at(key: key).of(suite: suite)
        }
    }

    private static func normalized(
        _ objects: [String: Any],
        of suite: Suite
    ) throws(MoltError) -> [String: PropertyListValue] {
        var values: [String: PropertyListValue] = [:]
        values.reserveCapacity(objects.count)
        for (key, object) in objects {
            do throws(MoltError) {
                values[key] = try PropertyListValue(normalizing: object)
            } catch {
                var error = error.at(key: key).of(suite: suite)
                error.code = .unreadable
                throw error
            }
        }
        return values
    }

    private static func list(_ keys: [String]) -> String {
        let shown = 10
        let first = keys.sorted().prefix(shown).joined(separator: ", ")
        return keys.count > shown ? "\(first) and \(keys.count - shown) more" : first
    }

    private static func differences(_ found: [String: PropertyListValue], _ edit: SuiteEdit) -> [String] {
        edit.values.filter { found[$0.key]?.asStored() != $0.value.asStored() }.map(\.key)
            + edit.removed.filter { edit.values[$0] == nil && found[$0] != nil }
    }

    private static func failure(differing keys: [String], of suite: Suite) -> MoltError {
        MoltError(
            .readBackFailed,
            "The suite did not return what was written to it. Another process may be writing it.",
            advice: "Try again.",
            store: suite.domainName,
            key: list(keys)
        )
    }
}

/// Changes to a suite's domain; a key in both members is set.
package struct SuiteEdit {
    var values: [String: PropertyListValue] = [:]
    var removed: Set<String> = []

    package init(values: [String: PropertyListValue] = [:], removed: Set<String> = []) {
        self.values = values
        self.removed = removed
    }

    var isEmpty: Bool { values.isEmpty && removed.isEmpty }

    /// The changes of single keys, where nil removes one; after a kill between any two, the rest can still be made.
    ///
    /// A renamed value is never under neither key, which would look as if the app had removed it. The ledger is last: a
    /// suite with a row has the changes that the row stands for.
    package var changes: [(key: String, value: PropertyListValue?)] {
        var set = values
        let ledger = set.removeValue(forKey: Suite.ledgerKey)
        return set.map { ($0, $1) } + removed.subtracting(values.keys).map { ($0, nil) }
            + (ledger.map { [(Suite.ledgerKey, $0)] } ?? [])
    }

    func applied(to domain: [String: PropertyListValue]) -> [String: PropertyListValue] {
        var domain = domain
        for key in removed { domain[key] = nil }
        domain.merge(values) { $1 }
        return domain
    }

    /// Checks that the suite can hold the values to set, and those that it keeps.
    ///
    /// On Linux the library writes all of them again: one value that it cannot read back would lose the whole file.
    ///
    /// - Throws: ``MoltError`` with the code `cannotStore`.
    func check(on domain: [String: PropertyListValue], of suite: Suite) throws(MoltError) {
        let domain = applied(to: domain)
        for (key, value) in domain { try SuiteDomain.check(value, forKey: key, in: suite) }
        if let fault = SuiteFormat.fault(ofDictionary: domain) {
            throw MoltError(.cannotStore, fault, store: suite.domainName)
        }
    }
}
