internal import Dispatch

extension CacheFile {
    /// Runs an upgrade on a copy of the file and reports its effects; the file itself is not written to.
    ///
    /// ```swift
    /// print(try await CacheFile(at: url).dryRun(migrations))
    /// ```
    ///
    /// All closures of the pending migrations run, so a failing upgrade fails here with the same error. The copy is in
    /// the temporary directory, which needs space for the file and its upgrade. It is removed at the end, or, after a
    /// kill, by the next dry run.
    ///
    /// With samples, the report also shows records before and after each step, with the user's values:
    ///
    /// ```text
    /// split-full-name: transform Person
    ///   "ada" of type Person
    ///     - fullName: "Ada Lovelace"
    ///     + firstName: "Ada"
    ///     + lastName: "Lovelace"
    /// ```
    ///
    /// Suites and directories are read and not changed. If a newer release has upgraded the store, nothing is
    /// upgraded: the call throws `superseded`, unless each newer migration lets older releases write.
    ///
    /// A release can try the migrations of the next one in the field, while the app is running:
    ///
    /// ```swift
    /// let monitor = MigrationMonitor()
    /// var configuration = MoltConfiguration()
    /// configuration.monitor = monitor
    /// configuration.deadline = .now + .seconds(20)
    /// _ = try? await CacheFile(at: url).dryRun(next, configuration: configuration)
    /// if let summary = monitor.summary { upload(summary) }
    /// ```
    ///
    /// At the configuration's ``MoltConfiguration/deadline``, or when the task is cancelled, it stops copying, or stops
    /// before the next record. It does not begin if the disk has no room for the copy and its upgrade. Attempts that a
    /// crash or a kill interrupts are not counted: note in the app that a dry run began.
    ///
    /// - Important: A block's other changes outside the store are made here, too.
    /// - Parameters:
    ///   - migrations: The migrations to try.
    ///   - samples: The maximum number of changed records or settings to show for each step, at most 1 000; none by
    ///     default.
    ///   - configuration: How the cache would be opened; its monitor reports the progress.
    ///   - priority: The priority of the work; by default one at which it does not slow down the app. Linux ignores it.
    /// - Returns: The report of the upgrade; that of a new store when there is no file.
    /// - Throws: ``MoltError`` as ``CodableCache/init(at:migrations:configuration:)`` does, and with the code
    ///   `deadlinePassed` or `cancelled`.
    public func dryRun(
        _ migrations: MigrationRegistry,
        samples: Int = 0,
        configuration: MoltConfiguration = MoltConfiguration(),
        priority: TaskPriority = .utility
    ) async throws -> MigrationReport {
        let queue = DispatchQueue(label: "molt.dry-run", qos: DispatchQoS(priority))
        let configuration = try await configuration.fetchingRecords(of: migrations, for: url)
        return try await queue.runCancellable { isCancelled in
            var configuration = configuration
            configuration.cancel(when: isCancelled)
            return try dryRunAndWait(migrations, samples: samples, configuration: configuration)
        }
    }

    /// Does what ``dryRun(_:samples:configuration:priority:)`` does on the caller's thread, for a tool or a test.
    package func dryRunAndWait(
        _ migrations: MigrationRegistry,
        samples: Int = 0,
        configuration: MoltConfiguration = MoltConfiguration()
    ) throws -> MigrationReport {
        let migrator = Migrator(migrations, configuration: configuration, mode: .dryRun(samples: samples))
        return try DryRun(url: url, migrator: migrator).run()
    }
}

extension DispatchQoS {
    fileprivate init(_ priority: TaskPriority) {
        self =
            switch priority {
            case .high...: .userInitiated
            case .medium...: .default
            case .utility...: .utility
            default: .background
            }
    }
}
