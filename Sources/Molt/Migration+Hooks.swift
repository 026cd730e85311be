extension Migration {
    // MARK: Before

    /// What must hold in a store before the migration may run.
    struct Requirement: Sendable {
        var reason: String
        var isMet: @Sendable (StoreSnapshot) throws -> Bool
    }

    /// Declares a condition that a store must meet before the migration may run.
    ///
    /// ```swift
    /// Migration(to: 4, "new-upload-format", .deleteType("Upload"))
    ///     .requirement(orElse: "Uploads are still waiting; finish them first.") { store in
    ///         try store.count(ofType: "Upload") == 0
    ///     }
    /// ```
    ///
    /// It is evaluated each time the migration is about to run, before the store is backed up or written to. No other
    /// process can write to the store meanwhile. If it does not hold, opening the store fails with the code
    /// `requirementUnmet`, and the store is unchanged. The error's ``MoltError/problem`` is the reason, followed by
    /// those of other unmet conditions. A plan lists the conditions without evaluating them; a dry run evaluates them.
    ///
    /// - Important: The closure sees the store at the version that it has, which may be any earlier one: the migrations
    ///   before this one have not run. A type may still have an older name there.
    ///
    /// If it reads a suite that is unavailable, opening the store fails with the code `deferred`. If it reads records
    /// in an upgrade of a suite without a cache, that fails with the code `unsupported`. The store is unchanged.
    ///
    /// It is not evaluated for a new store, for documents, imports and stores that are only read, nor if the store
    /// counts the migration as applied. It is not part of the ``fingerprint``.
    ///
    /// - Parameters:
    ///   - reason: Why the store cannot be upgraded now, and what to do about it, in sentences for people.
    ///   - isMet: Returns whether the condition holds. If it throws, the condition does not hold, and its error is the
    ///     ``MoltError/underlying`` one.
    public func requirement(orElse reason: String, _ isMet: @escaping @Sendable (StoreSnapshot) throws -> Bool)
        -> Migration
    {
        changed { $0.requirements.append(Requirement(reason: reason, isMet: isMet)) }
    }

    // MARK: Between the steps and the commit

    /// Adds a check of the store, which runs after the migration's steps and before the commit.
    ///
    /// ```swift
    /// Migration(to: 2, "people", .renameType("Alien", to: "Person"))
    ///     .check("there are people") { store in
    ///         guard try store.count(ofType: "Person") > 0 else { throw NoPeople() }
    ///     }
    /// ```
    ///
    /// An error that it throws rolls back the whole upgrade. Opening the store then fails with the code `checkFailed`,
    /// and that error is the ``MoltError/underlying`` one. The check sees the store at this migration's version, also
    /// if the upgrade goes on to later ones. Records cannot go through the migrations before and after it in one pass,
    /// so a check costs a pass. All records must be at that version: opening a store upgrades those, too, that earlier
    /// migrations on read have left for later.
    ///
    /// Plans and reports list it as the last of the migration's steps. Several checks run in the order in which
    /// they are added. A check runs when the migration does, also in a dry run and in the tests of `MoltTesting`. It
    /// does not run on a new store without records, for documents, imports and stores that are only read, nor on a
    /// store that counts the migration as applied. It is not part of the ``fingerprint``, so you may add one later.
    ///
    /// In an upgrade of a suite without a cache, a migration with steps on records alone does not run, and neither do
    /// its checks. Any other check that reads records fails that upgrade with the code `unsupported`. If a check reads
    /// a suite that is unavailable, opening the store fails with the code `deferred`.
    ///
    /// The registry is invalid if the migration is one on read: its records are upgraded after the store is opened, and
    /// not all at once.
    ///
    /// - Parameters:
    ///   - summary: What the check is about, for plans, reports and its error.
    ///   - check: Throws if something is wrong.
    public func check(_ summary: String, _ check: @escaping @Sendable (StoreSnapshot) throws -> Void) -> Migration {
        let step = MigrationStep(CheckStep(summary: summary), .check { try $0.check(summary, check) })
        return changed { $0.steps.append(step) }
    }

    // MARK: After

    /// Work that a migration does outside the store.
    struct Work: Sendable {
        var summary: String
        /// Whether it removes the source of an import, so that it is done at most once.
        var removesSource = false
        var run: @Sendable (StoreSnapshot) throws -> Void

        func isDue(after entry: MigrationReport.Entry) -> Bool { !removesSource || entry.isSourceWhole }
    }

    /// Declares work outside the store, to be done once the migration is committed.
    ///
    /// ```swift
    /// Migration(to: 5, "legacy-import", .run("import the legacy file", onFreshStore: true, importLegacyFile))
    ///     .afterCommit("remove the imported file") { _ in
    ///         guard FileManager.default.fileExists(atPath: legacyFile.path) else { return }
    ///         try FileManager.default.removeItem(at: legacyFile)
    ///     }
    /// ```
    ///
    /// Use it for work that needs no data of its own migration: it sees the store as the opening has left it, after all
    /// later migrations, which may have renamed, changed or removed that data. Data that leaves the store is handed
    /// over instead: see ``MigrationStep/handOverRecords(_:to:_:)``.
    ///
    /// The opening that has run the migration does the work, after the commit and after all changes to settings. Until
    /// the work succeeds, each later opening tries again: ``LedgerEntry/isWorkPending`` of the migration's row says so.
    /// If the work throws, the opening succeeds all the same. ``MigrationReport/work`` then says why, and the
    /// monitor gets ``MigrationEvent/workFailed(_:)``. Work that a crash or a kill has interrupted five times is left
    /// to another build of the app; see ``MoltConfiguration/retriesInterruptedUpgrades``.
    ///
    /// - Important: The work may be done more than once: a process may be killed after it, and before the ledger is
    ///   written. It must not fail because its result is there already.
    ///
    /// Opening the store waits for the work. Others can read and write the store meanwhile. If several processes open
    /// the store, one does the work, and the others go on without it. Each call of the snapshot reads the records as
    /// they are at that moment, and opens the file for it, so prefer one `enumerate` to many calls; calls within it see
    /// the same state. Records that migrations on read have not reached have their older form. A call throws
    /// ``MoltError`` with the code `storeChanged` if another process has upgraded the store.
    ///
    /// A lock is held while the work runs, so ``StoreAccess/suspend(timeout:)`` waits for it. For a store in an app
    /// group, keep the work short, or open the store in a background task.
    ///
    /// It is not done for a new store, unless the migration has brought in data there, nor if the migration only counts
    /// as applied, as a replacement of applied migrations does. It is not done by a process whose
    /// ``MoltConfiguration/process`` is a helper, in a dry run, in the tests of `MoltTesting`, for documents and
    /// imports, nor when a store is only read. If the migration or this declaration leaves the registry, the work is
    /// given up, and the ledger's row keeps saying that it is pending. A store that had applied the migration before
    /// this was declared does not do it. It is not part of the ``fingerprint``.
    ///
    /// The registry is invalid if a migration declares more than one piece of work, or is one on read. Only caches do
    /// such work: upgrading a suite without one fails with the code `unsupported`.
    ///
    /// - Parameters:
    ///   - summary: What the work does, for plans and reports.
    ///   - work: Does the work.
    public func afterCommit(_ summary: String, _ work: @escaping @Sendable (StoreSnapshot) throws -> Void) -> Migration
    {
        changed { migration in
            migration.declaresWorkTwice = migration.work != nil
            migration.work = Work(summary: summary, run: work)
        }
    }

    /// Declares how to remove the source of the migration's imports, once what they have read is in the store.
    ///
    /// ```swift
    /// Migration(to: 1, "from-realm", .importRecords("from Realm", as: "Person", importPeople))
    ///     .removingSource("Realm's files") { try removeRealm() }
    /// ```
    ///
    /// It is called after the commit, and only if each record that the migration's steps have read from the source is
    /// in the store. So it is not called if a policy has left one out, dropped it or quarantined it. It is called at
    /// most once: if it fails, or if the process is killed meanwhile, what it has not removed stays.
    ///
    /// The rest is as for ``afterCommit(_:_:)``, beside which a migration cannot have it: it is not called by helpers,
    /// in a dry run, and in the tests of `MoltTesting`. The registry is invalid if the migration imports nothing.
    ///
    /// - Parameters:
    ///   - summary: The name of the source, for plans and reports.
    ///   - remove: Removes it.
    public func removingSource(_ summary: String, _ remove: @escaping @Sendable () throws -> Void) -> Migration {
        changed { migration in
            migration.declaresWorkTwice = migration.work != nil
            migration.work = Work(summary: "remove \(summary)", removesSource: true) { _ in try remove() }
        }
    }
}
