#if os(Linux)
    package import Foundation

    /// Mounts that only a child process of the tests sees; Swift does not import these Linux calls.
    ///
    /// Mounting requires root, so the tests that use it run only as root, for example in a container.
    package enum Mounts {
        private typealias Unshare = @convention(c) (CInt) -> CInt
        private typealias Mount =
            @convention(c) (
                UnsafePointer<CChar>?, UnsafePointer<CChar>, UnsafePointer<CChar>?, CUnsignedLong, UnsafeRawPointer?
            ) -> CInt

        /// Whether this machine lets a process have private mounts.
        package static let areAllowed: Bool = {
            guard getuid() == 0, FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare") else { return false }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/unshare")
            process.arguments = ["-m", "mount", "--bind", "/tmp", "/tmp"]
            process.standardError = FileHandle.nullDevice
            do { try process.run() } catch { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }()

        /// Mounts a directory over itself, read-only.
        package static func remountReadOnly(_ directory: URL) -> Bool {
            // MS_BIND, and MS_BIND with MS_REMOUNT and MS_RDONLY.
            mount(directory.path, on: directory, flags: 0x1000) && mount(nil, on: directory, flags: 0x1021)
        }

        /// Mounts an empty volume over a directory, with a capacity in kilobytes.
        package static func mountVolume(of kilobytes: Int, on directory: URL) -> Bool {
            mount("tmpfs", on: directory, kind: "tmpfs", options: "size=\(kilobytes)k")
        }

        /// Removes a mount, even if the directory is still in use.
        package static func unmount(_ directory: URL) -> Bool {
            umount2(directory.path, CInt(MNT_DETACH)) == 0
        }

        private static func mount(
            _ source: String?,
            on directory: URL,
            kind: String? = nil,
            flags: CUnsignedLong = 0,
            options: String? = nil
        ) -> Bool {
            guard isPrivate, let symbol = dlsym(nil, "mount") else { return false }
            let mount = unsafeBitCast(symbol, to: Mount.self)
            guard let options else { return mount(source, directory.path, kind, flags, nil) == 0 }
            return options.withCString { mount(source, directory.path, kind, flags, $0) == 0 }
        }

        /// Whether this process got private mounts.
        private static let isPrivate: Bool = {
            guard let unshareSymbol = dlsym(nil, "unshare"), let mountSymbol = dlsym(nil, "mount") else { return false }
            let unshare = unsafeBitCast(unshareSymbol, to: Unshare.self)
            let mount = unsafeBitCast(mountSymbol, to: Mount.self)
            // CLONE_NEWNS; then MS_REC and MS_PRIVATE.
            return unshare(0x2_0000) == 0 && mount(nil, "/", nil, 0x4_4000, nil) == 0
        }()
    }
#endif
