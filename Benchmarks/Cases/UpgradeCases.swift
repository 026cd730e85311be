import Foundation
import Molt

/// Molt's upgrades of the same records as the peers', timed from opening the file to closing it.
enum UpgradeCases {
    static let all: [BenchmarkCase] = {
        let cases = ([rename, oneVersion, fiveVersions] + otherKinds).map(\.benchmark) + [extract]
        return cases + cases.map(\.withFewRecords)
    }()

    /// The upgrade that the others are compared with.
    static let rename = MoltUpgrade(
        name: "molt-rename",
        summary: "renameProperty",
        steps: [.renameProperty(People.typeName, "mail", to: "email")],
        ratios: besidePeers(.rename) + [BenchmarkRatio(.processorTime, of: PeerCases.Change.rename.jsonFunctionsCase)]
    ) { $1.isRenamed(of: $0) }

    /// One version for records with an object inside.
    static let oneVersion = MoltUpgrade(
        name: "molt-one-version",
        summary: "renameProperty in records with an object inside",
        fixture: fixtureAtAddress,
        steps: [.renameProperty(People.typeName, "mail", to: "email")]
    ) { $1.isRenamed(of: $0) }

    /// Five versions with a step of another kind each, for the same records.
    static let fiveVersions = MoltUpgrade(
        name: "molt-five-versions",
        summary: "five versions at once: rename, split, add, rename in the object inside, remove",
        fixture: fixtureAtAddress,
        steps: [
            .renameProperty(People.typeName, "mail", to: "email"),
            .splitProperty(People.typeName, "fullName", into: ["firstName", "lastName"]),
            .addProperty(People.typeName, "level", default: 1),
            .renameProperty(People.typeName, ["address", "city"], to: "town"),
            .removeProperty(People.typeName, "isActive"),
        ],
        ratios: [BenchmarkRatio(.time, of: oneVersion.name, atMost: 4)]
    ) { old, new in
        let expected = SplitPerson(old)
        return new.email == old.mail && new.firstName == expected.firstName && new.lastName == expected.lastName
            && new.level == 1 && new.address?.town == old.city && new.address?.city == nil && new.isActive == nil
    }

    /// The people of the other cases, each with an object inside.
    private static let fixtureAtAddress = CacheCases.fixture(named: "molt-store-at-address") {
        (key: People.key($0), value: PersonAtAddress(People.person($0)))
    }

    private static let otherKinds = [
        MoltUpgrade(
            name: "molt-split",
            summary: "splitProperty",
            steps: [.splitProperty(People.typeName, "fullName", into: ["firstName", "lastName"])],
            ratios: besidePeers(.split) + [BenchmarkRatio(.rate, of: "molt-split-closure")]
        ) { $1.isSplit(of: $0) },
        MoltUpgrade(
            name: "molt-split-checked",
            summary: "splitProperty, and a check that all records decode",
            steps: [.splitProperty(People.typeName, "fullName", into: ["firstName", "lastName"])],
            ratios: [BenchmarkRatio(.rate, of: PeerCases.Change.split.decodeEncodeCase, atLeast: 0.5)],
            checks: { $0.checkingDecodes(People.typeName, as: SplitPerson.self) },
            isRight: { $1.isSplit(of: $0) }
        ),
        MoltUpgrade(
            name: "molt-map-value",
            summary: "mapValue with two values, and others kept",
            steps: [.mapValue(People.typeName, "city", ["Lima": "Limá", "Osaka": "Ōsaka"])],
            ratios: besidePeers(.rename, isChecked: false)
        ) { $1.city == ["Lima": "Limá", "Osaka": "Ōsaka"][$0.city, default: $0.city] },
        MoltUpgrade(
            name: "molt-split-closure",
            summary: "transform with a closure that makes firstName and lastName of fullName",
            steps: [
                .transform(People.typeName) { person in
                    let parts = try person.remove("fullName", as: String.self).split(separator: " ", maxSplits: 1)
                    person["firstName"] = .string(String(parts.first ?? ""))
                    person["lastName"] = .string(parts.count > 1 ? String(parts[1]) : "")
                }
            ],
            ratios: besidePeers(.split)
        ) { $1.isSplit(of: $0) },
        MoltUpgrade(
            name: "molt-add",
            summary: "addProperty with a default",
            steps: [.addProperty(People.typeName, "level", default: 1)],
            ratios: besidePeers(.rename)
        ) { $1.level == 1 && $1.fullName == $0.fullName },
        MoltUpgrade(
            name: "molt-remove",
            summary: "removeProperty",
            steps: [.removeProperty(People.typeName, "isActive")],
            ratios: besidePeers(.rename)
        ) { $1.isActive == nil && $1.fullName == $0.fullName },
        MoltUpgrade(
            name: "molt-move",
            summary: "moveProperty into an object that is added",
            steps: [.moveProperty(People.typeName, "city", to: ["address", "city"])],
            ratios: besidePeers(.rename, isChecked: false)
        ) { $1.city == nil && $1.address?.city == $0.city },
        MoltUpgrade(
            name: "molt-convert",
            summary: "convert from the old model to the new one, Codable both",
            steps: [
                .convert(People.typeName, from: PersonV1.self, to: SplitPerson.self) {
                    SplitPerson($0)
                }
            ],
            ratios: [BenchmarkRatio(.rate, of: PeerCases.Change.split.decodeEncodeCase, atLeast: 0.3)]
        ) { $1.isSplit(of: $0) },
        MoltUpgrade(
            name: "molt-run-enumerate",
            summary: "run a block that enumerates, old and new side by side, and splits the name",
            steps: [
                .run { migration in
                    try migration.enumerate(People.typeName) { old, new in
                        let parts = try old.string("fullName").split(separator: " ", maxSplits: 1)
                        new["fullName"] = nil
                        new["firstName"] = .string(String(parts.first ?? ""))
                        new["lastName"] = .string(parts.count > 1 ? String(parts[1]) : "")
                    }
                }
            ],
            ratios: besidePeers(.split, isChecked: false) + [BenchmarkRatio(.time, of: "molt-split", atMost: 6)]
        ) { $1.isSplit(of: $0) },
        MoltUpgrade(
            name: "molt-rename-type",
            summary: "renameType, which reads and changes no record",
            steps: [.renameType(People.typeName, to: "Contact")],
            ratios: [BenchmarkRatio(.time, of: rename.name, atMost: 4)],
            typeName: "Contact"
        ) { $1.mail == $0.mail },
    ]

    // MARK: Records in records

    private static let households = CacheCases.fixture(named: "molt-store-households", perRecord: Household.size) {
        number in
        let people = (1...Household.size).map { People.person((number - 1) * Household.size + $0) }
        return (key: "household-\(number)", value: Household(people: people))
    }

    /// Counts the records that it makes, because the number of those that they are in is a fourth of it.
    private static let extract = BenchmarkCase(
        name: "molt-extract",
        summary: "extractRecords from records with an array of \(Household.size) objects",
        fixture: households,
        ratios: [BenchmarkRatio(.time, of: rename.name, atMost: 12), .extraMemory(of: "molt-extract")]
    ) { context in
        let file = context.file(CacheCases.fileName)
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "people",
                .extractRecords("Household", ["people", .each], as: People.typeName, key: .property("mail"))
            )
        ]
        let count = context.records / Household.size * Household.size
        return BenchmarkTrial(count: count) { _ in
            try CodableCache(at: file, migrations: migrations).close()
        } finish: {
            let cache = try CodableCache(at: file, migrations: migrations)
            defer { cache.close() }
            guard try cache.count(of: PersonV1.self) == count else { throw BenchmarkError("Records are missing.") }
            for index in stride(from: 1, through: count, by: 97) {
                let person = People.person(index)
                let household = try cache.value(
                    ExtractedHousehold.self,
                    forKey: "household-\((index - 1) / Household.size + 1)"
                )
                guard try cache.value(PersonV1.self, forKey: person.mail)?.notes == person.notes,
                    household?.people[(index - 1) % Household.size] == person.mail
                else { throw BenchmarkError("Record \(index) is not what was extracted.") }
            }
        }
    }

    /// Compares an upgrade with the most similar change of the peers.
    ///
    /// The limits are far below the ratios of a quiet machine, because small counts mostly wait for the disk. They
    /// catch mistakes, not small regressions.
    private static func besidePeers(_ change: PeerCases.Change, isChecked: Bool = true) -> [BenchmarkRatio] {
        [
            (change.jsonFunctionsCase, 0.3), (change.decodeEncodeCase, 0.7), (change.filePerKeyCase, 20),
            (PeerCases.preparedUpdateCase, 0.1),
        ]
        .map { BenchmarkRatio(.rate, of: $0, atLeast: isChecked ? $1 : nil) }
    }
}

struct MoltUpgrade: Sendable {
    let name: String
    let summary: String
    /// The store before the upgrade.
    var fixture = CacheCases.fixture
    /// The steps, each in its own version.
    let steps: [MigrationStep]
    var ratios: [BenchmarkRatio] = []
    var typeName = People.typeName
    /// Adds the checks of the registry; none by default.
    var checks: @Sendable (MigrationRegistry) -> MigrationRegistry = { $0 }
    /// Whether a record was upgraded correctly.
    let isRight: @Sendable (PersonV1, UpgradedPerson) -> Bool

    var migrations: MigrationRegistry {
        checks(MigrationRegistry(steps.enumerated().map { Migration(to: $0 + 1, "change-\($0 + 1)", $1) }))
    }

    var benchmark: BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: summary,
            fixture: fixture,
            ratios: ratios + [.extraMemory(of: name)]
        ) { context in
            let file = context.file(CacheCases.fileName)
            let migrations = migrations
            return BenchmarkTrial(count: context.records) { _ in
                try CodableCache(at: file, migrations: migrations).close()
            } finish: {
                // Read from the file, because opening it would upgrade it.
                guard try CacheFile(at: file).version() == migrations.version else {
                    throw BenchmarkError("\(name): the store was not upgraded.")
                }
                try check(CodableCache(at: file, migrations: migrations), context)
            }
        }
    }

    /// Closes the cache, too.
    func check(_ cache: CodableCache, _ context: BenchmarkContext) throws {
        defer { cache.close() }
        guard try cache.count() == context.records else {
            throw BenchmarkError("\(name): \(try cache.count()) records are left.")
        }
        for index in stride(from: 1, through: context.records, by: 97) {
            let key = People.key(index)
            guard let person = try cache.value(UpgradedPerson.self, forKey: key),
                isRight(People.person(index), person), try cache.typeName(forKey: key) == typeName
            else {
                throw BenchmarkError("\(name): record \(index) is not what it should have become.")
            }
        }
    }
}
