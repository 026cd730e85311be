import Foundation
import Molt
import TestSupport
import Testing

@Suite(.enabled(if: TestHome.isAvailable)) struct `The standard suite of a store` {
    private let directory: ScratchDirectory
    private let name = "molt.test.\(UUID().uuidString)"
    private var url: URL { directory.file() }

    init() throws {
        directory = try ScratchDirectory()
    }

    /// Sets a value of the tests' own standard suite, under a key of this test.
    private func setting(_ value: Int64, to version: Int) -> Migration {
        let key = name
        return Migration(
            to: version,
            "\(name) \(version)",
            .changeSettings(in: .standard) { try $0.set(.int(value), forKey: key) }
        )
    }

    private var value: Int64? { get throws { try Suite.standard.value(forKey: name)?.int } }

    private func open(_ migrations: MigrationRegistry, _ configuration: MoltConfiguration = .init()) throws
        -> MigrationReport
    {
        let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
        cache.close()
        return cache.report
    }

    /// Makes the file one that a process with another domain has upgraded.
    private func giveToOther() throws {
        let sql = "UPDATE molt_meta SET value = 'com.example.other' WHERE name = 'standard_domain'"
        try SQLite(url).run(sql)
    }

    @Test func `is that of the process that has upgraded it, and another process has none`() throws {
        try StandardSuite.whileAlone {
            _ = try open([])
            let first = setting(1, to: 1)
            _ = try open([first])
            defer { try? Suite.standard.removeValue(forKey: name) }
            let domain = try SQLite(url).text("SELECT value FROM molt_meta WHERE name = 'standard_domain'")
            #expect(domain == Suite.standard.domainName)
            try giveToOther()
            let migrations: MigrationRegistry = [first, setting(2, to: 2), Migration(to: 3, "records")]
            let report = try open(migrations)
            #expect(report.deferred.map(\.migration.version) == [2] && report.to == 3)
            #expect(report.deferred[0].reason.contains("com.example.other itself must open the store"))
            #expect(try value == 1)
            // A test or a tool names the domain.
            let scratch = try ScratchSuite([name: 1])
            var configuration = MoltConfiguration()
            configuration.suites = [Suite.standard.standIn(named: scratch.name)]
            #expect(try open(migrations, configuration).deferred.isEmpty)
            try scratch.expect([name: 2])
            #expect(try value == 1)
        }
    }

    @Test func `is that of an app which names the domain that it had before`() throws {
        try StandardSuite.whileAlone {
            _ = try open([])
            let first = setting(1, to: 1)
            _ = try open([first])
            defer { try? Suite.standard.removeValue(forKey: name) }
            try giveToOther()
            var configuration = MoltConfiguration()
            configuration.formerDomains = ["com.example.other"]
            #expect(try open([first, setting(2, to: 2)], configuration).deferred.isEmpty)
            #expect(try value == 2)
            // It is known by its own name now.
            #expect(try open([first, setting(2, to: 2), setting(3, to: 3)]).deferred.isEmpty)
        }
    }

    @Test func `waits in a helper, and is not changed by a process that is not the app`() throws {
        _ = try open([])
        var configuration = MoltConfiguration()
        configuration.process = .helper(waiting: .milliseconds(1))
        MoltError.thrown { try open([setting(1, to: 1)], configuration) }?.expect(.needsMigration)
        for process in [MoltConfiguration.Process.helper(), .tool] {
            configuration.process = process
            MoltError.thrown {
                try Suite.standard.upgrade(with: [setting(1, to: 1)], configuration: configuration)
            }?.expect(.deferred)
        }
        #expect(try value == nil)
    }

    @Test func `gets the changes of a journal from no other process`() throws {
        try StandardSuite.whileAlone {
            _ = try open([])
            defer { try? Suite.standard.removeValue(forKey: name) }
            let configuration = MoltConfiguration { configuration in
                configuration.hooks.atPoint = { if $0.kind == .beforeApply { throw TestFailure.expected } }
            }
            #expect(throws: (any Error).self) { try open([setting(1, to: 1)], configuration) }
            try giveToOther()
            MoltError.thrown { try open([setting(1, to: 1)]) }?.expect(
                .journalPending,
                says: "com.example.other itself"
            )
            #expect(try value == nil)
        }
    }

    @Test func `is not remembered by a store whose migrations work on named suites alone`() throws {
        let scratch = try ScratchSuite(["a": 1])
        _ = try open([Migration(to: 1, "named", .removeSettings("a", in: scratch.suite))])
        #expect(try SQLite(url).text("SELECT count(*) FROM molt_meta WHERE name = 'standard_domain'") == "0")
    }
}
