import Foundation
import Molt
import MoltTesting
import Testing

@Suite struct `Checking a property` {
    private struct Named: Codable {
        var fullName: String
        var nickname: String?
        var age: Int
    }

    private struct NoSurname: Error {}

    private func generator() throws -> StoreGenerator {
        try StoreGenerator(
            samples: [
                .samples(
                    of: "Alien",
                    Named(fullName: "Ada Lovelace", age: 36),
                    Named(fullName: "Grace Brewster Hopper", nickname: "Amazing Grace", age: 85)
                ),
                .json(of: "City", #"{"zip":10115}"#),
                .settings(of: Molt.Suite("checked.example"), ["theme": "dark"]),
            ],
            schemaVersion: 0
        )
    }

    /// What a newcomer writes, and what the first person with one name finds.
    private let migrations: MigrationRegistry = [
        Migration(
            to: 1,
            "split",
            .transform("Alien") { alien in
                let parts = try alien.remove("fullName", as: String.self).split(separator: " ")
                guard parts.count > 1 else { throw NoSurname() }
                alien["firstName"] = .string(parts[0])
                alien["lastName"] = .string(parts[1])
            }
        )
    ]

    @Test(arguments: [0, -1])
    func `No runs are an error`(runs: Int) async throws {
        let error = #expect(throws: TestingError.self) {
            try generator().check(runs: runs) { _ in Issue.record("There is no run.") }
        }
        #expect(error?.code == .unsuitable)
        let other = await #expect(throws: TestingError.self) {
            try await generator().check(runs: runs) { (_: StoreFixture) async in Issue.record("There is no run.") }
        }
        #expect(other?.code == .unsuitable)
    }

    @Test func `Fewer records than none are an error`() throws {
        let error = #expect(throws: TestingError.self) {
            try StoreGenerator(samples: [.json(of: "City", "{}")], schemaVersion: 0, maximumCount: -1)
        }
        #expect(error?.code == .unsuitable)
    }

    @Test func `A property that holds is checked with each store`() throws {
        var seen: [StoreFixture] = []
        try generator().check(runs: 25, seed: 9) { seen.append($0) }
        #expect(seen == (try (9..<34).map { try generator().store(seed: $0) }))
    }

    @Test func `A migration that fails for some names is found, and shrunk to one record with the shortest name`()
        throws
    {
        let error = #expect(throws: TestingError.self) {
            try generator().check(runs: 100, seed: 7) { _ = try $0.migrated(through: migrations) }
        }
        #expect(error?.code == .propertyFailed)
        let store = try #require(error?.store)
        #expect(store.suites.isEmpty)
        #expect(store.records == [.init("key1", "Alien", .json(#"{"age":0,"fullName":""}"#))])
        let migration = try #require(error?.underlying as? MigrationError)
        #expect(migration.migration?.name == "split")
        #expect(migration.underlying is NoSurname)
        #expect(error?.description.contains(#"fullName"#) == true)
    }

    @Test func `The seed of the message gives the same failure again, with one run`() throws {
        let property: (StoreFixture) throws -> Void = { store in
            guard store.records.count < 30 else { throw NoSurname() }
        }
        let error = try #require(throws: TestingError.self) { try generator().check(runs: 100, seed: 7, property) }
        #expect(error.store?.records.count == 30)
        let seed = try #require(error.message.firstMatch(of: /with the seed (\d+)/).flatMap { UInt64($0.output.1) })
        #expect(seed > 7)
        #expect(error.message.contains("check(runs: 1, seed: \(seed))"))
        let again = #expect(throws: TestingError.self) { try generator().check(runs: 1, seed: seed, property) }
        #expect(again?.store == error.store)
    }

    @Test func `What the failure needs stays: two records of a type, a setting, a number`() throws {
        let error = try #require(throws: TestingError.self) {
            try generator().check(runs: 200, seed: 3) { store in
                let cities = try store.records.filter { $0.typeName == "City" }.filter { record in
                    let zip = try RecordValue(json: record.content.bytes).object?["zip"]?.number?.integer(Int64.self)
                    return zip.map { $0 > 1_000 } ?? false
                }
                guard cities.count < 2 || store.suites.isEmpty else { throw NoSurname() }
            }
        }
        #expect(error.store?.records.map(\.content) == [.json(#"{"zip":1001}"#), .json(#"{"zip":1001}"#)])
        #expect(error.store?.suites == [Molt.Suite("checked.example"): ["theme": ""]])
        #expect(error.store?.records.allSatisfy { $0.expiration == nil } == true)
    }

    @Test func `Texts shrink to what matters in them`() throws {
        let error = try #require(throws: TestingError.self) {
            try generator().check(runs: 200, seed: 3, tries: 2_000) { store in
                for record in store.records where record.typeName == "Alien" {
                    let name = try RecordValue(json: record.content.bytes).object?["fullName"]?.string ?? ""
                    guard !(name.contains(" ") && name.count > 3) else { throw NoSurname() }
                }
            }
        }
        let name = try #require(error.store?.records.first).content
        let text = try #require(try RecordValue(json: name.bytes).object?["fullName"]?.string)
        #expect(text.count == 4 && text.contains(" ") && text.replacing(" ", with: "a") == "aaaa")
    }

    @Test func `What shrinks stays decodable, and the tries have an end`() throws {
        var count = 0
        let error = try #require(throws: TestingError.self) {
            try generator().check(runs: 100, seed: 7, tries: 40) { store in
                count += 1
                for record in store.records where record.typeName == "Alien" {
                    _ = try JSONDecoder().decode(Named.self, from: Data(record.content.bytes))
                }
                guard store.records.isEmpty else { throw NoSurname() }
            }
        }
        #expect(error.underlying is NoSurname)
        #expect(count <= 141)
    }

    @Test func `An async property is checked in the same way`() async throws {
        let error = await #expect(throws: TestingError.self) {
            try await generator().check(runs: 100, seed: 7) { store in
                let copy = try TemporaryStore(store)
                _ = try await copy.upgrade(through: migrations, by: .asyncOpen)
            }
        }
        #expect(error?.store?.records == [.init("key1", "Alien", .json(#"{"age":0,"fullName":""}"#))])
    }

    @Test func `Cancelling ends the check, and is no failure of the property`() {
        #expect(throws: CancellationError.self) {
            try generator().check(runs: 10) { _ in throw CancellationError() }
        }
    }
}
