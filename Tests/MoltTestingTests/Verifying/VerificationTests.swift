import Foundation
import MoltTesting
import Testing

@testable import Molt

@Suite("Verification")
struct VerificationTests {
    private func failure(
        _ directory: CatalogDirectory,
        _ migrations: MigrationRegistry = Releases.migrations,
        types: [FixtureType] = Releases.types,
        recording: RecordingMode = .never,
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) async -> VerificationFailure? {
        await Releases.failure {
            try await directory.catalog(recording: recording)
                .verify(migrations, types: types, configuration: configuration)
        }
    }

    /// Returns the failure of the complete catalog.
    private func failure(
        _ migrations: MigrationRegistry = Releases.migrations,
        types: [FixtureType] = Releases.types,
        configuration: CodableCache.Configuration = CodableCache.Configuration()
    ) async throws -> VerificationFailure {
        try #require(await failure(Releases.catalog(), migrations, types: types, configuration: configuration))
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
            Migration(to: 2, "age", .transform("Person") { if try $0.int("age") < 0 { $0.drop() } }),
            Migration(to: 3, "model", .convert("Person", from: Person.self, to: Person.self) { $0 }),
        ]
        func failure(_ losses: [String]?) async -> VerificationFailure? {
            await Releases.failure {
                try await directory.catalog(recording: .never)
                    .verify(migrations, types: [.type(Person.self)], versions: [0], acknowledging: losses)
            }
        }
        let names = ["Person.fax", "Draft", "Person", "Person.age", "Person.pager"]
        #expect(await failure(nil)?.all(.loss).isEmpty == true)
        #expect(await failure(names)?.all(.loss).isEmpty == true)
        let missing = try #require(await failure([])?.all(.loss))
        #expect(missing.count == 5)
        #expect(
            missing.first?.message
                == "migration \"fax\" (version 1) removes the property Person.fax. If that is intended, add "
                + "\"Person.fax\" to `acknowledging`."
        )
        for name in names {
            let others = names.filter { $0 != name }
            let left = try #require(await failure(others)?.all(.loss))
            #expect(left.count == 1)
            #expect(left.first?.message.contains("add \"\(name)\" to") == true)
        }
        let unused = try #require(await failure(names.dropFirst() + ["Person.fex", "City"])?.all(.loss))
        #expect(
            unused.map(\.message).dropFirst() == [
                "\"City\" in `acknowledging` names nothing that a migration removes. Correct it, or leave it out.",
                "\"Person.fex\" in `acknowledging` names nothing that a migration removes; did you mean \"Person.fax\"?",
            ]
        )
    }

    @Test func `A key of settings that no fixture has is a failure, with the nearest key`() async throws {
        let directory = CatalogDirectory()
        let group = Suite("group.com.example.keys")
        for (index, settings) in [["look": "dark"], ["old": 1]].enumerated()
            as EnumeratedSequence<
                [[String: PropertyListValue]]
            >
        {
            let store = StoreFixture(schemaVersion: 0, suites: [group: settings])
            try directory.catalog(recording: .missing).keep(store, named: "store-\(index)")
        }
        func failures(_ steps: MigrationStep...) async -> [String]? {
            await Releases.failure {
                try await directory.catalog(recording: .never).verify(
                    [Migration(to: 1, "change", steps: steps)],
                    types: [],
                    versions: [0]
                )
            }?.all(.unmatchedName).map(\.message)
        }
        #expect(await failures(.renameKey("look", to: "theme", in: group), .removeKeys("old", in: group)) == [])
        #expect(
            await failures(.renameKey("lok", to: "theme", in: group), .removeKeys("zzz", in: .standard)) == [
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
        func failures(_ steps: MigrationStep...) async -> [String]? {
            await Releases.failure {
                try await directory.catalog(recording: .never).verify(
                    [Migration(to: 1, "change", steps: steps)],
                    types: [.type(Person.self), .type(City.self)],
                    versions: [0]
                )
            }?.all(.unmatchedName).map(\.message)
        }

        let found = await failures(
            .renameProperty("Person", "mial", to: "email"),
            .removeProperty("Person", "mail"),
            .removeProperty("Persn", "mail"),
            .deleteType("Draft"),
            .mapValue("Person", "name", ["Eve": "Ada"]),
            .mapValue("Person", "nmae", ["Eve": "Ada"]),
            .transform("City") { $0["seen"] = true },
            .run { try $0.enumerate("Draft") { _, _ in } }
        )
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

    @Test func `A fixture of a later version without a ledger is a failure`()
        async throws
    {
        var store = try Releases.store(at: 2)
        store.ledger = []

        let failure = try #require(
            await Releases.failure {
                try await store.verifyUpgrades(through: Releases.migrations, types: Releases.types)
            }
        )

        #expect(failure.first(.ledger).message.contains("at version 2, and its ledger is empty"))
        #expect(failure.first(.ledger).message.contains(#"{"name": "alien-becomes-person", "version": 1}"#))
    }

    @Test func `The first run without golden files explains how to record them`() async throws {
        let directory = CatalogDirectory()
        try directory.catalog(recording: .missing).keep(Releases.first, named: "everyday")

        let missing = try #require(await failure(directory))

        #expect(missing.kinds == [.missingFixture, .missingGolden])
        #expect(
            missing.all(.missingFixture).map { $0.message.prefix(31) }
                == (1...3).map { "There is no fixture of version \($0)".prefix(31) }
        )
        #expect(missing.all(.missingFixture).map { $0.message.contains("2-everyday.json") } == [false, true, false])
        #expect(missing.first(.missingGolden).message.contains("Golden/0-everyday@1.json"))
        #expect(missing.first(.missingGolden).message.contains("MOLT_RECORD=missing swift test"))

        // A run that records fails, and says what it wrote.
        let recording = try #require(await failure(directory, recording: .missing))
        #expect(recording.kinds == [.missingFixture, .recorded])
        #expect(recording.report.recorded == (1...3).map { "Golden/0-everyday@\($0).json" })
        #expect(recording.first(.recorded).message.contains("run again without MOLT_RECORD"))

        try await directory.catalog().verify(Releases.migrations, types: Releases.types, versions: [0])
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

        let failure = try await failure([Releases.alien, dropping, Releases.nickname])

        #expect(failure.kinds == [.golden])
        #expect(
            failure.failures.map(\.subject) == [
                "0-everyday.json", "0-everyday.json", "1-everyday.json", "1-everyday.json",
            ]
        )
        #expect(failure.first().place == "Golden/0-everyday@2.json")
        #expect(failure.first().message.contains(#""john".extra: missing, expected 1.0"#))
        #expect(failure.description.contains("\n0-everyday.json\n  - Golden/0-everyday@2.json: the result is not"))
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

        let failure = try #require(
            await Releases.failure {
                try await StoreFixture(schemaVersion: 0)
                    .verifyUpgrades(through: [first, second], types: [], configuration: configuration)
            }
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

    @Test func `A result that changes with each run is detected by comparing entry points`() async throws {
        let count = Locked(0)
        let counting = Migration(
            to: 3,
            "nickname",
            .transform("Person") { person in
                let number = count.withLock { value in
                    value += 1
                    return value
                }
                person["nickname"] = .string("\(number)")
            }
        )

        let failure = try await failure([Releases.alien, Releases.split, counting])

        #expect(failure.kinds.contains(.entryPoints))
        let first = try #require(failure.all(.entryPoints).first)
        #expect(first.place == "to version 3 by async open")
        #expect(first.message.contains("the result is not the same as by open:\n\"john\".nickname: expected"))
    }

    @Test func `A dry run that differs from the upgrade is a failure`() async throws {
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

        let failure = try await failure([Releases.alien, Releases.split, alternating])

        let dry = try #require(failure.all(.dryRun).first)
        let parts = dry.message.split(separator: "The upgrade:")
        #expect(parts.count == 2)
        // The numbers of records read and changed.
        #expect(parts.first?.contains(#/3 +nickname +2 +1 /#) == true)
        #expect(parts.last?.contains(#/3 +nickname +2 +0 /#) == true)
    }

    @Test func `A migration that throws is a failure, and the remaining checks still run`() async throws {
        struct Refusal: Error {}
        let failing = Migration(to: 3, "nickname", .transform("Person") { _ in throw Refusal() })

        let failure = try await failure([Releases.alien, Releases.split, failing])

        // The ledger of the fixture of version 3 has the original migration.
        #expect(failure.kinds == [.upgrade, .edited])
        #expect(failure.all(.upgrade).map(\.subject) == ["0-everyday.json", "1-everyday.json", "2-everyday.json"])
        #expect(failure.first().place == "to version 3")
        #expect(failure.first().message.hasPrefix("the upgrade throws stepFailed:"))
        #expect(failure.first().message.contains("migration: \"nickname\" (version 3)"))
        #expect(failure.first().message.contains("Refusal"))
        #expect(failure.report.rows.count == 4)
    }

    @Test func `A migration that was edited after it shipped is named`() async throws {
        let edited = Migration(
            to: 1,
            "alien-becomes-person",
            .renameType("Alien", to: "Person"),
            .renameType("Robot", to: "Person")
        )

        let failure = try await failure([edited, Releases.split, Releases.nickname])

        #expect(failure.kinds == [.edited])
        #expect(failure.failures.count == 1)
        #expect(failure.first().subject == "registry")
        #expect(
            failure.first().place.hasPrefix("Golden/0-everyday@1.json; Golden/0-everyday@2.json; 1-everyday.json")
        )
        #expect(
            failure.first().message.hasPrefix(
                "migration \"alien-becomes-person\" (version 1) was edited after these"
            )
        )
        // The remaining checks still ran.
        #expect(failure.report.rows.count == 4)
    }

    @Test func `An edit of a closure is detected by its revision`() async throws {
        let edited = Migration(to: 2, "split-full-name", steps: [.transform("Person", revision: 2) { _ in }])

        let failure = try await failure([Releases.alien, edited, Releases.nickname])

        #expect(failure.all(.edited).map(\.message).allSatisfy { $0.contains("\"split-full-name\"") })
        #expect(failure.all(.edited).count == 1)
        #expect(failure.kinds.contains(.golden))
    }

    @Test func `The newest migration may still change, and its results are recorded again`() async throws {
        let directory = try await Releases.catalog()
        let other = Migration(to: 3, "nickname", .addProperty("Person", "nickname", default: "none"))
        let migrations: MigrationRegistry = [Releases.alien, Releases.split, other]
        let before = try directory.files()

        let refused = try #require(await failure(directory, migrations))
        #expect(refused.kinds == [.golden, .edited])
        #expect(refused.first(.golden).message.contains("MOLT_RECORD=all swift test"))
        #expect(await failure(directory, migrations, recording: .missing)?.kinds == [.golden, .edited])
        #expect(try directory.files() == before)

        try directory.catalog(recording: .all).keep(
            Releases.store(at: 3, migrations),
            named: "everyday",
            migrations: migrations
        )
        let recorded = try #require(await failure(directory, migrations, recording: .all))

        #expect(recorded.kinds == [.recorded])
        #expect(recorded.report.recorded == (0...2).map { "Golden/\($0)-everyday@3.json" })
        let after = try directory.files()
        let changed = after.filter { before[$0.key] != $0.value }.keys.sorted()
        #expect(changed == ["3-everyday.json"] + recorded.report.recorded)
        try await directory.catalog().verify(migrations, types: Releases.types)
    }

    @Test func `A type that is missing from the list is named`() async throws {
        let failure = try await failure(types: [])

        #expect(failure.kinds == [.unknownType])
        #expect(failure.failures.count == 4)
        #expect(failure.first().message.contains("records of type Person (\"john\", \"jane\")"))
        #expect(failure.first().message.contains("`.type(Person.self)`"))
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
        #expect(failure.failures.count == 8)
        #expect(
            failure.first().message
                == #""john" cannot be read as Person: "address.zip": missing."#
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

    @Test func `A registry without a migration that shipped is refused`() async throws {
        let missing: MigrationRegistry = [Releases.alien, Releases.nickname]

        let failure = try await failure(missing)

        let named = failure.all(.ledger).filter { $0.message.contains("\"split-full-name\" (version 2)") }
        #expect(named.map(\.subject) == ["2-everyday.json", "3-everyday.json"])
        #expect(named.first?.message.contains("never removed or renamed") == true)
    }

    @Test func `A fixture that is newer than the registry is refused`() async throws {
        let failure = try await failure(Releases.migrations.upTo(version: 2))

        #expect(failure.all(.ledger).map(\.subject) == ["3-everyday.json"])
        #expect(failure.first(.ledger).message.contains("at version 3, and the registry ends at 2"))
    }

    @Test func `A fixture that cannot be read is one failure`() async throws {
        let directory = try await Releases.catalog()
        try Data("{".utf8).write(to: directory.url.appending(path: "3-everyday.json"))

        let failure = try #require(await failure(directory))

        #expect(failure.failures.allSatisfy { $0.subject == "3-everyday.json" })
        #expect(failure.kinds == [.catalog])
        #expect(failure.report.rows.count == 3)
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

        let failure = try await failure(configuration: configuration)

        let repetition = try #require(failure.all(.repetition).first)
        #expect(repetition.place == "to versions 1, 2, 3 by open, async open")
        #expect(repetition.message.contains("\"launch\": unexpected, a Data: raw data of 1 byte"))
        #expect(failure.all(.repetition).contains { $0.message.hasPrefix("opening a store that is up to date") })
    }

    @Test func `A fixture made in code is upgraded in every way, too`() async throws {
        let report = try await Releases.first.verifyUpgrades(through: Releases.migrations, types: Releases.types)
        #expect(report.rows.map(\.upgrades) == [24])

        let failure = try #require(
            await Releases.failure {
                try await Releases.first.verifyUpgrades(through: Releases.migrations, types: [], named: "the first")
            }
        )
        #expect(failure.failures.map(\.subject) == ["the first"])
        #expect(failure.kinds == [.unknownType])
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
