import Foundation
import Testing

@testable import Molt

/// Child processes that share only a file.
@Suite struct `Several processes on one file` {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    #if CHILD_PROCESSES
        @Test(arguments: [false, true])
        func `Processes that open a file at the same moment upgrade it once, and lose no record`(isOld: Bool)
            async throws
        {
            if isOld {
                let old = try CodableCache(at: scratch.file())
                try await old.setAll((0..<500).map { (key: "old \($0)", value: Person.john) })
            }
            let start = Date().addingTimeInterval(0.5).timeIntervalSince1970
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        await #expect(processExitsWith: .success) {
                            [url = scratch.file() as URL, start = start as Double, number = number as Int] in
                            try await Task.sleep(for: .seconds(start - Date().timeIntervalSince1970))
                            let cache = try CodableCache(at: url, migrations: renaming)
                            for round in 0..<25 { try cache.set(round, forKey: "\(number) \(round)") }
                            guard try cache.count(of: Int.self) >= 25 else { throw TestFailure.expected }
                            cache.close()
                        }
                    }
                }
            }
            let cache = try CodableCache(at: scratch.file(), migrations: renaming)
            #expect(cache.report.entries.isEmpty)
            #expect(try cache.count(of: Int.self) == 100)
            #expect(try cache.count(of: Alien.self) == (isOld ? 500 : 0))
            #expect(try StoreFile.state(at: scratch.file()).ledger.map(\.name) == ["rename"])
            #expect(try SQLite(scratch.file()).text("PRAGMA integrity_check") == "ok")
        }

        /// Microseconds after the start of the child; creating a file takes about two thousand.
        @Test(arguments: [0, 100, 200, 300, 500, 800, 1_200, 1_600, 2_000, 2_500, 3_000, 4_000, 6_000])
        func `A kill while a file is created, upgraded and filled leaves a consistent store`(microseconds: Int)
            async throws
        {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = scratch.file() as URL, microseconds = microseconds as Int] in
                Thread.detachNewThread {
                    usleep(UInt32(microseconds))
                    kill(getpid(), SIGKILL)
                }
                try await CodableCache(at: url).setAll((0..<100).map { (key: "\($0)", value: Person.john) })
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
            #expect(try SQLite(scratch.file()).text("PRAGMA integrity_check") == "ok")
            #expect(try scratch.names() == ["cache.molt"])
        }

        @Test func `On a full disk, writes and upgrades are rolled back and reads still succeed`() async throws {
            let path = scratch.file().path
            await #expect(processExitsWith: .success) { [path = path as String] in
                let url = URL(fileURLWithPath: path)
                let cache = try CodableCache(at: url)
                try await cache.setAll((0..<200).map { (key: "\($0)", value: Person.john) })
                guard try cache.value(Person.self, forKey: "1") == .john else { throw TestFailure.expected }
                let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
                try FileSizeLimit.set(log + 10_000)
                var changed = Person.john
                changed.firstName = String(repeating: "x", count: 100_000)
                for _ in 0..<3 {
                    let isRight = expectCode(.storeFailed) { [changed] in try cache.set(changed, forKey: "1") }
                    guard isRight, try cache.value(Person.self, forKey: "1") == .john else {
                        throw TestFailure.expected
                    }
                }
                let step = MigrationStep.addProperty("Person", "long", default: .string(changed.firstName))
                #expect(throws: MoltError.self) {
                    _ = try CodableCache(at: url, migrations: [Migration(to: 1, "long", step)])
                }?.expect(.storeFailed)
                let isSame = try cache.values(of: Person.self).allSatisfy { $0.value == .john }
                guard isSame else { throw TestFailure.expected }
                try FileSizeLimit.set(nil)
                try cache.set(changed, forKey: "1")
                let found = try CodableCache(at: url).value(Person.self, forKey: "1")
                guard found == changed else { throw TestFailure.expected }
            }
            #expect(try SQLite(scratch.file()).text("PRAGMA integrity_check") == "ok")
            #expect(try StoreFile.state(at: scratch.file()).version == 0)
        }

        @Test func `A reader sees only committed states while another process writes`() async throws {
            try await CodableCache(at: scratch.file()).setAll(["a": 0, "b": 0])
            async let writer = #expect(processExitsWith: .success) { [url = scratch.file() as URL] in
                let end = Date().addingTimeInterval(1)
                var number = 0
                // Each opening and closing checkpoints the log, under the readers' immutable reads.
                while Date() < end {
                    number += 1
                    let cache = try CodableCache(at: url)
                    try await cache.setAll(["a": number, "b": number])
                    cache.close()
                }
            }
            let end = Date().addingTimeInterval(2)
            while Date() < end {
                #expect(try StoreFile.state(at: scratch.file()).isFresh == false)
                let report = try await CodableCache.dryRun(at: scratch.file(), migrations: renaming)
                #expect(report.to == 1)
                let pair = try await CodableCache(at: scratch.file()).values(Int.self, forKeys: ["a", "b"])
                #expect(pair[0] == pair[1])
            }
            _ = await writer
        }
    #endif
}

private let renaming: MigrationRegistry = [Migration(to: 1, "rename", .renameType("Person", to: "Alien"))]
