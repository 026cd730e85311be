#if os(Linux)
    import Foundation
    import Molt
    import TestSupport
    import Testing

    @Suite struct `Security of a suite's files` {
        private let scratch: ScratchSuite
        private var suite: Suite { scratch.suite }

        init() throws {
            scratch = try ScratchSuite(["name": "n"])
        }

        enum Thing: String, CaseIterable, Sendable {
            case link
            case deadLink
            case pipe
            case directory
        }

        private var precious: URL {
            get throws { try TestHome.directory.appendingPathComponent("\(scratch.name)-precious") }
        }

        private func put(_ thing: Thing, _ suffix: String) throws {
            let path = try TestHome.directory.appendingPathComponent(scratch.name + suffix).path
            switch thing {
            case .link:
                try Data("precious".utf8).write(to: precious)
                symlink(try precious.path, path)
            case .deadLink: symlink(try precious.path, path)
            case .pipe: mkfifo(path, 0o600)
            case .directory: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
        }

        private func expectNothingHappened(_ thing: Thing) throws {
            let found = try? Data(contentsOf: precious)
            #expect(found == (thing == .link ? Data("precious".utf8) : nil))
        }

        private var migrations: MigrationRegistry {
            [Migration(to: 1, "rename", .renameSetting("name", to: "title", in: suite))]
        }

        /// A dead link in place of the journal is a case of its own.
        private static let places: [(Thing, String)] = [
            (.link, ".molt-lock"), (.deadLink, ".molt-lock"), (.pipe, ".molt-lock"), (.directory, ".molt-lock"),
            (.link, ".molt"), (.pipe, ".molt"), (.directory, ".molt"),
        ]

        @Test(arguments: places)
        func `A link, pipe or directory in place of the lock or the journal stops the upgrade`(
            thing: Thing,
            suffix: String
        ) throws {
            try put(thing, suffix)
            let code = MoltError.thrown { try suite.upgrade(with: migrations) }?.code
            let codes: [MoltError.Code?] = suffix == ".molt" ? [.notAFile, .notADatabase] : [.suiteNotWritable]
            #expect(codes.contains(code))
            try expectNothingHappened(thing)
            try scratch.expect(["name": "n"], history: [])
            let path = try TestHome.directory.appendingPathComponent(scratch.name + suffix)
            try FileManager.default.removeItem(at: path)
            try suite.upgrade(with: migrations)
            try scratch.expect(["title": "n"])
        }

        /// As a cache's file may be a link, this one may: what it leads to has no content of anybody.
        @Test func `A dead link in place of the journal is followed or refused, and no setting is lost`() throws {
            try put(.deadLink, ".molt")
            _ = try? suite.upgrade(with: migrations)
            let values = try scratch.values
            #expect(values == ["title": "n"] || values == ["name": "n"])
        }

        @Test(arguments: [0o000, 0o022])
        func `New files are accessible to their owner only, whatever the umask`(mask: Int) throws {
            let old = umask(mode_t(mask))
            defer { umask(old) }
            let fresh = ScratchSuite(named: TestHome.newSuiteName())
            try fresh.suite.set(1, forKey: "a")
            try fresh.commit([Migration(to: 1, "rename", .renameSetting("a", to: "b", in: fresh.suite))])
            for suffix in [".plist", ".molt-lock", ".molt"] {
                let path = try TestHome.directory.appendingPathComponent(fresh.name + suffix).path
                try expect(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int, is: 0o600)
            }
        }
    }
#endif
