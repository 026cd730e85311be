import Foundation
import Generators
import Molt
import MoltTesting
import TestSupport
import Testing

/// Values that are written over records which their types cannot read.
@Suite struct `A record that its type cannot read` {
    /// The content of a person before a release that has a first and a last name.
    static let old = #"{"fullName":"John Roe"}"#
    static let split = Migration(to: 1, "split", .splitProperty("Person", "fullName", into: ["firstName", "lastName"]))

    private let store: OldStore

    init() throws {
        store = try OldStore(["a", "b", "c"].map { StoredRecord("Person", $0, Self.old) })
    }

    private func open(
        _ migrations: MigrationRegistry = [],
        configure: (inout MoltConfiguration) -> Void = { _ in }
    ) throws -> CodableCache {
        let configuration = MoltConfiguration {
            $0.mismatches = .ignore
            $0.runsBackfill = false
            configure(&$0)
        }
        return try CodableCache(at: store.url, migrations: migrations, configuration: configuration)
    }

    /// The keys of the records in quarantine.
    private func quarantined(_ cache: CodableCache) throws -> [String] { try cache.quarantined().map(\.key) }

    /// Changes the file on a connection of its own.
    private func write(_ sql: String) throws { try SQLite(store.url).run(sql) }

    // MARK: Quarantining

    enum Writing: CaseIterable, Sendable {
        case set, batch, setAll, keepingUnknown

        func write(_ person: Person, _ keys: [String], to cache: CodableCache) throws {
            switch self {
            case .set, .keepingUnknown: for key in keys { try cache.set(person, forKey: key) }
            case .batch: try cache.batch { batch in for key in keys { try batch.set(person, forKey: key) } }
            case .setAll: try cache.setAll(keys.map { (key: $0, value: person) })
            }
        }
    }

    @Test(arguments: Writing.allCases)
    func `is put into quarantine before a value is written over it, and named`(writing: Writing) throws {
        let events = Log<MoltError>()
        let holder = Locked<CodableCache?>(nil)
        let cache = try open {
            $0.keepsUnknownProperties = writing == .keepingUnknown
            $0.now = { Date(timeIntervalSince1970: 500) }
            $0.monitor = MigrationMonitor { event in
                guard case .quarantined(let error) = event else { return }
                // The closure may use the cache, which has the new value.
                #expect((try? holder.withLock { $0 }?.typeName(forKey: error.key ?? "")) == "Person")
                #expect("\(event)" == error.problem)
                events.append(error)
            }
        }
        holder.withLock { $0 = cache }
        defer { holder.withLock { $0 = nil } }
        try write("UPDATE molt_record SET created_at = 100, updated_at = 200, expires_at = 4e9 WHERE key = 'b'")
        try writing.write(.jane, ["b", "new", "a"], to: cache)
        try cache.expect(.jane as Person?, forKey: "a")
        try cache.expect(.jane as Person?, forKey: "b")
        try cache.expect(keys: ["a", "b", "c", "new"], quarantined: ["b", "a"])
        let record = try cache.firstQuarantined()
        #expect(StoredRecord(record.stored) == StoredRecord("Person", "b", Self.old, expiration: 4e9))
        #expect([record.created, record.updated, record.quarantined].map(\.timeIntervalSince1970) == [100, 200, 500])
        let reason = """
            "firstName": missing. The content of "b", JSON text that was written as Person, cannot be read as Person.
            """
        record.failure.expect(.unreadableContent, key: "b", type: "Person", says: reason)
        #expect(record.failure.migration == nil && record.failure.step == nil)
        #expect("\(record)" == #"1: Person "b" (23 B, version 0): overwritten: unreadableContent: \#(reason)"#)
        #expect(events.all.map(\.key) == ["b", "a"])
        events.all.first?.expect(
            .unreadableContent,
            type: "Person",
            requestedType: "Person",
            store: store.url.path,
            says: reason + " It was put into quarantine before another value was written. If an earlier release"
        )
        #expect(events.all.allSatisfy { !"\($0)".contains("Roe") })
        // The new values can be read.
        try writing.write(.john, ["a", "b"], to: cache)
        #expect(try cache.quarantinedCount == 2)
        try cache.removeAll()
        #expect(try cache.quarantinedCount == 2)
        cache.close()
        try expectIntegrity(of: store.url)
    }

    @Test func `is quarantined in a cache in memory, too`() throws {
        let memory = StoreFile(inMemoryWith: [])
        let person = StoreContents.StoredRecord(
            key: "a",
            typeName: "Person",
            content: Array(Self.old.utf8),
            isData: false,
            expiration: nil,
            version: 0
        )
        try StoreContents(version: 0, ledger: [], records: [person]).write(to: memory)
        let cache = try CodableCache(memory, migrations: [], configuration: MoltConfiguration())
        try cache.set(Person.jane, forKey: "a")
        try cache.expect(keys: ["a"], quarantined: ["a"])
    }

    @Test func `is quarantined once by a batch that sets its key twice, and not by one that removes it first`() throws {
        let cache = try open()
        try cache.batch { batch in
            batch.remove(forKey: "b")
            for person in [Person.jane, .john] {
                try batch.set(person, forKey: "a")
                try batch.set(person, forKey: "b")
            }
            try batch.set(Alien(firstName: "A", lastName: "B"), forKey: "c")
            try batch.set(Person.john, forKey: "c")
        }
        try cache.expect(keys: ["a", "c", "b"], quarantined: ["a"])
        for key in ["a", "b", "c"] { try cache.expect(.john as Person?, forKey: key) }
    }

    @Test func `is quarantined under nil, which is stored in the place of a value`() throws {
        let cache = try open()
        try cache.set(nil as Person?, forKey: "a")
        try cache.set(Person.jane as Person?, forKey: "b")
        try cache.set(Person.jane, forKey: "a")
        #expect(try quarantined(cache) == ["a", "b"])
    }

    @Test func `may belong to one of two types with one name`() throws {
        struct Other: Codable, RecordType {
            static let recordTypeName = "Person"
            var age = 1
        }
        let cache = try open()
        try cache.set(Person.john, forKey: "new")
        try cache.set(Other(), forKey: "new")
        try cache.batch { batch in
            try batch.set(Person.john, forKey: "other")
            try batch.set(Other(), forKey: "other")
        }
        #expect(try quarantined(cache) == ["new"])
    }

    @Test func `is decoded while the cache can be used`() throws {
        let cache = try open()
        Asking.cache.withLock { $0 = cache }
        defer { Asking.cache.withLock { $0 = nil } }
        try cache.set(Asking(), forKey: "a")
        try cache.set(Asking(), forKey: "a")
        #expect(try quarantined(cache) == ["a"])
    }

    /// A type of persons whose decoding uses the cache.
    private struct Asking: Codable, RecordType {
        static let recordTypeName = "Person"
        static let cache = Locked<CodableCache?>(nil)
        var name = "n"

        init() {}

        init(from decoder: any Decoder) throws {
            let cache = Self.cache.withLock { $0 }
            try cache?.set(1, forKey: "seen")
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        }
    }

    // MARK: What is not quarantined

    @Test func `is not quarantined where it is removed, replaced by something else, or has expired`() throws {
        struct Written: Encodable, RecordType {
            static let recordTypeName = "Person"
            var firstName = "W"
        }
        let cache = try open()
        try cache.set(City(zipCode: 1), forKey: "a")
        try cache.set(Data([1]), forKey: "b")
        try cache.remove(forKey: "c")
        try cache.set(Person.john, forKey: "c")
        for (key, expiry) in [("d", "NULL"), ("e", "1"), ("f", "NULL")] {
            try write(
                """
                INSERT INTO molt_record(key, type_id, version, created_at, updated_at, accessed_at, expires_at, content)
                SELECT '\(key)', type_id, 0, 0, 0, 0, \(expiry), '{}' FROM molt_record WHERE key = 'c'
                """
            )
        }
        try cache.set(Written(), forKey: "d")
        try cache.set(Person.john, forKey: "e")
        try cache.set(document: Data(Self.old.utf8), ofType: "Person", writtenAt: 0, forKey: "f")
        let failure = MoltError.thrown { try cache.update(Person.self, forKey: "f") { $0.lastName = "" } }
        failure?.expect(.unreadableContent)
        try cache.expect(keys: ["a", "b", "c", "d", "e", "f"])
    }

    @Test func `is overwritten if the configuration says so`() throws {
        for policy in [UnreadablePolicy.overwrite, .quarantine(upTo: 0), .quarantine(upTo: -1)] {
            let cache = try open { $0.unreadableValues = policy }
            defer { cache.close() }
            try cache.set(document: Data(Self.old.utf8), ofType: "Person", writtenAt: 0, forKey: "a")
            try cache.set(Person.jane, forKey: "a")
            try cache.expect(.jane as Person?, forKey: "a")
            #expect(try quarantined(cache) == [])
        }
        #expect(try SQLite(store.url).rows("SELECT name FROM sqlite_schema WHERE name = 'molt_quarantine'") == [])
    }

    // MARK: What is known

    @Test func `is noticed under a key that was read or written before, if anything else has written it since`() throws
    {
        let cache = try open()
        for key in ["a", "b", "c"] { try cache.set(Alien(firstName: "", lastName: ""), forKey: key) }
        for key in ["a", "b", "c"] { try cache.set(Person.john, forKey: key) }
        #expect(try quarantined(cache) == [])
        let spoiling = "UPDATE molt_record SET content = '{}'"
        // Another connection.
        try cache.expect(.john as Person?, forKey: "a")
        try write("\(spoiling) WHERE key = 'a'")
        try cache.set(Person.jane, forKey: "a")
        #expect(try quarantined(cache) == ["a"])
        // Another cache in the process, between a read and a write.
        try cache.expect(.john as Person?, forKey: "b")
        let other = try open()
        try other.set(document: Data("{}".utf8), ofType: "Person", writtenAt: 0, forKey: "b")
        try cache.set(Person.jane, forKey: "b")
        #expect(try quarantined(cache) == ["a", "b"])
        other.close()
        // The cache itself, with a document or from quarantine.
        try cache.expect(.john as Person?, forKey: "c")
        try cache.set(document: Data("{}".utf8), ofType: "Person", writtenAt: 0, forKey: "c")
        try cache.set(Person.jane, forKey: "c")
        #expect(try quarantined(cache) == ["a", "b", "c"])
        let ids = try cache.quarantined().map(\.id)
        try cache.restoreQuarantined(ids[0], replacing: true)
        try cache.set(Person.john, forKey: "a")
        #expect(try quarantined(cache) == ["b", "c", "a"])
        // A write that fails leaves nothing known.
        try cache.expect(.jane as Person?, forKey: "c")
        try write(spoiling)
        MoltError.thrown { try cache.set(Double.nan, forKey: "c") }
        try cache.setAll(["a": Person.jane, "b": .jane, "c": .jane])
        #expect(try cache.quarantinedCount == 6)
    }

    /// A type of persons whose next decoding does something with the cache.
    private struct Meddling: Codable, RecordType {
        static let recordTypeName = "Person"
        static let action = Locked<(@Sendable () throws -> Void)?>(nil)
        var name = "n"

        init() {}
        init(from decoder: any Decoder) throws {
            let action = Self.action.withLock { action in
                defer { action = nil }
                return action
            }
            try action?()
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        }
    }

    /// What writes a record while it is read.
    enum Meddler: CaseIterable, Sendable {
        case document, otherType, otherCache
    }

    // The action of a decoding is one for all cases.
    @Test(.serialized, arguments: Meddler.allCases)
    func `is noticed though its key was read before, if it was written meanwhile`(meddler: Meddler) throws {
        struct Other: Codable, RecordType {
            static let recordTypeName = "Person"
            var age = 1
        }
        let first = try open()
        let both = Data(#"{"name":"n","age":1}"#.utf8)
        try first.set(document: both, ofType: "Person", writtenAt: 0, forKey: "new")
        first.close()
        let cache = try open { $0.memory = nil }
        // The cache remembers the first type of a key.
        if meddler == .otherType { #expect(try cache.value(Other.self, forKey: "new")?.age == 1) }
        let other = try open()
        Meddling.action.withLock { action in
            action = {
                switch meddler {
                case .document: try cache.set(document: Data("{}".utf8), ofType: "Person", writtenAt: 0, forKey: "new")
                case .otherType: try cache.set(Other(), forKey: "new")
                case .otherCache:
                    try other.set(document: Data("{}".utf8), ofType: "Person", writtenAt: 0, forKey: "new")
                    try cache.set(1, forKey: "seen")
                }
            }
        }
        #expect(try cache.value(Meddling.self, forKey: "new")?.name == "n")
        #expect(try cache.quarantinedCount == 0)
        try cache.set(Meddling(), forKey: "new")
        #expect(try quarantined(cache) == ["new"])
    }

    @Test func `is noticed where a reader has seen what an import replaces before its commit`() async throws {
        let export = store.directory.file("export.json")
        let source = try open()
        try source.exportAndWait(to: export)
        source.close()
        let configuration = MoltConfiguration {
            $0.mismatches = .ignore
            $0.memory = nil
        }
        let cache = try CodableCache(at: store.directory.file("other.molt"), configuration: configuration)
        defer { cache.close() }
        try cache.set(Person.john, forKey: "a")
        try await cache.import(from: export, onConflict: .replace) { _ in
            _ = try? cache.value(Person.self, forKey: "a")
        }
        try cache.set(Person.jane, forKey: "a")
        #expect(try quarantined(cache) == ["a"])
    }

    @Test func `is quarantined by the next write, after one that has failed in the same cache`() throws {
        let cache = try open { $0.hooks.pageLimit = 40 }
        for _ in 1...2 {
            let large = Person(firstName: String(repeating: "x", count: 2_000_000), lastName: "")
            let error = MoltError.thrown { try cache.set(large, forKey: "a") }
            #expect(MoltError.isOutOfSpace(try #require(error)))
        }
        #expect(try quarantined(cache) == [])
        try cache.set(Person.jane, forKey: "a")
        #expect(try quarantined(cache) == ["a"])
    }

    /// A type whose decoder repairs its own record.
    private struct Repairing: Codable {
        static let cache = Locked<CodableCache?>(nil)

        var name: String

        init(name: String) { self.name = name }
        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .name) ?? ""
            guard name.isEmpty else { return }
            try Self.cache.withLock { $0 }?.set(Repairing(name: "default"), forKey: "r")
            throw Refusal()
        }
    }

    @Test func `is quarantined once, though its type writes it while it is decoded`() throws {
        let old = try OldStore([StoredRecord("Repairing", "r", #"{"title":"t"}"#)])
        let cache = try CodableCache(at: old.url)
        Repairing.cache.withLock { $0 = cache }
        defer { Repairing.cache.withLock { $0 = nil } }
        try cache.set(Repairing(name: "new"), forKey: "r")
        #expect(try cache.value(Repairing.self, forKey: "r")?.name == "new")
        #expect(try cache.quarantined().map { String(decoding: $0.content, as: UTF8.self) } == [#"{"title":"t"}"#])
    }

    @Test func `that only a rename of its type makes readable is converted by a retry`() throws {
        let cache = try open()
        try cache.set(Person.jane, forKey: "a")
        cache.close()
        let registry: MigrationRegistry = [Migration(to: 1, "old", .renameType("Person", to: "FullPerson"))]
        let later = try open(registry)
        try later.remove(forKey: "a")
        #expect(try later.retryQuarantined(with: registry).map(\.outcome) == [.converted])
        #expect(try later.typeName(forKey: "a") == "FullPerson")
    }

    @Test func `is found although another type could read it`() throws {
        struct Lenient: Codable { var age: Int? }
        let cache = try open()
        #expect(try cache.value(Lenient.self, forKey: "a") != nil)
        try cache.set(Person.john, forKey: "a")
        #expect(try quarantined(cache) == ["a"])
    }

    @Test func `does not stop writes of more keys than are remembered`() throws {
        let cache = try open()
        let count = 60_000
        for _ in 0..<2 { try cache.setAll((0..<count).lazy.map { (key: "key \($0)", value: $0) }) }
        try cache.set(Person.john, forKey: "a")
        #expect(try quarantined(cache) == ["a"])
        #expect(try cache.count() == count + 3)
    }

    @Test func `counts for the size of a cache with a limit`() throws {
        let cache = try open { $0.sizeLimit = 1_000 }
        try cache.set(Person.john, forKey: "a")
        try cache.set(Person.john, forKey: "new")
        try cache.setAll(["new": Person.jane, "newer": .jane])
        #expect(try quarantined(cache) == ["a"])
        let sum = try SQLite(store.url).text("SELECT sum(length(CAST(content AS BLOB))) FROM molt_record")
        #expect(try String(cache.contentSize()) == sum)
        try cache.set(String(repeating: "x", count: 980), forKey: "large")
        try cache.expect(keys: ["large"], quarantined: ["a"])
    }

    // MARK: Limits

    @Test func `goes first if there are more than the limit, and those of migrations stay`() throws {
        let refusing = Migration(to: 1, "refuse", .transform("Person") { if $0.key == "a" { throw Refusal() } })
        let cache = try open(MigrationRegistry([refusing]).onFailure(.quarantine())) {
            $0.unreadableValues = .quarantine(upTo: 2, bytes: 100)
        }
        #expect(try quarantined(cache) == ["a"])
        func overwrite(_ keys: String..., content: String = "{}") throws {
            for key in keys {
                try cache.set(document: Data(content.utf8), ofType: "Person", writtenAt: 1, forKey: key)
            }
            try cache.setAll(keys.map { (key: $0, value: Person.john) })
        }
        try overwrite("b", "c")
        #expect(try quarantined(cache) == ["a", "b", "c"])
        try overwrite("d")
        #expect(try quarantined(cache) == ["a", "c", "d"])
        try overwrite("e", "f", "g")
        #expect(try quarantined(cache) == ["a", "f", "g"])
        let long = "{\"x\":\"\(String(repeating: "x", count: 85))\"}"
        try overwrite("h", content: long)
        #expect(try quarantined(cache) == ["a", "g", "h"])
        // The newest one stays, whatever its size.
        try overwrite("i", content: long + String(repeating: " ", count: 100))
        #expect(try quarantined(cache) == ["a", "i"])
        try overwrite("j", "k", content: long)
        #expect(try quarantined(cache) == ["a", "k"])
        let ids = try cache.quarantined().map(\.id)
        #expect(ids[0] == 1 && Set(ids).count == 2)
    }

    @Test func `is kept in a number and a size that suit an app`() throws {
        let events = Log<String>()
        let cache = try open {
            $0.monitor = MigrationMonitor { if case .quarantined(let error) = $0 { events.append(error.problem) } }
        }
        let keys = (0..<150).map { "key \($0)" }
        for key in keys { try cache.set(document: Data("{}".utf8), ofType: "Person", writtenAt: 0, forKey: key) }
        try cache.setAll(keys.map { (key: $0, value: Person.john) })
        #expect(try quarantined(cache) == Array(keys.suffix(100)))
        #expect(events.count == 101)
        #expect(events.all.last?.hasPrefix("50 more records that could not be read were overwritten") == true)
        let large = Data("{\"x\":\"\(String(repeating: "x", count: 400_000))\"}".utf8)
        for key in ["a", "b", "c"] {
            try cache.set(document: large, ofType: "Person", writtenAt: 0, forKey: key)
            try cache.set(Person.john, forKey: key)
        }
        #expect(try quarantined(cache) == ["b", "c"])
    }

    // MARK: Retrying and restoring

    @Test func `is retried through the migrations that have run since, and only if one of them changes it`() throws {
        let cache = try open()
        try cache.setAll([(key: "a", value: Person.jane), (key: "b", value: .jane)])
        let none = try cache.retry(with: [], expecting: "a: notTried", "b: notTried")
        let reason = "No migration that has run since a write quarantined it changes it."
        #expect(none[0].reason?.hasPrefix(reason) == true)
        cache.close()
        let other = Migration(to: 1, "other", .renameProperty("Person", "mail", to: "email"))
        let later = try open([other])
        try later.remove(forKey: "a")
        let unchanged = try later.retry(with: [other], expecting: "a: notTried", "b: notTried")
        #expect(unchanged[0].reason?.hasPrefix(reason) == true)
        later.close()
        let convert = Migration(
            to: 2,
            "split",
            .splitProperty("Person", "fullName", into: ["firstName", "lastName"])
        )
        let last = try open([other, convert])
        // A record that was quarantined afterwards has been through the migration.
        try last.set(document: Data(Self.old.utf8), ofType: "Person", writtenAt: 2, forKey: "c")
        try last.set(Person.jane, forKey: "c")
        let retried = try last.retry(
            with: [other, convert],
            expecting: "a: converted",
            "b: keyExists",
            "c: notTried"
        )
        #expect(retried.map(\.failure?.code) == [nil, nil, nil])
        try last.expect(Person(firstName: "John", lastName: "Roe"), forKey: "a")
        #expect(try quarantined(last) == ["b", "c"])
        try last.restoreQuarantined(2, as: Person.john, replacing: true)
        try last.expect(.john as Person?, forKey: "b")
        #expect(try quarantined(last) == ["c"])
    }

    @Test func `that a migration cannot convert when it is retried stays with that failure`() throws {
        let cache = try open()
        try cache.set(Person.jane, forKey: "a")
        cache.close()
        let refusing = Migration(to: 1, "refuse", .transform("Person") { _ = try $0.string("firstName") })
        try write("DELETE FROM molt_record WHERE key != 'a'")
        let later = try open([refusing])
        let retried = try later.retry(with: [refusing], expecting: "a: failed")
        retried[0].failure?.expect(.propertyMissing, migration: "refuse", step: 1)
        try later.firstQuarantined().failure.expect(.propertyMissing, migration: "refuse")
    }

    @Test func `goes through migrations on read before it counts as unreadable`() throws {
        let failing = Migration(
            to: 2,
            "refuse",
            .transform("Person") { if $0.key == "b" { throw Refusal() } }
        )
        let registry: MigrationRegistry = [Self.split.onRead(), failing.onRead()]
        let cache = try open(registry)
        try cache.setAll(["a": Person.jane, "b": .jane])
        #expect(try quarantined(cache) == ["b"])
        let record = try cache.firstQuarantined()
        #expect(StoredRecord(record.stored) == StoredRecord("Person", "b", Self.old))
        #expect(record.failure.problem.contains("cannot be upgraded as it is read"))
        // A corrected step converts it, from the version that it had.
        try cache.remove(forKey: "b")
        let corrected = Migration(to: 2, "refuse", .transform("Person") { _ in })
        let fixed: MigrationRegistry = [Self.split.onRead(), corrected.onRead()]
        try cache.retry(with: fixed, expecting: "b: converted")
        cache.close()
        try open(fixed).expect(Person(firstName: "John", lastName: "Roe"), forKey: "b")
    }

    // MARK: Other features

    @Test func `is erased with its type, and goes into backups and no export`() throws {
        let cache = try open()
        try cache.set(Person.jane, forKey: "a")
        try cache.set(City(zipCode: 1), forKey: "city")
        cache.close()
        let export = store.directory.file("export.json")
        let exporting = try open()
        try exporting.exportAndWait(to: export)
        exporting.close()
        let text = try String(contentsOf: export, encoding: .utf8)
        #expect(text.components(separatedBy: "John Roe").count == 3, "It has the records b and c.")
        let backup = try CacheFile(at: store.url).backUp()
        let erasing = Migration(to: 1, "erase", .deleteType("Person", erasing: true))
        let erased = try open([erasing])
        #expect(try erased.quarantinedCount == 0)
        try erased.expect(keys: ["city"])
        erased.close()
        #expect(try !Data(contentsOf: store.url).contains("John Roe".utf8))
        try CacheFile(at: store.url).restore(backup)
        try open().expect(keys: ["a", "b", "c", "city"], quarantined: ["a"])
    }

    @Test func `can be put back as it was`() throws {
        let cache = try open()
        try cache.set(Person.jane, forKey: "a")
        MoltError.thrown { try cache.restoreQuarantined(1) }?.expect(.keyExists)
        try cache.restoreQuarantined(1, replacing: true)
        #expect(try cache.storedText(forKey: "a") == Self.old)
        #expect(try quarantined(cache) == [])
        try cache.set(Person.jane, forKey: "a")
        try cache.removeQuarantined([2])
        #expect(try quarantined(cache) == [])
    }

    @Test func `is quarantined by an older release that writes a record of a newer one`() throws {
        let newer = Migration(to: 1, "newer").olderReleases(may: .write)
        try open([newer]).close()
        let older = try open()
        try older.set(Person.jane, forKey: "a")
        try older.expect(keys: ["a", "b", "c"], quarantined: ["a"])
        older.close()
        try open([newer]).retry(with: [newer], expecting: "a: notTried")
    }
}

extension `A record that its type cannot read` {
    /// Writers of all kinds, on two connections, draw what they do from a seed.
    @Test(arguments: 0..<TestRun.choose(20, long: 400))
    func `is quarantined by every write over it, and by nothing else`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let clock = Clock(0)
        let scratch = try ScratchDirectory()
        let keepsUnknown = random.oneIn(3)
        let hasLimit = random.oneIn(3)
        func open() throws -> CodableCache {
            try CodableCache(
                at: scratch.file(),
                configuration: .init {
                    $0.mismatches = .ignore
                    $0.keepsUnknownProperties = keepsUnknown
                    $0.memory = seed % 2 == 0 ? CodableCache.MemoryLimit() : nil
                    $0.sizeLimit = hasLimit ? 1_000_000 : nil
                    $0.unreadableValues = .quarantine(upTo: 1_000_000)
                    $0.now = { clock.date }
                }
            )
        }
        let caches = [try open(), try open()]
        let keys = ["a", "b", "c", "d"]
        // What is stored under a key, with its expiry.
        enum Stored: Equatable { case person, alien, unreadable }
        var stored: [String: (Stored, expiry: Double?)] = [:]
        var expected: [String] = []
        func overwrite(_ key: String, _ expiry: Double?) {
            if let (old, end) = stored[key], old == .unreadable,
                end.map({ $0 > clock.date.timeIntervalSince1970 }) ?? true
            {
                expected.append(key)
            }
            stored[key] = (.person, expiry)
        }
        for step in 0..<TestRun.choose(60, long: 200) {
            let cache = random.pick(caches)
            let key = random.pick(keys)
            let expiry = random.oneIn(4) ? Double(step + random.below(4)) : nil
            let rule = expiry.map { CodableCache.Expiry.at(Date(timeIntervalSince1970: $0)) } ?? .never
            switch random.below(9) {
            case 0, 1:
                try cache.set(Person.john, forKey: key, expiry: rule)
                overwrite(key, expiry)
            case 2:
                let some = keys.filter { _ in random.oneIn(2) }
                try cache.setAll(some.map { (key: $0, value: Person.jane) }, expiry: rule)
                for key in some { overwrite(key, expiry) }
            case 3:
                try cache.remove(forKey: key)
                stored[key] = nil
            case 4:
                _ = try? cache.value(Person.self, forKey: key)
                _ = try? cache.values(of: Person.self)
            case 5:
                try cache.set(Alien(firstName: "A", lastName: "B"), forKey: key)
                stored[key] = (.alien, nil)
            case 6: clock.advance(to: Double(step))
            case 7:
                _ = try? cache.update(Person.self, forKey: key) { $0.lastName = "Roe" }
                // An alien has the same properties, and becomes a person.
                if let (old, end) = stored[key], old == .alien { stored[key] = (.person, end) }
            default:
                let old = Data("{\"step\":\(step)}".utf8)
                try cache.set(document: old, ofType: "Person", writtenAt: 0, forKey: key, expiry: rule)
                stored[key] = (.unreadable, expiry)
            }
            let found = try cache.quarantined().map(\.key)
            try #require(found == expected, "\(seed), \(step)")
        }
        for cache in caches { cache.close() }
        try expectIntegrity(of: scratch.file())
    }
}
