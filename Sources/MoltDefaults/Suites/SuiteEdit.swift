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
