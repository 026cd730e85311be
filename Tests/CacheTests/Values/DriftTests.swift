import Foundation
import Molt
import Testing

/// A type whose shape changed without a new version, noticed when a value is written.
@Suite("Drift of a type's shape")
struct DriftTests {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    private func open(
        _ drift: MoltConfiguration.MismatchPolicy = .fail,
        version: Int = 0,
        monitor: MigrationMonitor? = nil
    ) throws -> CodableCache {
        let configuration = MoltConfiguration {
            $0.mismatches = drift
            $0.monitor = monitor
        }
        let migrations = MigrationRegistry((0..<version).map { Migration(to: $0 + 1, "step-\($0 + 1)") })
        return try CodableCache(at: directory.file(), migrations: migrations, configuration: configuration)
    }

    /// Sets a value, and closes the cache.
    private func write(_ value: some Encodable & Sendable, key: String = "john", _ cache: CodableCache) throws {
        try cache.set(value, forKey: key)
        cache.close()
    }

    private func write(_ value: some Encodable & Sendable, key: String = "john") throws {
        try write(value, key: key, try open())
    }

    @discardableResult
    private func drift(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) throws -> MoltError {
        let thrown = MoltError.thrown(sourceLocation: sourceLocation, by: body)
        let error = try #require(thrown)
        error.expect(.shapeChanged, sourceLocation: sourceLocation)
        return error
    }

    // MARK: Versions

    @Test func `C18: a changed type needs a new version, and the message suggests a migration`() throws {
        try write(Old.Person(), try open(version: 2))
        let before = try Snapshot(of: directory.file())
        let error = try drift { try write(New.Added(), key: "jane", try open(version: 2)) }
        let problem = """
            The shape of "Person" changed, and the schema version is still 2: Property "Person.mail" has been added.
            """
        #expect(error.problem == problem)
        error.expect(
            type: "Person",
            store: directory.file().path,
            storeVersion: 2,
            says: "has been added. Add ",
            #"it needs no step: `Migration(to: 3, "person-of-version-3")`. If version 2"#,
            "edit its migration, with `redoesUnshippedMigrations = true` in debug builds, ",
            " in debug builds, or set `mismatches = .ignore`. "
        )
        let line = MoltError.migrationWithoutStep(of: "Array<Contact.PhoneNumber>", from: 11)
        #expect(line == #"`Migration(to: 12, "array-contact-phonenumber-of-version-12")`."#)
        #expect(try Snapshot(of: directory.file()) == before)
        // With a new version it is no drift.
        try write(New.Added(), key: "jane", try open(version: 3))
        try drift { try write(Old.Person(), try open(version: 3)) }.expect(storeVersion: 3)
    }

    // MARK: Policies

    @Test func `Reported drift is delivered once to the closure, and the value is written`() throws {
        try write(Old.Person())
        let drifts = Log<MoltError>()
        let holder = Locked<CodableCache?>(nil)
        let monitor = MigrationMonitor { event in
            guard case .shapeChanged(let drift) = event else { return }
            // The closure may use the cache.
            #expect((try? holder.withLock { $0 }?.contains("jane")) == true)
            drifts.append(drift)
        }
        let cache = try open(.report, monitor: monitor)
        holder.withLock { $0 = cache }
        try cache.set(New.Added(), forKey: "jane")
        try cache.set(New.Added(), forKey: "jim")
        #expect(drifts.count == 1)
        let told = try #require(drifts.all.first)
        told.expect(.shapeChanged, type: "Person", storeVersion: 0)
        let problem = """
            The shape of "Person" changed, and the schema version is still 0: Property "Person.mail" has been added.
            """
        #expect(told.problem == problem)
        #expect(try cache.count(of: New.Added.self) == 3)
        holder.withLock { $0 = nil }
        cache.close()
        // The recorded shape is still the old one.
        try drift { try write(New.Added()) }.expect(property: "mail")
    }

    @Test func `Ignored drift is neither compared nor recorded`() throws {
        try write(Old.Person(), try open(.ignore))
        #expect(try tables() == [])
        try write(New.Added(), try open(.ignore))
        try write(New.Added(), try open(.fail))
        #expect(try tables() == ["molt_shape"])
        try write(Old.Person(), try open(.ignore))
    }

    @Test func `A batch with drift writes nothing`() throws {
        try write(Old.Person())
        let cache = try open()
        let error = try drift {
            try cache.batch { batch in
                try batch.set(City(zipCode: 1), forKey: "city")
                try batch.set(New.Added(), forKey: "jane")
            }
        }
        error.expect(property: "mail")
        try drift { try cache.setAll(["jane": New.Added()]) }
        try drift { try cache.set(Optional(New.Added()), forKey: "jane") }
        try drift { try cache.set(New.Added(), forKey: "john") }
        try cache.expect(keys: ["john"])
        try cache.set(City(zipCode: 1), forKey: "city")
        try cache.set(Optional(Old.Person()), forKey: "john")
    }

    @Test(arguments: [true, false])
    func `A type whose records were removed, or have all expired, may have any shape`(isRemoved: Bool) throws {
        let cache = try open()
        try cache.set(Old.Person(), forKey: "john", expiry: isRemoved ? .never : .after(seconds: -1))
        if isRemoved { try cache.remove(forKey: "john") }
        try cache.set(New.Added(), forKey: "jane")
        try drift { try write(Old.Person()) }
    }

    @Test func `A migration added later to the same version changes the expected shape`() throws {
        var migrations: MigrationRegistry = [Migration(to: 1, "first")]
        let configuration = MoltConfiguration { $0.mismatches = .fail }
        func reopen() throws -> CodableCache {
            try CodableCache(at: directory.file(), migrations: migrations, configuration: configuration)
        }
        try write(Visit(), key: "a", try reopen())
        // The recorded shape is still there after the cache is opened again.
        try drift { try write(NewVisit(), try reopen()) }
        migrations.register(Migration(to: 1, "second", .renameProperty("Visit", "town", to: "city")))
        let after = try reopen()
        #expect(after.version == 1)
        try after.set(NewVisit(), forKey: "b")
        #expect(try after.value(NewVisit.self, forKey: "a")?.city == "a")
        after.close()
        try drift { try write(Visit(), try reopen()) }
    }

    // MARK: Two types with one name

    @Test func `The error says what to do when types share a name`() throws {
        let advice = "If another type has the same name, give one of them another name with `RecordType`."
        let cache = try open()
        try cache.set(Order.Item(), forKey: "a")
        try drift { try cache.set(Cart.Item(), forKey: "b") }.expect(type: "Item", says: advice)
        try drift {
            try open(version: 1).batch { batch in
                try batch.set(Order.Item(), forKey: "c")
                try batch.set(Cart.Item(), forKey: "d")
            }
        }.expect(type: "Item", says: advice)
    }

    // MARK: Recorded shapes

    @Test func `A value's shape is merged with that of earlier values`() throws {
        struct Holder: Codable { var home: Old.Address? }
        struct Location: Codable { var latitude = 1.0 }
        struct Moved: Codable, RecordType {
            static var recordTypeName: String { "Holder" }
            var home: Location?
        }
        // The shape of the address is still unknown.
        try write(Holder(), key: "a")
        try write(Holder(home: Old.Address()), key: "a")
        try write(Holder(), key: "b")
        try drift { try write(Moved(home: Location()), key: "c") }.expect(property: "home")
    }

    @Test func `Two caches share the recorded shapes`() throws {
        let one = try open()
        let other = try open()
        try one.set(Old.Person(), forKey: "a")
        try drift { try other.set(New.Added(), forKey: "b") }
        try other.set(Old.Person(), forKey: "b")
    }

    @Test func `A batch that fails changes nothing and records no shape`() throws {
        struct Failing: Error {}
        let cache = try open()
        try cache.set(City(zipCode: 1), forKey: "old")
        #expect(throws: Failing.self) {
            try cache.batch { batch in
                try batch.set(Old.Person(), forKey: "a")
                batch.remove(forKey: "old")
                throw Failing()
            }
        }
        try cache.expect(keys: ["old"])
        try cache.set(New.Added(), forKey: "a")
        try drift { try cache.set(Old.Person(), forKey: "b") }
    }

    // MARK: Costs

    @Test func `A value is encoded again only for the first shape of its type, and not if no closure receives drift`()
        throws
    {
        func encodings(_ body: () throws -> Void) rethrows -> Int {
            let before = Counting.encodings.withLock { $0 }
            try body()
            return Counting.encodings.withLock { $0 } - before
        }
        let silent: [(MoltConfiguration.MismatchPolicy, MigrationMonitor?)] = [
            (.ignore, nil), (.report, nil), (.report, MigrationMonitor()),
        ]
        for (policy, monitor) in silent {
            let cache = try open(policy, monitor: monitor)
            let single = try encodings { try cache.set(Counting(), forKey: "a") }
            let batch = try encodings { try cache.setAll(["b": Counting()]) }
            let counts: [Int] = [single, batch]
            #expect(counts == [1, 1])
            cache.close()
        }
        #expect(try tables() == [])

        let cache = try open(.report, monitor: MigrationMonitor { _ in })
        let first = try encodings { try cache.set(Counting(), forKey: "a") }
        let second = try encodings { try cache.set(Counting(), forKey: "b") }
        let batch = try encodings { try cache.setAll(["c": Counting(), "d": Counting()]) }
        let optional = try encodings { try cache.set(Optional(Counting()), forKey: "e") }
        let counts: [Int] = [first, second, batch, optional]
        #expect(counts == [2, 1, 2, 1])
        #expect(try tables() == ["molt_shape"])
    }

    @Test func `Collecting a batch does not wait for a writer`() throws {
        struct Stop: Error {}
        // The clock is read while the cache holds its lock, as it does while another process writes.
        let asked = Locked(0)
        let holder = Locked<CodableCache?>(nil)
        var configuration = MoltConfiguration { $0.mismatches = .fail }
        configuration.now = {
            let isFirst = asked.withLock { asked in
                asked += 1
                return asked == 1
            }
            if isFirst, let cache = holder.withLock({ $0 }) {
                #expect(throws: Stop.self) {
                    try cache.batch { batch in
                        try batch.set(City(zipCode: 1), forKey: "a")
                        throw Stop()
                    }
                }
            }
            return Date()
        }
        let cache = try CodableCache(at: directory.file(), configuration: configuration)
        asked.withLock { $0 = 0 }
        holder.withLock { $0 = cache }
        #expect(try !cache.contains("a"))
        #expect(asked.withLock { $0 } == 2)
        holder.withLock { $0 = nil }
    }

    private func tables() throws -> [String] {
        try SQLite(directory.file()).rows("SELECT name FROM sqlite_schema WHERE name = 'molt_shape'").flatMap { $0 }
    }

    private enum Order { struct Item: Codable { var name = "a" } }
    private enum Cart { struct Item: Codable { var count = 1 } }

    private enum Old {
        struct Person: Codable { var name = "John" }
        struct Address: Codable { var street = "a" }
    }

    private enum New {
        struct Added: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var name = "John"
            var mail = ""
        }
    }

    private struct Visit: Codable { var town = "a" }

    private struct NewVisit: Codable, RecordType {
        static var recordTypeName: String { "Visit" }
        var city = "b"
    }

    private struct Counting: Codable {
        static let encodings = Locked(0)
        var name = "a"

        enum CodingKeys: CodingKey { case name }

        init() {}

        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        }

        func encode(to encoder: any Encoder) throws {
            Self.encodings.withLock { $0 += 1 }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
        }
    }

    #if CHILD_PROCESSES && DEBUG
        // MARK: Types that were renamed in code alone

        private struct Point: Codable, Sendable, RecordType {
            static var recordTypeName: String { "Point" }
            var x = 1
        }

        private struct Place: Codable, Sendable, RecordType {
            static var recordTypeName: String { "Place" }
            var x = 1
        }

        @Test(arguments: [false, true])
        func `A renamed type without a migration is named at its first write, by set and by update`(
            isUpdate: Bool
        ) async throws {
            let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
                [isUpdate = isUpdate as Bool] in
                let directory = try ScratchDirectory()
                defer { withExtendedLifetime(directory) {} }
                for migrations in [MigrationRegistry(), [Migration(to: 1, "later")]] {
                    let cache = try CodableCache(at: directory.file(), migrations: migrations)
                    if migrations.version == 0 {
                        try cache.set(Point(), forKey: "a")
                        try cache.set(Point(), forKey: "b")
                        try cache.set(["x": 1], forKey: "c")
                        if !isUpdate { try cache.set(Place(x: 2), forKey: "d") }
                    } else if isUpdate {
                        // The migration has cleared the shapes.
                        try cache.update(Place.self, forKey: "a") { $0.x = 2 }
                        try cache.update(Place.self, forKey: "a") { $0.x = 3 }
                    }
                    cache.close()
                }
            }
            let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
                .filter { $0.hasPrefix("Molt: warning: ") }
            #expect(
                lines == [
                    #"Molt: warning: a value of type "Place" was set, and the store has values of type "Point" with the "#
                        + "same properties; each type finds only its own. If it was renamed, add a migration with "
                        + #".renameType("Point", to: "Place")."#
                ]
            )
        }
    #endif
}
