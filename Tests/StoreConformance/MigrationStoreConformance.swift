package import Molt

/// Checks that a `MigrationStore` behaves as the migrator requires.
///
/// ```swift
/// let report = try MigrationStoreConformance {
///     CacheStore(at: newURL())
/// } reopening: { store in
///     CacheStore(at: store.url)
/// }.verify()
/// ```
///
/// Each behavior is tested on new stores, and one error lists all that are missing. Two things are not checked: the
/// schema version that each record was last written at, because a transaction does not show it, and the state of the
/// disk.
package struct MigrationStoreConformance {
    private let hasRecords: Bool
    private let make: () throws -> any MigrationStore
    private let reopen: ((any MigrationStore) throws -> any MigrationStore)?

    /// Creates the suite for a store whose data live only as long as its object, such as an in-memory store.
    ///
    /// - Parameters:
    ///   - hasRecords: Whether it keeps records; a settings suite does not.
    ///   - store: Makes a new empty store on each call.
    package init(hasRecords: Bool = true, store: @escaping () throws -> any MigrationStore) {
        self.hasRecords = hasRecords
        make = store
        reopen = nil
    }

    /// Creates the suite for a store that outlives its object.
    ///
    /// - Parameter reopening: Makes a second object for the same data while the first one still exists.
    package init<Store: MigrationStore>(
        hasRecords: Bool = true,
        store: @escaping () throws -> Store,
        reopening: @escaping (Store) throws -> Store
    ) {
        self.hasRecords = hasRecords
        make = store
        reopen = { opened in
            guard let opened = opened as? Store else {
                throw ConformanceFailure(message: "The store is not the one that was made.")
            }
            return try reopening(opened)
        }
    }

    /// Tests the behaviors.
    ///
    /// - Parameter names: The behaviors to test; nil for all.
    /// - Returns: The behaviors that were tested, and those that do not apply, because the store has no records or
    ///   cannot be reopened.
    /// - Throws: ``ConformanceFailure`` with each missing behavior, and its expected and actual values.
    @discardableResult
    package func verify(only names: Set<String>? = nil) throws -> Report {
        var report = Report()
        var faults: [String] = []
        for behavior in StoreBehavior.all where names?.contains(behavior.name) ?? true {
            guard behavior.needs.allSatisfy({ isMet($0) }) else {
                report.notApplicable.append(behavior.name)
                continue
            }
            report.checked.append(behavior.name)
            let trial = StoreTrial(make: make, reopen: reopen)
            do {
                try behavior.body(trial)
            } catch {
                trial.report("it threw: \(error)")
            }
            guard !trial.findings.isEmpty else { continue }
            faults.append(([behavior.name] + trial.findings.map { "  \($0)" }).joined(separator: "\n"))
        }
        guard faults.isEmpty else {
            throw ConformanceFailure(
                message: "The store does not do \(faults.count) of the \(report.checked.count) things that it must:\n"
                    + faults.joined(separator: "\n")
            )
        }
        return report
    }

    private func isMet(_ need: StoreBehavior.Need) -> Bool {
        switch need {
        case .records: hasRecords
        case .noRecords: !hasRecords
        case .reopening: reopen != nil
        }
    }
}

/// The behaviors that a store lacks.
package struct ConformanceFailure: Error {
    /// Each behavior, with its expected and actual values.
    package var message: String
}

extension MigrationStoreConformance {
    package struct Report {
        package fileprivate(set) var checked: [String] = []
        package fileprivate(set) var notApplicable: [String] = []

        package var description: String {
            (checked.map { "✓ \($0)" } + notApplicable.map { "– \($0)" }).joined(separator: "\n")
        }
    }
}
