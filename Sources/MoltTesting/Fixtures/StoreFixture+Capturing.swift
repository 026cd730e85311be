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
