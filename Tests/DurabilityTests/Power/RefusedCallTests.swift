#if os(Linux)
    import FaultyDisk
    import Foundation
    import Molt
    import Testing
    import TestSupport

    extension PowerLossTests {
        /// Makes each call that writes fail, once or from then on, and continues in the same process.
        @Suite("Failing system calls")
        struct RefusedCallTests {
            enum Refusal: String, CaseIterable {
                /// One call fails, and the next one succeeds.
                case failsOnce
                /// All calls fail from then on, until the disk is repaired.
                case failsForGood
                /// The disk is full after half of a write.
                case isFull
            }

            private static let growing = RefusedCalls.bits(molt_disk_create, molt_disk_write, molt_disk_make_directory)
            private static let all =
                growing
                | RefusedCalls.bits(
                    molt_disk_truncate,
                    molt_disk_sync,
                    molt_disk_rename,
                    molt_disk_remove,
                    molt_disk_sync_directory
                )

            private let place = TestPlace()
            private let registry = MigrationRegistry(People.migrations)

            @Test(arguments: Refusal.allCases, [true, false])
            func `A failing call loses no existing data, and the cache works once calls succeed again`(
                refusal: Refusal,
                isFresh: Bool
            ) throws {
                defer { place.remove() }
                if !isFresh { try People.prepare(place, count: 150) }
                let image = try DiskImage(of: place)
                let before = try StoreContents.found(at: place.cache)
                let calls = RefusedCalls(refusal == .isFull ? Self.growing : Self.all, at: place)

                var outcome = Outcome()
                let count = calls.count { outcome = live(place) }
                #expect(outcome.opened && outcome.written == Self.keys)
                let upgraded = try #require(outcome.upgraded)

                var counts: [String: Int] = [:]
                let first = TestRun.choose(refusal == .failsOnce ? 1 : refusal == .failsForGood ? 5 : 9, long: 1)
                for number in stride(from: first, through: count, by: TestRun.choose(isFresh ? 13 : 17, long: 1)) {
                    try image.restore(to: place)
                    let last = refusal == .failsOnce ? number : Int.max
                    let error = refusal == .isFull ? ENOSPC : EIO
                    calls.refuse(number...last, with: error, isShort: refusal == .isFull) {
                        outcome = live(place, heal: RefusedCalls.succeed)
                    }
                    counts[outcome.opened ? "opened" : "failed", default: 0] += 1
                    for error in outcome.errors { check(error, refusal, number) }
                    #expect(try StoreFile.damage(at: place.cache).isEmpty, "\(number)")
                    let left = try StoreContents.found(at: place.cache)
                    if outcome.opened {
                        let expected = upgraded.keys.union(outcome.written)
                        #expect(Set(left?.records.map(\.key) ?? []) == expected, "\(number), \(outcome)")
                    } else if left?.version == 4 {
                        // The commit was written, and a later call failed.
                        #expect(left?.timeless == upgraded.timeless, "\(number)")
                    } else {
                        #expect(left == before, "\(number)")
                    }
                    let again = live(place)
                    #expect(again.opened && again.written == Self.keys, "\(number), \(again.errors)")
                }
                let store = isFresh ? "fresh" : "upgrade"
                TestRun.report("refused calls, \(refusal), \(store): \(count) points, \(counts)")
            }

            /// As on a device that is locked, where calls on protected files fail with EPERM.
            @Test func `A file that the system refuses is left as it is, and the error names the lock of the device`()
                throws
            {
                defer { place.remove() }
                try People.prepare(place, count: 150)
                let before = try StoreContents.found(at: place.cache)
                let calls = RefusedCalls(Self.all | RefusedCalls.bits(molt_disk_found), at: place)
                for first in 1...6 {
                    var message = ""
                    calls.refuse(first...Int.max, with: EPERM) {
                        let error = #expect(throws: (any Error).self) {
                            try CodableCache(at: place.cache, migrations: registry)
                        }
                        message = (error as? MoltError)?.message ?? ""
                    }
                    #expect(message.contains("while the device is locked"), "\(first): \(message)")
                    #expect(try StoreContents.found(at: place.cache) == before)
                }
                #expect(try CodableCache(at: place.cache, migrations: registry).version == 4)
            }

            /// Only the devices of Apple refuse a file while they are locked.
            @Test func `A file that the process may not open is said to lack permissions, and not to be locked`()
                throws
            {
                defer { place.remove() }
                try People.prepare(place, count: 150)
                let calls = RefusedCalls(Self.all | RefusedCalls.bits(molt_disk_found), at: place)
                for first in 1...6 {
                    var message = ""
                    calls.refuse(first...Int.max, with: EACCES) {
                        let error = #expect(throws: MoltError.self) {
                            try CodableCache(at: place.cache, migrations: registry)
                        }
                        message = error?.message ?? ""
                    }
                    #expect(!message.contains("locked"), "\(first): \(message)")
                }
            }

            private static let keys: Set<String> = ["a", "b", "c", "healed"]

            private struct Outcome {
                var opened = false
                /// What the cache held when it was opened.
                var upgraded: StoreContents?
                var written: Set<String> = []
                var errors: [any Error] = []
            }

            /// Opens, writes, lets calls succeed again, writes with the same cache, and closes.
            private func live(_ place: TestPlace, heal: () -> Void = {}) -> Outcome {
                var outcome = Outcome()
                let cache: CodableCache
                do {
                    let configuration = People.configuration
                    cache = try CodableCache(at: place.cache, migrations: registry, configuration: configuration)
                    outcome.opened = true
                } catch {
                    heal()
                    outcome.errors.append(error)
                    return outcome
                }
                outcome.upgraded = try? cache.contents()
                func write(_ key: String, _ body: () throws -> Void) {
                    do {
                        try body()
                        outcome.written.insert(key)
                    } catch {
                        outcome.errors.append(error)
                    }
                    // Failed writes are not visible, and successful ones are.
                    do {
                        #expect(try (cache.value(String.self, forKey: key) != nil) == outcome.written.contains(key))
                        #expect(try cache.count() == (outcome.upgraded?.keys ?? []).union(outcome.written).count)
                    } catch {
                        outcome.errors.append(error)
                    }
                }
                write("a") { try cache.set("a", forKey: "a") }
                write("b") { try cache.batch { try $0.set(String(repeating: "b", count: 40_000), forKey: "b") } }
                write("c") { try cache.set("c", forKey: "c") }
                heal()
                write("healed") { try cache.set("healed", forKey: "healed") }
                #expect(outcome.written.contains("healed"))
                cache.close()
                return outcome
            }

            private func check(_ error: any Error, _ refusal: Refusal, _ number: Int) {
                let code = (error as? MoltError)?.code.rawValue ?? "other"
                // SQLite does not report why it could not create a file, and none can be created without its directory.
                #expect(["storeFailed", "noPermission", "notAFile"].contains(code), "\(number): \(error)")
                guard refusal == .isFull else { return }
                let message = (error as? MoltError)?.message ?? ""
                #expect(["disk is full", "not full"].contains { message.contains($0) }, "\(number): \(error)")
            }
        }
    }

    extension StoreContents {
        fileprivate var keys: Set<String> { Set(records.map(\.key)) }
    }
#endif
