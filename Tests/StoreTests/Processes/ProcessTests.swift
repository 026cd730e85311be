import Foundation
import Molt
import Testing

/// Child processes that share only a file.
@Suite struct `Several processes on one file` {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    #if CHILD_PROCESSES
        @Test func `Processes that open files at the same moment upgrade each once, and lose no record`() async throws {
            let (fresh, old) = (scratch.file("fresh.molt"), scratch.file("old.molt"))
            try CodableCache(at: old).setAll((0..<500).map { (key: "old \($0)", value: Person.john) })
            let start = Date().addingTimeInterval(0.5).timeIntervalSince1970
            let count = TestRun.choose(3, long: 6)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    group.addTask {
                        await #expect(processExitsWith: .success) {
                            [
                                fresh = fresh as URL, old = old as URL, start = start as Double, number = number as Int
                            ] in
                            try await Task.sleep(for: .seconds(start - Date().timeIntervalSince1970))
                            for cache in try [fresh, old].map({ try CodableCache(at: $0, migrations: counting) }) {
                                for round in 0..<25 { try cache.set(round, forKey: "\(number) \(round)") }
                                guard try cache.count(of: Int.self) >= 25 else { throw TestFailure.expected }
                                cache.close()
                            }
                        }
                    }
                }
            }
            for url in [fresh, old] {
                let cache = try CodableCache(at: url, migrations: counting)
                #expect(cache.report.entries.isEmpty)
                #expect(try cache.count(of: Int.self) == 25 * count)
                // A second run would add another letter.
                let people = try cache.values(of: Person.self)
                #expect(people.count == (url == old ? 500 : 0))
                #expect(people.allSatisfy { $0.value.firstName == "John+" })
                #expect(try Snapshot(of: url).outcomes == (url == old ? "count ran" : "count bornFresh"))
                try expectIntegrity(of: url)
            }
        }

        /// Microseconds after the start of the child; creating a file takes about two thousand.
        private static let instants = [
            0, 100, 200, 300, 500, 800, 1_200, 1_600, 2_000, 2_500, 3_000, 4_000, 6_000,
        ]

        @Test(arguments: TestRun.choose([300, 1_200, 2_500, 6_000], long: instants))
        func `A kill while a file is created, upgraded and filled leaves a consistent store`(microseconds: Int)
            async throws
        {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = scratch.file() as URL, microseconds = microseconds as Int] in
                Thread.detachNewThread {
                    usleep(UInt32(microseconds))
                    kill(getpid(), SIGKILL)
                }
                try CodableCache(at: url).setAll((0..<100).map { (key: "\($0)", value: Person.john) })
                let cache = try CodableCache(at: url, migrations: renaming)
                for number in 0..<Int.max { try cache.set(number, forKey: "\(number)") }
            }
            // The state is read before anything recovers the store.
            let state = try StoreFile.state(at: scratch.file())
            #expect(state.ledger.count == state.version)
            let cache = try CodableCache(at: scratch.file(), migrations: renaming)
            #expect(cache.report.isFresh == state.isFresh)
            let people = try cache.count(of: Person.self)
            let aliens = try cache.count(of: Alien.self)
            let numbers = try cache.count(of: Int.self)
            #expect(people == 0)
            #expect(aliens + min(numbers, 100) == (aliens + numbers == 0 ? 0 : 100))
            #expect(try cache.values(of: Int.self).allSatisfy { $0.key == String($0.value) })
            cache.close()
            try expectIntegrity(of: scratch.file())
            #expect(try scratch.names() == ["cache.molt"])
        }

        @Test func `A reader sees only committed states while another process writes`() async throws {
            try CodableCache(at: scratch.file()).setAll(["a": 0, "b": 0])
            let (begun, done) = (scratch.file("begun"), scratch.file("done"))
            async let writer = #expect(processExitsWith: .success) {
                [url = scratch.file() as URL, begun = begun as URL, done = done as URL] in
                _ = FileManager.default.createFile(atPath: begun.path, contents: nil)
                // Each opening and closing checkpoints the log, under the readers' immutable reads.
                for number in 1...TestRun.choose(60, long: 500) {
                    let cache = try CodableCache(at: url)
                    try cache.setAll(["a": number, "b": number])
                    cache.close()
                }
                _ = FileManager.default.createFile(atPath: done.path, contents: nil)
            }
            // If the child fails, it creates no file.
            let end = Date().addingTimeInterval(60)
            while !FileManager.default.fileExists(atPath: begun.path), Date() < end {
                try await Task.sleep(for: .milliseconds(2))
            }
            while !FileManager.default.fileExists(atPath: done.path), Date() < end {
                #expect(try StoreFile.state(at: scratch.file()).isFresh == false)
                let report = try await CacheFile(at: scratch.file()).dryRun(renaming)
                #expect(report.to == 1)
                let pair = try CodableCache(at: scratch.file()).values(Int.self, forKeys: ["a", "b"])
                #expect(pair[0] == pair[1])
            }
            _ = await writer
        }
    #endif
}

/// Changes each record again each time that it runs.
private let counting: MigrationRegistry = [
    Migration(to: 1, "count", .transform("Person") { $0["firstName"] = .string(try $0.string("firstName") + "+") })
]

private let renaming: MigrationRegistry = [Migration(to: 1, "rename", .renameType("Person", to: "Alien"))]
