import Foundation
import Molt
import MoltTesting
import Testing

@Suite("Verification")
struct VerificationTests {
    /// Returns the failure of verifying a catalog.
    private func failure(
        _ directory: CatalogDirectory,
        _ migrations: MigrationRegistry = Releases.migrations,
        versions: [Int]? = nil,
        recording: RecordingMode = .never,
        configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> VerificationFailure {
        try await Releases.requireFailure {
            try await directory.catalog(recording: recording)
                .verify(migrations, types: Releases.types, versions: versions, configuration: configuration)
        }
    }

    /// Returns the failure of a catalog with the stores of some versions.
    private func failure(
        of versions: [Int],
        _ migrations: MigrationRegistry = Releases.migrations,
        configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> VerificationFailure {
        let directory = try await Releases.catalog(of: versions)
        return try await failure(directory, migrations, versions: versions, configuration: configuration)
    }

    /// Returns the failure of a store made in code; by default, only the newest migration is pending.
    private func failure(
        of store: StoreFixture? = nil,
        through migrations: MigrationRegistry = Releases.migrations,
        types: [FixtureType] = Releases.types,
        named name: String = "the store",
        configuration: MoltConfiguration = MoltConfiguration()
    ) async throws -> VerificationFailure {
        let store = try store ?? Releases.store(at: 2)
        return try await Releases.requireFailure {
            try await store.verifyUpgrades(through: migrations, types: types, named: name, configuration: configuration)
        }
    }

    @Test func `A configuration with backups passes, also where a migration only renames a type`() async throws {
        struct Person: Codable {}
        var configuration = MoltConfiguration()
        configuration.backup = BackupPolicy(keep: 2)
        try await StoreFixture(version: 0, records: [.init("ada", "Alien", .json("{}"))]).verifyUpgrades(
            through: [Releases.alien],
            types: [.type(Person.self)],
            named: "the store",
            configuration: configuration
        )
    }

    @Test func `A migration's check and requirement are verified, and its work outside the store is not done`()
        async throws
    {
        struct Refused: Error {}
        let done = Locked(false)
        let split = Releases.split.afterCommit("change files") { _ in done.withLock { $0 = true } }
        func migrations(_ change: (Migration) -> Migration) -> MigrationRegistry {
            [Releases.alien, change(split), Releases.nickname]
        }
        let sound = migrations { split in
            split.requirement(orElse: "There are no people.") { try !$0.types.isEmpty }
                .check("people have names") { store in
                    try store.enumerate("Person") { _ = try $0.string("firstName") }
                }
        }
        let report = try await Releases.first.verifyUpgrades(through: sound, types: Releases.types)
        #expect(report.rows.map(\.targets) == [[1, 2, 3]])
        let failed = try await failure(
            of: Releases.first,
            through: migrations { $0.check("none") { _ in throw Refused() } }
        )
        #expect(failed.description.contains("checkFailed") && failed.description.contains("check: none"))
        let unmet = try await failure(
            of: Releases.first,
            through: migrations { $0.requirement(orElse: "Not now.") { _ in false } }
        )
        #expect(unmet.description.contains("Not now."))
        // A store that was left with work to do is as good as one that was not.
        var left = try Releases.first.migrated(through: sound, upTo: 3).fixture
        #expect(left.ledger.map(\.isWorkPending) == [false, true, false])
        left = try left.migrated(through: sound).fixture
        #expect(left.ledger.map(\.isWorkPending) == [false, true, false])
        try await left.verifyUpgrades(through: sound, types: Releases.types)
        #expect(done.withLock { $0 } == false)
    }

    /// For each version one dry run, and two upgrades by each entry point; then one more upgrade to each version.
    @Test func `Records that have expired are removed before the steps, as in the app`() async throws {
        func fixture(_ age: String) -> StoreFixture {
            let token = StoreFixture.Content.json(#"{"age":\#(age)}"#)
            let records = [("lasting", nil), ("expired", Date(timeIntervalSince1970: 1000))].map { key, expiration in
                StoreFixture.Record(
                    key,
                    "Token",
                    key == "lasting" ? .json(#"{"age":1}"#) : token,
                    expiration: expiration
                )
            }
            return StoreFixture(version: 0, records: records)
        }
        struct Token: Decodable { var age: Int }
        let migrations: MigrationRegistry = [Migration(to: 1, "age", .changeValue("Token", "age", to: .integer))]
        var before = MoltConfiguration()
        before.now = { Date(timeIntervalSince1970: 999) }
        #expect(try fixture(#""old""#).migrated(through: migrations).fixture.records.map(\.key) == ["lasting"])
        #expect(throws: MoltError.self) { try fixture(#""old""#).migrated(through: migrations, configuration: before) }

        // A file that was written before a record expired still is what is expected.
        let directory = try CatalogDirectory(keeping: [fixture(#""7""#)])
        func verify(_ mode: RecordingMode, _ configuration: MoltConfiguration) async throws {
            try await directory.catalog(recording: mode).verify(
                migrations,
                types: [.type(Token.self)],
                versions: [0],
                configuration: configuration
            )
        }
        try await Releases.requireFailure { try await verify(.missing, before) }.expect(kinds: .recorded)
        #expect(try directory.text("0-everyday@1.json").contains("expired"))
        try await verify(.never, before)
        try await verify(.never, MoltConfiguration())
    }

    @Test func `A correct registry passes, and the report lists what was run`() async throws {
        let directory = try await Releases.catalog()
        let files = try directory.files()
        let report = try await directory.catalog().verify(Releases.migrations, types: Releases.types)
        #expect(
            report.description == """
                4 fixtures, 54 upgrades
                fixture          records  to versions  entry points                 upgrades
                ---------------  -------  -----------  ---------------------------  --------
                0-everyday.json        3  1, 2, 3      open, async open, in memory        24
                1-everyday.json        3  2, 3         open, async open, in memory        16
                2-everyday.json        3  3            open, async open, in memory         7
                3-everyday.json        3  3            open, async open, in memory         7
                0 variations of samples were upgraded, at most 500 of each fixture.
                0-everyday.json, 1-everyday.json, 2-everyday.json, …: no variations, because `types.json` does not have the version.
                """
        )
        #expect(report.recorded.isEmpty)
        #expect(try directory.files() == files)
    }

    @Test func `Data that migrations destroy must be acknowledged by name if the test asks for that`() async throws {
        let records: [StoreFixture.Record] = [
            .init("ada", "Person", .json(#"{"name":"Ada","fax":"1","pager":"2","age":36}"#)),
            .init("old", "Person", .json(#"{"name":"Old","fax":"1","pager":"2","age":-1}"#)),
        ]
        let directory = try CatalogDirectory(keeping: [StoreFixture(version: 0, records: records)])
        struct Person: Codable { var name: String }
        let migrations: MigrationRegistry = [
            Migration(to: 1, "fax", .removeProperty("Person", "fax"), .deleteType("Draft")),
            Migration(to: 2, "age", .transform("Person") { if try $0.int("age") < 0 { $0.drop() } }),
            Migration(to: 3, "theme", .removeSettings("theme", in: .standard)),
            Migration(to: 4, "model", .convert("Person", from: Person.self, to: Person.self) { $0 }),
        ]
        func losses(acknowledging names: [String]?) async -> [String]? {
            await Releases.failure {
                try await directory.catalog()
                    .verify(migrations, types: [.type(Person.self)], versions: [0], acknowledging: names)
            }?.messages(.loss)
        }
        let names = ["Person.fax", "Draft", "Person", "Person.age", "Person.pager", "theme"]
        for names in [nil, names] { #expect(await losses(acknowledging: names) == []) }

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

    @Test func `A name or a key that no fixture has is a failure, with the nearest one`() async throws {
        struct Person: Codable { var name: String }
        struct City: Codable { var seen: Bool }
        let group = Suite("group.com.example.keys")
        let people = [#"{"name":"Ada"}"#, #"{"name":"Bob","mail":"b@x"}"#]
        let settings: [[String: PropertyListValue]] = [["look": "dark"], ["old": 1]]
        let stores = zip(people, settings).map { json, settings in
            let person = StoreFixture.Record("key", "Person", .json(json))
            let rome = StoreFixture.Record("rome", "City", .json("{}"))
            return StoreFixture(version: 0, records: [person, rome], suites: [group: settings])
        }
        let directory = try CatalogDirectory(keeping: stores)
        let change = Migration(
            to: 1,
            "change",
            .renameProperty("Person", "mial", to: "email"),
            .removeProperty("Person", "mail"),
            .removeProperty("Persn", "mail"),
            .deleteType("Draft"),
            .mapValue("Person", "name", ["Eve": "Ada"]),
            .mapValue("Person", "nmae", ["Eve": "Ada"]),
            .renameKeys("Persn", to: .lowercased, onConflict: .merge { _, _ in }),
            .transform("City") { $0["seen"] = true },
            .run { try $0.enumerate("Draft") { _, _ in } },
            .renameSetting("lok", to: "style", in: group),
            .removeSettings("zzz", in: .standard),
            .renameSetting("look", to: "theme", in: group),
            .removeSettings("old", in: group),
            .transform("Person") { _ in }.where("nmae", equals: "Eve"),
            .transform("Person") { _ in }.where("name", equals: "nobody"),
            .removeProperty(.setting("theme", in: group), "x").where("knd", exists: true)
        )
        let failure = try await Releases.requireFailure {
            try await directory.catalog()
                .verify([change], types: [.type(Person.self), .type(City.self)], versions: [0])
        }
        let found = failure.messages(.unmatchedName).map { $0.replacing(#"migration "change" (version 1)"#, with: "…") }
        let add = "Correct the name, or add a fixture with a record that has it."
        let removal = "…, step 16 (remove theme.x in group.com.example.keys, where theme.knd exists)"
        let setting =
            #"is in no fixture's setting "theme" of suite group.com.example.keys. Correct the name, or add a fixture "#
            + "with a setting that has it."
        let expected: [String] = [
            #"…: "lok" of suite group.com.example.keys is in no fixture; the nearest key is "look". Correct the key, "#
                + "or add a fixture that has it.",
            #"…, step 1 (rename Person.mial to email): "mial" is in no record of type "Person" of a fixture; did you "#
                + #"mean "mail"? \#(add)"#,
            #"…, step 3 (remove Persn.mail): no fixture has a record of type "Persn"; did you mean "Person"? \#(add)"#,
            #"…, step 4 (delete the type Draft): no fixture has a record of type "Draft". \#(add)"#,
            #"…, step 6 (map the values of Person.nmae): "nmae" is in no record of type "Person" of a fixture; did "#
                + #"you mean "name"? \#(add)"#,
            #"…, step 7 (rename the keys of Persn to lower case): no fixture has a record of type "Persn"; did you mean "#
                + #""Person"? \#(add)"#,
            #"…, step 14 (transform Person, where Person.nmae equals "Eve"): "nmae" is in no record of type "Person" of a "#
                + #"fixture; did you mean "name"? \#(add)"#,
            #"\#(removal): "knd" \#(setting)"#, #"\#(removal): "x" \#(setting)"#,
        ]
        #expect(found == expected)
    }

    @Test func `A shortcut must do what the migrations that it replaces do`() async throws {
        func shortcut(_ steps: MigrationStep...) -> MigrationRegistry {
            let shortcut = Migration(
                to: 2,
                "shortcut",
                replacing: ["alien-becomes-person", "split-full-name"],
                steps: Releases.alien.steps + steps
            )
            return [Releases.alien, Releases.split, shortcut, Releases.nickname]
        }
        try await Releases.first.verifyUpgrades(through: shortcut(Releases.split.steps[0]), types: Releases.types)
        let wrong = shortcut(
            .transform("Person") { person in
                try Releases.splitName(of: &person)
                person["lastName"] = "?"
            }
        )
        try await failure(of: Releases.first, through: wrong).expect(
            .path,
            says: #"migration "shortcut" (version 2) does not do what the migrations that it replaces do"#,
            "lastName"
        )
        // A store in the middle does not take it, and then nothing proves it.
        try await Releases.store(at: 1).verifyUpgrades(through: wrong, types: Releases.types)
        try await failure(of: [1, 2, 3], wrong).expect(
            .path,
            of: ["registry"],
            says: #"no fixture goes through migration "shortcut" (version 2)"#
        )
    }

    @Test func `Recorded files stay as they are when migrations are replaced, beside the old ones or instead of them`()
        async throws
    {
        let directory = try await Releases.catalog()
        let samples = Releases.Person(
            firstName: "Ada",
            lastName: "",
            address: Releases.Person.Address(city: "Rome"),
            nickname: ""
        )
        let types: [FixtureType] = [.type(Releases.Person.self, samples: ["ada": samples])]
        func verify(_ migrations: MigrationRegistry, recording: RecordingMode = .never) async throws {
            try await directory.catalog(recording: recording).verify(migrations, types: types)
        }
        _ = try await Releases.requireFailure { try await verify(Releases.migrations, recording: .missing) }
        let steps = Releases.migrations.migrations.flatMap(\.steps)
        let all = Migration(to: 3, "all", replacing: Releases.migrations.names, steps: steps)
        try await verify(MigrationRegistry(Releases.migrations.migrations + [all]))
        // Stores in the middle are gone with the old migrations.
        for (path, _) in try directory.files() where ["1-", "2-"].contains(where: path.contains) {
            try directory.remove(path)
        }
        for (path, _) in try directory.files() where ["@1", "@2"].contains(where: path.contains) {
            try directory.remove(path)
        }
        try await directory.catalog().verify([all], types: types)
        // A row that no replacement accounts for is still missed.
        let names = Releases.migrations.names.dropLast() + ["other"]
        let other = Migration(to: 3, "all", replacing: Array(names), steps: steps)
        try await Releases.requireFailure { try await directory.catalog().verify([other], types: types) }
            .expect(.upgradedFixture, of: ["0-everyday.json"], says: #""nickname" (version 3) is missing"#)
    }

    @Test func `A store without a ledger enters at the version that the app says`() async throws {
        var store = try Releases.store(at: 2)
        store.ledger = []
        store.version = 0
        try await store.verifyUpgrades(through: Releases.migrations.baseline(2), types: Releases.types)
    }

    @Test func `A fixture whose ledger does not fit the registry is refused`() async throws {
        var unknown = try Releases.store(at: 2)
        unknown.ledger = []
        try await failure(of: unknown).expect(
            .ledger,
            says: "at version 2, and its ledger is empty",
            #"{"name": "alien-becomes-person", "version": 1}"#
        )
        try await failure(of: [2, 3], [Releases.alien, Releases.nickname]).expect(
            .ledger,
            of: ["2-everyday.json", "3-everyday.json"],
            says: #""split-full-name" (version 2)"#,
            "never removed or renamed"
        )
        try await failure(of: [2, 3], Releases.migrations.upTo(version: 2)).expect(
            .ledger,
            of: ["3-everyday.json"],
            says: "at version 3, and the registry ends at 2"
        )
    }

    @Test func `The first run without upgraded fixtures explains how to record them`() async throws {
        let directory = try CatalogDirectory(keeping: [Releases.store(at: 2)])

        let missing = try await failure(directory)

        missing.expect(kinds: .missingFixture, .missingUpgradedFixture)
        let fixtures = missing.messages(.missingFixture)
        #expect(fixtures.count == 3)
        for (version, text) in zip([0, 1, 3], fixtures) {
            let name = version == 3 ? "samples" : "everyday"
            #expect(
                text.hasPrefix("There is no fixture of version \(version), which becomes \(version)-\(name).json. ")
            )
            #expect(text.hasSuffix(", and then: MOLT_RECORD=missing swift test"))
            #expect(text.contains("pass those that did: `versions: [") == (version < 3))
            #expect(text.contains("StoreFixture(cacheFile: file)") == (version < 3))
        }
        missing.expect(.missingUpgradedFixture, says: "2-everyday@3.json", "MOLT_RECORD=missing swift test")

        // A run that records fails, and says what it wrote.
        let recording = try await failure(directory, recording: .missing)
        recording.expect(kinds: .missingFixture, .recorded)
        recording.expect(.recorded, says: "Look at what was written, and then: swift test")
        #expect(recording.report.recorded == ["2-everyday@3.json"])
    }

    @Test func `A migration that loses a property is a failure that names the property`() async throws {
        let dropping = Migration(
            to: 2,
            "split-full-name",
            .transform("Person") { person in
                try Releases.splitName(of: &person)
                person["extra"] = nil
            }
        )

        let failure = try await failure(of: [1, 3], [Releases.alien, dropping, Releases.nickname])

        failure.expect(
            only: .upgradedFixture,
            of: ["1-everyday.json", "1-everyday.json"],
            says: #""john".extra: missing, expected 1.0"#
        )
        #expect(failure.description.contains("\n1-everyday.json\n  - 1-everyday@2.json: the result is not"))
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
        let directory = try CatalogDirectory(keeping: [Releases.first])
        try directory.seal(0)
        let migrations: MigrationRegistry = [reading, Releases.split, using]

        let failure = try await failure(directory, migrations, recording: .all, configuration: configuration)

        failure.expect(
            .path,
            says: "opening the store at versions 1, 2, 3, one after the other",
            "one upgrade from 0 to 3",
            #""john".nickname: expected "", found "John Appleseed""#
        )
        // Nothing is recorded for a fixture that fails.
        #expect(failure.report.recorded.isEmpty)
        failure.expect(.missingUpgradedFixture, of: ["0-everyday.json", "0-everyday.json", "0-everyday.json"])
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
            of: StoreFixture(version: 0),
            through: [first, second],
            configuration: configuration
        )

        failure.expect(only: .path)
        let words = #"the records are in another order from record 31 on: expected "b", "a", found "a", "b""#
        #expect(failure.messages(.path).first?.hasSuffix(words) == true)
    }

    @Test(arguments: [nil, []] as [[Int]?])
    func `A verification without fixtures is a failure`(versions: [Int]?) async throws {
        let directory = CatalogDirectory()
        let path = directory.url.path
        func message(_ migrations: MigrationRegistry = []) async throws -> String {
            let failure = try await Releases.requireFailure {
                try await directory.catalog().verify(migrations, types: [], versions: versions)
            }
            failure.expect(only: .missingFixture)
            return failure.failures[0].message
        }
        let missing = try await message()
        #expect(missing.hasPrefix("There is no fixture to upgrade. The directory \(path) does not exist. Give `types`"))

        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        let empty = try await message()
        #expect(empty.hasPrefix("There is no fixture to upgrade. The directory \(path) has none. "))

        try directory.catalog(recording: .missing).keep(StoreFixture(version: 0), named: "old")
        let old = try await message(MigrationRegistry([Migration(to: 3, "a")]).oldestVersion(2))
        #expect(old.contains("are all older than version 2. "))
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

        // The numbers of records read and changed.
        let dry = failure.messages(.dryRun).first ?? ""
        #expect(dry.contains(#/(?s)dry run:.*3 +nickname +2 +1 .*The upgrade:.*3 +nickname +2 +0 /#))
        let words = "the result is not the same as by open:\n\"john\".nickname: unexpected"
        failure.expect(.entryPoints, begins: "to version 3 by async open: \(words)")
    }

    @Test func `A migration that throws is a failure, and the remaining checks still run`() async throws {
        struct Refusal: Error {}
        let failing = Migration(to: 3, "nickname", .transform("Person") { _ in throw Refusal() })
        let failure = try await failure(of: [1, 3], [Releases.alien, Releases.split, failing])
        // The ledger of the fixture of version 3 has the original migration.
        failure.expect(kinds: .upgrade, .edited)
        failure.expect(
            .upgrade,
            of: ["1-everyday.json"],
            begins: "to version 3: the upgrade throws stepFailed:",
            says: "migration: \"nickname\" (version 3)",
            "Refusal"
        )
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

        let places = "1-everyday.json; 1-everyday@2.json; 3-everyday.json"
        let words = #"migration "alien-becomes-person" (version 1) was edited after these"#
        failure.expect(only: .edited, of: ["registry"], begins: "\(places): \(words)")
        // The remaining checks still ran.
        #expect(failure.report.rows.count == 2)

        let newest = Migration(to: 3, "nickname", .addProperty("Person", "nickname", default: "none"))
        let unshipped = try await self.failure(of: [3], [Releases.alien, Releases.split, newest])
        unshipped.expect(
            .edited,
            says:
                "If version 3 has shipped, undo the change, and add a new migration instead. If it has not, write its "
                + "fixtures again: MOLT_RECORD=all swift test"
        )
    }

    @Test func `The newest migration may still change, and its results are recorded again`() async throws {
        let versions = [2, 3]
        let directory = try await Releases.catalog(of: versions)
        try directory.seal(2)
        let other = Migration(to: 3, "nickname", .addProperty("Person", "nickname", default: "none"))
        let migrations: MigrationRegistry = [Releases.alien, Releases.split, other]
        func verified(_ mode: RecordingMode) async throws -> VerificationFailure {
            try await failure(directory, migrations, versions: versions, recording: mode)
        }
        let before = try directory.files()

        for mode in [RecordingMode.never, .missing] {
            let refused = try await verified(mode)
            refused.expect(kinds: .upgradedFixture, .edited)
            refused.expect(.upgradedFixture, says: "MOLT_RECORD=all swift test")
        }
        #expect(try directory.files() == before)

        try directory.catalog(recording: .all).keep(
            Releases.store(at: 3, migrations),
            named: "everyday",
            migrations: migrations
        )
        let recorded = try await verified(.all)

        recorded.expect(only: .recorded)
        #expect(recorded.report.recorded == ["2-everyday@3.json"])
        let changed = try directory.files().filter { before[$0.key] != $0.value }.keys.sorted()
        #expect(changed == ["2-everyday@3.json", "3-everyday.json"])
        try await directory.catalog().verify(migrations, types: Releases.types, versions: versions)
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

        failure.expect(only: .decoding)
        let messages = ["john", "jane"].map { #""\#($0)" cannot be read as Person: "address.zip": missing."# }
        #expect(failure.messages(.decoding) == messages)
    }

    @Test func `Errors of the registry are listed, and the files are still checked`() async throws {
        let directory = try await Releases.catalog()
        try directory.edit("1-everyday.json", "Paris", to: "London")
        let migrations: MigrationRegistry = [
            Migration(to: 2, "b"), Migration(to: 1, "a"), Migration(to: 3, "a"),
        ]
        let failure = try await failure(directory, migrations)
        failure.expect(kinds: .registry, .changed)
        failure.expect(.registry, of: ["registry", "registry"])
        #expect(failure.report.rows.isEmpty)
    }

    @Test func `A fixture that cannot be read is one failure`() async throws {
        let directory = try await Releases.catalog(of: [2, 3])
        try directory.write("{", to: "3-everyday.json")
        let failure = try await failure(directory, versions: [2, 3])
        failure.expect(only: .catalog, of: ["3-everyday.json"])
        #expect(failure.report.rows.count == 1)
    }

    @Test func `A second opening that changes the store is a failure`() async throws {
        var configuration = MoltConfiguration()
        // An app that writes at every launch.
        configuration.monitor = MigrationMonitor { event in
            guard case .finished(let report) = event, report.isEmpty, report.store.hasSuffix(".molt") else { return }
            let url = URL(filePath: report.store)
            let cache = try? CodableCache(at: url, migrations: Releases.migrations.upTo(version: report.to))
            try? cache?.set(Data([7]), forKey: "launch")
            cache?.close()
        }

        let failure = try await failure(of: [1, 3], configuration: configuration)

        let repetitions = failure.failures.filter { $0.kind == .repetition }
        let first = try #require(repetitions.first)
        #expect(first.location == "to versions 2, 3 by open, async open")
        #expect(first.message.contains("\"launch\": unexpected, a Data: raw data of 1 byte"))
        #expect(repetitions.contains { $0.message.hasPrefix("opening a store that is up to date") })
    }

    @Test func `A fixture made in code is upgraded in every way, too`() async throws {
        let report = try await Releases.first.verifyUpgrades(through: Releases.migrations, types: Releases.types)
        #expect(report.rows.map(\.upgrades) == [24])
        // A type that is missing from the list is named.
        let failure = try await failure(types: [], named: "the second")
        let records = #"records of type Person ("john", "jane")"#
        failure.expect(only: .unknownType, of: ["the second"], says: records, "`.type(Person.self)`")
    }

    @Test func `Failures are listed below their subject, with all their lines indented`() {
        let failure = VerificationFailure(
            failures: [
                .init(kind: .upgradedFixture, subject: "1-a.json", location: "to version 2", message: "first\nsecond"),
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
