public import Foundation

extension CacheFile {
    /// Upgrades all stores of a directory, each by itself, such as those of accounts, documents or workspaces.
    ///
    /// ```swift
    /// let report = try await CacheFile.upgradeAll(in: directory, migrations: migrations) { share in
    ///     print("\(Int(share * 100)) %")
    /// }
    /// for store in report.failed { print(store.file, store.error?.problem ?? "") }
    /// ```
    ///
    /// Each store is upgraded as ``CodableCache/init(at:migrations:configuration:)`` upgrades it, and closed again. One
    /// that fails stays as it was, and the others go on. Records of migrations on read wait until the store is used.
    ///
    /// A file counts if its first bytes are those of a Molt file, whatever its name. Backups and other copies that Molt
    /// has made are left alone, as are hidden files and directories, and symbolic links. A file or a subdirectory that
    /// cannot be read may have a store, so it is among the failures.
    ///
    /// When the task is cancelled, the upgrades in progress are rolled back, and no other begins; the call returns, and
    /// the stores that were not upgraded have failed with the code `cancelled`. A later call goes on with them.
    ///
    /// If migrations work on suites, the stores' upgrades wait for each other there. The configuration's monitor is not
    /// used, because a monitor follows a single store.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - migrations: The migrations to run.
    ///   - subdirectories: Whether stores in subdirectories count, too; false by default.
    ///   - configuration: How each store would be opened.
    ///   - limit: The maximum number of stores that are upgraded at the same time.
    ///   - progress: Called with the completed share of all, from 0 to 1, by one thread at a time.
    /// - Throws: ``MoltError`` with the code `invalidRegistry`; or, for the directory itself, `fileMissing`, `notAFile`
    ///   or `noPermission`. Nothing was upgraded then.
    @discardableResult
    public static func upgradeAll(
        in directory: URL,
        migrations: MigrationRegistry,
        subdirectories: Bool = false,
        configuration: MoltConfiguration = MoltConfiguration(),
        atMost limit: Int = 2,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> DirectoryReport {
        try migrations.validate()
        let upgrade = DirectoryUpgrade(directory, subdirectories, migrations, configuration, limit, progress)
        let stores = try await upgrade.run { file, configuration in
            let store = StoreFile(at: file.url, configuration, createsFile: false)
            defer { store.close() }
            return try Migrator(migrations, configuration: configuration, mode: .opening).migrate(store)
        }
        return DirectoryReport(directory: directory, isDryRun: false, stores: stores)
    }

    /// Tries an upgrade of all stores of a directory on copies of them; none is written to.
    ///
    /// Each store goes through ``dryRun(_:samples:configuration:priority:)``. The temporary directory needs space for
    /// as many copies as are upgraded at the same time. Otherwise the call does what
    /// ``upgradeAll(in:migrations:subdirectories:configuration:atMost:progress:)`` does.
    ///
    /// - Important: A block's changes outside the stores are made here, too.
    /// - Parameters:
    ///   - directory: The directory.
    ///   - migrations: The migrations to try.
    ///   - subdirectories: Whether stores in subdirectories count, too; false by default.
    ///   - configuration: How each store would be opened.
    ///   - limit: The maximum number of stores that are copied at the same time.
    ///   - progress: Called with the completed share of all, from 0 to 1, by one thread at a time.
    /// - Throws: ``MoltError`` as ``upgradeAll(in:migrations:subdirectories:configuration:atMost:progress:)`` does.
    public static func dryRunAll(
        in directory: URL,
        migrations: MigrationRegistry,
        subdirectories: Bool = false,
        configuration: MoltConfiguration = MoltConfiguration(),
        atMost limit: Int = 2,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> DirectoryReport {
        try migrations.validate()
        let upgrade = DirectoryUpgrade(directory, subdirectories, migrations, configuration, limit, progress)
        let stores = try await upgrade.run { file, configuration in
            try file.dryRunAndWait(migrations, configuration: configuration)
        }
        return DirectoryReport(directory: directory, isDryRun: true, stores: stores)
    }
}

/// Work on the stores of a directory, a few at a time.
private final class DirectoryUpgrade: Sendable {
    let directory: URL
    let includesSubdirectories: Bool
    let migrations: MigrationRegistry
    /// The files of suites that are upgraded without a cache, which look like stores of records.
    let suiteFiles: Set<String>
    let configuration: MoltConfiguration
    let limit: Int
    let progress: (@Sendable (Double) -> Void)?

    init(
        _ directory: URL,
        _ includesSubdirectories: Bool,
        _ migrations: MigrationRegistry,
        _ configuration: MoltConfiguration,
        _ limit: Int,
        _ progress: (@Sendable (Double) -> Void)?
    ) {
        self.directory = directory
        self.includesSubdirectories = includesSubdirectories
        self.migrations = migrations
        let suites = configuration.suites + migrations.migrations.flatMap(\.attached).compactMap(\.suite)
        suiteFiles = Set(suites.compactMap { try? SuiteFiles($0).store.path })
        self.configuration = configuration
        self.limit = max(1, limit)
        self.progress = progress
    }

    typealias Work = @Sendable (CacheFile, MoltConfiguration) throws -> MigrationReport

    /// Does the work for each store.
    ///
    /// - Throws: ``MoltError`` if the directory cannot be read.
    func run(_ work: @escaping Work) async throws -> [DirectoryReport.Store] {
        let found = try await DispatchQueue(label: "molt.directory").run { [self] in try list() }
        let share = DirectoryProgress(of: found.map(\.file), progress)
        let stores = await withTaskGroup(of: (Int, DirectoryReport.Store).self) { group in
            var rest = found.indices[...]
            func beginNext() {
                guard let index = rest.popFirst() else { return }
                group.addTask { [self] in (index, await store(found[index], work) { share.set(index, to: $0) }) }
            }
            for _ in 0..<limit { beginNext() }
            var stores: [(Int, DirectoryReport.Store)] = []
            while let done = await group.next() {
                stores.append(done)
                beginNext()
            }
            return stores
        }
        if found.isEmpty { progress?(1) }
        return stores.ordered { $0.0 < $1.0 }.map(\.1)
    }

    private func store(
        _ found: Found,
        _ work: @escaping Work,
        _ progress: @escaping @Sendable (Double) -> Void
    ) async -> DirectoryReport.Store {
        defer { progress(1) }
        do {
            if let error = found.error { throw error }
            // A queue of its own, so that no store waits for another one.
            var configuration = configuration
            configuration.monitor = nil
            configuration = try await configuration.fetchingRecords(of: migrations, for: found.file.url)
            let queue = DispatchQueue(label: "molt.directory")
            let report = try await queue.runCancellable { [configuration] isCancelled in
                var configuration = configuration
                configuration.cancel(when: isCancelled)
                configuration.monitor = MigrationMonitor { event in
                    if case .progressed(let step) = event { progress(step.fraction) }
                }
                do {
                    try configuration.checkCancellation()
                } catch {
                    throw error.with(.unchanged)
                }
                return try work(found.file, configuration)
            }
            return DirectoryReport.Store(file: found.file, report: report, error: nil)
        } catch {
            let failure =
                error as? MoltError
                ?? MoltError(
                    .storeFailed,
                    "The store at \(found.file.name) cannot be upgraded.",
                    store: found.file.name,
                    underlying: error
                )
            return DirectoryReport.Store(file: found.file, report: nil, error: failure)
        }
    }

    // MARK: Finding stores

    private struct Found {
        var file: CacheFile
        /// Why it cannot even be looked at.
        var error: MoltError?
    }

    /// The stores, in the order of their paths.
    private func list() throws -> [Found] {
        let path = FileStatus.path(of: directory)
        guard path.hasPrefix("/") else {
            throw MoltError(
                .notAFile,
                "\(path) is not the URL of a directory.",
                advice: "Make it with `URL(filePath:)`.",
                store: path
            )
        }
        guard let status = try FileStatus.of(path) else {
            throw MoltError(.fileMissing, "There is no directory at \(path).", advice: "Check the path.", store: path)
        }
        guard status.isDirectory else {
            throw MoltError(
                .notAFile,
                "The path \(path) is not a directory.",
                advice: "Choose the directory that the stores are in.",
                store: path
            )
        }
        var found: [Found] = []
        try list(path, into: &found)
        return found.ordered { $0.file.path < $1.file.path }
    }

    private func list(_ path: String, into found: inout [Found]) throws {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw MoltError(
                .noPermission,
                "The directory at \(path) cannot be read.",
                advice: "Check its permissions.",
                outcome: .unchanged,
                store: path,
                underlying: error
            )
        }
        for name in names where !name.hasPrefix(".") {
            let url = URL(filePath: path, directoryHint: .isDirectory).appending(
                path: name,
                directoryHint: .notDirectory
            )
            let file = CacheFile(at: url)
            // A path that is too long for SQLite is not one of a store.
            guard let status = FileStatus.unfollowed(file.path), (try? FileStatus.checkPath(file.path)) != nil else {
                continue
            }
            do {
                if status.isDirectory {
                    if includesSubdirectories { try list(file.path, into: &found) }
                } else if status.isFile, try FileProbe.isStore(file.path), !BackupName.isOfAnyStore(name),
                    !suiteFiles.contains(file.path)
                {
                    found.append(Found(file: file))
                }
            } catch {
                found.append(Found(file: file, error: error as? MoltError))
            }
        }
    }
}

/// The completed share of work on several stores, by their sizes.
private final class DirectoryProgress: Sendable {
    private let sizes: [Double]
    private let fractions: Locked<[Double]>
    private let progress: (@Sendable (Double) -> Void)?

    init(of files: [CacheFile], _ progress: (@Sendable (Double) -> Void)?) {
        // An empty store is some work, too.
        sizes = files.map { Double((StoreFiles($0.path).byteCount ?? 0) + 1) }
        fractions = Locked([Double](repeating: 0, count: files.count))
        self.progress = progress
    }

    /// Notes the completed share of one store, which does not decrease.
    func set(_ index: Int, to fraction: Double) {
        guard let progress else { return }
        fractions.withLock { fractions in
            guard fraction > fractions[index] else { return }
            fractions[index] = fraction
            let isDone = fractions.allSatisfy { $0 == 1 }
            let share = zip(fractions, sizes).reduce(0) { $0 + $1.0 * $1.1 } / sizes.reduce(0, +)
            progress(isDone ? 1 : min(share, 1))
        }
    }
}
