#if os(Linux)
    import FaultyDisk
    import Foundation
    import Molt
    import Testing
    import TestSupport

    /// Makes each call of an upgrade of a single suite fail, including those of Foundation.
    @Suite(
        "Failing system calls during an upgrade of a suite",
        .enabled(if: molt_disk_is_faulty(), "needs the calls of the C library")
    )
    struct RefusedSuiteCallTests {
        private static let kinds = RefusedCalls.bits(
            molt_disk_create,
            molt_disk_write,
            molt_disk_truncate,
            molt_disk_sync,
            molt_disk_rename,
            molt_disk_remove,
            molt_disk_sync_directory
        )

        @Test func `A failing call undoes the upgrade, or the error states that it is committed`() async throws {
            await #expect(processExitsWith: .success) {
                try Self.refuse(isShort: false, isLasting: true)
                try Self.refuse(isShort: true, isLasting: false)
                guard TestRun.isLong else { return }
                try Self.refuse(isShort: false, isLasting: false)
                try Self.refuse(isShort: true, isLasting: true)
            }
        }

        /// Refuses each call in turn, in the ordinary run every third.
        private static func refuse(isShort: Bool, isLasting: Bool) throws {
            var found: [String: Int] = [:]
            let step = TestRun.choose(3, long: 1)
            // A lasting and a single failure begin with different calls.
            var number = (isLasting ? 1 : TestRun.choose(2, long: 1)) - step
            var refused = 0
            repeat {
                number += step
                let place = TestPlace()
                defer { place.remove() }
                try place.old.update(set: SingleSuite.old)
                let migrations = SingleSuite.migrations(of: place.old)

                let calls = RefusedCalls(Self.kinds, at: place)
                let last = isLasting ? Int.max : number
                var failure: (any Error)?
                refused = calls.refuse(number...last, with: isShort ? ENOSPC : EIO, isShort: isShort) {
                    do { try place.old.upgrade(with: migrations) } catch { failure = error }
                }

                let state = try place.old.upgradeState()
                let version = state.version
                // While changes are pending, the suite may have all of them, none, or no readable file.
                if version == 0 || state.journal.isEmpty {
                    let expected = version == 0 ? SingleSuite.old : SingleSuite.new
                    #expect(try place.old.values() == expected, "\(number)")
                }
                switch failure {
                case nil:
                    #expect(version == 3, "\(number)")
                    found["done", default: 0] += 1
                case let error as MoltError where error.outcome == .committed:
                    #expect(version == 3, "\(number): \(error)")
                    // The suite, or the file with the journal, could not be written.
                    #expect(
                        [.suiteNotWritable, .readBackFailed, .storeFailed].contains(error.code),
                        "\(number): \(error)"
                    )
                    if error.code != .storeFailed { #expect(error.suite == place.old.attachedName) }
                    #expect(!error.message.contains("was changed") && !error.message.contains("as it was"))
                    found["committed", default: 0] += 1
                case let error? where version == 3:
                    // The commit was written, and a later call failed, which SQLite reports as a failed commit.
                    #expect((error as? MoltError)?.code == .storeFailed, "\(number): \(error)")
                    found["committed", default: 0] += 1
                case let error?:
                    #expect(version == 0, "\(number): \(error)")
                    found["undone", default: 0] += 1
                }
                try place.old.upgrade(with: migrations)
                #expect(try place.old.values() == SingleSuite.new, "\(number)")
            } while refused > 0 && number < 400
            TestRun.report("refused calls, a suite alone: \(number - 1) points, \(found)")
            #expect(number < 400)
            #expect(found.count == 3, "\(found)")
        }

        @Test func `What a full disk keeps from being remembered of a suite is remembered by the next opening`()
            async throws
        {
            await #expect(processExitsWith: .success) {
                var (number, refused) = (0, 0)
                repeat {
                    number += 1
                    let place = TestPlace()
                    defer { place.remove() }
                    let suite = place.old
                    try suite.update(set: SingleSuite.old)
                    let migrations = SingleSuite.migrations(of: suite)
                    let memory = try SuiteFiles(suite).memory

                    // The calls on its file alone.
                    let kinds = RefusedCalls.bits(molt_disk_create, molt_disk_write, molt_disk_sync, molt_disk_rename)
                    let calls = RefusedCalls(kinds, at: TestPlace(token: memory.lastPathComponent))
                    refused = try calls.refuse(number...Int.max, with: ENOSPC) {
                        _ = try suite.upgrade(with: migrations)
                    }
                    #expect(try suite.values() == SingleSuite.new, "\(number)")
                    #expect(try suite.upgrade(with: migrations).isEmpty, "\(number)")
                    let ledger = try suite.allValues()[Molt.Suite.ledgerKey]?.string
                    #expect(try String(contentsOf: memory, encoding: .utf8) == ledger, "\(number)")

                    // Nothing runs again on what the app writes after something has emptied the suite.
                    let defaults = try #require(UserDefaults(suiteName: suite.domainName))
                    defaults.removePersistentDomain(forName: suite.domainName)
                    defaults.set("today", forKey: "renamed")
                    defaults.synchronize()
                    try suite.upgrade(with: migrations)
                    #expect(try suite.values() == ["renamed": "today"], "\(number)")
                } while refused > 0 && number < 20
                #expect((3..<20).contains(number))
            }
        }
    }
#endif
