#if CHILD_PROCESSES
    import Foundation
    @testable import Molt
    import MoltTesting
    import Testing

    @Suite struct `Two processes that open an old store` {
        /// A file with which one process signals another.
        private struct Sign {
            let path: String

            func give() {
                _ = FileManager.default.createFile(atPath: path, contents: nil)
            }

            /// Waits for at most half a minute.
            func await(orExitWith status: Int32) {
                for _ in 0..<3000 {
                    if access(path, F_OK) == 0 { return }
                    usleep(10_000)
                }
                exit(status)
            }
        }

        @Test func `Only one of them runs the migrations, and the other waits for it`() async throws {
            var old = Releases.first
            for index in old.records.indices { old.records[index].expiration = nil }
            let store = try TemporaryStore(old)
            @Sendable func child(_ path: String, isFirst: Bool) async {
                await #expect(processExitsWith: .success) { [path = path as String, isFirst = isFirst as Bool] in
                    let (inside, waiting) = (Sign(path: path + ".inside"), Sign(path: path + ".waiting"))
                    var configuration = CodableCache.Configuration()
                    if isFirst {
                        // It stays in the middle of its upgrade until the other process waits for it.
                        configuration.hooks.atPoint = { point in
                            guard point.kind == .beforeCommit else { return }
                            inside.give()
                            waiting.await(orExitWith: 3)
                        }
                    } else {
                        inside.await(orExitWith: 4)
                        configuration.monitor = MigrationMonitor { event in
                            if case .waiting = event { waiting.give() }
                        }
                    }
                    let url = URL(filePath: path)
                    let cache = try CodableCache(at: url, migrations: Releases.migrations, configuration: configuration)
                    guard try cache.value(Releases.Person.self, forKey: "john") != nil else { exit(2) }
                    guard cache.report.entries.isEmpty != isFirst else { exit(5) }
                }
            }

            async let first: Void = child(store.url.path, isFirst: true)
            async let second: Void = child(store.url.path, isFirst: false)
            _ = await (first, second)

            let after = try store.contents()
            #expect(after.ledger.map(\.name) == Releases.migrations.names)
            #expect(after.records == (try old.migrated(through: Releases.migrations).fixture.records))
        }
    }
#endif
