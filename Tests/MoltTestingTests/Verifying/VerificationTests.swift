import Foundation
import MoltTesting
import Testing

@testable import Molt

@Suite("Verification")
struct VerificationTests {
    private func failure(
        _ directory: CatalogDirectory,
        _ migrations: MigrationRegistry = Releases.migrations,
        versions: [Int]? = nil,
        recording: RecordingMode = .never,
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) async -> VerificationFailure? {
        await Releases.failure {
            try await directory.catalog(recording: recording)
                .verify(migrations, types: Releases.types, versions: versions, configuration: configuration)
        }
    }

    /// Returns the failure of a catalog with the stores of some versions.
    private func failure(
        of versions: [Int],
        _ migrations: MigrationRegistry = Releases.migrations,
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) async throws -> VerificationFailure {
        let directory = try await Releases.catalog(of: versions)
        return try #require(
            await failure(directory, migrations, versions: versions, configuration: configuration)
        )
    }

    /// Returns the failure of a store made in code; by default, only the newest migration is pending.
    private func failure(
        of store: StoreFixture? = nil,
        through migrations: MigrationRegistry = Releases.migrations,
        types: [FixtureType] = Releases.types,
        named name: String = "the store",
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) async throws -> VerificationFailure {
        let store = try store ?? Releases.store(at: 2)
        return try #require(
            await Releases.failure {
                try await store.verifyUpgrades(
                    through: migrations,
                    types: types,
                    named: name,
                    configuration: configuration
                )
            }
        )
    }

    @Test func `A correct registry passes, and the report lists what was run`() async throws {
        let directory = try await Releases.catalog()
        let files = try directory.files()
        let report = try await directory.catalog().verify(Releases.migrations, types: Releases.types)
        #expect(report.rows.map(\.fixture) == (0...3).map { "\($0)-everyday.json" })
        #expect(report.rows.map(\.targets) == [[1, 2, 3], [2, 3], [3], [3]])
        #expect(report.rows.first?.entryPoints == [.open, .asyncOpen, .inMemory])
        // For each version one dry run, and two upgrades by each entry point; then one more upgrade to each version.
        #expect(report.rows.map(\.upgrades) == [24, 16, 7, 7])
        #expect(report.upgrades == 54)
        #expect(report.description.hasPrefix("4 fixtures, 54 upgrades\nfixture "))
        #expect(report.recorded.isEmpty)
        #expect(try directory.files() == files)
    }

    @Test func `Data that migrations destroy must be acknowledged by name if the test asks for that`() async throws {
        let directory = CatalogDirectory()
        var store = StoreFixture(schemaVersion: 0)
        store.records = [
            .init("ada", "Person", .json(#"{"name":"Ada","fax":"1","pager":"2","age":36}"#)),
            .init("old", "Person", .json(#"{"name":"Old","fax":"1","pager":"2","age":-1}"#)),
        ]
        try directory.catalog(recording: .missing).keep(store, named: "everyday")
        struct Person: Codable { var name: String }
        let migrations: MigrationRegistry = [
            Migration(to: 1, "fax", .removeProperty("Person", "fax"), .deleteType("Draft")),
            Migration(to: 1, "age", .transform("Person") { if try $0.int("age") < 0 { $0.drop() } }),
            Migration(to: 1, "model", .convert("Person", from: Person.self, to: Person.self) { $0 }),
        ]
        func losses(acknowledging names: [String]?) async -> [String]? {
            await Releases.failure {
                try await directory.catalog()
                    .verify(migrations, types: [.type(Person.self)], versions: [0], acknowledging: names)
            }?.all(.loss).map(\.message)
        }
        let names = ["Person.fax", "Draft", "Person", "Person.age", "Person.pager"]
        #expect(await losses(acknowledging: nil) == [])
        #expect(await losses(acknowledging: names) == [])

        let missing = try #require(await losses(acknowledging: []))
        let fax = """
            migration "fax" (version 1) removes the property Person.fax. If that is intended, add "Person.fax" to \
            `acknowledging`.
            """
        #expect(missing.count == names.count)
        #expect(missing.first == fax)
        for name in names {
            #expect(missing.contains { $0.hasSuffix("add \"\(name)\" to `acknowledging`.") })
        }
        let unused = try #require(await losses(acknowledging: names.dropFirst() + ["Person.fex", "City"]))
        #expect(
            unused == [
                fax,
                "\"City\" in `acknowledging` names nothing that a migration removes. Correct it, or leave it out.",
                "\"Person.fex\" in `acknowledging` names nothing that a migration removes; did you mean \"Person.fax\"?",
            ]
        )
    }

    @Test func `A key of settings that no fixture has is a failure, with the nearest key`() async throws {
        let directory = CatalogDirectory()
        let group = Suite("group.com.example.keys")
        let stores: [[String: PropertyListValue]] = [["look": "dark"], ["old": 1]]
        for (index, settings) in stores.enumerated() {
            let store = StoreFixture(schemaVersion: 0, suites: [group: settings])
            try directory.catalog(recording: .missing).keep(store, named: "store-\(index)")
        }
        let change = Migration(
            to: 1,
            "change",
            .renameKey("lok", to: "style", in: group),
            .removeKeys("zzz", in: .standard),
            .renameKey("look", to: "theme", in: group),
            .removeKeys("old", in: group)
        )
        let failure = await Releases.failure {
            try await directory.catalog().verify([change], types: [], versions: [0])
        }
        #expect(
            failure?.all(.unmatchedName).map(\.message) == [
                "migration \"change\" (version 1): \"lok\" of suite group.com.example.keys is in no fixture; the nearest "
                    + "key is \"look\". Correct the key, or add a fixture that has it."
            ]
        )
    }

    @Test func `A name that no fixture has is a failure, with the nearest name`() async throws {
        let directory = CatalogDirectory()
        struct Person: Codable { var name: String }
        struct City: Codable { var seen: Bool }
        for (index, json) in [#"{"name":"Ada"}"#, #"{"name":"Bob","mail":"b@x"}"#].enumerated() {
            let records: [StoreFixture.Record] = [
                .init("key", "Person", .json(json)), .init("rome", "City", .json("{}")),
            ]
            let store = StoreFixture(schemaVersion: 0, records: records)
            try directory.catalog(recording: .missing).keep(store, named: "store-\(index)")
        }
        let change = Migration(
            to: 1,
            "change",
            .renameProperty("Person", "mial", to: "email"),
            .removeProperty("Person", "mail"),
            .removeProperty("Persn", "mail"),
            .deleteType("Draft"),
            .mapValue("Person", "name", ["Eve": "Ada"]),
            .mapValue("Person", "nmae", ["Eve": "Ada"]),
            .transform("City") { $0["seen"] = true },
            .run { try $0.enumerate("Draft") { _, _ in } }
        )
        let failure = await Releases.failure {
            try await directory.catalog()
                .verify([change], types: [.type(Person.self), .type(City.self)], versions: [0])
        }
        let found = failure?.all(.unmatchedName).map(\.message)
        #expect(
            found == [
                #"migration "change" (version 1), step 1 (rename Person.mial to email): "mial" is in no record of type "#
                    + #""Person" of a fixture; did you mean "mail"? Correct the name, or add a fixture with a record that "#
                    + "has it.",
                #"migration "change" (version 1), step 3 (remove Persn.mail): no fixture has a record of type "Persn"; "#
                    + #"did you mean "Person"? Correct the name, or add a fixture with a record that has it."#,
                #"migration "change" (version 1), step 4 (delete the type Draft): no fixture has a record of type "#
                    + #""Draft". Correct the name, or add a fixture with a record that has it."#,
                #"migration "change" (version 1), step 6 (map the values of Person.nmae): "nmae" is in no record of type "#
                    + #""Person" of a fixture; did you mean "name"? Correct the name, or add a fixture with a record that "#
                    + "has it.",
            ]
        )
    }

    @Test func `A fixture whose ledger does not fit the registry is refused`() async throws {
        var unknown = try Releases.store(at: 2)
        unknown.ledger = []
        let empty = try await failure(of: unknown)
        #expect(empty.first(.ledger).message.contains("at version 2, and its ledger is empty"))
        #expect(empty.first(.ledger).message.contains(#"{"name": "alien-becomes-person", "version": 1}"#))
        let removed = try await failure(of: [2, 3], [Releases.alien, Releases.nickname]).all(.ledger)
        let named = removed.filter { $0.message.contains("\"split-full-name\" (version 2)") }
        #expect(named.map(\.subject) == ["2-everyday.json", "3-everyday.json"])
        #expect(named.first?.message.contains("never removed or renamed") == true)
        let newer = try await failure(of: [2, 3], Releases.migrations.upTo(version: 2))
        #expect(newer.all(.ledger).map(\.subject) == ["3-everyday.json"])
        #expect(newer.first(.ledger).message.contains("at version 3, and the registry ends at 2"))
    }

    @Test func `The first run without golden files explains how to record them`() async throws {
        let directory = CatalogDirectory()
        try directory.catalog(recording: .missing).keep(Releases.store(at: 2), named: "everyday")

        let missing = try #require(await failure(directory))

        #expect(missing.kinds == [.missingFixture, .missingGolden])
        let fixtures = missing.all(.missingFixture).map(\.message)
        #expect(fixtures.count == 3)
        for (version, text) in zip([0, 1, 3], fixtures) {
            #expect(text.hasPrefix("There is no fixture of version \(version)."))
        }
        #expect(fixtures.map { $0.contains("1-everyday.json") } == [false, true, false])
        #expect(missing.first(.missingGolden).message.contains("Golden/2-everyday@3.json"))
        #expect(missing.first(.missingGolden).message.contains("MOLT_RECORD=missing swift test"))

        // A run that records fails, and says what it wrote.
        let recording = try #require(await failure(directory, recording: .missing))
        #expect(recording.kinds == [.missingFixture, .recorded])
        #expect(recording.report.recorded == ["Golden/2-everyday@3.json"])
        #expect(recording.first(.recorded).message.contains("run again without MOLT_RECORD"))
    }

    @Test func `A migration that loses a property is a failure that names the property`() async throws {
        let dropping = Migration(
            to: 2,
            "split-full-name",
            .transform("Person") { person in
                let parts = try person.remove("fullName", as: String.self).split(separator: " ", maxSplits: 1)
                person["firstName"] = .string(String(parts.first ?? ""))
                person["lastName"] = .string(parts.count > 1 ? String(parts[1]) : "")
                person["extra"] = nil
            }
        )

        let failure = try await failure(of: [1, 3], [Releases.alien, dropping, Releases.nickname])

        #expect(failure.kinds == [.golden])
        #expect(failure.failures.map(\.subject) == ["1-everyday.json", "1-everyday.json"])
        #expect(failure.first().place == "Golden/1-everyday@2.json")
        #expect(failure.first().message.contains(#""john".extra: missing, expected 1.0"#))
        #expect(failure.description.contains("\n1-everyday.json\n  - Golden/1-everyday@2.json: the result is not"))
        #expect(failure.localizedDescription == failure.description)
    }

    @Test func `A migration that depends on state in memory is a failure, as its result depends on the path`()
        async throws
    {
        // The state is lost when the app is closed in between.
        let names = Locked<[String: String]>([:])
        let reading = Migration(
            to: 1,
            "alien-becomes-person",
            .renameType("Alien", to: "Person"),
            .run { migration in
                try migration.enumerate("Person") { old, _ in
                    let name = try old.string("fullName")
                    names.withLock { $0[old.key] = name }
                }
            }
        )
        let using = Migration(
            to: 3,
            "nickname",
            .transform("Person") { person in
                let key = person.key
                person["nickname"] = .string(names.withLock { $0[key] } ?? "")
            }
        )
        let configuration = Releases.afterEachUpgrade { names.withLock { $0 = [:] } }
        let directory = CatalogDirectory()
        try directory.catalog(recording: .missing).keep(Releases.first, named: "everyday")

        let failure = try #require(
            await failure(directory, [reading, Releases.split, using], recording: .all, configuration: configuration)
        )

        let path = try #require(failure.all(.path).first)
        #expect(path.message.contains("open the store at versions 1, 2, 3, one after the other"))
        #expect(path.message.contains("one jump from 0 to 3"))
        #expect(path.message.contains(#""john".nickname: expected "", found "John Appleseed""#))
        // Nothing is recorded for a fixture that fails.
        #expect(failure.report.recorded.isEmpty)
        #expect(failure.all(.missingGolden).count == 3)
    }

    @Test func `An order of records that depends on the path is a failure`() async throws {
        // The state is lost when the app is closed in between.
        let isSame = Locked(false)
        let first = Migration(to: 1, "first", .run { _ in isSame.withLock { $0 = true } })
        let second = Migration(
            to: 2,
            "second",
            .run { migration in
                let keys = isSame.withLock { $0 } ? ["a", "b"] : ["b", "a"]
                for key in (1...30).map({ "same \($0)" }) + keys {
                    try migration.create("Data", forKey: key, Data([1]))
                }
            }
        )
        let configuration = Releases.afterEachUpgrade { isSame.withLock { $0 = false } }

        let failure = try await failure(
            of: StoreFixture(schemaVersion: 0),
            through: [first, second],
            configuration: configuration
        )

        #expect(failure.kinds == [.path])
        #expect(
            failure.first().message.hasSuffix(
                #"the records are in another order from record 31 on: expected "b", "a", found "a", "b""#
            )
        )
    }

    @Test(arguments: [nil, []] as [[Int]?])
    func `A verification without fixtures is a failure`(versions: [Int]?) async throws {
        let directory = CatalogDirectory()
        func failure(_ migrations: MigrationRegistry = []) async throws -> VerificationFailure {
            try #require(
                await Releases.failure {
                    try await directory.catalog().verify(migrations, types: [], versions: versions)
                }
            )
        }
        let missing = try await failure()
        #expect(missing.kinds == [.missingFixture])
        #expect(
            missing.first().message
                == "There is no fixture to upgrade. The directory \(directory.url.path) does not exist."
        )

        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        #expect(try await failure().first().message.hasSuffix("\(directory.url.path) exists, and has none."))

        try directory.catalog(recording: .missing).keep(StoreFixture(schemaVersion: 0), named: "old")
        let newer = MigrationRegistry([Migration(to: 3, "a")], oldestSupportedVersion: 2)
        #expect(try await failure(newer).first().message.hasSuffix("are all older than version 2."))
    }

    @Test func `A result that changes with each run differs from the dry run and between entry points`() async throws {
        let isSecond = Locked(false)
        let alternating = Migration(
            to: 3,
            "nickname",
            .transform("Person") { person in
                guard person.key == "john" else { return }
                let changes = isSecond.withLock { value in
                    value.toggle()
                    return value
                }
                if changes { person["nickname"] = "" }
            }
        )

        let failure = try await failure(through: [Releases.alien, Releases.split, alternating])

        let dry = try #require(failure.all(.dryRun).first)
        let parts = dry.message.split(separator: "The upgrade:")
        #expect(parts.count == 2)
        // The numbers of records read and changed.
        #expect(parts.first?.contains(#/3 +nickname +2 +1 /#) == true)
        #expect(parts.last?.contains(#/3 +nickname +2 +0 /#) == true)
        let entry = try #require(failure.all(.entryPoints).first)
        #expect(entry.place == "to version 3 by async open")
        #expect(entry.message.contains("the result is not the same as by open:\n\"john\".nickname: unexpected"))
    }

    @Test func `A migration that throws is a failure, and the remaining checks still run`() async throws {
        struct Refusal: Error {}
        let failing = Migration(to: 3, "nickname", .transform("Person") { _ in throw Refusal() })
        let failure = try await failure(of: [1, 3], [Releases.alien, Releases.split, failing])
        // The ledger of the fixture of version 3 has the original migration.
        #expect(failure.kinds == [.upgrade, .edited])
        #expect(failure.all(.upgrade).map(\.subject) == ["1-everyday.json"])
        #expect(failure.first().place == "to version 3")
        #expect(failure.first().message.hasPrefix("the upgrade throws stepFailed:"))
        #expect(failure.first().message.contains("migration: \"nickname\" (version 3)"))
        #expect(failure.first().message.contains("Refusal"))
        #expect(failure.report.rows.count == 2)
    }

    @Test func `A migration that was edited after it shipped is named`() async throws {
        let edited = Migration(
            to: 1,
            "alien-becomes-person",
            .renameType("Alien", to: "Person"),
            .renameType("Robot", to: "Person")
        )

        let failure = try await failure(of: [1, 3], [edited, Releases.split, Releases.nickname])

        #expect(failure.kinds == [.edited])
        #expect(failure.failures.count == 1)
        #expect(failure.first().subject == "registry")
        #expect(failure.first().place == "1-everyday.json; Golden/1-everyday@2.json; 3-everyday.json")
        #expect(
            failure.first().message.hasPrefix(
                "migration \"alien-becomes-person\" (version 1) was edited after these"
            )
        )
        // The remaining checks still ran.
        #expect(failure.report.rows.count == 2)
    }

    @Test func `An edit of a closure is detected by its revision`() async throws {
        let edited = Migration(to: 2, "split-full-name", steps: [.transform("Person", revision: 2) { _ in }])
        let failure = try await failure(of: [1, 3], [Releases.alien, edited, Releases.nickname])
        #expect(failure.all(.edited).map(\.message).allSatisfy { $0.contains("\"split-full-name\"") })
        #expect(failure.all(.edited).count == 1)
        #expect(failure.kinds.contains(.golden))
    }

    @Test func `The newest migration may still change, and its results are recorded again`() async throws {
        let versions = [2, 3]
        let directory = try await Releases.catalog(of: versions)
        let other = Migration(to: 3, "nickname", .addProperty("Person", "nickname", default: "none"))
        let migrations: MigrationRegistry = [Releases.alien, Releases.split, other]
        func verified(_ mode: RecordingMode) async -> VerificationFailure? {
            await failure(directory, migrations, versions: versions, recording: mode)
        }
        let before = try directory.files()

        let refused = try #require(await verified(.never))
        #expect(refused.kinds == [.golden, .edited])
        #expect(refused.first(.golden).message.contains("MOLT_RECORD=all swift test"))
        #expect(await verified(.missing)?.kinds == [.golden, .edited])
        #expect(try directory.files() == before)

        try directory.catalog(recording: .all).keep(
            Releases.store(at: 3, migrations),
            named: "everyday",
            migrations: migrations
        )
        let recorded = try #require(await verified(.all))

        #expect(recorded.kinds == [.recorded])
        #expect(recorded.report.recorded == ["Golden/2-everyday@3.json"])
        let changed = try directory.files().filter { before[$0.key] != $0.value }.keys.sorted()
        #expect(changed == ["3-everyday.json", "Golden/2-everyday@3.json"])
        #expect(await verified(.never) == nil)
    }

    @Test func `A record that cannot be decoded as the current type is named with the property`() async throws {
        struct Person: Codable {
            struct Address: Codable {
                var city: String
                var street: String?
                var zip: Int
            }

            var firstName: String
            var address: Address
        }

        let failure = try await failure(types: [.type(Person.self)])

        #expect(failure.kinds == [.decoding])
        #expect(
            failure.failures.map(\.message)
                == ["john", "jane"].map {
                    #""\#($0)" cannot be read as Person: "address.zip": missing."#
                }
        )
    }

    @Test func `Errors of the registry are listed, and the files are still checked`() async throws {
        let directory = try await Releases.catalog()
        try directory.edit("1-everyday.json", "Paris", to: "London")
        let migrations: MigrationRegistry = [
            Migration(to: 2, "b"), Migration(to: 1, "a"), Migration(to: 3, "a"),
        ]
        let failure = try #require(await failure(directory, migrations))
        #expect(failure.kinds == [.registry, .changed])
        #expect(failure.all(.registry).count == 2)
        #expect(failure.report.rows.isEmpty)
    }

    @Test func `A fixture that cannot be read is one failure`() async throws {
        let directory = try await Releases.catalog(of: [2, 3])
        try directory.write("{", to: "3-everyday.json")
        let failure = try #require(await failure(directory, versions: [2, 3]))
        #expect(failure.failures.allSatisfy { $0.subject == "3-everyday.json" })
        #expect(failure.kinds == [.catalog])
        #expect(failure.report.rows.count == 1)
    }

    @Test func `A second opening that changes the store is a failure`() async throws {
        var configuration = CodableCache.Configuration()
        // An app that writes at every launch.
        configuration.monitor = MigrationMonitor { event in
            guard case .finished(let report) = event, report.isEmpty, report.store.hasSuffix(".molt") else { return }
            let url = URL(filePath: report.store)
            let cache = try? CodableCache(at: url, migrations: Releases.migrations.upTo(version: report.to))
            try? cache?.set(Data([7]), forKey: "launch")
            cache?.close()
        }

        let failure = try await failure(of: [1, 3], configuration: configuration)

        let repetition = try #require(failure.all(.repetition).first)
        #expect(repetition.place == "to versions 2, 3 by open, async open")
        #expect(repetition.message.contains("\"launch\": unexpected, a Data: raw data of 1 byte"))
        #expect(failure.all(.repetition).contains { $0.message.hasPrefix("opening a store that is up to date") })
    }

    @Test func `A fixture made in code is upgraded in every way, too`() async throws {
        let report = try await Releases.first.verifyUpgrades(through: Releases.migrations, types: Releases.types)
        #expect(report.rows.map(\.upgrades) == [24])
        // A type that is missing from the list is named.
        let failure = try await failure(types: [], named: "the second")
        #expect(failure.failures.map(\.subject) == ["the second"])
        #expect(failure.kinds == [.unknownType])
        #expect(failure.first().message.contains("records of type Person (\"john\", \"jane\")"))
        #expect(failure.first().message.contains("`.type(Person.self)`"))
    }

    @Test func `Failures are listed below their subject, with all their lines indented`() {
        let failure = VerificationFailure(
            failures: [
                .init(kind: .golden, subject: "1-a.json", place: "to version 2", message: "first\nsecond"),
                .init(kind: .registry, subject: "registry", message: "third"),
                .init(kind: .upgrade, subject: "1-a.json", message: "fourth"),
            ]
        )

        #expect(
            failure.description == """
                The verification found 3 failures.

                registry
                  - third

                1-a.json
                  - to version 2: first
                    second
                  - fourth
                """
        )
    }
}
