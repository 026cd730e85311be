extension MigrationRegistry {
    /// Returns the version at which a store without a ledger enters.
    package typealias Baseline = @Sendable (StoreSnapshot) throws -> Int?

    /// Declares the version of a store without a ledger, if earlier releases counted versions by themselves.
    ///
    /// ```swift
    /// let registry = MigrationRegistry([
    ///     Migration(to: 4, "mail-becomes-email", .renameProperty("Person", "mail", to: "email")),
    /// ])
    /// .baseline { store in
    ///     try store.settings(in: .standard)["schemaVersion"]?.int.map { Int($0) }
    /// }
    /// ```
    ///
    /// The closure is called for a cache file whose ledger is empty, and for a suite without a ledger that is upgraded
    /// without a cache, or with a new one. It is never called for a store with a ledger, whatever its suites have. The
    /// closure may look at settings, at records, and at the ``StoreSnapshot/version``, which is the `user_version` of
    /// the file.
    ///
    /// Migrations up to the version that it returns do not run; the ledger gets a row for each with the outcome
    /// ``LedgerEntry/Outcome/baseline``. For a new cache file, this concerns those that change settings; others still
    /// import data. If it returns nil, the store is at the version that it has. The closure is never called for a new
    /// store with nothing in it and nothing in its suites.
    ///
    /// - Important: Keep the setting or the record that tells the version as long as any store may have no ledger: a
    ///   migration that removes it leaves other stores that share the suite without an answer. In an import, the
    ///   closure sees no settings, because those of this device say nothing about records of another.
    /// - Parameter body: Returns the version; the plan calls it, too, so it must change nothing. An error that it
    ///   throws, and a negative version, fail the opening with the code `baselineFailed`; a version above that of the
    ///   registry fails it with the code `superseded`.
    public func baseline(from body: @escaping @Sendable (StoreSnapshot) throws -> Int?) -> MigrationRegistry {
        var registry = self
        registry.baseline = body
        return registry
    }

    /// Declares the version of every store without a ledger, if all releases without Molt wrote the same form.
    package func baseline(_ version: Int) -> MigrationRegistry {
        baseline(from: { _ in version })
    }
}

extension AttachedStores {
    /// The histories with the version at which the app says that the store enters, if it has no ledger.
    ///
    /// - Parameter read: Runs a closure that reads the records; it gets nil if there is no file.
    func addingBaseline(
        to histories: Histories,
        _ configuration: MoltConfiguration,
        reading read: ((StoreTransaction?) throws -> Int?) throws -> Int?
    ) throws -> Histories {
        guard let baseline = registry.baseline, histories.store.rows.isEmpty, histories.journal.isEmpty else {
            return histories
        }
        guard try !histories.isFresh || suiteStates().contains(where: { $1.hasNoLedger && !$1.isEmpty }) else {
            return histories
        }
        var result = histories
        do {
            let version = histories.version
            let coding = registry.coding(at: version)
            result.baseline = try read { records in
                // A suite that is upgraded without a cache has no records, whether it has a file now or not.
                let reading = records.flatMap { $0.holdsRecords ? StoreSnapshot.reading($0) : nil }
                let snapshot = StoreSnapshot(at: version, reading, coding, configuration) { try self.values(of: $0) }
                defer { snapshot.expire() }
                return try baseline(snapshot)
            }
        } catch {
            if let error = error as? MoltError, error.code == .deferred || error.isStop { throw error }
            throw MoltError(
                .baselineFailed,
                "The closure of `baseline` failed; see the underlying error.",
                outcome: .unchanged,
                underlying: error
            )
        }
        guard let version = result.baseline, version < 0 else { return result }
        throw MoltError(
            .baselineFailed,
            "The store gets version \(version) from `baseline`; a version is 0 or more.",
            outcome: .unchanged
        )
    }

    /// The values of a suite, which need not be one of the registry's.
    private func values(of suite: Suite) throws -> [String: PropertyListValue] {
        let name = suite.attachedName
        let suite = contains(name) ? try store(name).suite ?? suite : suite
        return try reporting(name) {
            if let reason = try suite.unavailability(from: viewpoint) {
                throw MoltError(.deferred, reason, advice: "Open the store again later.", suite: name)
            }
            return try suite.values()
        }
    }
}
