#if DEBUG
    import Foundation
    import Molt
    import Testing

    @Suite("A migration that has not shipped, with redoesUnshippedMigrations")
    struct UnshippedMigrationTests {
        private struct Person: Codable, RecordType {
            static let recordTypeName = "Person"
            var name: String
        }

        private struct PersonWithAge: Codable, RecordType {
            static let recordTypeName = "Person"
            var name: String
            var age = 36
        }

        private let scratch: ScratchDirectory
        private let url: URL
        private let shipped = Migration(to: 1, "shipped", .addProperty("Person", "note", default: "shipped"))

        init() throws {
            scratch = try ScratchDirectory()
            url = scratch.file()
            let cache = try CodableCache(at: url)
            try cache.set(Person(name: "Ada"), forKey: "ada")
            cache.close()
            try open(shipped).close()
        }

        private func open(_ migrations: Migration..., redoes: Bool = true) throws -> CodableCache {
            let configuration = MoltConfiguration { $0.redoesUnshippedMigrations = redoes }
            return try CodableCache(at: url, migrations: MigrationRegistry(migrations), configuration: configuration)
        }

        private func adding(_ name: String, to version: Int = 2, named migration: String = "new") -> Migration {
            Migration(to: version, migration, .addProperty("Person", PropertyPath(name), default: 1))
        }

        /// Expects the record and the ledger as they are stored.
        private func expect(
            _ properties: String,
            _ history: String,
            version: Int = 2,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let content = try SQLite(url).text("SELECT CAST(content AS TEXT) FROM molt_record WHERE key = 'ada'")
            let names = try CacheFile(at: url).history().map(\.name).joined(separator: " ")
            let found = "\(content ?? "") \(names) \(try CacheFile(at: url).version() ?? 0)"
            let expected = #"{"name":"Ada","note":"shipped"\#(properties)} \#(history) \#(version)"#
            #expect(found == expected, sourceLocation: sourceLocation)
        }

        @Test func `is undone and run again when it was edited`() throws {
            try open(shipped, adding("age")).close()
            try expect(#","age":1"#, "shipped new")
            let cache = try open(shipped, adding("years"))
            #expect(cache.report.from == 1)
            cache.close()
            try expect(#","years":1"#, "shipped new")
            // The values that were there are still beside the file.
            let aside = try #require(try CacheFile(at: url).filesAside().first)
            #expect(aside.version == 2)

            try open(shipped, adding("lifetime")).close()
            try expect(#","lifetime":1"#, "shipped new")
            #expect(try open(shipped, adding("lifetime")).report.isEmpty)
        }

        @Test func `is undone when it was renamed, moved to another version or removed`() throws {
            try open(shipped, adding("age")).close()
            try open(shipped, adding("age", named: "renamed")).close()
            try expect(#","age":1"#, "shipped renamed")
            try open(shipped, adding("age", to: 3, named: "renamed")).close()
            try expect(#","age":1"#, "shipped renamed", version: 3)
            try open(shipped).close()
            try expect("", "shipped", version: 1)
        }

        @Test func `is undone together with others of its version and of later ones`() throws {
            try open(shipped, adding("age"), adding("size", named: "other"), adding("hat", to: 3, named: "last"))
                .close()
            // Version 3 was taken back, and version 2 has changed, too.
            try open(shipped, adding("age")).close()
            try expect(#","age":1"#, "shipped new")
        }

        @Test func `is an error as usual without the option, and for a migration of an earlier version`() throws {
            try open(shipped, adding("age")).close()
            MoltError.thrown { try open(shipped, adding("years"), redoes: false) }?.expect(.migrationEdited)
            let earlier = Migration(to: 1, "shipped", .addProperty("Person", "note", default: "edited"))
            MoltError.thrown { try open(earlier, adding("age")) }?.expect(.migrationEdited)
            try expect(#","age":1"#, "shipped new")
            #expect(try CacheFile(at: url).filesAside().isEmpty)
        }

        /// The old store is kept aside.
        @Test(arguments: [false, true])
        func `starts afresh without a copy, or with one that the app made`(hasOther: Bool) throws {
            if hasOther { try CacheFile(at: url).backUp() }
            try open(shipped, adding("age"), redoes: false).close()
            for backup in try CacheFile(at: url).backups() where backup.isAutomatic {
                try CacheFile(at: url).remove(backup)
            }
            let cache = try open(shipped, adding("years"))
            #expect(cache.report.isFresh)
            #expect(try cache.count() == 0)
            #expect(try CacheFile(at: url).filesAside().map(\.version) == [2])
        }

        @Test func `is undone by an edit after a type's shape changed, and by nothing else`() throws {
            let cache = try open(shipped, adding("size"))
            try cache.set(Person(name: "Grace"), forKey: "grace")
            for _ in 0..<2 {
                MoltError.thrown {
                    try open(shipped, adding("size")).set(PersonWithAge(name: "Alan"), forKey: "alan")
                }?.expect(.shapeChanged)
            }
            cache.close()
            let again = try open(shipped, adding("age"))
            #expect(try again.keys() == ["ada"])
            try again.set(PersonWithAge(name: "Alan"), forKey: "alan")
            again.close()
            // A new version keeps what there is.
            #expect(try open(shipped, adding("age"), adding("hat", to: 3, named: "last")).count() == 2)
        }

        @Test func `is not undone by a process that leaves the upgrade to others, or has no migrations`() throws {
            try open(shipped, adding("age")).close()
            let configuration = MoltConfiguration {
                $0.redoesUnshippedMigrations = true
                $0.process = .helper()
            }
            MoltError.thrown {
                try CodableCache(at: url, migrations: [shipped, adding("years")], configuration: configuration)
            }
            MoltError.thrown { try open() }?.expect(.superseded)
            try expect(#","age":1"#, "shipped new")
        }
    }
#endif
