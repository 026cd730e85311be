import Foundation
import Molt
import TestSupport
import Testing

@Suite("A document outside of a cache") struct DocumentTests {
    private static let migrations: MigrationRegistry = [
        Migration(to: 1, "person", .renameType("Alien", to: "Person")),
        Migration(to: 2, "names", .splitProperty("Person", "name", into: ["firstName", "lastName"])),
        Migration(
            to: 3,
            "head",
            .transform("Person") { person in
                person.key = "people/\(person.key)"
                person.expiration = Date(timeIntervalSince1970: 5_000_000_000)
                if try person.string("firstName") == "Drop" { person.drop() }
            }
        ),
        Migration(to: 4, "trash", .deleteType("Trash")),
    ]

    private struct Person: Codable, Equatable, Sendable, RecordType {
        static let recordTypeName = "Person"
        var firstName: String
        var lastName: String
    }

    private let documents: DocumentUpgrade

    init() throws {
        documents = try DocumentUpgrade(Self.migrations)
    }

    private func upgrade(_ json: String, _ type: String, _ version: Int) throws -> DocumentUpgrade.Output {
        try documents.upgrade(Data(json.utf8), ofType: type, writtenAt: version, forKey: "ada")
    }

    @Test func `goes through the migrations later than its version, and may be dropped`() throws {
        let cases: [(json: String, type: String, version: Int, result: String)] = [
            (
                #"{"name":"Ada King", "n":1.50}"#, "Alien", 0,
                #"Person people/ada 4 {"n":1.50,"firstName":"Ada","lastName":"King"} until 5000000000.0"#
            ),
            // At version 1, the type has its new name.
            (#"{"name":"Ada King"}"#, "Alien", 1, #"Alien ada 4 {"name":"Ada King"}"#),
            (
                #"{"name":"Ada King"}"#, "Person", 1,
                #"Person people/ada 4 {"firstName":"Ada","lastName":"King"} until 5000000000.0"#
            ),
            (#"{ "name" : "Ada" }"#, "Person", 4, #"Person ada 4 { "name" : "Ada" }"#),
            (#"{"name":"Drop it"}"#, "Person", 1, "dropped"),
            ("{}", "Trash", 2, "dropped"),
            ("{}", "Trash", 4, "Trash ada 4 {}"),
        ]
        for (json, type, version, result) in cases {
            let new = try upgrade(json, type, version)
            let expiry = new.expiration.map { " until \($0.timeIntervalSince1970)" } ?? ""
            let content = String(decoding: new.content, as: UTF8.self)
            let text = "\(new.typeName) \(new.key) \(new.version) \(content)\(expiry)"
            #expect((new.isDropped ? "dropped" : text) == result)
        }
    }

    @Test func `can be decoded, unless it is dropped`() throws {
        func value(_ name: String, _ type: String, _ version: Int) throws -> Person? {
            let json = Data(#"{"name":"\#(name)"}"#.utf8)
            return try documents.value(Person.self, from: json, ofType: type, writtenAt: version)
        }
        #expect(try value("Ada King", "Alien", 0) == Person(firstName: "Ada", lastName: "King"))
        #expect(try value("Drop it", "Person", 1) == nil)
        #expect(throws: DecodingError.self) { try value("Ada King", "Person", 4) }
    }

    @Test func `is refused with an error that says why`() throws {
        let newer = MoltError.thrown { try upgrade("{}", "Person", 5) }
        newer?.expect(.superseded)
        #expect(newer?.storeVersion == 5 && newer?.registryVersion == 4)
        let malformed = MoltError.thrown { try upgrade("{", "Person", 4) }
        malformed?.expect(.malformedContent)
        #expect(malformed?.message.hasPrefix("The document is not JSON text: ") == true)
        MoltError.thrown { try upgrade("{}", "Person", -1) }?.expect(says: "A version is 0 or more")
        let wrong = MoltError.thrown { try upgrade(#"{"name":1}"#, "Person", 1) }
        wrong?.expect(key: "ada", migration: "names")
        #expect(wrong?.store == nil)
        let supported = MigrationRegistry(Self.migrations.migrations.suffix(2)).oldestVersion(2)
        MoltError.thrown {
            try DocumentUpgrade(supported).upgrade(Data("{}".utf8), ofType: "Person", writtenAt: 1)
        }?.expect(.tooOld)
    }

    @Test func `does not go through migrations of a whole store`() throws {
        var migrations = Self.migrations
        migrations.register(to: 5, "block") { _ in }
        migrations.register(Migration(to: 6, "mail", .renameProperty("Person", "mail", to: "email")))
        MoltError.thrown { try DocumentUpgrade(migrations, from: 4) }?.expect(.invalidRegistry, migration: "block")
        MoltError.thrown { try DocumentUpgrade(migrations, from: 7) }?.expect(.invalidRegistry)
        let later = try DocumentUpgrade(migrations)
        #expect(later.oldestVersion == 5)
        #expect("\(later)" == "documents from version 5 on, upgraded to version 6")
        let upgraded = try later.upgrade(Data(#"{"mail":1}"#.utf8), ofType: "Person", writtenAt: 5)
        #expect(String(decoding: upgraded.content, as: UTF8.self) == #"{"email":1}"#)
        MoltError.thrown {
            try later.upgrade(Data("{}".utf8), ofType: "Person", writtenAt: 4)
        }?.expect(.tooOld, migration: "block")
    }

    @Test func `yields the documents that steps extract, and a cache stores them with it`() throws {
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "comments",
                .extractRecords("Post", ["comments", .each], as: "Comment", key: .property("id"), owner: "post")
            ),
            Migration(to: 2, "text", .renameProperty("Comment", "text", to: "body"), .deleteType("Post")),
        ]
        let post = Data(#"{"comments":[{"id":"c1","text":"x"},{"id":"c2"},{"id":"c1","text":"x"}]}"#.utf8)
        let documents = try DocumentUpgrade(migrations, types: ["Comment"])
        let upgraded = try documents.upgradeAll(post, ofType: "Post", writtenAt: 0, forKey: "p")
        #expect(upgraded[0].isDropped)
        let texts = upgraded.dropFirst().map {
            "\($0.typeName) \($0.key) \(String(decoding: $0.content, as: UTF8.self))"
        }
        #expect(texts == [#"Comment c1 {"id":"c1","body":"x","post":"p"}"#, #"Comment c2 {"id":"c2","post":"p"}"#])
        #expect(try documents.upgradeAll(post, ofType: "Post", writtenAt: 1, forKey: "p").count == 1)
        MoltError.thrown { try documents.upgrade(post, ofType: "Post", writtenAt: 0, forKey: "p") }?
            .expect(.unsupported, key: "p", migration: "comments")
        #expect(try documents.upgrade(post, ofType: "Post", writtenAt: 1, forKey: "p").isDropped)

        let cache = try CodableCache(inMemory: migrations)
        try cache.set(document: post, ofType: "Post", writtenAt: 0, forKey: "p")
        #expect(try cache.keys().sorted() == ["c1", "c2"])

        let different = Data(#"{"comments":[{"id":"c1"},{"id":"c1","text":"x"}]}"#.utf8)
        let error = MoltError.thrown { try documents.upgrade(different, ofType: "Post", writtenAt: 0, forKey: "p") }
        error?.expect(.keyExists, key: "p", migration: "comments")
        #expect(error?.store == nil)
    }

    @Test func `yields documents that are extracted from extracted ones, and the newer of two with one key`() throws {
        let documents = try DocumentUpgrade([
            Migration(to: 1, "posts", .extractRecords("Blog", ["posts", .each], as: "Post", key: .property("id"))),
            Migration(
                to: 2,
                "comments",
                .extractRecords(
                    "Post",
                    ["comments", .each],
                    as: "Comment",
                    key: .property("id"),
                    onConflict: .newest(by: "at")
                )
            ),
        ])
        let blog = Data(
            #"{"posts":[{"id":"p","comments":[{"id":"c","at":1},{"id":"c","at":2}]}]}"#.utf8
        )
        let upgraded = try documents.upgradeAll(blog, ofType: "Blog", writtenAt: 0, forKey: "b")
        let texts = upgraded.dropFirst().map { "\($0.key) \(String(decoding: $0.content, as: UTF8.self))" }
        #expect(texts == [#"p {"id":"p","comments":["c","c"]}"#, #"c {"id":"c","at":2}"#])
    }

    @Test(arguments: [#"{"comments":[{"id":"p"}]}"#, #"{"comments":[{"id":"x"}],"tags":[{"id":"x"}]}"#])
    func `yields none with the key of another type's, as a cache refuses it`(post: String) throws {
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "parts",
                .extractRecords("Post", ["comments", .each], as: "Comment", key: .property("id")),
                .extractRecords("Post", ["tags", .each], as: "Tag", key: .property("id"))
            )
        ]
        let documents = try DocumentUpgrade(migrations)
        MoltError.thrown {
            try documents.upgrade(Data(post.utf8), ofType: "Post", writtenAt: 0, forKey: "p")
        }?.expect(.keyExists, key: "p", migration: "parts")

        let store = try OldStore([StoredRecord("Post", "p", post)])
        MoltError.thrown { try CodableCache(at: store.url, migrations: migrations) }?
            .expect(.keyExists, key: "p", migration: "parts")
    }

    @Test(arguments: ["Post", "Comment"])
    func `yields no two with one key if a later step gives it to them, as a cache refuses it`(type: String) throws {
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "comments",
                .extractRecords("Post", ["comments", .each], as: "Comment", key: .property("id"))
            ),
            Migration(to: 2, "keys", .transform(type) { $0.key = "x" }),
        ]
        let post = #"{"comments":[{"id":"x"},{"id":"y"}]}"#
        let documents = try DocumentUpgrade(migrations)
        MoltError.thrown {
            try documents.upgradeAll(Data(post.utf8), ofType: "Post", writtenAt: 0, forKey: "p")
        }?.expect(.keyExists, key: type == "Post" ? "p" : "y", type: type, migration: "keys", step: 1)

        let store = try OldStore([StoredRecord("Post", "p", post)])
        MoltError.thrown { try CodableCache(at: store.url, migrations: migrations) }?
            .expect(.keyExists, migration: "keys", step: 1)
    }

    @Test func `yields none whose key another one gives up only in a later step, as a cache refuses it`() throws {
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "comments",
                .extractRecords("Post", ["comments", .each], as: "Comment", key: .property("id"))
            ),
            Migration(
                to: 2,
                "keys",
                .renameProperty("Post", "comments", to: "replies"),
                .transform("Post") { $0.key = "x" },
                .transform("Comment") { $0.key = "comments/\($0.key)" }
            ),
        ]
        let post = #"{"comments":[{"id":"x"}]}"#
        MoltError.thrown {
            try DocumentUpgrade(migrations).upgradeAll(Data(post.utf8), ofType: "Post", writtenAt: 0, forKey: "p")
        }?.expect(.keyExists, key: "p", type: "Post", migration: "keys", step: 2, says: "the key \"x\"")

        let store = try OldStore([StoredRecord("Post", "p", post)])
        MoltError.thrown { try CodableCache(at: store.url, migrations: migrations) }?
            .expect(.keyExists, key: "p", type: "Post", migration: "keys", step: 2)
    }

    @Test func `may exchange its key with one that is extracted from it`() throws {
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "comments",
                .extractRecords("Post", ["comments", .each], as: "Comment", key: .property("id"))
            ),
            Migration(to: 2, "type", .renameType("Comment", to: "Post")),
            Migration(to: 2, "keys", .transform("Post") { $0.key = $0.key == "p" ? "x" : "p" }),
        ]
        let post = #"{"comments":[{"id":"x"}]}"#
        let upgraded = try DocumentUpgrade(migrations)
            .upgradeAll(Data(post.utf8), ofType: "Post", writtenAt: 0, forKey: "p")
        #expect(upgraded.map(\.key) == ["x", "p"])

        let store = try OldStore([StoredRecord("Post", "p", post)])
        #expect(try CodableCache(at: store.url, migrations: migrations).keys().sorted() == ["p", "x"])
    }

    @Test func `must have a known type if all are named`() throws {
        let documents = try DocumentUpgrade(Self.migrations, types: ["Person"])
        let known = try documents.upgrade(Data(#"{"name":"Ada King"}"#.utf8), ofType: "Alien", writtenAt: 0)
        #expect(known.typeName == "Person")
        MoltError.thrown {
            try documents.upgrade(Data("{}".utf8), ofType: "Persn", writtenAt: 0)
        }?.expect(.unsupported, says: #"did you mean "Person"?"#)
    }

    @Test func `can be upgraded on all cores`() throws {
        let expected = try upgrade(#"{"name":"Ada King"}"#, "Alien", 0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let isSame = (0..<200).allSatisfy { _ in (try? upgrade(#"{"name":"Ada King"}"#, "Alien", 0)) == expected }
            #expect(isSame)
        }
    }

    @Test func `shows no content in its description`() throws {
        let upgraded = try upgrade(#"{"name":"Ada King"}"#, "Alien", 0)
        var dump = ""
        Swift.dump(upgraded, to: &dump)
        #expect(!"\(upgraded) \(dump)".contains("King"))
    }

    @Test func `keeps a file from which documents are extracted, in the guide's code`() throws {
        let documents = try DocumentUpgrade([
            Migration(to: 1, "phones", .extractRecords("Person", ["phones", .each], as: "Phone", key: .property("id")))
        ])
        let scratch = try ScratchDirectory()
        let folder = scratch.url.appending(path: "Person")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "ada.0.json")
        try Data(#"{"phones":[{"id":"1"}]}"#.utf8).write(to: file)

        let error = #expect(throws: MoltError.self) { try upgradeFile(file, documents) }

        #expect(error?.code == .unsupported)
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: scratch.url.path).sorted() == [
                "Person", "Person/ada.0.json",
            ]
        )
    }

    /// Calls the code of the guide as the guide says.
    private func upgradeFiles(in directory: URL, _ documents: DocumentUpgrade) throws {
        var failures: [URL: any Error] = [:]
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
        // If there are several versions of a document, the newest comes first, and the others are then removed.
        for file in files.sorted(by: { $0.path.compare($1.path, options: .numeric) == .orderedDescending }) {
            let document = file.deletingPathExtension().deletingPathExtension()
            guard failures[document] == nil else { continue }
            do { try upgradeFile(file, documents) } catch { failures[document] = error }
        }
        if let failure = failures.values.first { throw failure }
    }

    // The code of the guide "Upgrading documents in your own database".

    /// The reason why a document stays as it is.
    struct Unsuitable: Error, CustomStringConvertible {
        let description: String
    }

    func upgradeFile(_ file: URL, _ documents: DocumentUpgrade) throws {
        let (folder, name) = (file.deletingLastPathComponent(), file.deletingPathExtension())
        guard file.pathExtension == "json", let version = Int(name.pathExtension), version < documents.version
        else { return }
        let (type, key) = (folder.lastPathComponent, name.deletingPathExtension().lastPathComponent)
        let new = try documents.upgrade(Data(contentsOf: file), ofType: type, writtenAt: version, forKey: key)
        if !new.isDropped {
            let newFolder = folder.deletingLastPathComponent().appending(path: new.typeName)
            try FileManager.default.createDirectory(at: newFolder, withIntermediateDirectories: true)
            let target = newFolder.appending(path: "\(new.key).\(new.version).\(new.isData ? "data" : "json")")
            if !FileManager.default.fileExists(atPath: target.path) {
                try new.content.write(to: target, options: .atomic)
            } else if (type, key) != (new.typeName, new.key), try Data(contentsOf: target) != new.content {
                throw Unsuitable(description: "There are two documents for \(target.path).")
            }
        }
        try FileManager.default.removeItem(at: file)
    }

    /// Writes files, and upgrades those of both types.
    private func upgrade(_ files: [String: String], in scratch: ScratchDirectory) throws {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "person", .renameType("Alien", to: "Person")),
            Migration(to: 2, "name", .renameProperty("Person", "name", to: "fullName")),
            Migration(to: 3, "key", .transform("Person") { if $0["isOld"] != nil { $0.key = "old-\($0.key)" } }),
            Migration(
                to: 3,
                "raw",
                .transform("Person") { if $0["isRaw"] != nil { try $0.replaceContent(with: Data("raw".utf8)) } }
            ),
        ]
        for type in ["Alien", "Person"] {
            try FileManager.default.createDirectory(at: scratch.file(type), withIntermediateDirectories: true)
        }
        for (path, text) in files { try Data(text.utf8).write(to: scratch.file(path)) }
        for type in ["Alien", "Person"] { try upgradeFiles(in: scratch.file(type), DocumentUpgrade(migrations)) }
    }

    private func expect(
        _ files: [String: String],
        in scratch: ScratchDirectory,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var found: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: scratch.url.path) where path.contains(".") {
            found[path] = try String(contentsOf: scratch.file(path), encoding: .utf8)
        }
        #expect(found == files, sourceLocation: sourceLocation)
    }

    @Test func `can be a file, also when a run was killed before it removed old files`() throws {
        let scratch = try ScratchDirectory()
        for _ in 0..<2 {
            let old = ["Alien/ada.0.json": #"{"name":"Ada"}"#, "Person/bob.1.json": #"{"isOld":1,"name":"Bob"}"#]
            try upgrade(old, in: scratch)
            let new = [
                "Person/ada.3.json": #"{"fullName":"Ada"}"#,
                "Person/old-bob.3.json": #"{"isOld":1,"fullName":"Bob"}"#,
            ]
            try expect(new, in: scratch)
        }
        // It is taken from its newest file. The app has edited the upgraded file of Eve meanwhile.
        var files = ["Person/eve.3.json": #"{"fullName":"Eve"}"#, "Person/eve.1.json": #"{"name":"Ev"}"#]
        var newest = ["Person/eve.3.json": #"{"fullName":"Eve"}"#]
        for number in 0..<20 {
            files["Person/\(number).1.json"] = #"{"name":"old"}"#
            files["Person/\(number).2.json"] = #"{"fullName":"new"}"#
            newest["Person/\(number).3.json"] = #"{"fullName":"new"}"#
        }
        let several = try ScratchDirectory()
        try upgrade(files, in: several)
        try expect(newest, in: several)
    }

    @Test func `keeps its file if it cannot be upgraded, and the others are upgraded`() throws {
        let scratch = try ScratchDirectory()
        let files = ["Person/a.1.json": "{}", "Person/b.1.json": "{", "Person/c.1.json": "{}"]
        MoltError.thrown { try upgrade(files, in: scratch) }?.expect(.malformedContent)
        try expect(["Person/a.3.json": "{}", "Person/b.1.json": "{", "Person/c.3.json": "{}"], in: scratch)

        // An older file does not take the place of the newest one.
        let both = ["Person/ada.1.json": "{}", "Person/ada.2.json": "{"]
        let other = try ScratchDirectory()
        MoltError.thrown { try upgrade(both, in: other) }?.expect(.malformedContent)
        try expect(both, in: other)
    }

    @Test func `is passed over by later runs once a step has made raw data of it`() throws {
        let scratch = try ScratchDirectory()
        try upgrade(["Person/ada.1.json": #"{"isRaw":1}"#], in: scratch)
        try expect(["Person/ada.3.data": "raw"], in: scratch)
        try upgradeFiles(in: scratch.file("Person"), DocumentUpgrade([Migration(to: 4, "later")]))
        try expect(["Person/ada.3.data": "raw"], in: scratch)
    }

    @Test(arguments: ["Alien/ada.0.json", "Person/ada.2.json"])
    func `does not overwrite the file of another document`(path: String) throws {
        let files = [path: #"{"isOld":1}"#, "Person/old-ada.3.json": "{}"]
        let scratch = try ScratchDirectory()
        let error = #expect(throws: Unsuitable.self) { try upgrade(files, in: scratch) }
        #expect(error?.description.hasPrefix("There are two documents for ") == true)
        try expect(files, in: scratch)
    }

    // MARK: In a cache

    @Test func `is upgraded as a cache stores it`() throws {
        let cache = try CodableCache(inMemory: Self.migrations)
        try cache.set(document: Data(#"{"name":"Ada King"}"#.utf8), ofType: "Alien", writtenAt: 0, forKey: "ada")
        let entry = try #require(try cache.entry(Person.self, forKey: "people/ada"))
        #expect(entry.value == Person(firstName: "Ada", lastName: "King"))
        #expect(entry.typeName == "Person")
        #expect(entry.expiration == Date(timeIntervalSince1970: 5_000_000_000))

        let json = Data(#"{"name":"Drop it"}"#.utf8)
        let dropped = try cache.set(document: json, ofType: "Person", writtenAt: 1, forKey: "ada")
        #expect(dropped.isDropped)
        let refused: [(String, String, Int, MoltError.Code)] = [
            ("{}", "Person", 5, .superseded), ("Ada", "Person", 4, .malformedContent), ("{}", "", 4, .unsupported),
        ]
        for (json, type, version, code) in refused {
            MoltError.thrown {
                try cache.set(document: Data(json.utf8), ofType: type, writtenAt: version, forKey: "new")
            }?.expect(code)
        }
        #expect(try cache.keys() == ["people/ada"])
    }

    @Test func `is refused by a cache whose later migrations need the whole store`() throws {
        var migrations = Self.migrations
        migrations.register(to: 5, "block") { _ in }
        let cache = try CodableCache(inMemory: migrations)
        MoltError.thrown {
            try cache.set(document: Data("{}".utf8), ofType: "Person", writtenAt: 4, forKey: "old")
        }?.expect(migration: "block")
        try cache.set(document: Data("{}".utf8), ofType: "Person", writtenAt: 5, forKey: "current")
        #expect(try cache.keys() == ["current"])
    }

    @Test func `is refused if it may have been through a part of what a migration replaces`() throws {
        func plus(_ version: Int, _ name: String, replacing names: [String] = [], by number: Int) -> Migration {
            Migration(
                to: version,
                name,
                replacing: names,
                .transform("N") { $0["n"] = .int(try $0.int("n") + number) }
            )
        }
        let first = plus(1, "first", by: 1)
        let (second, third) = (plus(2, "second", by: 10), plus(4, "third", by: 100))
        let both = plus(4, "both", replacing: ["second", "third"], by: 110)
        func upgraded(_ migrations: [Migration], _ version: Int) throws -> String {
            let document = try DocumentUpgrade(MigrationRegistry(migrations))
                .upgrade(Data(#"{"n":0}"#.utf8), ofType: "N", writtenAt: version)
            return String(decoding: document.content, as: UTF8.self)
        }
        let expected = [#"{"n":111}"#, #"{"n":110}"#, #"{"n":100}"#, #"{"n":100}"#, #"{"n":0}"#]
        for (version, json) in expected.enumerated() {
            #expect(try upgraded([first, second, third, both], version) == json)
            guard (2...3).contains(version) else {
                #expect(try upgraded([first, both], version) == json)
                continue
            }
            MoltError.thrown { _ = try upgraded([first, both], version) }?.expect(.partlyReplaced, migration: "both")
        }
    }

    @Test func `of the oldest supported version has been through nothing that a later migration replaces`() throws {
        let short = Migration(to: 5, "short", replacing: ["a", "b"], .renameType("Alien", to: "Person"))
        let documents = try DocumentUpgrade(MigrationRegistry([short]).oldestVersion(3))
        #expect(try documents.upgrade(Data("{}".utf8), ofType: "Alien", writtenAt: 3).typeName == "Person")
        MoltError.thrown { try documents.upgrade(Data("{}".utf8), ofType: "Alien", writtenAt: 4) }?
            .expect(.partlyReplaced, migration: "short")
        MoltError.thrown { try documents.upgrade(Data("{}".utf8), ofType: "Alien", writtenAt: 2) }?.expect(.tooOld)
        // The range of versions that may be partly through is empty.
        let late = try DocumentUpgrade(MigrationRegistry([short]).oldestVersion(4))
        #expect(try late.upgrade(Data("{}".utf8), ofType: "Alien", writtenAt: 4).typeName == "Person")
    }
}
