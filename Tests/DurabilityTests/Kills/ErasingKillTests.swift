#if os(Linux)
    import Foundation
    import Molt
    import TestSupport
    import Testing

    @Suite struct `A kill while a deleted type is erased` {
        private static let marker = Data("t0k3n".utf8)

        @Test(arguments: [UpgradePoint.Kind.beforeCommit, .afterCommit, .erase], [1, 2])
        func `The next opening finishes it`(kind: UpgradePoint.Kind, occurrence: Int) async throws {
            guard kind == .erase || occurrence == 1 else { return }
            let scratch = try ScratchDirectory()
            let cache = try CodableCache(at: scratch.file())
            for number in 0..<500 {
                let type = number % 2 == 0 ? "Token" : "Note"
                let json = #"{"text":"\#(type == "Token" ? "t0k3n" : "note") \#(number)"}"#
                try cache.set(document: Data(json.utf8), ofType: type, writtenAt: 0, forKey: "\(number)")
            }
            cache.close()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [url = scratch.file() as URL, kind = kind as UpgradePoint.Kind, occurrence = occurrence as Int] in
                let left = Locked(occurrence)
                var configuration = MoltConfiguration()
                configuration.hooks.atPoint = { point in
                    guard point.kind == kind else { return }
                    let isLast = left.withLock { left in
                        left -= 1
                        return left == 0
                    }
                    if isLast { raise(SIGKILL) }
                }
                _ = try CodableCache(at: url, migrations: erasing, configuration: configuration)
            }
            let next = try CodableCache(at: scratch.file(), migrations: erasing)
            #expect(next.report.erasure?.isComplete == true)
            for name in try scratch.names() {
                #expect(try Data(contentsOf: scratch.file(name)).range(of: Self.marker) == nil, "\(name)")
            }
            #expect(try next.keys().count == 250)
            next.close()
            #expect(try StoreFile.damage(at: scratch.file()).isEmpty)
        }
    }

    private let erasing: MigrationRegistry = [Migration(to: 1, "no-tokens", .deleteType("Token", erasing: true))]
#endif
