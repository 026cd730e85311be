import Foundation
import Molt
import Testing

/// What happens to the directory once it was adopted.
@Suite struct `An adopted Cache directory` {
    let old: OldDirectory

    init() throws {
        old = try OldDirectory("Floppy")
    }

    @Test func `The directory is removed on request`() throws {
        try FileManager.default.removeItem(at: old.file("expired"))
        let cache = try old.open(old.adoption(.list(FloppyKeys.people), removingSource: true))
        try cache.expectCount(112)
        #expect(!FileManager.default.fileExists(atPath: old.url.path))
        #expect(try StoreFile.state(at: old.store).journal == [])
    }

    @Test func `Files stay that were not adopted, whose records the store already had, or that have changed since`()
        throws
    {
        try old.set("mine", forKey: "person-4")
        try old.write("no value", for: "person-3")
        _ = try old.open(old.adoption(.list(FloppyKeys.people), { _ in .value("Friend") }, removingSource: true)) {
            $0.hooks.atPoint = { [old] in if $0.kind == .beforeApply { try old.write("newer", for: "person-5") } }
        }
        let left = ["person-3", "person-4", "person-5", "expired", "raw"].map { old.file($0).lastPathComponent }
        #expect(try Set(old.names) == Set(left))
    }

    #if CHILD_PROCESSES
        /// Some systems move an app's container from launch to launch.
        @Test func `The opening after a kill removes the adopted files, even if the directory has moved`() async throws
        {
            // The killed process has the clock of the machine.
            for key in ["expired", "in1h"] { try FileManager.default.removeItem(at: old.file(key)) }
            try Data("x".utf8).write(to: old.url.appendingPathComponent("notes.txt"))
            let paths = [old.url.path, old.store.path]
            await #expect(processExitsWith: .signal(SIGKILL)) { [paths = paths as [String]] in
                _ = try CodableCache(
                    at: URL(fileURLWithPath: paths[1]),
                    migrations: [removal(of: paths[0])],
                    configuration: .init { $0.hooks.atPoint = { if $0.kind == .beforeApply { raise(SIGKILL) } } }
                )
            }
            #expect(try old.names.count == 112)
            #expect(try StoreFile.state(at: old.store).journal.count == 1)
            let place = old.scratch.file("elsewhere")
            try FileManager.default.moveItem(at: old.url, to: place)
            let cache = try CodableCache(at: old.store, migrations: [removal(of: place.path)])
            try cache.expectFriend(3, forKey: "person-3")
            try cache.expectCount(111)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["notes.txt"])
            #expect(try StoreFile.state(at: old.store).journal == [])
        }
    #endif
}

/// The adoption that both a killed process and its successor register.
private func removal(of path: String) -> Migration {
    .adoptCacheDirectory(
        to: 1,
        directory: CacheDirectory(at: URL(fileURLWithPath: path), keys: .list(FloppyKeys.people), type: "Friend"),
        removingSource: true
    )
}
