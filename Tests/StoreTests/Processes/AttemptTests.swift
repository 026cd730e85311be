#if CHILD_PROCESSES
    import Foundation
    import Molt
    import Testing

    /// A first migration, one with a step, and later ones without any.
    private func migrations(_ step: MigrationStep, later: Int...) -> MigrationRegistry {
        let first = [Migration(to: 1, "first"), Migration(to: 2, "crashing", step)]
        return MigrationRegistry(first + later.map { Migration(to: $0, "later \($0)") })
    }

    /// A migration with work after the commit, and another one with work that does nothing.
    private func registryWithWork(_ summary: String, _ work: @escaping @Sendable () -> Void) -> MigrationRegistry {
        let first = Migration(to: 1, "first").afterCommit(summary) { _ in work() }
        return [first, Migration(to: 1, "second").afterCommit("go on") { _ in }]
    }

    /// An attempt of an hour ago, as a process recorded it that has ended since.
    private func attempt(by processID: Int32 = 1_999_999_999, from: Int = 0, to: Int = 2) -> UpgradeAttempt {
        var attempt = UpgradeAttempt(from: from, to: to, appVersion: "1.0", build: AppBuild.current)
        attempt.startedAt = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded() - 3_600)
        attempt.processName = "killed"
        attempt.processID = processID
        return attempt
    }

    @Suite("An interrupted upgrade")
    struct AttemptTests {
        private let scratch: ScratchDirectory
        private let url: URL
        /// The file of attempts.
        private let note: URL

        init() throws {
            scratch = try ScratchDirectory()
            url = scratch.file()
            note = scratch.file("cache.molt-attempt")
            let cache = try CodableCache(at: url)
            try cache.set(Person.john, forKey: "john")
            cache.close()
        }

        /// Writes the file of attempts.
        private func record(_ attempts: [UpgradeAttempt]) throws {
            let lines = try attempts.map { try JSONEncoder().encode($0) + Data("\n".utf8) }
            try Data(lines.joined()).write(to: note)
        }

        /// Expects that the file of attempts is gone, or names no attempt.
        private func expectNoAttempts(sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(CacheFile(at: url).attempts().isEmpty, sourceLocation: sourceLocation)
        }

        /// Opens the store in another process, which is killed in the middle of the upgrade.
        private func crash(appVersion: String = "1.0") async {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as URL, appVersion = appVersion as String] in
                let crashing = migrations(.transform("Person") { _ in raise(SIGKILL) })
                let configuration = MoltConfiguration { $0.appVersion = appVersion }
                _ = try CodableCache(at: url, migrations: crashing, configuration: configuration)
            }
        }

        private func open(
            limit: Int?,
            appVersion: String = "1.0",
            _ step: MigrationStep = .renameType("Person", to: "Alien")
        ) throws -> CodableCache {
            let configuration = MoltConfiguration {
                if let limit { $0.hooks.attemptLimit = limit }
                $0.retriesInterruptedUpgrades = limit == nil
                $0.appVersion = appVersion
            }
            return try CodableCache(at: url, migrations: migrations(step), configuration: configuration)
        }

        #if DEBUG
            @Test func `does not count while unshipped migrations are redone, as in a debugger`() throws {
                try record([attempt(), attempt()])
                MoltError.thrown { try open(limit: 2) }?.expect(.attemptsFailed)
                let configuration = MoltConfiguration {
                    $0.hooks.attemptLimit = 2
                    $0.appVersion = "1.0"
                    $0.redoesUnshippedMigrations = true
                }
                let renaming = migrations(.renameType("Person", to: "Alien"))
                let cache = try CodableCache(at: url, migrations: renaming, configuration: configuration)
                #expect(cache.version == 2)
            }
        #endif

        @Test func `is not tried again beyond the limit, unless the app asks for it`() async throws {
            let before = try Snapshot(of: url)
            await crash()
            await crash()
            let attempts = CacheFile(at: url).attempts()
            let texts = attempts.map { "\($0.from) to \($0.to) by \($0.appVersion)" }
            #expect(texts == ["0 to 2 by 1.0", "0 to 2 by 1.0"])
            #expect(Set(attempts.map(\.processID)).count == 2)
            // Only the owner may read the file.
            let permissions = try FileManager.default.attributesOfItem(atPath: note.path)[.posixPermissions] as? Int
            #expect(permissions == 0o600)

            let error = MoltError.thrown {
                try open(limit: 2)
            }
            error?.expect(.attemptsFailed, says: "interrupted 2 times", "retriesInterruptedUpgrades")
            #expect(error?.attempts == attempts)
            #expect(try Snapshot(of: url) == before)
            // A refusal is not an attempt.
            #expect(CacheFile(at: url).attempts() == attempts)

            let cache = try open(limit: nil)
            #expect(try cache.count(of: Alien.self) == 1)
            cache.close()
            expectNoAttempts()
            try expectNames("cache.molt", in: scratch)
        }

        @Test func `is counted, whichever process has its identifier now, and after many others`() throws {
            let others = Array(repeating: attempt(from: 7, to: 8), count: 1_000)
            // In a container, the killed process may have had the current one's identifier. The process 1 may belong
            // to another user.
            let recorded: [[UpgradeAttempt]] = [
                [attempt(by: getpid())], [attempt(by: getppid())], [attempt(by: 1)], others + [attempt()],
            ]
            for attempts in recorded {
                try record(attempts)
                let own = try #require(attempts.last)
                let error = MoltError.thrown { try open(limit: 1) }
                error?.expect(.attemptsFailed)
                #expect(error?.attempts == [own])
                #expect(CacheFile(at: url).attempts() == attempts)
                #expect(AttemptLog(of: url.path).holder() == (attempts.count == 1 ? own : nil))
            }
            try open(limit: 2).close()
            #expect(try StoreFile.state(at: url).version == 2)
            try expectNames("cache.molt", in: scratch)
        }

        @Test func `may be tried as often again by another release of the app`() async throws {
            try record([attempt(), attempt()])
            MoltError.thrown { try open(limit: 1) }?.expect(.attemptsFailed)
            await crash(appVersion: "1.1")
            #expect(CacheFile(at: url).attempts().map(\.appVersion) == ["1.0", "1.0", "1.1"])
            MoltError.thrown { try open(limit: 1, appVersion: "1.1") }?.expect(.attemptsFailed)
            try open(limit: 1, appVersion: "1.2").close()
            expectNoAttempts()
        }

        @Test func `may be tried as often again by another build of one version, and the message says so`() throws {
            try record([attempt(), attempt()])
            MoltError.thrown { try open(limit: 2) }?.expect(
                .attemptsFailed,
                says: "This build does not try it again.",
                "another build of the app tries again"
            )
            let configuration = MoltConfiguration {
                $0.appVersion = "1.0"
                $0.hooks.attemptLimit = 2
                $0.hooks.build = "43"
            }
            try CodableCache(at: url, migrations: migrations(.run { _ in }), configuration: configuration).close()
            expectNoAttempts()
            // Without a bundle, the executable tells one build from another.
            #expect(AppBuild.current.contains("bytes"))
        }

        @Test func `of work after the commit is tried five times, and then the store opens without it`() async throws {
            for _ in 1...5 {
                await #expect(processExitsWith: .signal(SIGKILL)) { [url = url as URL] in
                    try CodableCache(at: url, migrations: registryWithWork("crash") { raise(SIGKILL) }).close()
                }
            }
            for _ in 1...2 {
                // In this process, the work would end all tests.
                await #expect(processExitsWith: .success) { [url = url as URL] in
                    let cache = try CodableCache(at: url, migrations: registryWithWork("crash") { raise(SIGKILL) })
                    let problems = cache.report.pendingWork.map { $0.problem ?? "" }
                    #expect(problems.count == 1 && problems[0].hasPrefix("it was interrupted 5 times"), "\(problems)")
                    cache.close()
                }
            }
            let configuration = MoltConfiguration { $0.hooks.build = "43" }
            let corrected = registryWithWork("crash") {}
            let cache = try CodableCache(at: url, migrations: corrected, configuration: configuration)
            #expect(cache.report.pendingWork.isEmpty && cache.report.work.count == 1)
            cache.close()
            try expectNames("cache.molt", in: scratch)
        }

        @Test func `does not count for a fresh store, when the old one is kept aside as the error advises`() throws {
            try record([attempt()])
            MoltError.thrown { try open(limit: 1) }?.expect(.attemptsFailed, says: "CacheFile.startAfresh()")
            let before = try StoreFile.contents(at: url)
            let aside = try #require(try CacheFile(at: url).startAfresh())
            expectNoAttempts()
            let cache = try open(limit: 1)
            #expect(cache.report.isFresh)
            #expect(try cache.count() == 0)
            #expect(try StoreFile.contents(at: aside.url) == before)
        }

        @Test func `does not count for a store that was restored from a backup`() throws {
            let backup = try CacheFile(at: url).backUp()
            try record([attempt()])
            try CacheFile(at: url).restore(backup)
            expectNoAttempts()
            try open(limit: 1).close()
        }

        @Test func `An upgrade that failed and was rolled back is not counted`() throws {
            for _ in 0..<3 {
                MoltError.thrown { try open(limit: 1, .transform("Person") { _ in throw Refusal() }) }?.expect(
                    .stepFailed
                )
            }
            expectNoAttempts()
            try open(limit: 1).close()
            try expectNames("cache.molt", in: scratch)
        }

        @Test func `is counted even when only its changes to attached stores were not applied yet`() async throws {
            let notebook = try Notebook()
            let registry: MigrationRegistry = [notebook.adding("new")]
            var configuration = MoltConfiguration { $0.hooks.atPoint = notebook.refusing }
            // The upgrade is committed, and the next process has only its changes to apply.
            MoltError.thrown {
                try CodableCache(at: url, migrations: registry, configuration: configuration)
            }?.expect(.suiteFailed)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as URL, name = notebook.suite.domainName as String] in
                let killing = MoltConfiguration {
                    $0.hooks.atPoint = { if $0.kind == .beforeApply { raise(SIGKILL) } }
                }
                let registry: MigrationRegistry = [try Notebook(named: name).adding("new")]
                _ = try CodableCache(at: url, migrations: registry, configuration: killing)
            }
            configuration.hooks.atPoint = nil
            configuration.hooks.attemptLimit = 1
            MoltError.thrown {
                try CodableCache(at: url, migrations: registry, configuration: configuration)
            }?.expect(.attemptsFailed)
            configuration.retriesInterruptedUpgrades = true
            try CodableCache(at: url, migrations: registry, configuration: configuration).close()
            #expect(try notebook.lines == ["new"])
        }

        @Test func `A malformed file of attempts is ignored`() throws {
            for text in ["", "garbage", "{\"from\":", "\u{0}\u{0}", "{}\n[]\n\n7\n"] {
                try Data(text.utf8).write(to: note)
                expectNoAttempts()
            }
            try open(limit: 1).close()
            try expectNames("cache.molt", in: scratch)
        }

        @Test func `is recorded neither through a symbolic link nor in something other than a file`() throws {
            let note = note.path
            let target = scratch.file("target")
            try Data("mine".utf8).write(to: target)
            try FileManager.default.createSymbolicLink(atPath: note, withDestinationPath: target.path)
            let seen = Log<[UpgradeAttempt]>()
            let url = url
            try open(limit: 1, .run { _ in seen.append(CacheFile(at: url).attempts()) }).close()
            #expect(seen.all == [[]])
            #expect(try String(contentsOf: target, encoding: .utf8) == "mine")
            try FileManager.default.removeItem(atPath: note)

            try FileManager.default.createDirectory(atPath: note, withIntermediateDirectories: false)
            try CodableCache(at: url, migrations: migrations(.run { _ in }, later: 3)).close()
            try FileManager.default.removeItem(atPath: note)

            // Opening a FIFO for writing would wait for a reader.
            #expect(mkfifo(note, 0o600) == 0)
            expectNoAttempts()
            try CodableCache(at: url, migrations: migrations(.run { _ in }, later: 3, 4)).close()
        }

        @Test(arguments: [("Text", true), ("Alien", false)])
        func `is recorded when types are merged, not when one is only renamed`(newName: String, isRecorded: Bool) throws
        {
            let cache = try CodableCache(at: url)
            try cache.set("note", forKey: "note")
            cache.close()
            try SQLite(url).run("UPDATE molt_type SET name = 'Text' WHERE name = 'String'")
            let found = Log<Int>()
            var configuration = MoltConfiguration()
            configuration.hooks.atPoint = { [url] in
                if $0.kind == .beforeCommit { found.append(CacheFile(at: url).attempts().count) }
            }
            let registry = registry(.renameType("Person", to: newName))
            _ = try Migrator(registry, configuration: configuration).migrate(StoreFile(at: url))
            #expect(found.all == [isRecorded ? 1 : 0])
            expectNoAttempts()
        }

        @Test func `is named in the error of a write that waits for the upgrade`() throws {
            let writer = try CodableCache(at: url, configuration: .init { $0.timeout = .milliseconds(20) })
            let isTold = Log<Bool>()
            let step = MigrationStep.run { _ in
                let words = "being upgraded by process \(getpid())"
                isTold.append(
                    MoltError.thrown { try writer.set(1, forKey: "number") }?.expect(.busy, says: words) != nil
                )
            }
            try open(limit: 1, step).close()
            #expect(isTold.all == [true])
        }

        @Test func `is named in the error of another process that waits for it in vain`() async throws {
            let url = url
            let begun = scratch.file("begun").path
            let found = Log<MoltError>()
            let reader = try CodableCache(at: url)
            let failures = besideChild(whenThereIs: begun) {
                let configuration = MoltConfiguration { $0.timeout = .milliseconds(100) }
                let registry: MigrationRegistry = [Migration(to: 1, "first"), Migration(to: 2, "crashing")]
                do {
                    _ = try CodableCache(at: url, migrations: registry, configuration: configuration)
                } catch let error as MoltError {
                    found.append(error)
                    // A reader sees the old store during the upgrade.
                    guard try reader.value(Person.self, forKey: "john") == .john else { throw TestFailure.expected }
                    if let holder = error.holder, holder.processID != getpid() { kill(holder.processID, SIGKILL) }
                }
            }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = url as URL, begun = begun as String] in
                let slow = MigrationStep.transform("Person") { _ in
                    _ = FileManager.default.createFile(atPath: begun, contents: nil)
                    Thread.sleep(forTimeInterval: 60)
                }
                _ = try CodableCache(at: url, migrations: migrations(slow))
            }
            #expect(failures.all.isEmpty)
            let error = try #require(found.all.first)
            let holder = try #require(error.holder)
            #expect(holder.to == 2)
            error.expect(.busy, says: "process \(holder.processID) (")
            #expect(try open(limit: 2).report.to == 2)
            MoltError.thrown { try reader.value(Person.self, forKey: "john") }?.expect(.storeChanged)
        }
    }
#endif
