internal import Foundation

extension SuiteDomain {
    /// Changes the domain as ``change(settingAsideDamage:_:)`` does, with changes that are the same for every content.
    package func write(set values: [String: PropertyListValue], remove keys: Set<String> = []) throws {
        let edit = SuiteEdit(values: values, removed: keys)
        try change(settingAsideDamage: false) { _ in edit }
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
        edit.values.filter { found[$0.key]?.asStored() != $0.value.asStored() }.map(\.key)
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

    /// The changes, if the suite can hold the values to set.
    ///
    /// - Throws: ``DefaultsError`` with the code `cannotStore`.
    func checked(for suite: Suite) throws(DefaultsError) -> SuiteEdit {
        for (key, value) in values { try SuiteDomain.check(value, forKey: key, in: suite) }
        return self
    }
}
