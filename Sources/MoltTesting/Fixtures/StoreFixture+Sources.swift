public import Foundation
public import MoltCache
internal import MoltCore
public import MoltDefaults

/// Fixtures of stores that are open, in the release that is about to ship: each release makes its own.
extension StoreFixture {
    /// Takes all that a cache holds now, and what the suites hold that its migrations work on.
    ///
    /// ```swift
    /// let fixture = try StoreFixture(capturing: cache, suites: [.standard]).withoutTimes()
    /// try fixture.write(to: fixtures.appending(path: "v\(fixture.schemaVersion).json"))
    /// ```
    ///
    /// Records that have expired and are still there are taken, too.
    ///
    /// - Important: Name all suites that the migrations work on: the cache does not know them, and the settings of those
    ///   that are not named are not in the fixture.
    /// - Parameters:
    ///   - cache: The cache, which is open.
    ///   - suites: The suites whose settings are taken; none by default.
    /// - Throws: `CacheError` and `DefaultsError` of what cannot be read.
    public init(capturing cache: CodableCache, suites: [Suite] = []) throws {
        self.init(try cache.contents())
        try capture(suites)
    }

    /// Takes all that a suite holds which is a store of its own, for an app without a cache.
    ///
    /// - Parameters:
    ///   - suite: The suite, which carries the ledger.
    ///   - others: What else its migrations work on.
    /// - Throws: ``TestingError`` with the code `unsuitable` when an upgrade of the suite has not ended yet;
    ///   `DefaultsError` for what cannot be read.
    public init(capturing suite: Suite, others: [Suite] = []) throws {
        let state = try DefaultsStore(suite).state()
        guard state.journal.isEmpty else { throw TestingError.unfinished("The suite \(suite)") }
        self.init(primary: .suite(suite), schemaVersion: state.version, ledger: state.ledger)
        try capture([suite] + others)
    }

    private mutating func capture(_ suites: [Suite]) throws {
        for suite in suites { self.suites[suite] = try suite.contents() }
    }
}

/// Fixtures from the files that a device has, a tester sent, or an earlier release left behind.
extension StoreFixture {
    /// Takes all that a cache file holds, which stays as it is.
    ///
    /// Where files with the endings `-wal` and `-shm` are beside it, they belong to it: keep the three together.
    ///
    /// - Throws: ``TestingError`` with the code `unsuitable` when changes of suites are left over in it; `CacheError` for
    ///   what is no cache, or cannot be read.
    public init(cacheFile url: URL) throws {
        self.init(try CacheStore.contents(at: url))
        guard try CacheStore.state(at: url).journal.isEmpty else {
            throw TestingError.unfinished("The cache", file: url)
        }
    }

    /// Takes the settings in a property list, XML or binary, as a store of its own, for an app without a cache.
    ///
    /// ```swift
    /// let fixture = try StoreFixture(settings: directory.appending(path: "com.example.app.plist"), of: .standard)
    /// ```
    ///
    /// The version and the ledger are those that Molt keeps in the suite; 0 and none where it was never upgraded.
    ///
    /// - Parameters:
    ///   - url: The property list.
    ///   - suite: The suite that migrations know the settings by.
    /// - Throws: ``TestingError`` with the code `malformedFixture` or `unreadable`; `DefaultsError` for a ledger that
    ///   cannot be read.
    public init(settings url: URL, of suite: Suite) throws {
        let found = try suite.separated(try Self.settings(url))
        self.init(
            primary: .suite(suite),
            schemaVersion: found.state?.version ?? 0,
            ledger: found.state?.ledger ?? [],
            suites: [suite: found.values]
        )
    }

    /// Adds the settings in a property list, XML or binary, as those of a suite that migrations work on.
    ///
    /// A ledger that is in it is left out: this fixture has its own. What the fixture had for the suite is replaced.
    ///
    /// - Throws: ``TestingError`` with the code `malformedFixture` or `unreadable`; `DefaultsError` for a ledger that
    ///   cannot be read.
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
            // The domain's dictionary is around each value.
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
    /// The error for a store of which a fixture would lose what an upgrade has yet to apply.
    static func unfinished(_ store: String, file: URL? = nil) -> TestingError {
        TestingError(
            .unsuitable,
            "\(store) has changes left over that an upgrade has not applied yet. Open it once with the app that "
                + "upgraded it, and take the fixture then.",
            file: file
        )
    }
}

/// Fixtures of apps that used the library Cache, and adopt its directory.
extension StoreFixture {
    /// Takes the records that adopting a directory of Cache gives, as a cache of version 0.
    ///
    /// ```swift
    /// let fixture = try StoreFixture(adopting: directory, keys: .list(keys), type: "Person")
    /// ```
    ///
    /// It is for testing the migrations that follow the adoption. The directory is only read.
    ///
    /// - Parameters:
    ///   - directory: The directory of one storage.
    ///   - keys: Which files, and under which keys. Those that are taken by their files' names keep these.
    ///   - type: What the files hold, and the type name that it is stored as.
    ///   - now: Entries that have expired by then are left out; by default none are.
    /// - Throws: `MigrationError` with the code `notConvertible` for a file that cannot be adopted.
    public init(
        adopting directory: URL,
        keys: CacheDirectory.Keys,
        type: CacheDirectory.Content,
        now: Date = .distantPast
    ) throws {
        try self.init(adopting: directory, keys: keys, now: now) { _ in type }
    }

    /// Takes the records that adopting a directory of Cache gives, with a type for each key.
    ///
    /// - Parameters:
    ///   - directory: The directory of one storage.
    ///   - keys: Which files, and under which keys. Those that are taken by their files' names keep these.
    ///   - now: Entries that have expired by then are left out; by default none are.
    ///   - type: Gets a key, or the name of a file whose key is not known, and says what the file holds.
    /// - Throws: `MigrationError` with the code `notConvertible` for a file that cannot be adopted.
    public init(
        adopting directory: URL,
        keys: CacheDirectory.Keys,
        now: Date = .distantPast,
        type: @escaping @Sendable (_ key: String) -> CacheDirectory.Content
    ) throws {
        let adoption = Migration.adoptCacheDirectory(
            to: 1,
            directory: directory,
            keys: keys,
            type: type,
            strict: true,
            now: { now }
        )
        let store = CacheStore(inMemory: .standard)
        defer { store.close() }
        _ = try Migrator([adoption]).migrate(store)
        var contents = try store.contents()
        contents.version = 0
        contents.ledger = []
        for index in contents.records.indices { contents.records[index].version = 0 }
        self.init(contents)
    }
}
