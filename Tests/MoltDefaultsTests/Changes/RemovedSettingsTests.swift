import Foundation
import MoltCache
import MoltCore
import MoltDefaults
import TestSupport
import Testing

#if canImport(Glibc)
    import FaultyDisk
    import MoltPlatform
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

    private func upgrade(_ primary: UpgradeScenario.Primary, both: Bool, _ hook: UpgradeHook? = nil) throws {
        switch primary {
        case .cache:
            var configuration = CodableCache.Configuration()
            configuration.atPoint = hook
            try CodableCache(at: cache.url, migrations: migrations(with: both), configuration: configuration).close()
        case .suite:
            var options = MigrationOptions()
            options.atPoint = hook
            try scratch.suite.upgrade(with: migrations(with: both), options: options)
        }
    }

    /// Stops the upgrade after its commit, with its changes to settings still pending.
    private func cutOff(_ primary: UpgradeScenario.Primary, both: Bool) throws {
        struct Stop: Error {}
        #expect(throws: (any Error).self) {
            try upgrade(primary, both: both) { if $0.kind == .afterCommit { throw Stop() } }
        }
        #expect(try scratch.suite.value(forKey: "name") == "Ada")
    }

    private func settings() throws -> [String: PropertyListValue] {
        try scratch.values.filter { $0.key != "molt.ledger" }
    }

    /// Each way of removing, with one changed suite and with two.
    static let ways = Way.allCases.flatMap { way in [false, true].map { (way: way, both: $0) } }

    @Test(arguments: ways, UpgradeScenario.Primary.allCases)
    func `are not restored by the next opening`(removal: (way: Way, both: Bool), primary: UpgradeScenario.Primary)
        throws
    {
        try cutOff(primary, both: removal.both)
        try removal.way.remove(scratch.suite)
        #expect(try settings().isEmpty)
        try upgrade(primary, both: removal.both)
        #expect(try settings() == [:])
        #expect(try other.values == [removal.both ? "moved" : "kept": 1])
        // The upgrade is finished: later settings stay, and no change is applied again.
        try scratch.suite.set("Grace", forKey: "name")
        try upgrade(primary, both: removal.both)
        #expect(try settings() == ["name": "Grace"])
    }

    @Test(arguments: UpgradeScenario.Primary.allCases)
    func `are not restored when the app has since set another key`(primary: UpgradeScenario.Primary) throws {
        try cutOff(primary, both: false)
        try scratch.suite.removeAll()
        try scratch.suite.set("of Grace", forKey: "token")
        try upgrade(primary, both: false)
        #expect(try settings() == ["token": "of Grace"])
    }

    @Test(arguments: UpgradeScenario.Primary.allCases)
    func `are not restored when removed one at a time`(primary: UpgradeScenario.Primary) throws {
        try cutOff(primary, both: false)
        try scratch.suite.update(remove: ["name", "theme"])
        try upgrade(primary, both: false)
        #expect(try settings() == ["volume": 3, "new": true])
    }

    /// The source of the move is cleaned in the same upgrade.
    @Test(arguments: UpgradeScenario.Primary.allCases)
    func `do not make settings moved from another suite disappear`(primary: UpgradeScenario.Primary) throws {
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
        func upgrade(_ hook: UpgradeHook? = nil) throws {
            switch primary {
            case .cache:
                var configuration = CodableCache.Configuration()
                configuration.atPoint = hook
                try CodableCache(at: cache.url, migrations: migrations, configuration: configuration).close()
            case .suite:
                var options = MigrationOptions()
                options.atPoint = hook
                try other.suite.upgrade(with: migrations, options: options)
            }
        }
        struct Stop: Error {}
        #expect(throws: (any Error).self) { try upgrade { if $0.kind == .afterCommit { throw Stop() } } }
        try other.suite.removeValue(forKey: "kept")
        try upgrade()
        #expect(try other.values.filter { $0.key != "molt.ledger" } == ["a": 1, "c": 2])
        #expect(try source.values.isEmpty)
    }

    #if os(Linux)
        @Test(arguments: ["", "<?xml version=\"1.0\""], UpgradeScenario.Primary.allCases)
        func `are distinguished from settings lost to a truncated file`(left: String, primary: UpgradeScenario.Primary)
            throws
        {
            try cutOff(primary, both: false)
            try scratch.writeFile(left)
            try upgrade(primary, both: false)
            #expect(try settings() == ["fullName": "Ada", "theme": "light", "volume": 3, "new": true])
        }

        #if CHILD_PROCESSES
            @Test func `are distinguished from settings lost to a second kill during recovery`() async throws {
                for call in stride(from: 1, through: 25, by: TestRun.choose(4, long: 1)) {
                    let scratch = try ScratchSuite(["name": "Ada", "theme": "dark"])
                    struct Stop: Error {}
                    #expect(throws: (any Error).self) {
                        try Self.rename(scratch.name) { if $0.kind == .afterCommit { throw Stop() } }
                    }
                    try scratch.writeFile("<?xml version")
                    await #expect(processExitsWith: .signal(SIGKILL)) {
                        [name = scratch.name as String, call = call as Int] in
                        molt_kill_before_call(call)
                        try Self.rename(name)
                        kill(getpid(), SIGKILL)
                    }
                    try Self.rename(scratch.name)
                    #expect(
                        try scratch.values.filter { $0.key != "molt.ledger" } == ["fullName": "Ada", "theme": "dark"],
                        "call \(call)"
                    )
                }
            }
        #endif

        private static func rename(_ name: String, _ hook: UpgradeHook? = nil) throws {
            let suite = Suite(name)
            var options = MigrationOptions()
            options.atPoint = hook
            let rename = Migration(to: 1, "rename", .renameKey("name", to: "fullName", in: suite))
            try suite.upgrade(with: [rename], options: options)
        }

        #if CHILD_PROCESSES
            /// The whole sequence, with a real kill.
            @Test(arguments: [true, false])
            func `are not restored after a kill`(isRemoved: Bool) async throws {
                await #expect(processExitsWith: .signal(SIGKILL)) { [name = scratch.name as String] in
                    let suite = Suite(name)
                    var options = MigrationOptions()
                    options.atPoint = { if $0.kind == .beforeApply { kill(getpid(), SIGKILL) } }
                    try await suite.upgrade(
                        with: [Migration(to: 1, "rename", .renameKey("name", to: "fullName", in: suite))],
                        options: options
                    )
                }
                if isRemoved { try scratch.suite.removeAll() } else { try scratch.writeFile("") }
                let suite = scratch.suite
                try await suite.upgrade(with: [
                    Migration(to: 1, "rename", .renameKey("name", to: "fullName", in: suite))
                ])
                #expect(try settings() == (isRemoved ? [:] : ["fullName": "Ada", "theme": "dark", "volume": 3]))
            }
        #endif
    #endif
}
