#if os(Linux)
    import Foundation
    @testable import Molt
    import Testing

    /// A directory that is mounted a second time, read-only, in a child process with a mount namespace of its own.
    ///
    /// Mounting needs the rights of root, which a container usually has.
    @Suite(.enabled(if: Mounts.areAllowed, "needs the right to mount"))
    struct `A read-only volume` {
        @Test func `A store on the volume is refused and unchanged, but its plan and version can be read`() async {
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

        @Test func `No store can be created on the volume`() async {
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
