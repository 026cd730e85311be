import Foundation
import Molt
import Testing

@Suite("A check that changed values decode")
struct DecodeCheckTests {
    private struct Person: Codable, Sendable {
        var name: String
        var age: Int?
    }

    private static let renaming = MigrationStep.renameProperty("Person", "fullName", to: "name")

    private static func checking(_ migrations: Migration...) -> MigrationRegistry {
        MigrationRegistry(migrations).checkingDecodes("Person", as: Person.self)
    }

    /// The first one can be decoded after the renaming, the second one cannot.
    private func store(_ others: StoredRecord..., version: Int = 0) throws -> OldStore {
        let records = [
            StoredRecord("Person", "ada", #"{"fullName":"Ada"}"#),
            StoredRecord("Person", "bob", #"{"fullName":"Bob","age":"secret"}"#),
        ]
        return try OldStore(records + others, version: version)
    }

    private func checks(_ registry: MigrationRegistry) -> [String] {
        registry.migrations.flatMap { migration in
            migration.steps.map(\.description).filter { $0.hasPrefix("check") }.map { "\(migration.name): \($0)" }
        }
    }

    // MARK: Records

    @Test(.throughEveryEntryPoint) func `stops an upgrade that would store what the app cannot read`() async throws {
        let registry = Self.checking(Migration(to: 1, "name", Self.renaming))
        let error = try await store().failure(registry)
        error.expect(
            .typeMismatch,
            key: "bob",
            type: "Person",
            property: "age",
            migration: "name",
            step: 2,
            summary: "check: changed records of Person decode as Person",
            outcome: .rolledBack
        )
        #expect(!error.description.contains("secret"))
        #expect(error.description.contains("Correct the migration, or the type Person."))
    }

    @Test(.throughEveryEntryPoint) func `passes over what the upgrade leaves as it is`() async throws {
        let old = try store(StoredRecord("Person", "eve", #"{"nobody can read":"this"}"#))
        let registry = Self.checking(Migration(to: 1, "name", Self.renaming.onFailure(.drop())))
        let names = try await old.upgraded(
            registry.onFailure(.drop(upTo: .unlimited))
        )
        #expect(names.keys == ["ada", "eve"])
        #expect(names.texts["ada"] == #"{"name":"Ada"}"#)
    }

    @Test func `quarantines a record as it was before the migration, for a later release to convert`() throws {
        let old = try store()
        let name = Migration(to: 1, "name", Self.renaming)
        let first = Self.checking(name).onFailure(.quarantine(upTo: 1))
        let cache = try CodableCache(at: old.url, migrations: first)
        try cache.expect(keys: ["ada"], quarantined: ["bob"])
        let content = try cache.firstQuarantined().content
        #expect(String(decoding: content, as: UTF8.self) == #"{"fullName":"Bob","age":"secret"}"#)
        try cache.retry(with: first, expecting: "bob: failed")
        cache.close()
        let mended = Self.checking(name, Migration(to: 2, "age", .removeProperty("Person", "age")))
        let later = try CodableCache(at: old.url, migrations: mended)
        try later.retry(with: mended, expecting: "bob: converted")
        #expect(try later.value(Person.self, forKey: "bob")?.name == "Bob")
    }

    @Test(arguments: [2, 1_000]) func `finds what blocks, renames of types and steps on the whole store have changed`(
        batchSize: Int
    ) throws {
        let block = MigrationStep.run {
            try $0.enumerate("Person") { _, new in new["name"] = try new.remove("fullName") }
        }
        let emptyBlock = MigrationStep.run { _ in }
        let keys = MigrationStep.renameKeys("Person", to: .property("name"))
        let all = [
            [Migration(to: 1, "block", block)],
            [Migration(to: 1, "block", block), Migration(to: 2, "other", emptyBlock)],
            [Migration(to: 1, "type", .renameType("Alien", to: "Person"))],
            [Migration(to: 1, "type", .renameType("Alien", to: "Person")), Migration(to: 2, "block", emptyBlock)],
            [Migration(to: 1, "keys", Self.renaming, keys)],
            [
                Migration(to: 1, "into", .transform("Alien") { $0.typeName = "Person" }),
                Migration(to: 2, "x", emptyBlock),
            ],
        ]
        let alien = StoredRecord("Alien", "zork", #"{"name":7}"#)
        for migrations in all {
            let concernsAlien = ["type", "into"].contains(migrations[0].name)
            let person = StoredRecord("Person", "ada", #"{"name":"Ada"}"#)
            let old = try concernsAlien ? OldStore([person, alien]) : store()
            var configuration = MoltConfiguration()
            configuration.hooks.batchSize = batchSize
            let registry = MigrationRegistry(migrations).checkingDecodes("Person", as: Person.self)
            let error = MoltError.thrown {
                try CodableCache(at: old.url, migrations: registry, configuration: configuration)
            }
            error?.expect(.typeMismatch, key: concernsAlien ? "zork" : nil, property: concernsAlien ? "name" : nil)
        }
    }

    @Test func `names a type that no record has, if one has a similar name`() throws {
        let old = try store()
        let registry = MigrationRegistry([Migration(to: 1, "name", Self.renaming)])
            .checkingDecodes("Persn", as: Person.self)
            // It may have no records yet.
            .checkingDecodes("Draft", as: Person.self)
        let cache = try CodableCache(at: old.url, migrations: registry)
        defer { cache.close() }
        let note = #"checkingDecodes: no record of type "Persn"; did you mean "Person"?"#
        #expect(cache.report.notes == [note] && cache.report.description.contains("note: \(note)"))
    }

    @Test func `does not have the names of a step reported that had changed what it quarantines`() throws {
        let old = try OldStore([StoredRecord("Person", "bob", #"{"fullName":"Bob","age":"secret"}"#)])
        let migration = Migration(to: 1, "name", Self.renaming, .removeProperty("Person", "nickname"))
        let cache = try CodableCache(at: old.url, migrations: Self.checking(migration).onFailure(.quarantine(upTo: 1)))
        defer { cache.close() }
        try cache.expect(keys: [], quarantined: ["bob"])
        let nickname = #""nickname" does not occur in the only record of type "Person""#
        #expect(cache.report.entries[0].steps.map(\.unmatchedNames) == [[], [nickname], []])
    }

    @Test func `uses the coders of today's release, and those that it declares`() async throws {
        struct Event: Codable { var at: Date }
        let iso = RecordCoding { encoder, decoder in
            encoder.dateEncodingStrategy = .iso8601
            decoder.dateDecodingStrategy = .iso8601
        }
        let old = try OldStore([StoredRecord("Event", "e", #"{"at":0}"#)])
        let migrations: MigrationRegistry = [
            Migration(to: 1, "iso", .changeValue("Event", "at", from: .deferredToDate, to: .iso8601))
        ]
        try await old.failure(migrations.checkingDecodes("Event", as: Event.self)).expect(.typeMismatch, property: "at")
        _ = try await old.failure(
            migrations.coding(.standard, through: 0).coding(iso)
                .checkingDecodes("Event", as: Event.self, coding: .standard)
        )
        let coded = migrations.coding(.standard, through: 0).checkingDecodes("Event", as: Event.self).coding(iso)
        try await old.upgrade(coded)
    }

    @Test func `does not concern values that are read without being stored`() throws {
        let registry = Self.checking(Migration(to: 1, "name", Self.renaming))
        let store = try store()
        let reading = try CodableCache(reading: store.url, migrations: registry)
        #expect(try reading.value(Person.self, forKey: "ada")?.name == "Ada")
        MoltError.thrown { try reading.value(Person.self, forKey: "bob") }?.expect(.unreadableContent)
        let document = Data(#"{"fullName":"Bob","age":"secret"}"#.utf8)
        let upgraded = try DocumentUpgrade(registry, from: 0).upgrade(document, ofType: "Person", writtenAt: 0)
        #expect(String(decoding: upgraded.content, as: UTF8.self) == #"{"name":"Bob","age":"secret"}"#)
    }

    // MARK: Its place

    @Test func `is run by the last migration that may change the type`() throws {
        let check = "check: changed records of Person decode as Person"
        let name = Migration(to: 1, "name", Self.renaming)
        let city = Migration(to: 2, "city", .deleteType("City"))
        var registry = Self.checking(name, city)
        #expect(checks(registry) == ["name: \(check)"])
        let same = MigrationRegistry([name, city])
        #expect(registry.migrations.map(\.fingerprint) == same.migrations.map(\.fingerprint))
        // A block may change any record.
        registry.register(to: 3, "block") { _ in }
        #expect(checks(registry) == ["block: \(check)"])
        // So may a closure that has the whole record.
        let giving = MigrationStep.transform("Alien") { $0.typeName = "Person" }
        #expect(checks(Self.checking(name, Migration(to: 2, "give", giving))) == ["give: \(check)"])
        // One of settings may not.
        let setting = MigrationStep.transform(.setting("a", in: .standard)) { $0["b"] = 1 }
        #expect(checks(Self.checking(name, Migration(to: 2, "setting", setting))) == ["name: \(check)"])
        // The check is about today's type.
        #expect(checks(registry.upTo(version: 2)).isEmpty && checks(registry.upTo(version: 3)) == ["block: \(check)"])
        registry.register(Migration(to: 4, "on read", .removeProperty("Person", "age")).onRead())
        #expect(checks(registry).isEmpty && registry.faults.isEmpty)
        // A store that has been through one part of a shortcut runs the other.
        let age = Migration(to: 2, "age", .removeProperty("Person", "age"))
        let both = Migration(
            to: 2,
            "both",
            replacing: ["name", "age"],
            Self.renaming,
            .removeProperty("Person", "age")
        )
        let replacing = Self.checking(name, age, both)
        #expect(checks(replacing) == ["age: \(check)", "both: \(check)"] && replacing.faults.isEmpty)
    }

    @Test func `comes before the migration's own checks, and reads nothing if nothing was changed`() throws {
        let own = Migration(to: 1, "name", Self.renaming).check("own") { _ in }
        let registry = Self.checking(own)
        #expect(checks(registry).map { $0.hasSuffix("own") } == [false, true])
        let old = try store()
        let dry = MoltError.thrown { try CacheFile(at: old.url).dryRunAndWait(registry) }
        dry?.expect(.typeMismatch, key: "bob")
        let upToDate = try store(version: 1)
        let cache = try CodableCache(at: upToDate.url, migrations: Self.checking(Migration(to: 1, "name")))
        #expect(cache.report.entries.flatMap(\.steps).isEmpty)
    }

    // MARK: Settings

    private static let profile = #"{"name":7}"#

    private func settings(_ suite: Suite, _ key: String = "profile") -> MigrationRegistry {
        MigrationRegistry([
            Migration(to: 1, "first", .addProperty(.settings(withPrefix: "pro", in: suite), "age", default: 1))
        ])
        .checkingDecodes(.setting(key, in: suite), as: Person.self)
    }

    @Test func `stops an upgrade that would leave a setting which the app cannot read`() throws {
        let scratch = try ScratchSuite(["profile": .string(Self.profile), "prose": .string(#"{"a":"b"}"#)])
        let error = MoltError.thrown { try scratch.suite.upgrade(with: settings(scratch.suite)) }
        error?.expect(
            .typeMismatch,
            key: "profile",
            property: "name",
            migration: "first",
            suite: scratch.suite.attachedName
        )
        #expect(try scratch.values["profile"] == .string(Self.profile))
        // A setting that the upgrade leaves as it is may be in any form.
        try scratch.suite.update(set: ["old": .string(Self.profile)])
        try scratch.suite.upgrade(with: settings(scratch.suite, "old"))
        #expect(try scratch.values["profile"] == .string(#"{"name":7,"age":1}"#))
    }

    @Test func `takes back what the migration has done to a setting, under the policy`() throws {
        let scratch = try ScratchSuite(["profile": .string(Self.profile), "prose": .string(#"{"a":"b"}"#)])
        let registry = settings(scratch.suite).onFailure(.quarantine())
        let report = try scratch.suite.upgrade(with: registry)
        #expect(try scratch.values["profile"] == .string(Self.profile))
        #expect(try scratch.values["prose"] == .string(#"{"a":"b","age":1}"#))
        #expect(report.description.contains(#"not convertible: "profile""#))
    }
}
