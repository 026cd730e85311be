#if os(Linux)
    import Foundation
    import Glibc
    import Molt
    import Testing

    /// A directory that is mounted a second time, for reading only, in a child process with mounts of its own.
    ///
    /// Mounting asks for the rights of root, so this runs where there are those, as in a container.
    @Suite(.enabled(if: ReadOnlyVolume.canMount, "needs the right to mount"))
    struct `A volume that can only be read` {
        @Test func `A store there is refused, and its bytes stay; a plan and a version can be read`() async {
            await #expect(processExitsWith: .success) {
                let scratch = try ScratchDirectory()
                let url = scratch.file()
                try CodableCache(at: url).set(1, forKey: "one")
                let bytes = try Data(contentsOf: url)
                guard ReadOnlyVolume.remount(scratch.url) else { exit(2) }

                let isRefused = expectCode(.readOnly) { _ = try CodableCache(at: url) }
                let version = try CodableCache.schemaVersion(ofFileAt: url)
                let plan = try MigrationPlan(forFileAt: url, migrations: [Migration(to: 1, "a")])

                let isRight = try isRefused && version == 0 && plan.pending.count == 1 && Data(contentsOf: url) == bytes
                try? ReadOnlyVolume.release(scratch)
                exit(isRight ? 0 : 1)
            }
        }

        @Test func `No store can be made there`() async {
            await #expect(processExitsWith: .success) {
                let scratch = try ScratchDirectory()
                guard ReadOnlyVolume.remount(scratch.url) else { exit(2) }

                let isRefused = expectCode(.readOnly) { _ = try CodableCache(at: scratch.file()) }
                let names = try scratch.names()

                try? ReadOnlyVolume.release(scratch)
                exit(isRefused && names.isEmpty ? 0 : 1)
            }
        }
    }

    /// Mounts for a process of its own; Swift does not import these calls of Linux.
    private enum ReadOnlyVolume {
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

        /// Makes the directory writable again and removes it.
        static func release(_ scratch: ScratchDirectory) throws {
            _ = umount2(scratch.url.path, CInt(MNT_DETACH))
            try FileManager.default.removeItem(at: scratch.url)
        }
    }
#endif
