#if os(Linux)
    import Foundation
    import Molt
    import TestSupport
    import Testing

    @Suite struct `Faults during an upgrade of suites` {
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
                Migration(to: 1, "one", .renameSetting("name", to: "title", in: scratch.suite)),
                Migration(to: 2, "two", .renameSetting("name", to: "title", in: other.suite)),
            ]
        }

        private func upgrade(_ primary: PrimaryStore, _ registry: MigrationRegistry) throws {
            try primary.upgrade(scratch.suite, cache: cache.url, with: registry)
        }

        private func expectNotUpgraded(_ primary: PrimaryStore) throws {
            try scratch.expect(["name": "n"])
            let state = try primary.state(of: scratch.suite, cache: cache.url)
            state.expect(version: 0)
            #expect(state.ledger.isEmpty)
        }

        // MARK: Before the commit

        private static let damage = [
            Data("garbage".utf8),
            Data("<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict><key>name</key>".utf8),
            Data("<plist version=\"1.0\"><array><string>secret</string></array></plist>".utf8),
            // A dictionary whose value is an archive's UID, which no suite holds.
            HandmadeArchive.binaryList([0xD1, 0x01, 0x02], [0x51, 0x61], [0x80, 0x05]),
        ]

        /// Each kind of damage with a cache, where nil is a directory in place of the file, and one without.
        private static let cases: [(Data?, PrimaryStore)] = [
            (nil, .cache), (damage[0], .suite),
            (damage[0], .cache), (damage[1], .cache), (damage[2], .cache), (damage[3], .cache),
        ]

        @Test(arguments: cases)
        func `A damaged file changes nothing, and the upgrade succeeds once it is repaired`(
            damage: Data?,
            primary: PrimaryStore
        ) throws {
            let bytes = try other.bytes
            try FileManager.default.removeItem(at: other.file)
            if let damage {
                try other.writeFile(damage)
            } else {
                try FileManager.default.createDirectory(at: other.file, withIntermediateDirectories: false)
            }
            let error = MoltError.thrown { try upgrade(primary, registry) }
            error?.expect(
                damage == nil ? .suiteNotWritable : .settingUnreadable,
                suite: other.suite.attachedName,
                says: try other.file.path
            )
            #expect(error?.outcome == nil)
            let text = String(reflecting: error)
            #expect(!text.contains("secret"))
            let left = try? other.bytes
            #expect(left == damage)
            try expectNotUpgraded(primary)

            try FileManager.default.removeItem(at: other.file)
            try bytes.write(to: other.file)
            try upgrade(primary, registry)
            try scratch.expect(["title": "n"])
            try other.expect(["title": "of the other"])
        }

        @Test func `A damaged file of the suite that is the store changes nothing`() throws {
            for damage in Self.damage {
                try scratch.writeFile(damage)
                try scratch.expectUnchanged {
                    MoltError.thrown { try scratch.suite.upgrade(with: registry) }?.expect(.settingUnreadable)
                }
            }
            try other.expect(["name": "of the other"])
            try expect(scratch.otherFiles(), is: [])
        }

        @Test(arguments: PrimaryStore.allCases)
        func `A value of an unexpected type changes nothing`(primary: PrimaryStore) throws {
            let typed = MigrationStep.changeSettings(in: scratch.suite) { settings in
                try settings.set("early", forKey: "early")
                _ = try settings.value(for: SettingKey("title", default: 0))
            }
            let migrations = MigrationRegistry(registry.migrations + [Migration(to: 3, "typed", typed)])
            MoltError.thrown {
                try upgrade(primary, migrations)
            }?.expect(.typeMismatch, key: "title", migration: "typed")
            try expectNotUpgraded(primary)
            try other.expect(["name": "of the other"])
        }

        // MARK: After the commit

        /// An extension's standard suite is not the app's.
        @Test func `An app extension leaves pending changes to the app's own settings to the app`() throws {
            try StandardSuite.whileAlone {
                let key = "molt.test.\(UUID().uuidString)"
                let registry: MigrationRegistry = [
                    Migration(to: 1, "own \(key)", .changeSettings(in: .standard) { try $0.set(1, forKey: key) })
                ]
                defer { try? Suite.standard.write(set: [:], remove: [key, Suite.ledgerKey]) }
                interrupt { try cache.upgrade(registry, $0) }
                let error = MoltError.thrown { try cache.upgrade(registry, process: .tool) }
                error?.expect(.journalPending, suite: "standard")
                try expect(Suite.standard.value(forKey: key), is: nil)
                try cache.upgrade(registry)
                try expect(Suite.standard.value(forKey: key), is: 1)
                let names = try Suite.standard.history().map(\.name)
                #expect(names.contains("own \(key)"))
            }
        }
    }
#endif
