#if os(Linux)
    import Foundation
    import Molt
    import TestSupport
    import Testing

    /// The store is upgraded by one opening, which is killed while it does the work, or before or after that.
    @Suite struct `Work after a commit that is killed` {
        /// Where the opening is killed; the work itself is the third of them.
        private static let points = [
            UpgradePoint(.beforeCommit, "of the upgrade"), UpgradePoint(.afterCommit, "of the upgrade"), nil,
            UpgradePoint(.beforeWork, "of person"), UpgradePoint(.afterWork, "of person"),
            UpgradePoint(.beforeCommit, "of the work"),
        ]

        @Test(arguments: points) func `is done by the next opening, and again if only the ledger's write is missing`(
            point: UpgradePoint?
        ) async throws {
            let scratch = try ScratchDirectory()
            let url = scratch.file()
            try CodableCache(at: url).close()
            // Twice: the second opening finds the store upgraded, and the lock of the first.
            for round in 1...2 {
                await #expect(processExitsWith: .signal(SIGKILL), "\(round), \(String(describing: point))") {
                    [url = url as URL, point = point as UpgradePoint?] in
                    try open(url, killedAt: point)
                    // The second opening has no upgrade left.
                    if point?.subject == "of the upgrade" { raise(SIGKILL) }
                }
            }
            let isUpgraded = point?.kind != .beforeCommit || point?.subject != "of the upgrade"
            let state = try StoreFile.state(at: url)
            #expect(state.version == (isUpgraded ? 1 : 0))
            let isDone = point == Self.points[1]
            #expect(state.ledger.map(\.isWorkPending) == (isUpgraded ? [!isDone] : []))
            // A kill in the middle of the work is not an interrupted upgrade; one right after the commit may be.
            #expect(CacheFile(at: url).attempts().count == (isDone ? 1 : isUpgraded ? 0 : 2))

            let report = try open(url, killedAt: UpgradePoint(.beforeBackup))
            #expect(report.work.count == (isDone ? 0 : 1) && report.pendingWork.isEmpty)
            #expect(try StoreFile.state(at: url).ledger.map(\.isWorkPending) == [false])
            let times = try String(contentsOf: URL(fileURLWithPath: url.path + ".log"), encoding: .utf8).count
            switch point {
            case nil, Self.points[4], Self.points[5]: #expect(times == 3)
            default: #expect(times == 1)
            }
            #expect(try StoreFile.damage(at: url).isEmpty)
            #expect(try scratch.names().filter { !$0.hasSuffix("-attempt") } == ["cache.molt", "cache.molt.log"])
        }
    }

    /// Upgrades the store; the work adds a letter to a file.
    ///
    /// - Parameter point: Where the process is killed; nil for the work itself.
    @discardableResult
    private func open(_ url: URL, killedAt point: UpgradePoint?) throws -> MigrationReport {
        let log = url.path + ".log"
        let migration = Migration(to: 1, "person", .run { _ in }).afterCommit("write a letter") { _ in
            let before = FileManager.default.contents(atPath: log) ?? Data()
            try (before + Data("x".utf8)).write(to: URL(fileURLWithPath: log))
            if point == nil { raise(SIGKILL) }
        }
        var configuration = MoltConfiguration()
        configuration.hooks.atPoint = { if $0 == point { raise(SIGKILL) } }
        let cache = try CodableCache(at: url, migrations: [migration], configuration: configuration)
        defer { cache.close() }
        return cache.report
    }
#endif
