import Foundation
import TestSupport
import Testing

@testable import Molt

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
            let name = suite.domainName
            switch self {
            case .removeAll: try suite.removeAll()
            case .eachOfThem:
                for key in ["name", "theme", "volume"] { try suite.removeValue(forKey: key) }
            case .userDefaults:
                let defaults = try #require(UserDefaults(suiteName: name))
                for key in ["name", "theme", "volume", "molt.ledger"] { defaults.removeObject(forKey: key) }
                #expect(defaults.synchronize())
            case .wholeDomain:
                let defaults = try #require(UserDefaults(suiteName: name))
                defaults.removePersistentDomain(forName: name)
                #expect(defaults.synchronize())
            }
        }
    }

    private let scratch: ScratchSuite
    private let other: ScratchSuite
    private let cache: ScratchCache

    init() throws {
        scratch = try ScratchSuite(["name": "Ada", "theme": "dark", "volume": 3])
        other = try ScratchSuite(["kept": 1])
        cache = try ScratchCache()
        try CodableCache(at: cache.url).close()
    }

    private func migrations(with both: Bool) -> MigrationRegistry {
        let suite = scratch.suite
        var migrations = [
            Migration(to: 1, "rename", .renameKey("name", to: "fullName", in: suite)),
            Migration(
                to: 2,
                "change",
                .settings(in: suite) { settings in
                    try settings.set("light", forKey: "theme")
                    try settings.set(true, forKey: "new")
                }
            ),
        ]
        if both { migrations.append(Migration(to: 3, "other", .renameKey("kept", to: "moved", in: other.suite))) }
        return MigrationRegistry(migrations)
    }

    private func upgrade(_ primary: PrimaryStore, both: Bool, _ hook: UpgradeHook? = nil) throws {
        try primary.upgrade(scratch.suite, cache: cache.url, with: migrations(with: both), hook)
    }

    private struct Stop: Error {}

    /// Stops an upgrade after its commit, with its changes to settings still pending.
    private static let stop: UpgradeHook = { if $0.kind == .afterCommit { throw Stop() } }

    private func cutOff(_ primary: PrimaryStore, both: Bool) throws {
        #expect(throws: (any Error).self) { try upgrade(primary, both: both, Self.stop) }
        #expect(try scratch.suite.value(forKey: "name") == "Ada")
    }

    /// Each way of removing in each store; every second with two changed suites.
    private static let removals: [(Way, PrimaryStore, Bool)] = Way.allCases.enumerated().flatMap { index, way in
        PrimaryStore.allCases.map { (way, $0, (index % 2 == 0) == ($0 == .cache)) }
    }

    @Test(arguments: removals)
    func `are not restored by the next opening`(way: Way, primary: PrimaryStore, both: Bool) throws {
        try cutOff(primary, both: both)
        try way.remove(scratch.suite)
        #expect(try scratch.values.isEmpty)
        try upgrade(primary, both: both)
        #expect(try scratch.values == [:])
        #expect(try other.values == [both ? "moved" : "kept": 1])
        // The upgrade is finished: later settings stay, and no change is applied again.
        try scratch.suite.set("Grace", forKey: "name")
        try upgrade(primary, both: both)
        #expect(try scratch.values == ["name": "Grace"])
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
        #expect(try scratch.values == (othersRemain ? ["volume": 3, "new": true] : ["token": "of Grace"]))
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
                afterwards: .clean
            ),
            Migration(to: 2, "rename", .renameKey("b", to: "c", in: other.suite)),
        ]
        #expect(throws: (any Error).self) {
            try primary.upgrade(other.suite, cache: cache.url, with: migrations, Self.stop)
        }
        try other.suite.removeValue(forKey: "kept")
        try primary.upgrade(other.suite, cache: cache.url, with: migrations)
        #expect(try other.values == ["a": 1, "c": 2])
        #expect(try source.values.isEmpty)
    }

    #if os(Linux)
        @Test(arguments: ["", "<?xml version=\"1.0\""], PrimaryStore.allCases)
        func `are distinguished from settings lost to a truncated file`(left: String, primary: PrimaryStore)
            throws
        {
            try cutOff(primary, both: false)
            try scratch.writeFile(left)
            try upgrade(primary, both: false)
            #expect(try scratch.values == ["fullName": "Ada", "theme": "light", "volume": 3, "new": true])
        }

        /// Upgrades a suite that is the store.
        private static func rename(_ name: String, _ hook: UpgradeHook? = nil) throws {
            var configuration = MoltConfiguration()
            configuration.hooks.atPoint = hook
            let rename = Migration(to: 1, "rename", .renameKey("name", to: "fullName", in: Suite(name)))
            try Suite(name).upgrade(with: [rename], configuration: configuration)
        }

        #if CHILD_PROCESSES
            @Test func `are distinguished from settings lost to a second kill during recovery`() async throws {
                for call in TestRun.choose([1, 3, 6, 12], long: Array(1...50)) {
                    let scratch = try ScratchSuite(["name": "Ada", "theme": "dark"])
                    #expect(throws: (any Error).self) { try Self.rename(scratch.name, Self.stop) }
                    try scratch.writeFile("<?xml version")
                    await #expect(processExitsWith: .signal(SIGKILL)) {
                        [name = scratch.name as String, call = call as Int] in
                        molt_kill_before_call(call)
                        try Self.rename(name)
                        kill(getpid(), SIGKILL)
                    }
                    try Self.rename(scratch.name)
                    #expect(try scratch.values == ["fullName": "Ada", "theme": "dark"], "call \(call)")
                }
            }

            /// The whole sequence, with a real kill.
            @Test func `are not restored after a kill`() async throws {
                await #expect(processExitsWith: .signal(SIGKILL)) { [name = scratch.name as String] in
                    try Self.rename(name) { if $0.kind == .beforeApply { kill(getpid(), SIGKILL) } }
                }
                try scratch.suite.removeAll()
                try Self.rename(scratch.name)
                #expect(try scratch.values == [:])
            }
        #endif
    #endif
}
