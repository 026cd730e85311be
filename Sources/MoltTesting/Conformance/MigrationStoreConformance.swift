public import MoltCore

extension TestingError.Code {
    /// A store does not do what a `MigrationStore` must.
    public static let notConformant = TestingError.Code(rawValue: "notConformant")
}

/// What every `MigrationStore` must do, to be tried on a store of your own.
///
/// ```swift
/// let report = try MigrationStoreConformance {
///     try MyStore(at: newURL())
/// } reopening: { store in
///     try MyStore(at: store.url)
/// }.verify()
/// ```
///
/// All behaviours are tried, each on new stores, and one error names all that are not as they must be. The schema version
/// that each record was last written at cannot be read through a transaction, so it is the one thing that is not
/// looked at; nor is it seen what is on disk.
public struct MigrationStoreConformance {
    private let hasRecords: Bool
    private let make: () throws -> any MigrationStore
    private let reopen: ((any MigrationStore) throws -> any MigrationStore)?

    /// Creates the suite for a store that ends with its object, as one in memory does.
    ///
    /// - Parameters:
    ///   - hasRecords: Whether it keeps records; a settings suite has none.
    ///   - store: Makes a store that nothing was written to yet; another one each time.
    public init(hasRecords: Bool = true, store: @escaping () throws -> any MigrationStore) {
        self.hasRecords = hasRecords
        make = store
        reopen = nil
    }

    /// Creates the suite for a store that outlives its object.
    ///
    /// - Parameters:
    ///   - hasRecords: Whether it keeps records; a settings suite has none.
    ///   - store: Makes a store that nothing was written to yet; another one each time.
    ///   - reopening: Makes a second object for what a first one has stored, while the first one is still there.
    public init<Store: MigrationStore>(
        hasRecords: Bool = true,
        store: @escaping () throws -> Store,
        reopening: @escaping (Store) throws -> Store
    ) {
        self.hasRecords = hasRecords
        make = store
        reopen = { opened in
            guard let opened = opened as? Store else {
                throw TestingError(.unsuitable, "The store is not the one that was made.")
            }
            return try reopening(opened)
        }
    }

    /// Tries all behaviours.
    ///
    /// - Returns: Which were tried, and which were not, because the store has no records, cannot be opened again, or
    ///   cannot commit in batches.
    /// - Throws: ``TestingError`` with the code `notConformant`: each behaviour that is not as it must be, with what was
    ///   expected and what was found.
    @discardableResult
    public func verify() throws -> Report {
        // A store that cannot be made is told of by all behaviours that every store has.
        let commitsInBatches = (try? make().commitsInBatches) ?? false
        var report = Report()
        var faults: [String] = []
        for behavior in StoreBehavior.all {
            guard behavior.needs.allSatisfy({ isMet($0, commitsInBatches) }) else {
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
            throw TestingError(
                .notConformant,
                "The store does not do \(faults.count) of the \(report.checked.count) things that it must:\n"
                    + faults.joined(separator: "\n")
            )
        }
        return report
    }

    private func isMet(_ need: StoreBehavior.Need, _ commitsInBatches: Bool) -> Bool {
        switch need {
        case .records: hasRecords
        case .noRecords: !hasRecords
        case .reopening: reopen != nil
        case .batches: commitsInBatches
        case .noBatches: !commitsInBatches
        }
    }
}

extension MigrationStoreConformance {
    /// What was tried on a store, in sentences.
    public struct Report: Hashable, Sendable, CustomStringConvertible {
        /// What the store does as it must.
        public internal(set) var checked: [String] = []
        /// What was not tried, because the store has no records, cannot be opened again, or cannot commit in batches.
        public internal(set) var notApplicable: [String] = []

        /// A line for each behaviour.
        public var description: String {
            (checked.map { "✓ \($0)" } + notApplicable.map { "– \($0)" }).joined(separator: "\n")
        }
    }
}
