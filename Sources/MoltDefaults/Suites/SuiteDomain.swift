internal import Foundation

/// The persistent domain of a suite: read as a whole, and changed so that a kill leaves it as it was or as it is to be.
///
/// How that is done is the platform's: see ``SuiteStorage``.
package struct SuiteDomain: Sendable {
    /// The suite that it belongs to.
    package let suite: Suite

    /// Names the domain of a suite; looks at nothing yet.
    package init(_ suite: Suite) {
        self.suite = suite
    }

    /// Everything in the domain, what the app has set and not yet saved included.
    ///
    /// - Throws: ``DefaultsError`` with the code `invalidSuite`, `unreadable`, `noPermission`, `notWritable` or `busy`; in an
    ///   upgrade, `MigrationError` with the code `busy`, `cancelled` or `deadlinePassed`.
    package func read() throws -> [String: PropertyListValue] {
        try suite.validate()
        return try SuiteStorage(suite).read()
    }

    /// Everything that is saved, which is what Molt itself has written and most of what the app has.
    ///
    /// - Throws: As ``read()``.
    package func readSaved() throws -> [String: PropertyListValue] {
        try suite.validate()
        return try SuiteStorage(suite).saved()
    }

    /// Changes the domain durably: all of the changes, or none.
    ///
    /// Nothing is written when a value cannot be stored, nor over a file that cannot be read. On Linux the file is
    /// written as XML, so that the dates of a binary file lose their fractions of a second too.
    ///
    /// - Throws: ``DefaultsError`` as ``read()``, `cannotStore`, or `readBackFailed` with the keys that differ.
    package func write(set values: [String: PropertyListValue], remove keys: Set<String> = []) throws {
        let edit = SuiteEdit(values: values, removed: keys)
        try suite.validate()
        // Before anything else is looked at, or a directory made.
        try edit.check(for: suite)
        try tellingOfChange { try SuiteStorage(suite).change(settingAsideDamage: false) { _ in edit } }
    }

    /// Changes the domain as ``write(set:remove:)`` does, by what follows from what is in it.
    ///
    /// On Linux nobody who uses Molt writes the domain between the reading and the writing, and both cost one reading
    /// of the file.
    ///
    /// - Parameters:
    ///   - setsAside: Whether a file that is no property list, as a kill leaves one, is moved aside, with `.damaged` behind
    ///     its name: for one who knows what was in it, and brings that back.
    ///   - edit: Gets what is in the domain; it must not use the suite. It may be called again, when the app changes the suite
    ///     meanwhile. Nothing is written when there is nothing to change.
    /// - Throws: ``DefaultsError`` as ``write(set:remove:)``.
    package func change(
        settingAsideDamage setsAside: Bool,
        _ edit: ([String: PropertyListValue]) throws -> SuiteEdit
    ) throws {
        try changeContent(settingAsideDamage: setsAside) { try edit($0.values) }
    }

    /// Changes the domain by what follows from what is in it and from whether a kill has truncated its file.
    func changeContent(settingAsideDamage setsAside: Bool, _ edit: (SuiteContent) throws -> SuiteEdit) throws {
        try suite.validate()
        try tellingOfChange {
            try SuiteStorage(suite).change(settingAsideDamage: setsAside) { content in
                let edit = try edit(content)
                try edit.check(for: suite)
                return edit
            }
        }
    }

    /// Tells those who follow the suite when a closure has changed it, or has failed and may have.
    private func tellingOfChange(_ body: () throws -> Bool) throws {
        var isChanged = true
        defer { if isChanged { SuiteHub.shared.changed(suite) } }
        isChanged = try body()
    }

    /// Checks that the domain could be written now, without writing it.
    ///
    /// - Throws: ``DefaultsError`` as ``write(set:remove:)`` would.
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

    /// The values that `UserDefaults` or a file handed out.
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

    /// The keys, in order; of very many the first ones.
    private static func list(_ keys: [String]) -> String {
        let shown = 10
        let first = keys.sorted().prefix(shown).joined(separator: ", ")
        return keys.count > shown ? "\(first) and \(keys.count - shown) more" : first
    }

    /// The keys that do not have what was written.
    static func differences(_ found: [String: PropertyListValue], _ edit: SuiteEdit) -> [String] {
        edit.values.filter { found[$0.key]?.isStored(as: $0.value) != true }.map(\.key)
            + edit.removed.filter { edit.values[$0] == nil && found[$0] != nil }
    }

    /// The error for keys that do not have what was written.
    static func failure(differing keys: [String], of suite: Suite) -> DefaultsError {
        DefaultsError(
            .readBackFailed,
            "The suite did not give back what was written to it. Another process may be writing it: try again."
        ).at(key: list(keys)).of(suite: suite)
    }
}

/// What changes to a suite follow from.
package struct SuiteContent {
    /// All values of the domain.
    package var values: [String: PropertyListValue]
    /// Whether the suite's file is what a kill has left of the library's writing: empty, or no property list.
    ///
    /// A suite whose settings were all removed has no file, or one with an empty dictionary.
    package var isTruncated = false
}

/// Changes to a suite's domain; a key that is named in both is set.
package struct SuiteEdit {
    /// The values to set.
    var values: [String: PropertyListValue] = [:]
    /// The keys to remove.
    var removed: Set<String> = []

    /// Creates changes.
    package init(values: [String: PropertyListValue] = [:], removed: Set<String> = []) {
        self.values = values
        self.removed = removed
    }

    /// Whether there is nothing to do.
    var isEmpty: Bool { values.isEmpty && removed.isEmpty }

    /// The changes of some keys.
    func restricted(to keys: Set<String>) -> SuiteEdit {
        SuiteEdit(values: values.filter { keys.contains($0.key) }, removed: removed.intersection(keys))
    }

    /// A domain with the changes made.
    func applied(to domain: [String: PropertyListValue]) -> [String: PropertyListValue] {
        var domain = domain
        for key in removed { domain[key] = nil }
        domain.merge(values) { $1 }
        return domain
    }

    /// Checks that a suite can hold what is to be set.
    ///
    /// - Throws: ``DefaultsError`` with the code `cannotStore`.
    func check(for suite: Suite) throws(DefaultsError) {
        for (key, value) in values { try SuiteDomain.check(value, forKey: key, in: suite) }
    }
}
