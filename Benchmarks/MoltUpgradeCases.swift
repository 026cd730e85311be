import Foundation
import Molt

/// Molt's upgrades of the records that the peers upgrade, each from opening the file to closing it.
enum MoltUpgradeCases {
    /// The cases of this file.
    static let all: [BenchmarkCase] =
        [
            rename, split, add, remove, convert, run, fiveVersions,
            renameType, renameType.at(renameTypeSmallCount),
        ]
        + [rename, split, convert, run].map { $0.at(memoryCount) }

    /// How the upgrades compare with the peers, with the goals of the design.
    static let ratios: [BenchmarkRatio] =
        [
            (rename, PeerCases.Change.rename), (split, .split), (add, .rename), (remove, .rename), (run, .split),
        ]
        .flatMap { propertyRatios($0, $1) }
        + [
            ratio(convert, PeerCases.Change.split.decodeEncodeCase, "decode and encode", .rate, .atLeast(1.6)),
            ratio(fiveVersions, rename.name, "one version", .time, .atMost(1.2)),
            ratio(
                renameType,
                renameType.at(renameTypeSmallCount).name,
                "\(renameTypeSmallCount) records",
                .time,
                .atMost(2)
            ),
        ]
        + [rename, split, convert, run].map { benchmark in
            ratio(
                benchmark,
                benchmark.at(memoryCount).name,
                "\(memoryCount) records, peak memory",
                .extraMemory,
                .atMost(20)
            )
        }

    /// A count at which any memory that grows with the count is still small.
    private static let memoryCount = 10_000
    private static let renameTypeSmallCount = 1000

    private static let rename = upgrade(
        "molt-rename",
        "renameProperty",
        MoltMigrations.rename,
        reference: PeerCases.Change.rename.jsonFunctionsCase
    ) { cache, index in
        try cache.value(RenamedPerson.self, forKey: People.key(index)).map { $0.email == People.person(index).mail }
    }

    private static let split = upgrade(
        "molt-split",
        "transform with a closure that makes firstName and lastName of fullName",
        MoltMigrations.split,
        reference: PeerCases.Change.split.jsonFunctionsCase,
        isRight: isSplit
    )

    private static let add = upgrade(
        "molt-add",
        "addProperty with a default",
        MoltMigrations.add,
        reference: PeerCases.Change.rename.jsonFunctionsCase
    ) { cache, index in
        try cache.value(AddedProperty.self, forKey: People.key(index)).map { $0.level == 1 }
    }

    private static let remove = upgrade(
        "molt-remove",
        "removeProperty",
        MoltMigrations.remove,
        reference: PeerCases.Change.rename.jsonFunctionsCase
    ) { cache, index in
        try cache.value(RemovedProperty.self, forKey: People.key(index)).map { $0.isActive == nil }
    }

    private static let convert = upgrade(
        "molt-convert",
        "convert from the old model to the new one, Codable both",
        MoltMigrations.convert,
        reference: PeerCases.Change.split.decodeEncodeCase,
        isRight: isSplit
    )

    private static let run = upgrade(
        "molt-run-enumerate",
        "run a block that enumerates, old and new side by side, and splits the name",
        MoltMigrations.run,
        reference: PeerCases.Change.split.jsonFunctionsCase,
        isRight: isSplit
    )

    private static let fiveVersions = upgrade(
        "molt-five-versions",
        "five versions at once, each with one change of a property",
        MoltMigrations.fiveVersions,
        reference: PeerCases.Change.rename.jsonFunctionsCase
    ) { cache, index in
        let old = People.person(index)
        return try cache.value(FiveVersionsLater.self, forKey: People.key(index)).map { new in
            new.email == old.mail && new.town == old.city && new.remarks == old.notes && new.level == 1
        }
    }

    private static let renameType = upgrade(
        "molt-rename-type",
        "renameType, which touches no record",
        MoltMigrations.renameType,
        reference: nil
    ) { cache, index in
        try cache.typeName(forKey: People.key(index)).map { $0 == "Contact" }
    }

    private static func upgrade(
        _ name: String,
        _ summary: String,
        _ migrations: MigrationRegistry,
        reference: String?,
        isRight: @escaping @Sendable (CodableCache, Int) throws -> Bool?
    ) -> BenchmarkCase {
        BenchmarkCase(
            name: name,
            summary: summary,
            fixture: MoltStore.fixture,
            reference: reference
        ) { context in
            let file = context.file(MoltStore.fileName)
            return BenchmarkTrial(count: context.records) {
                try CodableCache(at: file, migrations: migrations).close()
            } finish: {
                let cache = try CodableCache(at: file, migrations: migrations)
                defer { cache.close() }
                guard cache.schemaVersion == migrations.version, try cache.count() == context.records else {
                    throw BenchmarkError("\(name): the store is not upgraded, or not whole.")
                }
                for index in stride(from: 1, through: context.records, by: 97) {
                    guard try isRight(cache, index) == true else {
                        throw BenchmarkError("\(name): record \(index) is not what it should have become.")
                    }
                }
            }
        }
    }

    @Sendable
    private static func isSplit(_ cache: CodableCache, _ index: Int) throws -> Bool? {
        let old = People.person(index)
        let expected = SplitPerson(old)
        return try cache.value(SplitPerson.self, forKey: People.key(index)).map { new in
            new.firstName == expected.firstName && new.lastName == expected.lastName && new.notes == old.notes
        }
    }

    // MARK: Comparing

    private static func propertyRatios(
        _ benchmark: BenchmarkCase,
        _ change: PeerCases.Change
    ) -> [BenchmarkRatio] {
        [
            ratio(benchmark, change.jsonFunctionsCase, "SQLite's JSON functions", .rate, .atLeast(2)),
            ratio(benchmark, PeerCases.preparedUpdateCase, "a plain prepared UPDATE", .rate, .atLeast(0.8)),
            ratio(benchmark, change.decodeEncodeCase, "decode and encode", .rate, .atLeast(5)),
            ratio(benchmark, change.filePerKeyCase, "file per key", .rate, .atLeast(200)),
        ]
    }

    private static func ratio(
        _ benchmark: BenchmarkCase,
        _ baseline: String,
        _ words: String,
        _ measure: BenchmarkRatio.Measure,
        _ goal: BenchmarkRatio.Goal
    ) -> BenchmarkRatio {
        BenchmarkRatio(
            title: "\(benchmark.name) vs \(words)",
            subject: benchmark.name,
            baseline: baseline,
            measure: measure,
            goal: goal
        )
    }
}

extension BenchmarkCase {
    /// The same case with fewer records.
    fileprivate func at(_ records: Int) -> BenchmarkCase {
        BenchmarkCase(
            name: "\(name)-\(records)",
            summary: "the same with at most \(records) records",
            unit: unit,
            size: .atMost(records, quick: records / 5),
            fixture: fixture,
            prepare: prepare
        )
    }
}

private struct AddedProperty: Decodable, Sendable {
    var level: Int
    var fullName: String
}

private struct RemovedProperty: Decodable, Sendable {
    var isActive: Bool?
    var fullName: String
}

private struct FiveVersionsLater: Decodable, Sendable {
    var email: String
    var town: String
    var level: Int
    var remarks: String
}
