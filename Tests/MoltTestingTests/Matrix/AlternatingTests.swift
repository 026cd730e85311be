import Molt
import MoltTesting
import Testing

/// A dictionary whose keys are neither strings nor integers is an array of alternating keys and values in JSON.
@Suite("A step with `.each` on a dictionary that is an array") struct AlternatingTests {
    private enum Fruit: String, Codable { case apple, pear, malus }

    private struct Shop: Codable {
        var labels: [Fruit: String]
        var notes: [String]?
        var byName: [String: String]?
        var crates: [Fruit: Crate]?
    }

    private struct Crate: Codable { var size: Int }

    private func failure(_ steps: MigrationStep...) async throws -> MatrixFailure? {
        var store = StoreFixture(schemaVersion: 0)
        store.records = [
            .init(
                "corner",
                "Store",
                .json(
                    """
                    {"labels":["apple","apple","pear","y"],"notes":["apple","x"],"byName":{"apple":"apple"},\
                    "crates":["apple",{"width":1}]}
                    """
                )
            )
        ]
        let rename = MigrationStep.renameType("Store", to: "Shop")
        let size = MigrationStep.renameProperty("Shop", ["crates", .each, "width"], to: "size")
        do {
            try await store.verifyUpgrades(
                through: [Migration(to: 1, "labels", steps: steps + [rename, size])],
                types: [.type(Shop.self, named: "Shop")]
            )
            return nil
        } catch let failure as MatrixFailure {
            return failure
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
        let failure = try #require(try await failure(step))
        #expect(failure.failures.map(\.kind) == [.keysAsElements])
        #expect(
            failure.failures.first?.message == """
                migration "labels" (version 1), step 1 (\(step)): "labels" is a dictionary whose keys are neither strings nor \
                integers, so it is written as an array of alternating keys and values, and `.each` takes the keys for \
                elements. Change the values in a `transform`.
                """
        )
    }

    @Test func `is none for arrays, for objects, and for properties of the values`() async throws {
        let failure = try await failure(
            .mapValue("Store", ["notes", .each], ["apple": "malus"]),
            .mapValue("Store", ["byName", .each], ["apple": "malus"])
        )
        #expect(failure == nil)
    }

    @Test func `is none for a transform that changes the values alone`() async throws {
        let failure = try await failure(
            .transform("Store") { shop in
                guard var labels = shop["labels"]?.array else { return }
                for index in stride(from: 1, to: labels.count, by: 2) where labels[index] == "apple" {
                    labels[index] = "malus"
                }
                shop["labels"] = .array(labels)
            }
        )
        #expect(failure == nil)
    }
}
