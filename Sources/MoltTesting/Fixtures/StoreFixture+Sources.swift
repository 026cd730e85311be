public import Foundation
public import Molt

/// Fixtures of open stores, for each release to record before it ships.
extension StoreFixture {
    /// Captures the content of a cache and of the suites that its migrations work on.
    ///
    /// ```swift
    /// let fixture = try StoreFixture(capturing: cache, suites: [.standard]).withoutTimes()
    /// try fixture.write(to: fixtures.appending(path: "v\(fixture.version).json"))
    /// ```
    ///
    /// It includes expired records that are still stored.
    ///
    /// - Important: List all suites that the migrations work on. The cache does not know them, and the fixture lacks
    ///   the settings of other suites.
    /// - Parameters:
    ///   - cache: The open cache.
    ///   - suites: The suites to capture; none by default.
    /// - Throws: `MoltError` if a store cannot be read.
    public init(capturing cache: CodableCache, suites: [Suite] = []) throws {
        self.init(try cache.contents())
        try capture(suites)
    }

    /// Captures a suite that is a store of its own, for an app without a cache.
    ///
    /// - Parameters:
    ///   - suite: The suite that carries the ledger.
    ///   - others: Other suites that its migrations work on.
    /// - Throws: ``TestingError`` with the code `unsuitable` if an upgrade of the suite is unfinished; `MoltError`
    ///   if a suite cannot be read.
    public init(capturing suite: Suite, others: [Suite] = []) throws {
        guard try suite.pendingJournal().isEmpty else { throw TestingError.unfinished("The suite \(suite)") }
        let state = try suite.state() ?? StoreContents(version: 0)
        self.init(primary: .suite(suite), version: state.version, ledger: state.ledger)
        try capture([suite] + others)
    }

    private mutating func capture(_ suites: [Suite]) throws {
        for suite in suites { self.suites[suite] = try suite.values() }
    }
}

/// Fixtures from files of a device, a tester or an earlier release.
extension StoreFixture {
    /// Captures the content of a cache file, which stays unchanged.
    ///
    /// Files beside it with the suffixes `-wal` and `-shm` belong to it: keep the three together.
    ///
    /// - Throws: ``TestingError`` with the code `unsuitable` if changes to suites are still pending in it; `MoltError`
    ///   if it cannot be read or is not a cache.
    public init(cacheFile url: URL) throws {
        self.init(try StoreFile.contents(at: url))
        guard !records.isEmpty || !ledger.isEmpty || version > 0 else {
            throw TestingError(
                .unsuitable,
                "The store has neither records nor a version. If it was copied without the file beside it whose name ends "
                    + "in -wal, its values are there: copy both.",
                file: url
            )
        }
        guard try StoreFile.state(at: url).journal.isEmpty else {
            throw TestingError.unfinished("The cache", file: url)
        }
    }

    /// Captures the settings in an XML or binary property list as a store of its own, for an app without a cache.
    ///
    /// ```swift
    /// let fixture = try StoreFixture(settings: directory.appending(path: "com.example.app.plist"), of: .standard)
    /// ```
    ///
    /// The schema version and the ledger are those in the suite, or 0 and none if it was never upgraded.
    ///
    /// - Parameters:
    ///   - url: The property list.
    ///   - suite: The suite that migrations use for the settings.
    /// - Throws: ``TestingError`` with the code `malformedFixture` or `unreadable`; `MoltError` for an unreadable
    ///   ledger.
    public init(settings url: URL, of suite: Suite) throws {
        let found = try suite.separated(try Self.settings(url))
        self.init(
            primary: .suite(suite),
            version: found.state?.version ?? 0,
            ledger: found.state?.ledger ?? [],
            suites: [suite: found.values]
        )
    }

    /// Adds the settings in an XML or binary property list as those of a suite that migrations work on.
    ///
    /// They replace the fixture's settings of the suite. A ledger in the list is ignored, because the fixture has its
    /// own.
    ///
    /// - Throws: ``TestingError`` with the code `malformedFixture` or `unreadable`; `MoltError` for an unreadable
    ///   ledger.
    public mutating func addSettings(from url: URL, of suite: Suite) throws {
        suites[suite] = try suite.separated(try Self.settings(url)).values
    }

    private static func settings(_ url: URL) throws -> [String: PropertyListValue] {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw TestingError(.unreadable, "The settings cannot be read.", file: url, underlying: error)
        }
        let value: PropertyListValue
        do {
            // The domain's dictionary surrounds each value.
            value = try PropertyListReader.value(data, around: 1)
        } catch {
            let message = "This is not a property list that a suite can hold."
            throw TestingError(.malformedFixture, message, file: url, underlying: error)
        }
        guard case .dictionary(let values) = value else {
            let message = "The property list is not a dictionary, which the settings of a suite are."
            throw TestingError(.malformedFixture, message, file: url)
        }
        return values
    }
}

extension TestingError {
    /// The error for a store with pending changes, which a fixture would lose.
    static func unfinished(_ store: String, file: URL? = nil) -> TestingError {
        TestingError(
            .unsuitable,
            "\(store) has changes that an upgrade has not applied yet. Open it once with the app that upgraded it, and "
                + "make the fixture then.",
            file: file
        )
    }
}

/// Fixtures of apps that used the library Cache and adopt its directory.
extension StoreFixture {
    /// Captures the records that adopting a directory of Cache would create, as a cache of version 0.
    ///
    /// ```swift
    /// let directory = CacheDirectory(at: url, keys: .list(keys), type: "Person")
    /// let fixture = try StoreFixture(adopting: directory)
    /// ```
    ///
    /// Use it to test the migrations that follow the adoption. The directory is only read.
    ///
    /// - Parameters:
    ///   - directory: The directory, its keys and its types.
    ///   - now: The time that decides which entries have expired and are left out; by default none have.
    /// - Throws: `MoltError` with the code `notConvertible` for a file that cannot be adopted.
    public init(adopting directory: CacheDirectory, now: Date = .distantPast) throws {
        let adoption = Migration.adoptCacheDirectory(to: 1, directory: directory, strict: true)
        var configuration = MoltConfiguration()
        configuration.now = { now }
        let store = StoreFile(inMemoryWith: [])
        defer { store.close() }
        _ = try Migrator([adoption], configuration: configuration).migrate(store)
        var contents = try store.contents()
        contents.version = 0
        contents.ledger = []
        for index in contents.records.indices { contents.records[index].version = 0 }
        self.init(contents)
    }
}
