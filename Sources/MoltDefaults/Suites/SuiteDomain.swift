internal import Foundation

/// The persistent domain of a suite, read as a whole and changed atomically.
///
/// The platform's ``SuiteStorage`` implements it.
package struct SuiteDomain: Sendable {
    package let suite: Suite

    package init(_ suite: Suite) {
        self.suite = suite
    }

    /// All values in the domain, including those that the app has set but not yet saved.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite`, `unreadable`, `noPermission`, `notWritable` or `busy`.
    ///   During an upgrade, `MigrationError` with the code `busy`, `cancelled` or `deadlinePassed`.
    package func read() throws -> [String: PropertyListValue] {
        try suite.validate()
        return try SuiteStorage(suite).read()
    }

    /// All values in the domain, like ``read()``, but faster if they are about to be changed; it may write the file.
    ///
    /// - Throws: The same errors as ``read()``.
    package func readForChange() throws -> [String: PropertyListValue] {
        try suite.validate()
        return try SuiteStorage(suite).readForChange()
    }

    /// All saved values: those that Molt has written, and most of those that the app has set.
    ///
    /// - Throws: The same errors as ``read()``.
    package func readSaved() throws -> [String: PropertyListValue] {
        try suite.validate()
        return try SuiteStorage(suite).saved()
    }

    /// Changes the domain durably and atomically.
    ///
    /// Nothing is written if a value cannot be stored or the file cannot be read. On Linux the file is written as XML,
    /// so dates from a binary file lose their fractional seconds too.
    ///
    /// - Throws: ``DefaultsError`` as ``read()``, `cannotStore`, or `readBackFailed` with the keys that differ.
    package func write(set values: [String: PropertyListValue], remove keys: Set<String> = []) throws {
        let edit = SuiteEdit(values: values, removed: keys)
        try suite.validate()
        // Checked before a directory is made.
        try edit.check(for: suite)
        try SuiteStorage(suite).change(settingAsideDamage: false) { _ in edit }
    }

    /// Changes the domain as ``write(set:remove:)`` does, with changes computed from its current content.
    ///
    /// On Linux no other user of Molt writes the domain between the read and the write, and the file is read only once.
    ///
    /// - Parameters:
    ///   - setsAside: Whether a file that is not a property list, such as one truncated by a kill, is renamed with the
    ///     suffix `.damaged`; for callers that know its content and restore it.
    ///   - edit: Receives the domain's content and returns the changes; if they are empty, nothing is written. It must
    ///     not use the suite. It may be called again if the app changes the suite meanwhile.
    /// - Throws: The same errors as ``write(set:remove:)``.
    package func change(settingAsideDamage setsAside: Bool, _ edit: (SuiteContent) throws -> SuiteEdit) throws {
        try suite.validate()
        try SuiteStorage(suite).change(settingAsideDamage: setsAside) { content in
            let edit = try edit(content)
            try edit.check(for: suite)
            return edit
        }
    }

    /// Checks that the domain could be written now, without writing it.
    ///
    /// - Throws: The same ``DefaultsError`` as ``write(set:remove:)``.
    package func checkWritable() throws {
        try suite.validate()
        try SuiteStorage(suite).checkWritable()
    }

    static func check(_ value: PropertyListValue, forKey key: String, in suite: Suite) throws(DefaultsError) {
        do throws(DefaultsError) {
            if let fault = SuiteFormat.fault(ofText: key) { throw DefaultsError(.cannotStore, fault) }
            try value.checkStorable()
        } catch {
            throw error.at(key: key).of(suite: suite)
        }
    }

    static func normalized(
        _ objects: [String: Any],
        of suite: Suite
    ) throws(DefaultsError) -> [String: PropertyListValue] {
        var values: [String: PropertyListValue] = [:]
        values.reserveCapacity(objects.count)
        for (key, object) in objects {
            do throws(DefaultsError) {
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

    static func differences(_ found: [String: PropertyListValue], _ edit: SuiteEdit) -> [String] {
        edit.values.filter { found[$0.key]?.isStored(as: $0.value) != true }.map(\.key)
            + edit.removed.filter { edit.values[$0] == nil && found[$0] != nil }
    }

    static func failure(differing keys: [String], of suite: Suite) -> DefaultsError {
        DefaultsError(
            .readBackFailed,
            "The suite did not return what was written to it. Another process may be writing it: try again."
        ).at(key: list(keys)).of(suite: suite)
    }
}

/// The content of a suite that changes are computed from.
package struct SuiteContent {
    package var values: [String: PropertyListValue]
    /// Whether a kill during the library's writing has left the suite's file empty or not a property list.
    ///
    /// A suite whose settings were all removed has no file, or a file with an empty dictionary.
    package var isTruncated = false

    package init(values: [String: PropertyListValue], isTruncated: Bool = false) {
        self.values = values
        self.isTruncated = isTruncated
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
    /// A renamed value is never under neither key, which would look as if the app had removed it.
    package var changes: [(key: String, value: PropertyListValue?)] {
        values.map { ($0, $1) } + removed.subtracting(values.keys).map { ($0, nil) }
    }

    func restricted(to keys: Set<String>) -> SuiteEdit {
        SuiteEdit(values: values.filter { keys.contains($0.key) }, removed: removed.intersection(keys))
    }

    func applied(to domain: [String: PropertyListValue]) -> [String: PropertyListValue] {
        var domain = domain
        for key in removed { domain[key] = nil }
        domain.merge(values) { $1 }
        return domain
    }

    /// Checks that a suite can hold the values to set.
    ///
    /// - Throws: ``DefaultsError`` with the code `cannotStore`.
    func check(for suite: Suite) throws(DefaultsError) {
        for (key, value) in values { try SuiteDomain.check(value, forKey: key, in: suite) }
    }
}
