public import Foundation
internal import MoltCache
internal import MoltCore
public import MoltDefaults

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
