#if os(Linux)
    import Foundation
    import MoltPlatform
    import MoltCache
    import MoltCore
    import MoltDefaults
    import Testing

    /// A process that is stopped while it holds a suite's lock.
    private final class StoppedHolder: Sendable {
        private let file: URL

        init() throws {
            file = try TestHome.directory.appendingPathComponent("holder-\(UUID().uuidString)")
        }

        /// Runs a closure while another process is stopped in the middle of changing a suite.
        func run(_ name: String, _ body: @escaping @Sendable () throws -> Void) async {
            async let ended: Void = hold(name)
            await withCheckedContinuation { done in
                Thread.detachNewThread {
                    do {
                        let process = try self.stopped()
                        defer { kill(process, SIGCONT) }
                        try body()
                    } catch {
                        Issue.record(error)
                    }
                    done.resume()
                }
            }
            await ended
            try? FileManager.default.removeItem(at: file)
        }

        private func hold(_ name: String) async {
            await #expect(processExitsWith: .success) { [name = name as String, path = file.path as String] in
                try SuiteDomain(Suite(name)).change(settingAsideDamage: false) { _ in
                    try Data("\(getpid())".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
                    raise(SIGSTOP)
                    return SuiteEdit(values: ["by the other": 1])
                }
            }
        }

        /// Waits until the process is stopped.
        private func stopped() throws -> pid_t {
            while true {
                if let text = try? String(contentsOf: file, encoding: .utf8), let process = pid_t(text),
                    let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                    status.split(separator: ")").last?.hasPrefix(" T") == true
                {
                    return process
                }
                usleep(5_000)
            }
        }
    }

    @Suite struct `A suite whose lock is held by a stopped process` {
        let scratch: ScratchSuite
        private let holder: StoppedHolder

        init() throws {
            scratch = try ScratchSuite(["a": 1])
            holder = try StoppedHolder()
        }

        @Test func `can be read, and other suites do not wait for its lock`() async throws {
            let (scratch, other) = (scratch, try ScratchSuite(["b": 1]))
            await holder.run(scratch.name) { () throws in
                #expect(try scratch.values == ["a": 1])
                #expect(try scratch.suite.value(forKey: "a") == 1)
                try other.suite.set(2, forKey: "b")
                #expect(try other.values == ["b": 2])
                try other.suite.upgrade(with: [Migration(to: 1, "rename", .renameKey("b", to: "c", in: other.suite))])
                #expect(try other.suite.value(forKey: "c") == 2)
            }
            #expect(try scratch.values == ["a": 1, "by the other": 1])
        }

        @Test func `cannot be changed: each call fails with an error that says why`() async throws {
            let scratch = scratch
            await holder.run(scratch.name) { () throws in
                let error = #expect(throws: DefaultsError.self) { try scratch.suite.set(2, forKey: "a") }
                #expect(error?.code == .busy)
                #expect(error?.suite == scratch.name)
                #expect(
                    error?.message == """
                        Another process or thread has been changing the settings in \(scratch.name) for more than 5.0 seconds. \
                        It may have been stopped in that: try again, or end it.
                        """
                )
                #expect(try scratch.values == ["a": 1])
            }
            try scratch.suite.set(2, forKey: "a")
            #expect(try scratch.values == ["a": 2, "by the other": 1])
        }

        private static func migrations(_ scratch: ScratchSuite) -> MigrationRegistry {
            [Migration(to: 1, "rename", .renameKey("a", to: "z", in: scratch.suite))]
        }

        enum End: CaseIterable, Sendable {
            case timeout, deadline
        }

        @Test(arguments: End.allCases, UpgradeScenario.Primary.allCases)
        func `delays an upgrade no longer than the upgrade's options allow`(
            end: End,
            primary: UpgradeScenario.Primary
        ) async throws {
            let (scratch, cache) = (scratch, try ScratchCache())
            if primary == .cache { try CodableCache(at: cache.url).close() }
            let upgrade = { @Sendable (isLimited: Bool) throws -> Void in
                switch primary {
                case .cache:
                    var configuration = CodableCache.Configuration()
                    if isLimited, end == .timeout { configuration.lockTimeout = .milliseconds(20) }
                    if isLimited, end == .deadline { configuration.deadline = .now + .milliseconds(300) }
                    try CodableCache(
                        at: cache.url,
                        migrations: Self.migrations(scratch),
                        configuration: configuration
                    ).close()
                case .suite:
                    var options = MigrationOptions()
                    if isLimited, end == .timeout { options.lockTimeout = .milliseconds(20) }
                    if isLimited, end == .deadline { options.deadline = .now + .milliseconds(300) }
                    try scratch.suite.upgrade(with: Self.migrations(scratch), options: options)
                }
            }
            await holder.run(scratch.name) { () throws in
                let error = #expect(throws: MigrationError.self) { try upgrade(true) }
                switch error?.code {
                case .attachedStoreFailed?:
                    #expect(end == .timeout)
                    #expect((error?.underlying as? DefaultsError)?.code == .busy)
                case .deadlinePassed?: #expect(end == .deadline)
                default: Issue.record("\(String(describing: error))")
                }
                // The upgrade may be committed, with its changes still pending.
                #expect(try scratch.values == ["a": 1])
            }
            try upgrade(false)
            let values = try scratch.values.filter { $0.key != "molt.ledger" }
            #expect(values == ["z": 1, "by the other": 1])
        }

        /// The copy left by a kill must be restored before the upgrade can read the suite.
        @Test func `makes an upgrade fail before its commit with a store error`() async throws {
            let scratch = scratch
            let copy = try TestHome.directory.appendingPathComponent(".\(scratch.name).plist.molt-copy")
            await holder.run(scratch.name) { () throws in
                try Data(contentsOf: scratch.file).write(to: copy)
                var options = MigrationOptions()
                options.lockTimeout = .milliseconds(20)
                var error = #expect(throws: MigrationError.self) {
                    try scratch.suite.upgrade(with: Self.migrations(scratch), options: options)
                }
                #expect(error?.code == .busy)
                #expect(error?.store == scratch.suite.attachedName)
                options.isCancelled = { true }
                options.lockTimeout = .seconds(60)
                error = #expect(throws: MigrationError.self) {
                    try scratch.suite.upgrade(with: Self.migrations(scratch), options: options)
                }
                #expect(error?.code == .cancelled)
                options.isCancelled = { false }
                options.deadline = .now + .milliseconds(50)
                error = #expect(throws: MigrationError.self) {
                    try scratch.suite.upgrade(with: Self.migrations(scratch), options: options)
                }
                #expect(error?.code == .deadlinePassed)
            }
            try await scratch.suite.upgrade(with: Self.migrations(scratch))
            #expect(try scratch.suite.value(forKey: "z") == 1)
            #expect(try scratch.otherFiles().filter { !$0.hasSuffix(".molt-lock") } == [])
        }
    }

    @Suite struct `The lock of a suite` {
        let scratch: ScratchSuite
        private var lock: URL {
            get throws { try TestHome.directory.appendingPathComponent(".\(scratch.name).plist.molt-lock") }
        }

        init() throws {
            scratch = try ScratchSuite(["a": 1])
        }

        @Test func `is a private file that exists as long as it is needed`() throws {
            let lock = try lock
            try scratch.domain.change(settingAsideDamage: false) { _ in
                let found = try? FileManager.default.attributesOfItem(atPath: lock.path)
                #expect(found?[.posixPermissions] as? Int == 0o600)
                return SuiteEdit(values: ["a": 2])
            }
            #expect(try scratch.otherFiles() == [])
        }

        /// Any user of the machine may lock a directory that they can read.
        @Test func `is not affected by a lock on the directory`() throws {
            let home = try TestHome.directory.path
            let descriptor = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            try scratch.suite.set(2, forKey: "a")
            #expect(try scratch.values == ["a": 2])
            try scratch.suite.upgrade(with: [Migration(to: 1, "rename", .renameKey("a", to: "b", in: scratch.suite))])
        }

        @Test func `is taken over from a killed process`() async throws {
            // This process has not used the suite, so no other test touches the lock.
            let scratch = ScratchSuite(named: TestHome.newSuiteName())
            await #expect(processExitsWith: .signal(SIGKILL)) { [name = scratch.name as String] in
                try SuiteDomain(Suite(name)).change(settingAsideDamage: false) { _ in
                    kill(getpid(), SIGKILL)
                    return SuiteEdit()
                }
            }
            #expect(try scratch.filesBeside().count == 1)
            try scratch.suite.set(2, forKey: "a")
            #expect(try scratch.otherFiles() == [])
        }

        /// Takes the lock's place, which a test in another thread may hold for a moment: the library saves all suites.
        private func occupy(_ call: () -> Int32) {
            while call() != 0, errno == EEXIST { usleep(1_000) }
        }

        @Test func `is not needed to read an unchanged suite`() throws {
            let lock = try lock
            occupy { mkdir(lock.path, 0o700) }
            defer { try? FileManager.default.removeItem(at: lock) }
            #expect(try scratch.values == ["a": 1])
            #expect(try scratch.suite.value(forKey: "a") == 1)
            let error = #expect(throws: DefaultsError.self) { try scratch.suite.set(2, forKey: "a") }
            #expect(error?.code == .notWritable)
        }

        @Test(arguments: [true, false])
        func `is an error when a link or a pipe is in its place`(isLink: Bool) throws {
            let lock = try lock
            let precious = try TestHome.directory.appendingPathComponent("precious-\(UUID().uuidString)")
            occupy { isLink ? symlink(precious.path, lock.path) : mkfifo(lock.path, 0o600) }
            defer { unlink(lock.path) }
            let error = #expect(throws: DefaultsError.self) { try scratch.suite.set(2, forKey: "a") }
            #expect(error?.code == .notWritable)
            #expect(!FileManager.default.fileExists(atPath: precious.path))
            #expect(try scratch.values == ["a": 1])
        }
    }
#endif
