internal import Foundation

/// The locks on the suites of a registry, which keep other stores from changing them.
///
/// A suite belongs to several stores, so the lock of a file does not protect it. It is locked before the file, so that
/// two upgrades never wait for each other.
final class SuiteLocks {
    private let store: StoreFile
    private let migrator: Migrator
    /// Those on the suites that can be changed now; nil until they are taken.
    private var locks: [SuiteLock]?
    /// Whether it has claimed the suites for the store, now or before its process was killed.
    private var hasClaims = false
    /// Whether it has made the changes that another store had committed.
    private(set) var hasFinishedOthers = false

    init(of migrator: Migrator, for store: StoreFile) {
        self.migrator = migrator
        self.store = store
    }

    private var configuration: MoltConfiguration { migrator.configuration }

    /// Locks the suites if a plan works on any that is not locked.
    ///
    /// - Returns: Whether it has.
    func lock(for plan: MigrationPlan) throws -> Bool {
        let mayBeChanging = !plan.problems.isEmpty && !plan.isSuperseded
        guard plan.needsUpgrade || mayBeChanging, !cover(plan, of: store) else { return false }
        // Another process that has the lock may wait until it is alone with the cache's file. One that gets the lock in
        // between may remove the file of a suite.
        if !store.isInMemory, store.primary == nil || locks != nil { store.close() }
        try lock()
        return true
    }

    /// Locks all suites of the registry that can be changed now.
    func lock() throws {
        locks = nil
        let patience = Patience(configuration)
        locks = try SuiteLock.all(of: migrator.stores(of: store).availableSuites, waiting: patience.wait)
        for lock in locks ?? [] { try finishClaim(on: lock) }
    }

    /// Releases the locks, and ends the claims of which no changes are left.
    func release() {
        guard let locks else { return }
        store.removeIfDone()
        if hasClaims, (try? store.state().journal.isEmpty) == true {
            for lock in locks { lock.endClaim() }
        }
        self.locks = nil
    }

    /// Whether all suites that a plan of a store works on are locked; one may have become available just now.
    func cover(_ plan: MigrationPlan, of store: StoreFile) -> Bool {
        guard !migrator.mode.isOnCopy, plan.worksOnSuites(of: store) else { return true }
        guard let locks else { return false }
        return migrator.stores(of: store).availableSuites.allSatisfy { suite in
            locks.contains { $0.suite.domainName == suite.domainName }
        }
    }

    // MARK: Claims

    /// Claims the locked suites for changes that the store is about to commit.
    ///
    /// Settings that become records belong to the first store that commits them, and imported settings must be in the
    /// suite before a newer release upgrades it. Of other changes it does not matter which store makes them.
    func claim() throws {
        guard !store.isInMemory else { return }
        for lock in locks ?? [] {
            try lock.claim(for: store.path)
            hasClaims = true
        }
    }

    /// Makes the changes to a suite that another store has committed before its process was killed.
    private func finishClaim(on lock: SuiteLock) throws {
        guard let path = try lock.claimant else { return }
        guard path != store.path else {
            hasClaims = true
            return
        }
        let name = lock.suite.attachedName
        let other = StoreFile(at: URL(fileURLWithPath: path), createsFile: false, attaching: store.attached)
        let isPending: Bool
        do {
            // It may have been killed before its commit, or removed since.
            if try other.state().journal.contains(name), configuration.process.upgrades {
                let attempts = UpgradeAttempts(at: other, configuration, migrator.mode)
                defer { attempts.end() }
                _ = try JournalApplication(migrator.silent, other, attempts, self).run(.earlierUpgrade)
                hasFinishedOthers = true
            }
            isPending = try other.state().journal.contains(name)
        } catch var error as MoltError where error.isStop || error.code == .busy {
            error.outcome = .unchanged
            throw error
        } catch {
            throw MoltError.claimed(lock.suite, by: path, underlying: error)
        }
        guard !isPending else { throw MoltError.claimed(lock.suite, by: path) }
        lock.endClaim()
    }
}

extension MigrationPlan {
    /// Whether an upgrade of a store reads or changes settings.
    fileprivate func worksOnSuites(of store: StoreFile) -> Bool {
        if store.primary != nil || !journal.isEmpty || !lostLedgers.isEmpty { return true }
        let hasSuites = store.attached.contains { $0.suite != nil }
        return entries.contains { entry in
            guard entry.actions.runSteps || entry.status == .baseline else { return false }
            // A block may use the suites that were attached when the store was opened.
            return entry.declaration.attached.contains { $0.suite != nil }
                || hasSuites && entry.declaration.steps.contains(where: \.isBlock)
        }
    }
}

extension Migrator {
    /// Runs a closure while no upgrade changes the suites of a store.
    func lockingSuites<Value>(of store: StoreFile, _ body: () throws -> Value) throws -> Value {
        try locking(store) { _ in try body() }
    }

    /// Makes the changes to suites that a closure commits in a store's journal.
    func changingSuites<Value>(of store: StoreFile, _ commit: () throws -> Value) throws -> Value {
        try locking(store) { locks in
            try locks.claim()
            let value = try commit()
            let attempts = UpgradeAttempts(at: store, configuration, mode)
            defer { attempts.end() }
            _ = try JournalApplication(self, store, attempts, locks).run(.thisUpgrade)
            return value
        }
    }

    private func locking<Value>(_ store: StoreFile, _ body: (SuiteLocks) throws -> Value) throws -> Value {
        let locks = SuiteLocks(of: self, for: store)
        do {
            try locks.lock()
        } catch {
            guard var failure = error as? MoltError else { throw error }
            failure.store = failure.store ?? store.storeName
            throw failure
        }
        defer { locks.release() }
        return try body(locks)
    }
}
