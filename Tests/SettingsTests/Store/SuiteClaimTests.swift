import Foundation
import Molt
import TestSupport
import Testing

#if CHILD_PROCESSES
    /// What another store makes of a suite for which a killed one has committed changes that only it may make.
    @Suite("A suite claimed by a store that was killed") struct SuiteClaimTests {
        private let scratch: ScratchSuite
        private let other: ScratchSuite
        private let (cache, second): (ScratchCache, ScratchCache)

        init() async throws {
            scratch = try ScratchSuite(["draft": "text", "name": "n"])
            other = try ScratchSuite(["a": 1])
            (cache, second) = (try ScratchCache(), try ScratchCache())
        }

        /// - Parameter other: A suite on which another migration works; none by default.
        private static func migrations(of suite: Suite, _ other: Suite? = nil) -> MigrationRegistry {
            let first = Migration(to: 1, "draft", .moveToRecords(.setting("draft", in: suite), ofType: "String"))
            return MigrationRegistry(
                [first] + (other.map { [Migration(to: 1, "b", .renameSetting("a", to: "b", in: $0))] } ?? [])
            )
        }

        private var migrations: MigrationRegistry { Self.migrations(of: scratch.suite) }

        /// Opens the first cache in a process that is killed at a point.
        private func kill(at kind: UpgradePoint.Kind, withOther: Bool = false) async {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    kind = kind as UpgradePoint.Kind, url = cache.url as URL, withOther = withOther as Bool,
                    names = [scratch.name, other.name] as [String]
                ] in
                let registry = Self.migrations(of: Suite(names[0]), withOther ? Suite(names[1]) : nil)
                let configuration = MoltConfiguration { configuration in
                    configuration.hooks.atPoint = { if $0.kind == kind { raise(SIGKILL) } }
                }
                try CodableCache(at: url, migrations: registry, configuration: configuration).close()
            }
        }

        private func drafts(_ cache: ScratchCache, _ migrations: MigrationRegistry? = nil) throws -> [String] {
            let cache = try CodableCache(at: cache.url, migrations: migrations ?? self.migrations)
            defer { cache.close() }
            return try cache.values(of: String.self).map(\.value)
        }

        @Test(arguments: [UpgradePoint.Kind.beforeApply, .clearJournal])
        func `is finished by another one, and its settings are records of the first`(kind: UpgradePoint.Kind)
            async throws
        {
            await kill(at: kind)
            #expect(try drafts(second) == [])
            try scratch.expect(["name": "n"], history: ["draft"])
            // What the app sets now is not a part of what was committed.
            try scratch.suite.set("text", forKey: "draft")
            #expect(try drafts(cache) == ["text"])
            try scratch.expect(["name": "n", "draft": "text"], history: ["draft"])
        }

        @Test(arguments: [UpgradePoint.Kind.beforeCommit, .beforeApply])
        func `belongs to another one if the first had not committed, or is gone`(kind: UpgradePoint.Kind) async throws {
            await kill(at: kind)
            if kind == .beforeApply { try FileManager.default.removeItem(at: cache.directory) }
            #expect(try drafts(second) == ["text"])
            try scratch.expect(["name": "n"], history: ["draft"])
            if kind == .beforeCommit { #expect(try drafts(cache) == []) }
        }

        @Test func `must wait for the first one where its changes cannot be made`() async throws {
            await kill(at: .beforeApply, withOther: true)
            for _ in 0..<2 {
                MoltError.thrown { try drafts(second) }?.expect(
                    .journalPending,
                    suite: scratch.suite.attachedName,
                    outcome: .unchanged,
                    says: cache.url.path
                )
                try scratch.expect(["name": "n", "draft": "text"], history: [])
            }
            #expect(try drafts(cache, Self.migrations(of: scratch.suite, other.suite)) == ["text"])
            #expect(try drafts(second) == [])
            try scratch.expect(["name": "n"], history: ["draft"])
            try other.expect(["b": 1])
        }
    }
#endif
