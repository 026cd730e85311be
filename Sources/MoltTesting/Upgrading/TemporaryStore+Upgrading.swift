public import Molt

extension TemporaryStore {
    /// Opens the copy as an app would open its file; the copy exists as long as the cache.
    ///
    /// - Throws: The errors of opening a cache.
    public func open(
        migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> CodableCache {
        try open(migrations, configuration, mode: .opening)
    }

    /// Opens the copy, also only to read it.
    package func open(
        _ migrations: MigrationRegistry,
        _ configuration: MoltConfiguration,
        mode: RunMode
    ) throws -> CodableCache {
        let configuration = try redirected(configuration, migrations)
        return try CodableCache(
            StoreFile(at: url, configuration),
            migrations: migrations,
            configuration: configuration,
            mode: mode,
            retaining: self
        )
    }

    /// Upgrades the copy as an app would that opens it, and closes it.
    ///
    /// - Parameters:
    ///   - migrations: The app's registry.
    ///   - configuration: How the app opens its cache.
    /// - Returns: The report of the upgrade.
    /// - Throws: The error of the upgrade.
    @discardableResult
    public func upgrade(
        through migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> MigrationReport {
        let entry = EntryPoint.all(for: fixture.primary)[0]
        return try await upgrade(through: migrations, by: entry, configuration: configuration)
    }

    /// Upgrades the copy through an entry point, and closes it.
    @discardableResult
    package func upgrade(
        through migrations: MigrationRegistry,
        by entry: EntryPoint,
        configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> MigrationReport {
        switch entry {
        case .asyncOpen:
            let cache = try await CodableCache.open(
                at: url,
                migrations: migrations,
                configuration: redirected(configuration, migrations),
                mode: .atOnce
            )
            cache.close()
            return cache.report
        default:
            let configuration = try await configuration.fetchingRecords(of: migrations, for: url)
            return try upgradeNow(through: migrations, by: entry, configuration: configuration)
        }
    }

    /// Upgrades the copy without suspending, and closes it.
    ///
    /// Migrations on read run like others, so that their whole result can be compared.
    package func upgradeNow(
        through migrations: MigrationRegistry,
        by entry: EntryPoint,
        configuration: MoltConfiguration
    ) throws -> MigrationReport {
        let configuration = try redirected(configuration, migrations)
        switch entry {
        case .open, .asyncOpen:
            let cache = try CodableCache(
                StoreFile(at: url, configuration),
                migrations: migrations,
                configuration: configuration,
                mode: .atOnce
            )
            cache.close()
            return cache.report
        case .inMemory:
            return try upgradeInMemory(through: migrations, configuration)
        case .suite:
            return try primarySuite().upgrade(with: migrations, configuration: configuration)
        }
    }

    /// Runs an upgrade without writing anything.
    ///
    /// - Returns: The report that an upgrade would have.
    /// - Throws: The error that an upgrade would throw.
    public func dryRun(
        _ migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> MigrationReport {
        let configuration = try redirected(configuration, migrations)
        switch fixture.primary {
        case .cache:
            return try CacheFile(at: url).dryRunAndWait(migrations, configuration: configuration)
        case .suite:
            return try primarySuite().dryRun(migrations, configuration: configuration)
        }
    }

    /// Does what upgrades of a copy leave out: hands over what waits, and does the work of migrations after the commit.
    ///
    /// ```swift
    /// let store = try TemporaryStore(fixture)
    /// try await store.upgrade(through: migrations)
    /// try store.doWork(of: migrations)
    /// #expect(keychain.token == "secret")
    /// ```
    ///
    /// The app's closures run. Pass migrations whose closures store nothing on the device that runs the tests.
    ///
    /// - Parameters:
    ///   - migrations: The app's registry.
    ///   - configuration: How the app opens its cache.
    /// - Returns: The report of the opening that does it; see `MigrationReport.work`.
    /// - Throws: The error of the opening.
    @discardableResult
    public func doWork(
        of migrations: MigrationRegistry,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> MigrationReport {
        doesWork = true
        defer { doesWork = false }
        return try upgradeNow(
            through: migrations,
            by: EntryPoint.all(for: fixture.primary)[0],
            configuration: configuration
        )
    }

    private func upgradeInMemory(
        through migrations: MigrationRegistry,
        _ configuration: MoltConfiguration
    ) throws -> MigrationReport {
        let store = StoreFile(inMemoryWith: configuration.attachedStores)
        try memory?.write(to: store)
        defer { store.close() }
        let report = try Migrator(migrations, configuration: configuration).migrate(store)
        memory = try store.contents()
        return report
    }

    private func primarySuite() throws -> Suite {
        guard case .suite(let suite) = fixture.primary else {
            throw TestingError(
                .unsuitable,
                "The fixture is a cache: upgrade it as one, or make it with `primary: .suite(…)`."
            )
        }
        return temporarySuite(for: suite)
    }
}

extension TemporaryStore {
    /// The current content of the copy.
    ///
    /// - Throws: `MoltError` if the copy cannot be read.
    public func contents() throws -> StoreFixture { try contents(after: .open) }

    /// The content of the copy after an upgrade.
    ///
    /// - Parameter entry: The entry point of the upgrade; the store in memory is separate from the file.
    package func contents(after entry: EntryPoint) throws -> StoreFixture {
        var found = StoreFixture(primary: fixture.primary, version: 0)
        switch fixture.primary {
        case .cache where entry == .inMemory:
            found.contents = memory ?? fixture.contents
        case .cache:
            found.contents = try StoreFile.contents(at: url)
        case .suite(let suite):
            found.contents = try temporarySuite(for: suite).state() ?? StoreContents(version: 0)
        }
        for (original, standIn) in allStandIns {
            let values = try standIn.values()
            if !values.isEmpty { found.suites[original] = values }
        }
        return found
    }

    /// The quarantined records, without their times.
    func quarantine() throws -> [String] {
        guard fixture.primary == .cache else { return [] }
        return try StoreFile.quarantine(at: url)
    }

    /// What waits to be handed over.
    func handovers() throws -> [String] {
        switch fixture.primary {
        case .cache: try StoreFile.handovers(at: url)
        case .suite(let suite): try StoreFile.handovers(at: SuiteFiles(temporarySuite(for: suite)).store)
        }
    }

    func pendingJournal() throws -> [String] {
        switch fixture.primary {
        case .cache: try StoreFile.state(at: url).journal
        case .suite(let suite): try temporarySuite(for: suite).pendingJournal()
        }
    }
}
