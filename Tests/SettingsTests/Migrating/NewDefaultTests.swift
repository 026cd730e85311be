import Foundation
import Molt
import TestSupport
import Testing

/// The recipe of the guide: a release has a new default, and who used the app before keeps the old one.
@Suite struct `A new default for new users only` {
    private let scratch: ScratchSuite
    private let cache: ScratchCache
    private static let sound = SettingKey("sound", default: "chime")

    init() throws {
        (scratch, cache) = (try ScratchSuite(), try ScratchCache())
    }

    /// The migrations of the release before, and of the one with the new default.
    private var before: [Migration] {
        [Migration(to: 1, "volume", .renameSetting("loudness", to: "volume", in: scratch.suite))]
    }

    private var migrations: MigrationRegistry {
        MigrationRegistry(
            before + [
                Migration(
                    to: 2,
                    "old-sound-stays",
                    .run(suites: [scratch.suite]) { [suite = scratch.suite] migration in
                        let settings = try migration.suite(suite)
                        if try settings.value(forKey: "sound") == nil { try settings.set("bell", forKey: "sound") }
                    }
                )
            ]
        )
    }

    /// Opens the store with the new release, twice, and expects a sound.
    private func expect(
        _ sound: String,
        _ primary: PrimaryStore,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for _ in 1...2 {
            try primary.upgrade(scratch.suite, cache: cache.url, with: migrations)
            let found = try scratch.suite.value(for: Self.sound)
            #expect(found == sound, sourceLocation: sourceLocation)
        }
    }

    private func removeDomain() throws {
        let defaults = try scratch.defaults
        defaults.removePersistentDomain(forName: scratch.name)
        defaults.synchronize()
        try scratch.expect([:])
    }

    @Test(arguments: PrimaryStore.allCases) func `A new user gets the new one`(primary: PrimaryStore) throws {
        try expect("chime", primary)
        try scratch.suite.set(7, forKey: "volume")
        try expect("chime", primary)
    }

    @Test func `A new user gets the new one, also where a widget upgrades the settings that a cache has upgraded`()
        throws
    {
        try expect("chime", .cache)
        try scratch.suite.set(7, forKey: "volume")
        try expect("chime", .suite)
        #expect(try ["volume", "old-sound-stays"].allSatisfy(scratch.history.contains))
    }

    @Test(arguments: PrimaryStore.allCases)
    func `A user of the release before keeps the old one, or what was chosen`(primary: PrimaryStore) throws {
        try primary.upgrade(scratch.suite, cache: cache.url, with: MigrationRegistry(before))
        try scratch.suite.set(7, forKey: "volume")
        try expect("bell", primary)
        try scratch.suite.set("horn", forKey: "sound")
        try expect("horn", primary)
    }

    @Test(arguments: PrimaryStore.allCases)
    func `A user of a release before Molt keeps the old one`(primary: PrimaryStore) throws {
        try scratch.suite.update(set: ["loudness": 3])
        try expect("bell", primary)
        try scratch.expect(["volume": 3, "sound": "bell"])
    }

    @Test func `A user of a release without a cache keeps the old one in the first with a cache`() throws {
        try scratch.suite.update(set: ["loudness": 3])
        try scratch.suite.upgrade(with: MigrationRegistry(before))
        try expect("bell", .cache)
    }

    @Test(arguments: PrimaryStore.allCases)
    func `A user whose settings were emptied keeps the old one, and gets the new one if that is later`(
        primary: PrimaryStore
    ) throws {
        try scratch.suite.update(set: ["loudness": 3])
        try primary.upgrade(scratch.suite, cache: cache.url, with: MigrationRegistry(before))
        try removeDomain()
        try expect("bell", primary)
        try removeDomain()
        try expect("chime", primary)
    }
}
