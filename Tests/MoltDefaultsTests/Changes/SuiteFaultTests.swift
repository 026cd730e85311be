#if os(Linux)
    import Foundation
    @testable import Molt
    import TestSupport
    import Testing

    @Suite struct `Faults during an upgrade of suites` {
        private struct Failure: Error {}

        private let scratch: ScratchSuite
        private let other: ScratchSuite
        private let cache: ScratchCache

        init() throws {
            scratch = try ScratchSuite(["name": "n"])
            other = try ScratchSuite(["name": "of the other"])
            cache = try ScratchCache()
            try CodableCache(at: cache.url).close()
        }

        /// Changes both suites.
        private var registry: MigrationRegistry {
            [
                Migration(to: 1, "one", .renameKey("name", to: "title", in: scratch.suite)),
                Migration(to: 2, "two", .renameKey("name", to: "title", in: other.suite)),
            ]
        }

        private func expectUnchanged(_ primary: PrimaryStore) throws {
            #expect(try scratch.values == ["name": "n"])
            let state = try primary.state(of: scratch.suite, cache: cache.url)
            #expect(state.version == 0 && state.ledger.isEmpty)
        }

        private func expectDone() throws {
            #expect(try scratch.values == ["title": "n"])
            #expect(try other.values == ["title": "of the other"])
        }

        private func upgrade(_ primary: PrimaryStore, _ registry: MigrationRegistry) throws {
            try primary.upgrade(scratch.suite, cache: cache.url, with: registry)
        }

        // MARK: Before the commit

        static let damage = [
            Data("garbage".utf8),
            Data("<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict><key>name</key>".utf8),
            Data("<plist version=\"1.0\"><array><string>secret</string></array></plist>".utf8),
            // A dictionary whose value is an archive's UID, which no suite holds.
            HandmadeArchive.binaryList([0xD1, 0x01, 0x02], [0x51, 0x61], [0x80, 0x05]),
        ]

        /// Each kind of damage with a cache, where nil is a directory in place of the file, and one without.
        private static var cases: [(Data?, PrimaryStore)] {
            var cases: [(Data?, PrimaryStore)] = [(nil, .cache), (damage[0], .suite)]
            for kind in damage { cases.append((kind, .cache)) }
            return cases
        }

        @Test(arguments: cases)
        func `A damaged file changes nothing, and the upgrade succeeds once it is repaired`(
            damage: Data?,
            primary: PrimaryStore
        ) throws {
            let bytes = try Data(contentsOf: other.file)
            try FileManager.default.removeItem(at: other.file)
            if let damage {
                try other.writeFile(damage)
            } else {
                try FileManager.default.createDirectory(at: other.file, withIntermediateDirectories: false)
            }
            let error = #expect(throws: MoltError.self) { try upgrade(primary, registry) }
            #expect(error?.code == (damage == nil ? .notWritable : .unreadable))
            #expect(error?.attachedStore == other.suite.attachedName)
            #expect(error?.outcome == nil)
            #expect(error?.message.contains(try other.file.path) == true)
            #expect(error.map { String(reflecting: $0).contains("secret") } == false)
            #expect((try? Data(contentsOf: other.file)) == damage)
            try expectUnchanged(primary)

            try FileManager.default.removeItem(at: other.file)
            try bytes.write(to: other.file)
            try upgrade(primary, registry)
            try expectDone()
        }

        @Test(arguments: damage)
        func `A damaged file of the suite that is the store changes nothing`(damage: Data) throws {
            try scratch.writeFile(damage)
            #expect(throws: MoltError.self) { try scratch.suite.upgrade(with: registry) }?.expect(.unreadable)
            #expect(try Data(contentsOf: scratch.file) == damage)
            #expect(try other.values == ["name": "of the other"])
            #expect(try scratch.otherFiles() == [])
        }

        @Test(arguments: PrimaryStore.allCases)
        func `A value of an unexpected type changes nothing`(primary: PrimaryStore) throws {
            let (suite, other) = (scratch.suite, other.suite)
            let typed = Migration(
                to: 3,
                "typed",
                .settings(in: suite) { settings in
                    try settings.set("early", forKey: "early")
                    _ = try settings.value(for: DefaultsKey("title", default: 0))
                }
            )
            var error = #expect(throws: MoltError.self) {
                try upgrade(primary, MigrationRegistry(registry.migrations + [typed]))
            }
            error?.expect(.typeMismatch, key: "title", migration: "typed")
            try expectUnchanged(primary)

            let newest = Migration.suiteToAppGroup(to: 3, from: suite, into: other, conflict: .newest(by: "title"))
            error = #expect(throws: MoltError.self) {
                try upgrade(primary, MigrationRegistry(registry.migrations + [newest]))
            }
            error?.expect(.typeMismatch, key: "title")
            try expectUnchanged(primary)
            #expect(try self.other.values == ["name": "of the other"])
        }

        // MARK: After the commit

        /// An extension's standard suite is not the app's.
        @Test func `An app extension leaves pending changes to the app's own settings to the app`() throws {
            let key = "molt.test.\(UUID().uuidString)"
            let registry: MigrationRegistry = [
                Migration(to: 1, "own \(key)", .settings(in: .standard) { try $0.set(1, forKey: key) })
            ]
            defer { try? Suite.standard.write(set: [:], remove: [key, Suite.ledgerKey]) }
            #expect(throws: MoltError.self) {
                try cache.upgrade(registry) { if $0.kind == .beforeApply { throw Failure() } }
            }
            let error = #expect(throws: MoltError.self) { try cache.upgrade(registry, role: .appExtension) }
            error?.expect(.journalPending, attachedStore: "standard")
            #expect(try Suite.standard.value(forKey: key) == nil)
            try cache.upgrade(registry)
            #expect(try Suite.standard.value(forKey: key) == 1)
            #expect(try Suite.standard.history().map(\.name).contains("own \(key)"))
        }
    }
#endif
