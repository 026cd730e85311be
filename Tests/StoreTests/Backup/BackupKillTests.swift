#if CHILD_PROCESSES
    import Foundation
    import Generators
    import Molt
    import Testing

    /// The size of the store in bytes, so that a copy has several parts.
    private let ballast = 1_400_000
    private let people = TestRun.choose(500, long: 12_000)
    /// The number of kills at random instants.
    private let rounds = TestRun.choose(1, long: 200)

    @Suite struct `A kill during a backup or a restore` {
        /// What a process does until it is killed.
        enum Work: String, Codable, Sendable {
            case restore
            case startAfresh

            func run(_ url: URL) throws {
                switch self {
                case .restore:
                    guard let backup = try CacheFile(at: url).backups().first else { throw TestFailure.expected }
                    try CacheFile(at: url).restore(backup)
                case .startAfresh:
                    try CacheFile(at: url).startAfresh()
                }
            }
        }

        let scenario: BackupScenario

        init() throws {
            scenario = try BackupScenario()
        }

        /// All files in the directory, with their bytes.
        private func image() throws -> [String: Data] {
            try scenario.scratch.names().reduce(into: [:]) { $0[$1] = try Data(contentsOf: scenario.scratch.file($1)) }
        }

        private func restore(_ image: [String: Data]) throws {
            for name in try scenario.scratch.names() {
                try FileManager.default.removeItem(at: scenario.scratch.file(name))
            }
            for (name, bytes) in image { try bytes.write(to: scenario.scratch.file(name)) }
        }

        private func kill(after microseconds: Int, _ work: Work) async {
            await #expect(processExitsWith: .signal(SIGKILL), "after \(microseconds) µs") {
                [url = scenario.url as URL, microseconds = microseconds as Int, work = work as Work] in
                Thread.detachNewThread {
                    usleep(UInt32(microseconds))
                    Foundation.kill(getpid(), SIGKILL)
                }
                try work.run(url)
                pause()
            }
        }

        private func duration(_ work: Work) throws -> Int {
            let start = ContinuousClock.now
            try work.run(scenario.url)
            return Int((ContinuousClock.now - start) / .microseconds(1))
        }

        /// Kills processes at instants that a seed determines; each process starts from the same files.
        private func killAtRandom(_ work: Work, seed: UInt64, check: () throws -> Void) async throws {
            let start = try image()
            let duration = try duration(work)
            var random = SeededGenerator(seed: seed)
            for _ in 0..<rounds {
                try restore(start)
                await kill(after: Int.random(in: 0...duration * 2, using: &random), work)
                try check()
            }
        }

        // MARK: Making a backup

        @Test func `A kill at any point of a backup leaves the store unchanged, and nothing that counts as a backup`()
            async throws
        {
            try scenario.fill(1, count: people, ballast: ballast)
            let before = try scenario.contents
            let start = try image()
            let points = Log<UpgradePoint.Kind>()
            try scenario.open(2, BackupScenario.configuration { $0.hooks.atPoint = { points.append($0.kind) } }).close()
            let kinds: Set<UpgradePoint.Kind> = [.beforeBackup, .copyForBackup, .afterBackup]
            let all = points.all.filter(kinds.contains)
            #expect(all.count > 5)
            // In the short run, one of each kind, and a kill before the copy's last part.
            for number in TestRun.choose([0, 2, all.count - 2, all.count - 1], long: Array(all.indices)) {
                try restore(start)
                await #expect(processExitsWith: .signal(SIGKILL), "\(all[number]), \(number)") {
                    [url = scenario.url as URL, number = number as Int] in
                    let seen = Log<Int>()
                    let configuration = BackupScenario.configuration { configuration in
                        configuration.hooks.atPoint = { point in
                            guard [.beforeBackup, .copyForBackup, .afterBackup].contains(point.kind) else { return }
                            if seen.count == number { raise(SIGKILL) }
                            seen.append(1)
                        }
                    }
                    _ = try CodableCache(at: url, migrations: BackupScenario.registry(2), configuration: configuration)
                }
                try scenario.expectContents(before)
                let isWhole = all[number] == .afterBackup
                #expect(try scenario.backups.count == (isWhole ? 1 : 0))
                // A backup that is being copied is in a file with the suffix `.part`.
                if number > 1, !isWhole { #expect(try scenario.otherNames().contains { $0.hasSuffix(".backup.part") }) }
                try scenario.open(2).close()
                #expect(try scenario.contents.version == 2)
                #expect(try scenario.backups.count == 1)
                for backup in try scenario.backups { #expect(try StoreFile.contents(at: backup.url) == before) }
                #expect(try scenario.otherNames().allSatisfy { $0.hasSuffix(".backup") })
            }
        }

        // MARK: Restoring a backup

        @Test func `A kill at any part of a restore leaves the store unchanged`() async throws {
            try scenario.fill(1, count: people, ballast: ballast)
            let old = try scenario.contents
            try scenario.open(2).close()
            let new = try scenario.contents
            let start = try image()
            let backup = try #require(try scenario.backups.first)
            let store = StoreFile(at: scenario.url)
            let parts = Log<Int>()
            store.options.atCopy = { parts.append(1) }
            try store.restore(backup, RestoreRequest(), waiting: {})
            #expect(parts.count > 5)
            for part in TestRun.choose([0, parts.count / 2, parts.count - 1], long: Array(0..<parts.count)) {
                try restore(start)
                await #expect(processExitsWith: .signal(SIGKILL), "\(part)") {
                    [url = scenario.url as URL, part = part as Int] in
                    let store = StoreFile(at: url)
                    let seen = Log<Int>()
                    store.options.atCopy = {
                        if seen.count == part { raise(SIGKILL) }
                        seen.append(1)
                    }
                    let backup = try #require(try CacheFile(at: url).backups().first)
                    try store.restore(backup, RestoreRequest(), waiting: {})
                }
                let left = try scenario.contents
                #expect(left == new)
                try scenario.open(2).close()
                #expect(try StoreFile.damage(at: scenario.url) == [])
                try CacheFile(at: scenario.url).restore(backup)
                try scenario.expectContents(old)
            }
        }

        @Test(arguments: [Work.restore, .startAfresh])
        func `A kill while a damaged file is replaced loses none of its bytes`(work: Work) async throws {
            try scenario.fill(1, count: people, ballast: ballast)
            let old = try scenario.contents
            try scenario.open(2).close()
            let noise = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
            try noise.write(to: scenario.url)
            func isReplaced() throws -> Bool {
                try work == .restore ? scenario.contents == old : StoreFile.state(at: scenario.url).isFresh
            }
            try await killAtRandom(work, seed: 13) {
                let bytes = try Data(contentsOf: scenario.url)
                if bytes != noise { #expect(try isReplaced()) }
                #expect(try image().values.contains(noise))
                try work.run(scenario.url)
                #expect(try isReplaced())
                #expect(try image().values.contains(noise))
                #expect(try scenario.otherNames().allSatisfy { !$0.hasSuffix(".part") })
                try scenario.open(1).close()
                #expect(try scenario.contents.version == 1)
            }
        }

        @Test func `A kill at any instant of starting afresh leaves the newer store, or a fresh one beside it`()
            async throws
        {
            try scenario.fill(2, count: people, ballast: ballast)
            let new = try scenario.contents
            try await killAtRandom(.startAfresh, seed: 14) {
                let state = try StoreFile.state(at: scenario.url)
                let aside = try scenario.otherNames().filter { $0.hasSuffix(".aside") }
                if state.version == 2 {
                    try scenario.expectContents(new)
                } else {
                    #expect(aside.count == 1)
                    for name in aside { #expect(try StoreFile.contents(at: scenario.scratch.file(name)) == new) }
                }
                try Work.startAfresh.run(scenario.url)
                try scenario.open(1).close()
                #expect(try scenario.contents.version == 1)
                #expect(try StoreFile.damage(at: scenario.url) == [])
            }
        }

        // MARK: Other processes

        @Test func `Another process with the file open reads consistent values, and then an error`() async throws {
            try scenario.fill(1)
            let cache = try scenario.open(2)
            try cache.setAll(["a": 0, "b": 0])
            cache.close()
            let backup = try #require(try scenario.backups.first)
            let ready = scenario.scratch.file("ready").path
            async let child = #expect(processExitsWith: .success) {
                [url = scenario.url as URL, ready = ready as String] in
                let cache = try CodableCache(at: url, migrations: BackupScenario.registry(2))
                var number = 0
                while true {
                    do {
                        number += 1
                        try cache.setAll(["a": number, "b": number])
                        let pair = try cache.values(Int.self, forKeys: ["a", "b"])
                        guard pair == [number, number] else { throw TestFailure.expected }
                        if number == 20 { try Data().write(to: URL(fileURLWithPath: ready)) }
                        // The restore needs a moment in which nobody writes.
                        try await Task.sleep(for: .milliseconds(1))
                    } catch let error as MoltError where error.code == .storeChanged {
                        guard number >= 20, error.storeVersion == 1 else { throw TestFailure.expected }
                        return
                    }
                }
            }
            while !FileManager.default.fileExists(atPath: ready) { try await Task.sleep(for: .milliseconds(5)) }
            try CacheFile(at: scenario.url).restore(backup, timeout: .seconds(60))
            _ = await child
            #expect(try scenario.contents.records.map(\.key) == ["0", "1", "2"])
        }

        @Test func `Concurrent restores leave the backup's store`() async throws {
            try scenario.fill(1)
            let before = try scenario.contents
            try scenario.open(3).close()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        await #expect(processExitsWith: .success) { [url = scenario.url as URL] in
                            let backup = try #require(try CacheFile(at: url).backups().first)
                            try CacheFile(at: url).restore(backup, timeout: .seconds(60))
                            let cache = try CodableCache(at: url, migrations: BackupScenario.registry(1))
                            guard try cache.count() == 3 else { throw TestFailure.expected }
                        }
                    }
                }
            }
            try scenario.expectContents(before)
            #expect(try scenario.backups.count == 1)
            #expect(try CacheFile(at: scenario.url).filesAside().map(\.version).contains(3))
        }

        // MARK: A full disk

        @Test func `A full disk leaves everything unchanged, and a later upgrade and restore succeed`() async throws {
            try scenario.fill(1, ballast: ballast)
            await #expect(processExitsWith: .success) { [url = scenario.url as URL] in
                // SQLite cannot even create its shared-memory file, which takes 32 KiB.
                let first = try refusal(at: 1_000) { _ = try CacheFile(at: url).backUp() }
                first?.expect(.noSpaceForBackup, says: "Free some space, and try again.")
                #expect(try BackupScenario.otherNames(beside: url) == [])

                let before = try StoreFile.contents(at: url)
                let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
                let migrations = BackupScenario.registry(2)
                // The free space that the system reports does not matter here.
                let configuration = BackupScenario.configuration { $0.backup?.freeSpace = { _ in nil } }
                for limit in [40_000, size / 2, size - 1] {
                    let error = try refusal(at: limit) {
                        _ = try CodableCache(at: url, migrations: migrations, configuration: configuration)
                    }
                    error?.expect(.noSpaceForBackup, says: "the disk became full")
                    #expect(try BackupScenario.otherNames(beside: url).allSatisfy { !$0.contains("backup") })
                }
                #expect(try StoreFile.contents(at: url) == before)

                try CodableCache(at: url, migrations: migrations, configuration: BackupScenario.configuration()).close()
                let after = try StoreFile.contents(at: url)
                let backup = try #require(try CacheFile(at: url).backups().first)
                for limit in [64 * 1024, backup.size / 2, backup.size - 1] {
                    let replacing = try refusal(at: limit) {
                        _ = try CacheFile(at: url).restore(backup, keepingReplaced: false)
                    }
                    replacing?.expect(.restoreFailed)
                    let keeping = try refusal(at: limit) { _ = try CacheFile(at: url).restore(backup) }
                    #expect(keeping?.code == .noSpaceForBackup || keeping?.code == .restoreFailed)
                }
                #expect(try StoreFile.contents(at: url) == after)
                #expect(try StoreFile.damage(at: url) == [])
                // No copy was kept, because nothing was replaced.
                #expect(try BackupScenario.otherNames(beside: url).count == 1)
                try CacheFile(at: url).restore(backup)
                #expect(try StoreFile.contents(at: url) == before)
            }
        }
    }

    /// The error of a closure that may write files of this size at most.
    private func refusal(at limit: Int, _ body: () throws -> Void) throws -> MoltError? {
        try FileSizeLimit.set(limit)
        defer { try? FileSizeLimit.set(nil) }
        return #expect(throws: MoltError.self, "\(limit)") { try body() }
    }

#endif
