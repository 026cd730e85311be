import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

@Suite("Fixtures from existing stores")
struct FixtureSourceTests {
    // MARK: Cache files

    @Test func `A cache file is read completely, and stays unchanged`() throws {
        try ScratchDirectory.with { folder in
            let url = folder.appending(path: "store.molt")
            try FileManager.default.copyItem(at: FixtureFile.cache, to: url)
            let bytes = try Data(contentsOf: url)

            let fixture = try StoreFixture(cacheFile: url)

            #expect(fixture.primary == .cache)
            #expect(fixture.history == "2, alien-becomes-person 2 bornFresh, mail-becomes-email 2 bornFresh")
            #expect(fixture.records.count == 20)
            let plato = StoreFixture.Content.json(#"{"birthYear":-427,"city":"Αθήνα","fullName":"Plato"}"#)
            #expect(fixture.record(forKey: "contact/2")?.content == plato)
            #expect(try Data(contentsOf: url) == bytes)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.molt"])
        }
    }

    @Test func `A cache with records that still go through a migration on read is read as it is`() throws {
        try ScratchDirectory.with { folder in
            let url = folder.appending(path: "store.molt")
            try CodableCache(at: url).set(["mail": "a@b.c"], forKey: "ada")
            let type = try CodableCache(at: url).typeName(forKey: "ada") ?? ""
            let migrations: MigrationRegistry = [
                Migration(to: 1, "email", .renameProperty(type, "mail", to: "email")).onRead()
            ]
            var configuration = MoltConfiguration()
            configuration.runsBackfill = false
            let cache = try CodableCache(at: url, migrations: migrations, configuration: configuration)
            try cache.set(["email": "e@f.g"], forKey: "eve")

            let fixture = try StoreFixture(json: StoreFixture(cacheFile: url).json)

            #expect(fixture.history == "1, email 1 onRead")
            #expect(fixture.record(forKey: "ada")?.content == .json(#"{"mail":"a@b.c"}"#))
            let migrated = try fixture.migrated(through: migrations)
            #expect(try migrated.value([String: String].self, forKey: "ada") == ["email": "a@b.c"])
            #expect(try migrated.value([String: String].self, forKey: "eve") == ["email": "e@f.g"])
        }
    }

    @Test func `A file that is not a cache is refused and named`() throws {
        let settings = try FixtureFile.settings
        let error = try #require(throws: MoltError.self) { try StoreFixture(cacheFile: settings) }
        #expect(error.store == settings.path)
        let missing = try #require(throws: MoltError.self) {
            try StoreFixture(cacheFile: URL(filePath: "/nowhere/store.molt"))
        }
        #expect(missing.code == .fileMissing)
    }

    @Test func `A cache with pending changes in its journal is refused`() throws {
        try ScratchDirectory.with { folder in
            let url = folder.appending(path: "store.molt")
            let old = try CodableCache(at: url, migrations: [])
            try old.set(1, forKey: "one")
            old.close()
            let suite = Molt.Suite("molt-fixtures-\(UUID().uuidString)")
            defer { suite.erase() }
            var configuration = MoltConfiguration()
            configuration.hooks.atPoint = { if $0.kind == .beforeApply { throw CocoaError(.userCancelled) } }
            let step = MigrationStep.changeSettings(in: suite) { try $0.set(1, forKey: "one") }
            MoltError.thrown {
                try CodableCache(at: url, migrations: [Migration(to: 1, "set", step)], configuration: configuration)
            }
            #expect(try StoreFile.state(at: url).journal == [suite.attachedName])
            try TestingError.expect(.unsuitable, file: url) { try StoreFixture(cacheFile: url) }
        }
    }

    // MARK: Settings

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func `The file of a suite is read as an XML or a binary property list`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        try ScratchDirectory.with { folder in
            let xml = try Data(contentsOf: FixtureFile.settings)
            var object = try #require(
                PropertyListSerialization.propertyList(from: xml, format: nil) as? [String: Any]
            )
            // As deeply nested as a suite allows.
            let deep = (0..<200).reduce(PropertyListValue.int(1)) { value, _ in [value] }
            object["deep"] = deep.object
            let url = folder.appending(path: "app.plist")
            let data = try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0)
            try data.write(to: url)

            let fixture = try StoreFixture(settings: url, of: .standard)

            let values = try #require(fixture.suites[.standard])
            let expected = StoreFixture(primary: .suite(.standard), version: 0, suites: [.standard: values])
            #expect(fixture == expected)
            #expect(values["alreadyNative"] == ["already", "native"])
            #expect(values["arrayString"] == #"["a","b\/c","🦄"]"#)
            #expect(values["deep"] == deep)
            #expect(values.count == object.count)
            #expect(try StoreFixture(json: fixture.json) == fixture)
            #expect(try Data(contentsOf: url) == data)
        }
    }

    @Test func `Settings can be added to the fixture of a cache`() throws {
        let group = Molt.Suite("group.example")
        var fixture = try StoreFixture(cacheFile: FixtureFile.cache)
        fixture.suites[group] = ["old": 1]
        try fixture.addSettings(from: FixtureFile.settings, of: group)
        #expect(fixture.suites.keys.map(\.description) == ["group.example"])
        #expect(fixture.suites[group]?["old"] == nil)
        #expect(fixture.suites[group]?["alreadyNative"] == ["already", "native"])
        let migrated = try fixture.migrated(through: [
            Migration(to: 2, "alien-becomes-person"),
            Migration(to: 2, "mail-becomes-email"),
            Migration(to: 3, "rename", .renameSetting("alreadyNative", to: "native", in: group)),
        ])
        #expect(migrated.setting("native", in: group) == ["already", "native"])
    }

    @Test(arguments: ["", "no plist", "<plist version=\"1.0\"><array/></plist>", "bplist00"])
    func `A file that does not contain settings is refused and named`(text: String) throws {
        try ScratchDirectory.with { folder in
            let url = folder.appending(path: "app.plist")
            try Data(text.utf8).write(to: url)
            try TestingError.expect(.malformedFixture, file: url) { try StoreFixture(settings: url, of: .standard) }
            var fixture = StoreFixture(version: 0)
            #expect(throws: TestingError.self) { try fixture.addSettings(from: url, of: .standard) }
            #expect(fixture == StoreFixture(version: 0))
            let missing = folder.appending(path: "none.plist")
            #expect(throws: TestingError.self) { try StoreFixture(settings: missing, of: .standard) }
        }
    }

    // MARK: Capturing

    @Test func `A cache and its suites are captured as they are`() throws {
        struct Person: Codable { var name: String }
        try ScratchDirectory.with { folder in
            let suite = Molt.Suite("molt-fixtures-\(UUID().uuidString)")
            defer { suite.erase() }
            try suite.update(set: ["theme": "dark", "count": 1])
            let migrations: MigrationRegistry = [Migration(to: 1, "one"), Migration(to: 2, "two")]
            let cache = try CodableCache(at: folder.appending(path: "store.molt"), migrations: migrations)
            let end = Date(timeIntervalSince1970: 1_990_000_000.5)
            try cache.set(Person(name: "John"), forKey: "john", expiry: .at(end))
            try cache.set(Data([1, 2]), forKey: "photo")

            let fixture = try StoreFixture(capturing: cache, suites: [suite])

            let expected = StoreFixture(
                version: 2,
                ledger: fixture.ledger,
                records: [
                    .init("john", "Person", .json(#"{"name":"John"}"#), expiration: end),
                    .init("photo", "Data", .data(Data([1, 2]))),
                ],
                suites: [suite: ["theme": "dark", "count": 1]]
            )
            #expect(fixture == expected)
            #expect(fixture.history == "2, one 1 bornFresh, two 2 bornFresh")
            cache.close()
            #expect(try StoreFixture(cacheFile: folder.appending(path: "store.molt")).records == fixture.records)
        }
    }

    @Test func `A suite that is a store is captured with its ledger, in use and from its file`() throws {
        try ScratchDirectory.with { folder in
            let suite = Molt.Suite("molt-fixtures-\(UUID().uuidString)")
            let other = Molt.Suite("molt-fixtures-\(UUID().uuidString)")
            defer {
                suite.erase()
                other.erase()
            }
            try suite.update(set: ["volume": 1])
            try other.update(set: ["x": true])
            _ = try suite.upgrade(with: [
                Migration(to: 3, "rename", .renameSetting("volume", to: "loudness", in: suite))
            ])

            let fixture = try StoreFixture(capturing: suite, others: [other])

            var expected = StoreFixture(
                primary: .suite(suite),
                version: 3,
                ledger: fixture.ledger,
                suites: [suite: ["loudness": 1], other: ["x": true]]
            )
            #expect(fixture == expected)
            #expect(fixture.history == "3, rename 3 ran")

            let url = folder.appending(path: "suite.plist")
            let stored = try suite.allValues().mapValues(\.object)
            try PropertyListSerialization.data(fromPropertyList: stored, format: .xml, options: 0).write(to: url)
            var fromFile = try StoreFixture(settings: url, of: suite)
            try fromFile.addSettings(from: url, of: other)
            expected.suites[other] = ["loudness": 1]
            #expect(fromFile == expected)
        }
    }

    // MARK: Directories

    private static let people = (0..<100).map { "person-\($0)" }

    @Test func `The time of a file that does not fit into 64 bits is clamped`() throws {
        try ScratchDirectory.with { folder in
            let key = "person-1"
            let files = try DirectoryFixture(tar: FixtureFile.cacheDirectories, directory: "fixture/Floppy")
            let source = folder.appending(path: "source")
            try files.write(to: source)
            let fixture = try StoreFixture(adopting: CacheDirectory(at: source, keys: .list([key]), type: "Friend"))
            try FileManager.default.removeItem(at: source)
            let content = try #require(fixture.record(forKey: key)?.content.bytes)
            let text = #"{"object":"# + String(decoding: content, as: UTF8.self) + "}"
            let name = try #require(files.files.first { $0.content == Data(text.utf8) }?.name)
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            // In 2267; ext4 cannot store a time after 2446.
            let time = Date(timeIntervalSince1970: 9_400_000_000)
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file.path)
            #expect(try DirectoryFixture(contentsOf: folder).files.map(\.modified) == [.max])
            // A migration adopts it, too, as a record that never expires.
            let migrated = try StoreFixture(version: 0).migrated(through: [
                .adoptCacheDirectory(to: 1, directory: CacheDirectory(at: folder, keys: .list([key]), type: "Friend"))
            ])
            #expect(migrated.fixture.records.map(\.key) == [key])
            #expect(migrated.fixture.records.map(\.expiration) == [nil])
        }
    }

    @Test func `The records of a directory become a fixture, including expired ones`() throws {
        let scratch = try ScratchDirectory()
        let directory = scratch.file("Floppy")
        try DirectoryFixture(tar: FixtureFile.cacheDirectories, directory: "fixture/Floppy").write(to: directory)
        let keys = Self.people + ["expired", "in1h", "raw", "never written"]
        let fixture = try StoreFixture(
            adopting: CacheDirectory(at: directory, keys: .list(keys)) { $0 == "raw" ? .data : "Friend" }
        )
        #expect(fixture.history == "0")
        #expect(fixture.records.prefix(103).map(\.key) == keys.dropLast())
        #expect(fixture.records.count == 113)
        #expect(fixture.records.allSatisfy { $0.version == nil })
        #expect(fixture.record(forKey: "raw")?.content == .data(Data("raw bytes".utf8)))
        #expect(fixture.record(forKey: "person-1")?.expiration == nil)
        let end = try #require(fixture.record(forKey: "in1h")?.expiration)
        #expect(abs(end.timeIntervalSince1970 - 1_795_250_694.579523) < 0.000_001)

        let later = try StoreFixture(
            adopting: CacheDirectory(at: directory, keys: .list(keys), type: "Friend"),
            now: Date(timeIntervalSince1970: 1_795_247_094)
        )
        #expect(later.record(forKey: "expired") == nil)
        #expect(later.record(forKey: "in1h") != nil)
    }

    @Test func `A file that cannot be adopted is an error, and is not left out of the fixture`() throws {
        let scratch = try ScratchDirectory()
        let directory = scratch.file("Floppy")
        try DirectoryFixture([.init("foreign", Data(), modified: 2_144_448_000_000_000_000)]).write(to: directory)
        let error = try #require(throws: MoltError.self) {
            try StoreFixture(adopting: CacheDirectory(at: directory, keys: .fileNames, type: "Friend"))
        }
        #expect(error.code == .notConvertible)
    }
}
