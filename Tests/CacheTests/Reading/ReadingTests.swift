import Foundation
import TestSupport
import Testing

// The store is released without a suspension of the whole process.
@testable import Molt

/// A store at version 1, read by a release whose registry goes to version 4.
@Suite struct `A cache that is opened only to read an older file` {
    private struct Contact: Codable, Equatable, Sendable {
        var first, last: String
    }

    private let scratch: ScratchDirectory
    private let url: URL

    init() throws {
        scratch = try ScratchDirectory()
        url = scratch.file()
        let cache = try CodableCache(at: url, migrations: Self.registry.upTo(version: 1))
        try cache.setAll(["john": Person.john], expiry: .never)
        try cache.set(Alien(firstName: "Ann", lastName: "Alien"), forKey: "ann")
        try cache.set(City(zipCode: 1), forKey: "city")
        try cache.set(Data([1, 2]), forKey: "data")
        cache.close()
    }

    private static let registry: MigrationRegistry = [
        Migration(to: 1, "first"),
        Migration(to: 2, "contact", .renameType("Person", to: "Contact"), .renameType("Alien", to: "Contact")),
        Migration(
            to: 3,
            "short",
            .renameProperty("Contact", "firstName", to: "first"),
            .renameProperty("Contact", "lastName", to: "last")
        ).onRead(),
        Migration(to: 4, "no-cities", .deleteType("City")),
    ]

    private func reading(_ registry: MigrationRegistry = Self.registry) throws -> CodableCache {
        try CodableCache(reading: url, migrations: registry, configuration: .init { $0.sizeLimit = 1 })
    }

    @Test func `has the values, keys, types and counts of the upgraded file, and writes nothing`() throws {
        let bytes = try Data(contentsOf: url)
        let cache = try reading()
        let upgradedURL = scratch.file("upgraded.molt")
        try FileManager.default.copyItem(at: url, to: upgradedURL)
        let upgraded = try CodableCache(at: upgradedURL, migrations: Self.registry)

        for cache in [cache, upgraded] {
            #expect(cache.version == 4)
            #expect(try cache.keys() == ["john", "ann", "data"])
            #expect(try cache.keys(of: Contact.self) == ["john", "ann"])
            #expect(try cache.keys(of: Person.self) == [])
            #expect(try cache.count() == 3)
            #expect(try [Contact.self, Person.self, City.self].map { try cache.count(of: $0) } == [2, 0, 0])
            #expect(try cache.typeName(forKey: "john") == "Contact")
            #expect(try cache.entry(Contact.self, forKey: "ann")?.typeName == "Contact")
            #expect(try cache.values(of: Contact.self).map(\.value.first) == ["John", "Ann"])
            try cache.expect(Contact(first: "John", last: "Appleseed"), forKey: "john")
            #expect(try cache.values(Contact.self, forKeys: ["ann", "city"]).map { $0?.last } == ["Alien", nil])
            try cache.expectNoCity()
            #expect(try cache.data(forKey: "data") == Data([1, 2]))
        }
        #expect(cache.isReadOnly && cache.report.isReadOnly && (cache.report.from, cache.report.to) == (1, 1))
        #expect(cache.report.onRead.map(\.name) == ["contact", "short", "no-cities"])
        #expect("\(cache.report)".contains("open for reading only, at version 1"))

        let writes: [() throws -> Void] = [
            { try cache.set(1, forKey: "1") }, { try cache.remove(forKey: "john") }, { try cache.removeAll() },
            { try cache.backfillAndWait() }, { try cache.update(Contact.self, forKey: "none") { _ in } },
            { try cache.set(document: Data("1".utf8), ofType: "N", writtenAt: 1, forKey: "1") },
        ]
        for write in writes { MoltError.thrown { try write() }?.expect(.readOnly, says: "opened for reading only") }
        MoltError.thrown { try cache.keys(changedSince: 1, of: Contact.self) { _ in } }?.expect(.needsMigration)
        cache.close()
        #expect(try Data(contentsOf: url) == bytes)
        #expect(["-wal", "-journal"].allSatisfy { !FileManager.default.fileExists(atPath: url.path + $0) })
    }

    @Test func `exports what the upgraded file would export`() throws {
        let cache = try reading()
        let (read, expected) = (scratch.file("read.json"), scratch.file("expected.json"))
        try cache.exportAndWait(to: read)
        try cache.exportAndWait(to: scratch.file("contacts.json"), only: .types([Contact.self]))
        cache.close()
        let now = Date()
        let upgraded = try CodableCache(at: url, migrations: Self.registry, configuration: .init { $0.now = { now } })
        try upgraded.exportAndWait(to: expected)
        func lines(_ file: URL) throws -> [String] {
            let text = try String(contentsOf: file, encoding: .utf8)
            return text.replacing(/"exportedAt":[^,]*/, with: "").replacing(",\n", with: "\n").split(separator: "\n")
                .map(String.init)
        }
        #expect(try lines(read) == lines(expected))
        #expect(try lines(read).count == 5)
        #expect(try lines(scratch.file("contacts.json")) == [0, 1, 2, 4].map { try lines(read)[$0] })
    }

    @Test func `sends a record through the migrations once, whatever reads it`() throws {
        let counting = MigrationStep.transform("Contact") { $0["first"] = .string(try $0.string("first") + "+") }
        let registry = MigrationRegistry(Self.registry.migrations + [Migration(to: 5, "count", counting)])
        let cache = try reading(registry)
        #expect(try cache.entry(Contact.self, forKey: "john")?.value.first == "John+")
        #expect(try cache.values(of: Contact.self).map(\.value.first) == ["John+", "Ann+"])
    }

    // MARK: What needs an upgrade

    @Test func `names the first migration that needs an upgrade, before any value is read`() throws {
        let extraction = MigrationStep.extractRecords("Person", "name", as: "Name", key: .derived)
        let steps: [MigrationStep] = [
            .run("all") { _ in }, extraction, .mapValue("Person", [], ["1": "2"], otherwise: .remove),
            .moveToRecords(.setting("a", in: .standard), ofType: "A"),
        ]
        for step in steps {
            let registry = MigrationRegistry(Self.registry.migrations + [Migration(to: 5, "whole", steps: [step])])
            MoltError.thrown { try reading(registry) }?.expect(
                .needsMigration,
                migration: "whole",
                store: url.path,
                storeVersion: 1,
                registryVersion: 5,
                says: "more than the content of single records",
                "process = .helper(waiting:)"
            )
        }
    }

    @Test func `passes over steps on settings, which are neither read nor changed`() throws {
        let suite = Suite("molt.reading.\(UUID().uuidString)")
        let registry = MigrationRegistry(
            Self.registry.migrations + [Migration(to: 5, "theme", .renameSetting("a", to: "b", in: suite))]
        )
        try reading(registry).expect(Contact(first: "John", last: "Appleseed"), forKey: "john")
    }

    @Test func `throws for a record whose key, type, expiry or existence a closure changes`() throws {
        let changes: [(String, @Sendable (inout Record) throws -> Void)] = [
            ("existence", { $0.drop() }), ("key", { $0.key += "!" }), ("type", { $0.typeName = "Other" }),
            ("expiry", { $0.expiration = .distantFuture }),
        ]
        for (part, change) in changes {
            let step = MigrationStep.transform("Contact", change)
            let cache = try reading(
                MigrationRegistry(Self.registry.migrations + [Migration(to: 5, "closure", steps: [step])])
            )
            let error = MoltError.thrown { try cache.value(Contact.self, forKey: "john") }
            error?.expect(.unreadableContent, key: "john")
            let cause = try #require(error?.underlying as? MoltError)
            cause.expect(.needsMigration, migration: "closure", says: "changed the record's \(part)")
            #expect(try cache.count() == 3)
        }
    }

    @Test func `runs late migrations in order, and refuses records of a migration on read that was lost`() throws {
        struct Late: Codable, Equatable {
            var given, last: String?
        }
        var late = MigrationRegistry(
            [
                Migration(to: 1, "first"),
                Migration(to: 1, "late", .renameProperty("Contact", "firstName", to: "given")),
            ] + Self.registry.migrations.dropFirst()
        )
        late = late.allowingLateMigrations()
        try CodableCache(at: url, migrations: Self.registry.upTo(version: 2)).close()
        let cache = try CodableCache(reading: url, migrations: late)
        #expect(try cache.value(Late.self, forKey: "john") == Late(given: "John", last: "Appleseed"))
        cache.close()

        let still = MoltConfiguration { $0.runsBackfill = false }
        try CodableCache(at: url, migrations: Self.registry.upTo(version: 3), configuration: still).close()
        let replaced = MigrationRegistry([
            Migration(to: 1, "first"), Migration(to: 3, "all", replacing: ["contact", "short"]),
        ])
        defer {
            // The same if the store has a migration of another branch, too.
            let branch = MigrationRegistry(
                Self.registry.upTo(version: 3).migrations + [Migration(to: 3, "branch").olderReleases(may: .read)]
            )
            #expect(throws: Never.self) { try CodableCache(at: url, migrations: branch, configuration: still).close() }
            let error = MoltError.thrown { try CodableCache(reading: url, migrations: replaced) }
            error?.expect(.migrationMissing, migration: "short")
        }
        MoltError.thrown { try CodableCache(reading: url, migrations: replaced) }?.expect(.migrationMissing)
        MoltError.thrown {
            try CodableCache(at: url, migrations: replaced, configuration: still)
        }?.expect(.migrationMissing)
    }

    @Test func `goes on after a suspension`() throws {
        let cache = try reading()
        try cache.expect(Contact(first: "John", last: "Appleseed"), forKey: "john")
        cache.core.files.releaseStore()
        try cache.expect(Contact(first: "John", last: "Appleseed"), forKey: "john")
    }

    @Test func `needs a file, and reads an up-to-date one or a newer one that allows it`() throws {
        MoltError.thrown { try CodableCache(reading: scratch.file("none.molt")) }?.expect(.fileMissing)
        try expectNames("cache.molt", in: scratch)
        let current = try reading(Self.registry.upTo(version: 1))
        #expect(current.report.onRead.isEmpty)
        #expect(try current.count(of: Person.self) == 1)

        try CodableCache(
            at: url,
            migrations: [Migration(to: 1, "first"), Migration(to: 2, "a").olderReleases(may: .read)]
        )
        .close()
        let newer = try reading(Self.registry.upTo(version: 1))
        #expect(newer.isReadOnly && newer.version == 2)
        try newer.expect(Person.john, forKey: "john")
        try CodableCache(
            at: url,
            migrations: [Migration(to: 1, "first"), Migration(to: 2, "a"), Migration(to: 3, "b")]
        )
        .close()
        MoltError.thrown { try reading(Self.registry.upTo(version: 1)) }?.expect(.superseded, says: "\"b\"")
    }

    @Test func `leaves no file beside the one that it has read, and no other reader is disturbed`() throws {
        let other = try reading()
        let cache = try reading()
        try cache.expect(Contact(first: "John", last: "Appleseed"), forKey: "john")
        cache.close()
        try other.expect(Contact(first: "John", last: "Appleseed"), forKey: "john")
        other.close()
        #expect(try scratch.names() == ["cache.molt"])
    }

    /// A value whose decoding notes whether a reader has the log.
    private struct Probe: Codable {
        static let url = Locked<URL?>(nil)
        static let isReading = Locked<[Bool]>([])

        init() {}

        init(from decoder: any Decoder) throws {
            guard let url = Self.url.withLock({ $0 }) else { return }
            let file = try SQLite(url)
            try file.run("PRAGMA busy_timeout = 0")
            let isBusy = try file.text("PRAGMA wal_checkpoint(TRUNCATE)") == "1"
            Self.isReading.withLock { $0.append(isBusy) }
        }

        func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: CodingKeys.self) }

        private enum CodingKeys: CodingKey {}
    }

    @Test func `decodes each value of a type before it reads the next one, as an up-to-date cache does`() throws {
        let writer = try CodableCache(at: url, migrations: Self.registry.upTo(version: 1))
        defer { writer.close() }
        try writer.setAll(["1": Probe(), "2": Probe()], expiry: .never)
        let cache = try reading()
        defer { cache.close() }
        Probe.url.withLock { $0 = url }
        #expect(try cache.values(of: Probe.self).count == 2)
        #expect(Probe.isReading.withLock { $0 } == [true, true])
    }

    // MARK: Other processes

    #if CHILD_PROCESSES
        @Test func `goes on until another process upgrades the file, and is then to be opened again`() async throws {
            let cache = try reading()
            let ended = scratch.file("ended")
            let errors = besideChild(whenThereIs: scratch.file("started").path) {
                while !FileManager.default.fileExists(atPath: ended.path) {
                    do {
                        let john = try CodableCache(reading: url, migrations: Self.registry)
                            .value(Contact.self, forKey: "john")
                        guard john?.first == "John" else { throw TestFailure.expected }
                    } catch let error as MoltError where error.code == .storeChanged {
                        // It was upgraded since it was opened.
                    }
                }
            }
            await #expect(processExitsWith: .success) {
                [url = url as URL, started = scratch.file("started") as URL, ended = ended as URL] in
                try Data().write(to: started)
                for version in 2...4 {
                    try CodableCache(at: url, migrations: Self.registry.upTo(version: version)).close()
                    usleep(20_000)
                }
                try Data().write(to: ended)
            }
            #expect(errors.all.isEmpty, "\(errors.all)")
            MoltError.thrown { try cache.value(Contact.self, forKey: "john") }?.expect(.storeChanged, storeVersion: 4)
            try reading().expect(Contact(first: "John", last: "Appleseed"), forKey: "john")
        }
    #endif

    #if os(Linux)
        @Test(.enabled(if: Mounts.areAllowed, "needs the right to mount"), arguments: [true, false])
        func `reads on a volume that is read-only or full, until it changes`(isFull: Bool) async {
            await #expect(processExitsWith: .success) { [isFull = isFull as Bool] in
                let scratch = try ScratchDirectory()
                let url = scratch.url.appending(path: "volume/cache.molt")
                let directory = url.deletingLastPathComponent()
                try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
                if isFull { guard Mounts.mountVolume(of: 256, on: directory) else { exit(2) } }
                try CodableCache(at: url).set(Person.john, forKey: "john")
                if !isFull {
                    let other = scratch.file("other.molt")
                    let open = try CodableCache(at: other)
                    try open.set(Person.john, forKey: "john")
                    let log = directory.appending(path: "log")
                    try FileManager.default.createDirectory(at: log, withIntermediateDirectories: true)
                    for suffix in ["", "-wal"] {
                        try FileManager.default.copyItem(
                            atPath: other.path + suffix,
                            toPath: log.appending(path: "cache.molt").path + suffix
                        )
                    }
                    open.close()
                }
                if isFull {
                    try? Data(count: 1 << 20).write(to: directory.appending(path: "filler"))
                } else if !Mounts.remountReadOnly(directory) {
                    exit(2)
                }
                // A log that cannot be read without locks has what the file lacks.
                let log = directory.appending(path: "log/cache.molt")
                let isLogRefused = isFull || throwsCode(.noPermission) { _ = try CodableCache(reading: log) }
                let cache = try CodableCache(reading: url, migrations: Self.registry)
                let isRead = try cache.value(Contact.self, forKey: "john")?.first == "John"
                if isFull {
                    try FileManager.default.removeItem(at: directory.appending(path: "filler"))
                } else {
                    _ = Mounts.unmount(directory)
                }
                let other = try CodableCache(at: url)
                try other.set(Person.jane, forKey: "john")
                let isNoticed = throwsCode(.storeChanged) { _ = try cache.value(Contact.self, forKey: "john") }
                let again = try CodableCache(reading: url, migrations: Self.registry)
                let isNew = try again.value(Contact.self, forKey: "john")?.first == "Jane"
                if isFull { _ = Mounts.unmount(directory) }
                exit(isRead && isNoticed && isNew && isLogRefused ? 0 : 1)
            }
        }
    #endif
}

extension CodableCache {
    fileprivate func expectNoCity() throws {
        #expect(try value(City.self, forKey: "city") == nil)
        #expect(try entry(City.self, forKey: "city") == nil)
        #expect(try typeName(forKey: "city") == nil)
        #expect(try !contains("city"))
    }
}
