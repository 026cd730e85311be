import Foundation
import Molt
import TestSupport
import Testing

#if canImport(Glibc)
    import FaultyDisk
#endif

/// Settings that the app removes after the commit of an interrupted upgrade, before the next opening.
@Suite struct `Settings removed during an unfinished upgrade` {
    enum Way: CaseIterable, Sendable {
        case removeAll
        case eachOfThem
        case userDefaults
        case wholeDomain

        func remove(_ suite: Suite) throws {
            let defaults = try #require(UserDefaults(suiteName: suite.domainName))
            switch self {
            case .removeAll: try suite.removeAll()
            case .eachOfThem: for key in ["name", "theme", "volume"] { try suite.removeValue(forKey: key) }
            case .userDefaults:
                for key in ["name", "theme", "volume", "molt.ledger"] { defaults.removeObject(forKey: key) }
            case .wholeDomain: defaults.removePersistentDomain(forName: suite.domainName)
            }
            #expect(defaults.synchronize())
        }
    }

    private static let old: [String: PropertyListValue] = ["name": "Ada", "theme": "dark", "volume": 3]

    private let scratch: ScratchSuite
    private let other: ScratchSuite
    private let cache: ScratchCache

    init() throws {
        scratch = try ScratchSuite(Self.old)
        other = try ScratchSuite(["kept": 1])
        cache = try ScratchCache()
        try CodableCache(at: cache.url).close()
    }

    private func migrations(with both: Bool) -> MigrationRegistry {
        let change = MigrationStep.changeSettings(in: scratch.suite) { settings in
            try settings.set("light", forKey: "theme")
            try settings.set(true, forKey: "new")
        }
        var migrations = [
            Migration(to: 1, "rename", .renameSetting("name", to: "fullName", in: scratch.suite)),
            Migration(to: 2, "change", change),
        ]
        if both { migrations.append(Migration(to: 3, "other", .renameSetting("kept", to: "moved", in: other.suite))) }
        return MigrationRegistry(migrations)
    }

    @Test(arguments: PrimaryStore.allCases)
    func `do not come back under the last of two new keys`(primary: PrimaryStore) throws {
        let registry: MigrationRegistry = [
            Migration(to: 1, "first", .renameSetting("name", to: "fullName", in: scratch.suite)),
            Migration(to: 2, "second", .renameSetting("fullName", to: "title", in: scratch.suite)),
        ]
        interrupt { try primary.upgrade(scratch.suite, cache: cache.url, with: registry, $0) }
        try scratch.suite.removeValue(forKey: "name")
        try primary.upgrade(scratch.suite, cache: cache.url, with: registry)
        try scratch.expect(["theme": "dark", "volume": 3], history: ["first", "second"])
    }

    @Test(arguments: PrimaryStore.allCases)
    func `do not keep away values that come from another suite and get new keys`(primary: PrimaryStore) throws {
        let registry: MigrationRegistry = [
            .suiteToAppGroup(
                to: 1,
                from: scratch.suite,
                into: other.suite,
                keys: .only(["name"]),
                removingSource: true
            ),
            Migration(to: 2, "second", .renameSetting("name", to: "title", in: other.suite)),
        ]
        interrupt { try primary.upgrade(scratch.suite, cache: cache.url, with: registry, $0) }
        try other.suite.removeAll()
        try primary.upgrade(scratch.suite, cache: cache.url, with: registry)
        try other.expect(["title": "Ada"])
        try scratch.expect(["theme": "dark", "volume": 3])
    }

    private func upgrade(_ primary: PrimaryStore, both: Bool, _ hook: UpgradeHook? = nil) throws {
        try primary.upgrade(scratch.suite, cache: cache.url, with: migrations(with: both), hook)
    }

    /// Stops an upgrade after its commit, with its changes to settings still pending.
    private func cutOff(_ primary: PrimaryStore, both: Bool) throws {
        interrupt { try upgrade(primary, both: both, $0) }
        try scratch.expect(Self.old)
    }

    /// Each way of removing in each store; every second with two changed suites.
    private static let removals: [(Way, PrimaryStore, Bool)] = Way.allCases.enumerated().flatMap { index, way in
        PrimaryStore.allCases.map { (way, $0, (index % 2 == 0) == ($0 == .cache)) }
    }

    @Test(arguments: removals)
    func `are not restored by the next opening`(way: Way, primary: PrimaryStore, both: Bool) throws {
        try cutOff(primary, both: both)
        try way.remove(scratch.suite)
        try scratch.expect([:])
        try upgrade(primary, both: both)
        try scratch.expect([:])
        try other.expect([both ? "moved" : "kept": 1])
        // The upgrade is finished: later settings stay, and no change is applied again.
        try scratch.suite.set("Grace", forKey: "name")
        try upgrade(primary, both: both)
        try scratch.expect(["name": "Grace"])
    }

    @Test(arguments: PrimaryStore.allCases, [true, false])
    func `are not restored when others remain, or the app has since set another key`(
        primary: PrimaryStore,
        othersRemain: Bool
    ) throws {
        try cutOff(primary, both: false)
        if othersRemain {
            try scratch.suite.update(remove: ["name", "theme"])
        } else {
            try scratch.suite.removeAll()
            try scratch.suite.set("of Grace", forKey: "token")
        }
        try upgrade(primary, both: false)
        try scratch.expect(othersRemain ? ["volume": 3, "new": true] : ["token": "of Grace"])
    }

    /// The source of the move is cleaned in the same upgrade.
    @Test(arguments: PrimaryStore.allCases)
    func `do not make settings moved from another suite disappear`(primary: PrimaryStore) throws {
        let source = try ScratchSuite(["a": 1, "b": 2])
        let migrations: MigrationRegistry = [
            .suiteToAppGroup(
                to: 1,
                from: source.suite,
                into: other.suite,
                keys: .only(["a", "b"]),
                removingSource: true
            ),
            Migration(to: 2, "rename", .renameSetting("b", to: "c", in: other.suite)),
        ]
        interrupt { try primary.upgrade(other.suite, cache: cache.url, with: migrations, $0) }
        try other.suite.removeValue(forKey: "kept")
        try primary.upgrade(other.suite, cache: cache.url, with: migrations)
        try other.expect(["a": 1, "c": 2])
        try source.expect([:])
    }

    #if os(Linux)
        @Test(arguments: ["", "<?xml version=\"1.0\""], PrimaryStore.allCases)
        func `are distinguished from settings lost to a truncated file`(left: String, primary: PrimaryStore)
            throws
        {
            let suite = scratch.suite
            try suite.upgrade(with: [Migration(to: 1, "earlier", .changeSettings(in: suite) { _ in })])
            try cutOff(primary, both: false)
            try scratch.writeFile(left)
            try upgrade(primary, both: false)
            try scratch.expect(
                ["fullName": "Ada", "theme": "light", "volume": 3, "new": true],
                history: ["earlier", "rename", "change"]
            )
        }

        /// Upgrades a suite that is the store.
        private static func rename(_ name: String, _ hook: UpgradeHook? = nil) throws {
            let rename = Migration(to: 1, "rename", .renameSetting("name", to: "fullName", in: Suite(name)))
            try Suite(name).upgrade(with: [rename], configuration: .init { $0.hooks.atPoint = hook })
        }

        #if CHILD_PROCESSES
            @Test func `are distinguished from settings lost to a second kill during recovery`() async throws {
                for call in TestRun.choose([1, 3, 6, 12], long: Array(1...50)) {
                    let scratch = try ScratchSuite(["name": "Ada", "theme": "dark"])
                    interrupt { try Self.rename(scratch.name, $0) }
                    try scratch.writeFile("<?xml version")
                    await #expect(processExitsWith: .signal(SIGKILL)) {
                        [name = scratch.name as String, call = call as Int] in
                        molt_kill_before_call(call)
                        try Self.rename(name)
                        kill(getpid(), SIGKILL)
                    }
                    try Self.rename(scratch.name)
                    try scratch.expect(["fullName": "Ada", "theme": "dark"], "call \(call)")
                }
            }

            /// The whole sequence, with a real kill.
            @Test func `are not restored after a kill`() async throws {
                await #expect(processExitsWith: .signal(SIGKILL)) { [name = scratch.name as String] in
                    try Self.rename(name) { if $0.kind == .beforeApply { kill(getpid(), SIGKILL) } }
                }
                try scratch.suite.removeAll()
                try Self.rename(scratch.name)
                try scratch.expect([:])
            }
        #endif
    #endif
}
