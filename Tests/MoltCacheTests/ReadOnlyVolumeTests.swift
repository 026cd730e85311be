#if os(Linux)
    import Foundation
    import Glibc
    import Molt
    import Testing

    /// A directory that is mounted a second time, for reading only, in a child process with mounts of its own.
    ///
    /// Mounting asks for the rights of root, so this runs where there are those, as in a container.
    @Suite(.enabled(if: Mounts.areAllowed, "needs the right to mount"))
    struct `A volume that can only be read` {
        @Test func `A store there is refused, and its bytes stay; a plan and a version can be read`() async {
            await #expect(processExitsWith: .success) {
                let scratch = try ScratchDirectory()
                let url = scratch.file()
                try CodableCache(at: url).set(1, forKey: "one")
                let bytes = try Data(contentsOf: url)
                guard Mounts.remountReadOnly(scratch.url) else { exit(2) }

                let isRefused = expectCode(.readOnly) { _ = try CodableCache(at: url) }
                let version = try CodableCache.schemaVersion(ofFileAt: url)
                let plan = try MigrationPlan(forFileAt: url, migrations: [Migration(to: 1, "a")])

                let isRight = try isRefused && version == 0 && plan.pending.count == 1 && Data(contentsOf: url) == bytes
                _ = Mounts.unmount(scratch.url)
                try? FileManager.default.removeItem(at: scratch.url)
                exit(isRight ? 0 : 1)
            }
        }

        @Test func `No store can be made there`() async {
            await #expect(processExitsWith: .success) {
                let scratch = try ScratchDirectory()
                guard Mounts.remountReadOnly(scratch.url) else { exit(2) }

                let isRefused = expectCode(.readOnly) { _ = try CodableCache(at: scratch.file()) }
                let names = try scratch.names()

                _ = Mounts.unmount(scratch.url)
                try? FileManager.default.removeItem(at: scratch.url)
                exit(isRefused && names.isEmpty ? 0 : 1)
            }
        }
    }
#endif
