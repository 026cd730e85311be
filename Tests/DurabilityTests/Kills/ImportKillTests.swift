#if os(Linux)
    import Foundation
    import Molt
    import TestSupport
    import Testing

    /// Kills a process at each point of an opening that imports records and removes their source.
    @Suite struct `An import that is killed` {
        @Test(arguments: ImportScenario.Source.allCases)
        func `is whole or not there, and loses no record with its source, which it removes at most once`(
            source: ImportScenario.Source
        ) async throws {
            let scenario = try ImportScenario(source)
            defer { scenario.place.remove() }
            let image = try DiskImage(of: scenario.place)
            let points = Log<UpgradePoint>()
            try scenario.open { points.append($0) }
            #expect(try scenario.left() == ImportScenario.Left(hasRecords: true, hasSource: false))
            let commit = try #require(points.all.firstIndex(of: UpgradePoint(.afterCommit, "of the upgrade")))
            let removal = try #require(points.all.firstIndex(of: ImportScenario.removes))
            #expect(points.all[..<commit].contains { $0.kind == .insert } && removal > commit)

            for (number, point) in points.all.enumerated() {
                try image.restore(to: scenario.place)
                await #expect(processExitsWith: .signal(SIGKILL), "\(point)") {
                    [scenario = scenario as ImportScenario, number = number as Int] in
                    let count = Locked(0)
                    try scenario.open { point in
                        if point == ImportScenario.removes { try scenario.noteRemoval() }
                        if count.withLock({ $0 }) == number { raise(SIGKILL) }
                        count.withLock { $0 += 1 }
                    }
                }
                let killed = try scenario.left()
                #expect(killed.hasRecords == (number >= commit) && killed.hasSource == (number <= removal), "\(point)")
                // The next opening finishes it, and the one after that has nothing to do.
                for _ in 1...2 {
                    try scenario.open { if $0 == ImportScenario.removes { try scenario.noteRemoval() } }
                    let left = try scenario.left()
                    #expect(left.hasRecords && left.hasSource == (number == removal), "\(point)")
                    #expect(try scenario.removals() == 1, "\(point)")
                }
            }
        }
    }

    extension ImportScenario {
        private var log: URL { place.directory.appendingPathComponent("removals") }

        /// Adds a letter to a file for a call of the closure that removes the source.
        fileprivate func noteRemoval() throws {
            let before = FileManager.default.contents(atPath: log.path) ?? Data()
            try (before + Data("x".utf8)).write(to: log)
        }

        fileprivate func removals() throws -> Int { try Data(contentsOf: log).count }
    }
#endif
