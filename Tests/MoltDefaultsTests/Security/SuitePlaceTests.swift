#if os(Linux)
    import Foundation
    @testable import Molt
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
            #expect((try? Data(contentsOf: precious)) == (thing == .link ? Data("precious".utf8) : nil))
        }

        private var migrations: MigrationRegistry {
            [Migration(to: 1, "rename", .renameKey("name", to: "title", in: suite))]
        }

        @Test(arguments: Thing.allCases)
        func `A link, pipe or directory in place of the lock stops the upgrade`(thing: Thing) throws {
            try put(thing, ".molt-lock")
            let error = #expect(throws: MoltError.self) { try suite.upgrade(with: migrations) }
            #expect(error?.code == .notWritable)
            try expectNothingHappened(thing)
            #expect(try scratch.allValues == ["name": "n"])
            try FileManager.default.removeItem(
                at: TestHome.directory.appendingPathComponent("\(scratch.name).molt-lock")
            )
            try suite.upgrade(with: migrations)
            #expect(try scratch.values["title"] == "n")
        }

        @Test(arguments: [Thing.link, .pipe, .directory])
        func `A link to another file, a pipe or a directory in place of the journal stops the upgrade`(thing: Thing)
            throws
        {
            try put(thing, ".molt")
            let error = #expect(throws: MoltError.self) { try suite.upgrade(with: migrations) }
            #expect([.notAFile, .notADatabase].contains(error?.code))
            try expectNothingHappened(thing)
            #expect(try scratch.allValues == ["name": "n"])
            try FileManager.default.removeItem(at: TestHome.directory.appendingPathComponent("\(scratch.name).molt"))
            try suite.upgrade(with: migrations)
            #expect(try scratch.values["title"] == "n")
        }

        /// As a cache's file may be a link, this one may: what it leads to has no content of anybody.
        @Test func `A dead link in place of the journal is followed or refused, and no setting is lost`() throws {
            try put(.deadLink, ".molt")
            _ = try? suite.upgrade(with: migrations)
            #expect(try scratch.values == ["title": "n"] || scratch.allValues == ["name": "n"])
        }

        @Test(arguments: [0o000, 0o022])
        func `New files are accessible to their owner only, whatever the umask`(mask: Int) throws {
            let old = umask(mode_t(mask))
            defer { umask(old) }
            let fresh = ScratchSuite(named: TestHome.newSuiteName())
            try fresh.suite.set(1, forKey: "a")
            try fresh.commit([Migration(to: 1, "rename", .renameKey("a", to: "b", in: fresh.suite))])
            for suffix in [".plist", ".molt-lock", ".molt"] {
                let path = try TestHome.directory.appendingPathComponent(fresh.name + suffix).path
                let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(found == 0o600)
            }
        }
    }

    @Suite struct `Damaged property lists and archives` {
        /// A binary property list like those of UserDefaults and of a journal.
        private static let list = PropertyListValue.dictionary([
            "text": "é", "list": [1, 2.5, true, ["deep": "x"]], "big": .unsigned(.max),
            "date": .date(Date(timeIntervalSince1970: 9)),
            "data": .data(Data([1, 2, 3])), "none": [],
        ])

        private static func bytes() throws -> [UInt8] {
            let object: [String: Any] = [
                "text": "é", "list": [1, 2.5, true, ["deep": "x"]] as [Any], "big": UInt64.max,
                "date": Date(timeIntervalSince1970: 9), "data": Data([1, 2, 3]), "none": [String](),
            ]
            return Array(try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0))
        }

        @Test func `A binary property list is read as Foundation reads it`() throws {
            #expect(try PropertyListReader.value(Data(Self.bytes())) == Self.list)
        }

        @Test func `A property list that contains itself is refused`() throws {
            // One array whose only element is itself.
            let bytes =
                Array("bplist00".utf8) + [0xA1, 0x00, 0x08] + [0, 0, 0, 0, 0, 0, 1, 1]
                + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 10]
            #expect(throws: CocoaError.self) { try PropertyListReader.value(Data(bytes)) }
        }

        @Test func `A suite's file that is a damaged binary property list is an error and is left unchanged`() throws {
            let scratch = ScratchSuite(named: TestHome.newSuiteName())
            var bytes = try Self.bytes()
            // The table of objects lies behind the end of the file.
            bytes[bytes.count - 3] = 0xFF
            try scratch.writeFile(Data(bytes))
            let error = #expect(throws: MoltError.self) { try scratch.suite.allValues() }
            #expect(error?.code == .unreadable)
            #expect(try Array(Data(contentsOf: scratch.file)) == bytes)
        }

        /// Found by MoltFuzz: the unarchiver read beyond the end and ended the process.
        @Test func `An archived dictionary with more keys than values is refused`() throws {
            #expect(throws: MoltError.self) { try Self.unarchived("NSDictionary", keys: [2, 2], objects: [2]) }
            let whole = try Self.unarchived("NSDictionary", keys: [2], objects: [2])
            #expect(whole as? NSDictionary == ["text": "text"])
        }

        @Test func `An archived array that contains itself is refused`() {
            #expect(throws: MoltError.self) { try Self.unarchived("NSArray", objects: [1]) }
        }

        /// Reads a collection (object 1) of the objects at the indices; object 2 is a string.
        private static func unarchived(_ name: String, keys: [Int]? = nil, objects: [Int]) throws -> NSObject {
            let keys = keys.map { "<key>NS.keys</key>\(HandmadeArchive.references($0))" } ?? ""
            let values = "<key>NS.objects</key>\(HandmadeArchive.references(objects))"
            let archive = try HandmadeArchive.binary([
                HandmadeArchive.object(class: 3, keys + values), "<string>text</string>", HandmadeArchive.type(name),
            ])
            return try KeyedArchive.object([NSObject.self], from: .data(archive))
        }
    }
#endif
