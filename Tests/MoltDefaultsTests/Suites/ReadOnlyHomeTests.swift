#if os(Linux)
    import Foundation
    import Glibc
    import MoltDefaults
    import Testing

    /// The suites' directory is mounted a second time, for reading only, in a child process with mounts of its own.
    ///
    /// Mounting asks for the rights of root, so this runs where there are those, as in a container.
    @Suite(.enabled(if: ReadOnlyHome.canMount, "needs the right to mount"))
    struct `Suites on a volume that can only be read` {
        @Test func `can be read, and are said not to be writable before and when they are written`() async throws {
            let fixture = SuiteFixture()
            try fixture.domain.write(set: ["a": 1])
            await #expect(processExitsWith: .success) { [name = fixture.name as String] in
                let fixture = SuiteFixture(name)
                try #require(ReadOnlyHome.remount(TestHome.directory))
                #expect(try fixture.domain.read() == ["a": 1])
                #expect(try fixture.suite.value(forKey: "a") == 1)
                for call in [fixture.domain.checkWritable, { try fixture.domain.write(set: ["a": 2]) }] {
                    let error = #expect(throws: DefaultsError.self) { try call() }
                    #expect(error?.code == .notWritable)
                    #expect(error?.message.contains("only be read") == true)
                }
                let missing = #expect(throws: DefaultsError.self) { try SuiteFixture().domain.checkWritable() }
                #expect(missing?.code == .notWritable)
                try fixture.defaults.set(2, forKey: "unsaved")
                let unsaved = #expect(throws: DefaultsError.self) { try fixture.suite.synchronize() }
                #expect(unsaved?.code == .notWritable)
            }
            #expect(try fixture.domain.read() == ["a": 1])
            #expect(try fixture.otherFiles() == [])
        }
    }

    /// Mounts for a process of its own; Swift does not import these calls of Linux.
    private enum ReadOnlyHome {
        private typealias Unshare = @convention(c) (CInt) -> CInt
        private typealias Mount =
            @convention(c) (
                UnsafePointer<CChar>?, UnsafePointer<CChar>, UnsafePointer<CChar>?, CUnsignedLong, UnsafeRawPointer?
            ) -> CInt

        /// Whether this machine lets a process have mounts of its own.
        static var canMount: Bool {
            guard getuid() == 0, FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare") else { return false }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/unshare")
            process.arguments = ["-m", "mount", "--bind", "/tmp", "/tmp"]
            process.standardError = FileHandle.nullDevice
            do { try process.run() } catch { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }

        /// Mounts a directory over itself, for reading only, where only this process sees it.
        static func remount(_ directory: URL) -> Bool {
            guard let unshareSymbol = dlsym(nil, "unshare"), let mountSymbol = dlsym(nil, "mount") else { return false }
            let unshare = unsafeBitCast(unshareSymbol, to: Unshare.self)
            let mount = unsafeBitCast(mountSymbol, to: Mount.self)
            let path = directory.path
            // CLONE_NEWNS; then MS_REC and MS_PRIVATE, MS_BIND, and MS_BIND with MS_REMOUNT and MS_RDONLY.
            return unshare(0x2_0000) == 0
                && mount(nil, "/", nil, 0x4_4000, nil) == 0
                && mount(path, path, nil, 0x1000, nil) == 0
                && mount(nil, path, nil, 0x1021, nil) == 0
        }
    }
#endif
