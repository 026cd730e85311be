import Molt
import MoltTesting
import Testing

/// A dictionary whose keys are neither strings nor integers nor `CodingKeyRepresentable` is an array in JSON.
@Suite("A step with `.each` on a dictionary that is an array") struct AlternatingTests {
    private enum Fruit: String, Codable { case apple, pear, malus }

    private struct Shop: Codable {
        var labels: [Fruit: String]
        var notes: [String]?
        var byName: [String: String]?
        var crates: [Fruit: Crate]?
    }

    private struct Crate: Codable { var size: Int }

    /// The shop before its labels became a dictionary.
    private struct OldShop: Codable { var labels: [Fruit] }

    private func failure(of steps: MigrationStep...) async -> VerificationFailure? {
        await failure([Migration(to: 1, "labels", steps: steps + Self.renames)])
    }

    private static let renames: [MigrationStep] = [
        .renameType("Store", to: "Shop"),
        .renameProperty("Shop", ["crates", .each, "width"], to: "size"),
    ]

    private func failure(
        _ migrations: [Migration],
        from json: String = """
        {"labels":["apple","apple","pear","y"],"notes":["apple","x"],"byName":{"apple":"apple"},\
        "crates":["apple",{"width":1}]}
        """
    ) async -> VerificationFailure? {
        let store = StoreFixture(version: 0, records: [.init("corner", "Store", .json(json))])
        return await Releases.failure {
            try await store.verifyUpgrades(
                through: MigrationRegistry(migrations),
                types: [.type(Shop.self, named: "Shop")]
            )
        }
    }

    @Test(arguments: [
        MigrationStep.mapValue("Store", ["labels", .each], ["apple": "malus"]),
        .mapValue("Store", ["labels", .each], ["plum": "malus"]),
        .changeValue("Store", ["labels", .each], to: .string),
    ])
    func `is a failure that names it and the way out, although every record can be read`(
        step: MigrationStep
    ) async throws {
        let failure = try #require(await failure(of: step))
        failure.expect(only: .keysAsElements)
        #expect(
            failure.failures.map(\.message) == [
                """
                migration "labels" (version 1), step 1 (\(step)): "labels" is a dictionary whose keys are neither strings nor \
                integers, so it is written as an array of alternating keys and values, and `.each` takes the keys for \
                elements. Use `mapValue(in: .values)`, or make it an object with `changeDictionary` first.
                """
            ]
        )
    }

    @Test func `is none for arrays, for objects, for properties of the values, and for a transform of the values`()
        async
    {
        let failure = await failure(
            of: .transform("Store") { shop in
                guard var labels = shop["labels"]?.array else { return }
                for index in stride(from: 1, to: labels.count, by: 2) where labels[index] == "apple" {
                    labels[index] = "malus"
                }
                shop["labels"] = .array(labels)
            },
            // A later closure could have changed these again.
            .mapValue("Store", ["notes", .each], ["apple": "malus"]),
            .mapValue("Store", ["byName", .each], ["apple": "malus"])
        )
        #expect(failure == nil)
    }

    /// Steps that make a dictionary of the array of labels.
    private static let conversions: [[MigrationStep]] = [
        [.transform("Shop") { shop in shop["labels"] = labelsByFruit(shop) }],
        [
            .convert("Shop", from: OldShop.self, to: Shop.self) { old in
                Shop(labels: Dictionary(uniqueKeysWithValues: old.labels.map { ($0, "fresh") }))
            }
        ],
        [
            .run("dictionary") { migration in
                try migration.enumerate("Shop") { _, shop in shop["labels"] = labelsByFruit(shop) }
            }
        ],
        [.removeProperty("Shop", "labels"), .renameProperty("Shop", "byFruit", to: "labels")],
    ]

    @Test(arguments: conversions)
    func `is none if the array becomes a dictionary later`(conversion: [MigrationStep]) async {
        let map = MigrationStep.mapValue("Store", ["labels", .each], ["apple": "malus"])
        let failure = await failure(
            [Migration(to: 1, "malus", steps: [map] + Self.renames + conversion)],
            from: #"{"labels":["apple"],"byFruit":["malus","fresh"]}"#
        )
        #expect(failure == nil)
    }

    @Test func `is none at a version that has shipped`() async {
        let map = MigrationStep.mapValue("Store", ["labels", .each], ["apple": "malus"])
        let failure = await failure([
            Migration(to: 1, "malus", steps: [map] + Self.renames),
            Migration(to: 2, "unrelated"),
        ])
        #expect(failure == nil)
    }

    @Test func `is a failure although a later step changes the same elements or another property`() async throws {
        let failure = await failure(
            of: .mapValue("Store", ["labels", .each], ["apple": "malus"]),
            .changeValue("Store", ["labels", .each], to: .string),
            .mapValue("Store", ["notes", .each], ["apple": "malus"])
        )
        try #require(failure).expect(only: .keysAsElements, of: ["registry", "registry"])
    }
}

/// The labels of an old shop, which are fruits, as keys of a dictionary.
private func labelsByFruit(_ shop: Record) -> RecordValue {
    let fruits = shop["labels"]?.array ?? []
    return .array(fruits.flatMap { fruit -> [RecordValue] in [fruit, "fresh"] })
}
