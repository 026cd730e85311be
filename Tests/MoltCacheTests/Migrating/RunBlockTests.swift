import Foundation
import Testing

@testable import Molt

@Suite("Running a block over the whole store", .throughEveryEntryPoint)
struct RunBlockTests {
    private struct City: Codable { var name: String }

    private static let records = [
        StoredRecord("Person", "ada", #"{"name":"Ada"}"#),
        StoredRecord("City", "rome", #"{"name":"Rome"}"#),
        StoredRecord("Person", "bob", #"{"name":"Bob"}"#, expiration: 4_000_000_000),
        StoredRecord("Data", "blob", data: [0, 1]),
    ]

    // MARK: Versions

    @Test func `A block sees the version before its migration and its own, whichever path the store took`() async throws
    {
        let seen = Log<[Int]>()
        var registry = MigrationRegistry()
        for version in [1, 3, 3, 7] {
            registry.register(to: version, "v\(version)-\(registry.names.count)") { migration in
                seen.append([migration.oldVersion, migration.version])
            }
        }
        try await OldStore([]).upgrade(registry)
        let expected = [[0, 1], [1, 3], [1, 3], [3, 7]]
        #expect(seen.all == expected)

        let stepByStep = try OldStore([])
        for name in registry.names { try await stepByStep.upgrade(registry.upTo(name)) }
        #expect(Array(seen.all.dropFirst(4)) == expected)
    }

    // MARK: Reading

    @Test func `A block can read the types, their counts and any record`() async throws {
        let store = try OldStore(Self.records)
        try await store.upgrade { migration in
            #expect(try migration.types == ["City", "Data", "Person"])
            #expect(try migration.count(ofType: "Person") == 2)
            #expect(try migration.count(ofType: "Robot") == 0)
            let bob = try #require(try migration.record(forKey: "bob"))
            #expect(bob.typeName == "Person")
            #expect(bob.key == "bob")
            #expect(try bob.string("name") == "Bob")
            #expect(bob.expiration == Date(timeIntervalSince1970: 4_000_000_000))
            #expect(try migration.record(forKey: "blob")?.data == Data([0, 1]))
            #expect(try migration.record(forKey: "nobody") == nil)
        }

        #expect(try store.snapshot().records.map(\.text) == Self.records.map(\.text))
    }

    // MARK: Creating

    @Test func `A block can create records from Codable values, properties and data, with an expiry`() async throws {
        let store = try OldStore(Self.records)

        let report = try await store.upgrade { migration in
            let date = Date(timeIntervalSince1970: 4_100_000_000)
            try migration.create("City", forKey: "oslo", City(name: "Oslo"), expiration: date)
            try migration.create("Robot", forKey: "r2", ["legs": 3, "tags": ["a", .null]])
            try migration.create("Data", forKey: "bytes", Data([9, 8]))
            #expect(try migration.record(forKey: "r2")?.int("legs") == 3)
            #expect(try migration.count(ofType: "City") == 2)
            #expect(try migration.types == ["City", "Data", "Person", "Robot"])
        }

        let after = try store.snapshot()
        #expect(after.keys == ["ada", "rome", "bob", "blob", "oslo", "r2", "bytes"])
        #expect(after["oslo"]?.text == #"{"name":"Oslo"}"#)
        #expect(after["oslo"]?.expiration == 4_100_000_000)
        #expect(after["r2"]?.text == #"{"legs":3,"tags":["a",null]}"#)
        #expect(after["bytes"]?.content == [9, 8])
        #expect(after["bytes"]?.isData == true)
        #expect(report.counts.created == 3)
    }

    @Test func `A block cannot create a record under another record's key`() async throws {
        try await OldStore(Self.records).failure(
            .run("import") { try $0.create("City", forKey: "ada", City(name: "x")) }
        ).expect(.keyExists, key: "ada", type: "City", migration: "change", summary: "import")
    }

    @Test func `A block cannot create a record from a value that cannot be encoded`() async throws {
        let error = try await OldStore(Self.records).failure { try $0.create("City", forKey: "nan", [Double.nan]) }
        error.expect(.typeMismatch, key: "nan")
        #expect(error.underlying is EncodingError)
    }

    // MARK: Updating

    @Test func `A block can update a record's content, expiry, key and type`() async throws {
        let store = try OldStore(Self.records)

        let report = try await store.upgrade { migration in
            var bob = try #require(try migration.record(forKey: "bob"))
            bob["name"] = "Robert"
            bob.key = "robert"
            bob.typeName = "Friend"
            bob.expiration = nil
            try migration.update(bob)
            #expect(try migration.record(forKey: "bob") == nil)
            #expect(try migration.record(forKey: "robert")?.string("name") == "Robert")
            #expect(try migration.types.contains("Friend"))
        }

        let after = try store.snapshot()
        #expect(after.keys == ["ada", "rome", "robert", "blob"])
        #expect(after["robert"]?.type == "Friend")
        #expect(after["robert"]?.text == #"{"name":"Robert"}"#)
        #expect(after["robert"]?.expiration == nil)
        #expect(report.counts.changed == 1)
    }

    @Test func `An updated record may be dropped`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
            var bob = try #require(try migration.record(forKey: "bob"))
            bob.drop()
            try migration.update(bob)
        }

        #expect(after.keys == ["ada", "rome", "blob"])
    }

    @Test func `A record that was deleted in the meantime cannot be updated`() async throws {
        try await OldStore(Self.records).failure { migration in
            var bob = try #require(try migration.record(forKey: "bob"))
            try migration.delete("bob")
            bob["name"] = 1
            try migration.update(bob)
        }.expect(.recordMissing, key: "bob", migration: "change")
    }

    @Test func `A record cannot be updated to another record's key`() async throws {
        try await OldStore(Self.records).failure { migration in
            var bob = try #require(try migration.record(forKey: "bob"))
            bob.key = "ada"
            try migration.update(bob)
        }.expect(.keyExists, key: "bob")
    }

    @Test func `Records that the block created can be updated, deleted and created again`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.create("City", forKey: "oslo", ["a": 1])
            var oslo = try #require(try migration.record(forKey: "oslo"))
            oslo["a"] = 2
            oslo.key = "bergen"
            try migration.update(oslo)
            try migration.create("City", forKey: "oslo", ["a": 3])
            try migration.delete("oslo")
            try migration.create("City", forKey: "oslo", ["a": 4])
        }

        #expect(after["bergen"]?.text == #"{"a":2}"#)
        #expect(after["oslo"]?.text == #"{"a":4}"#)
        #expect(after.records.count == Self.records.count + 2)
    }

    // MARK: Deleting

    @Test func `A block can delete by key and by type, and learns what was deleted`() async throws {
        let store = try OldStore(Self.records)

        let report = try await store.upgrade { migration in
            let deleted = [try migration.delete("rome"), try migration.delete("rome")]
            #expect(deleted == [true, false])
            let counts = try ["Person", "Person", "Robot"].map { try migration.deleteAll(ofType: $0) }
            #expect(counts == [2, 0, 0])
            #expect(try migration.types == ["Data"])
        }

        #expect(try store.snapshot().keys == ["blob"])
        #expect(report.counts.dropped == 3)
    }

    // MARK: Renaming

    @Test func `A block can rename types, even to an existing one`() async throws {
        let after = try await OldStore(Self.records).upgraded { migration in
            try migration.renameType("City", to: "Place")
            try migration.renameType("Person", to: "Place")
            try migration.renameType("Robot", to: "Place")
            #expect(try migration.types == ["Data", "Place"])
            #expect(try migration.count(ofType: "Place") == 3)
        }

        #expect(after.records.map(\.type) == ["Place", "Place", "Place", "Data"])
        #expect(after.records.map(\.text) == Self.records.map(\.text))
    }

    @Test func `A block can rename a property of all records that have it`() async throws {
        let records = Self.records + [StoredRecord("Person", "eve", #"{"home":{"zip":1}}"#)]

        let after = try await OldStore(records).upgraded { migration in
            let counts = [
                try migration.renameProperty("Person", "name", to: "title"),
                try migration.renameProperty("Person", ["home", "zip"], to: "code"),
                try migration.renameProperty("Robot", "name", to: "title"),
            ]
            #expect(counts == [2, 1, 0])
        }

        #expect(after["ada"]?.text == #"{"title":"Ada"}"#)
        #expect(after["eve"]?.text == #"{"home":{"code":1}}"#)
        #expect(after["rome"]?.text == #"{"name":"Rome"}"#)
    }

    @Test func `A block cannot rename a property to an existing one`() async throws {
        try await OldStore([StoredRecord("Person", "ada", #"{"a":1,"b":2}"#)]).failure {
            try $0.renameProperty("Person", "a", to: "b")
        }
        .expect(.propertyExists, key: "ada", property: "b")
    }

    // MARK: Errors and the end of a block

    @Test func `An error from a block becomes the underlying error, and all changes are rolled back`() async throws {
        let error = try await OldStore(Self.records).failure(
            .transform("Person") { $0["name"] = 1 },
            .run("give up") { migration in
                try migration.deleteAll(ofType: "City")
                try migration.create("City", forKey: "oslo", City(name: "Oslo"))
                try migration.enumerate("Person") { _, new in new.key += "!" }
                throw Refusal(value: "no")
            }
        )
        error.expect(
            .stepFailed,
            id: MigrationID(name: "change", version: 1),
            step: 2,
            summary: "give up",
            refusal: "no"
        )
        #expect(error.key == nil)
    }

    #if CHILD_PROCESSES
        private static let calls: [@Sendable (MigrationContext) throws -> Void] = [
            { _ = try $0.types },
            { _ = try $0.count(ofType: "Person") },
            { _ = try $0.record(forKey: "ada") },
            { try $0.enumerate("Person") { _, _ in } },
            { try $0.create("City", forKey: "x", City(name: "x")) },
            { try $0.create("City", forKey: "x", ["name": "x"]) },
            { try $0.delete("ada") },
            { try $0.deleteAll(ofType: "Person") },
            { try $0.renameType("Person", to: "Human") },
            { try $0.renameProperty("Person", "name", to: "title") },
        ]

        @Test(arguments: calls.indices, [false, true])
        func `A context that is used after its block, or after a failed one, stops the process`(
            call: Int,
            hasFailed: Bool
        ) async throws {
            let result = await #expect(processExitsWith: .failure) {
                [call = call as Int, hasFailed = hasFailed as Bool] in
                let kept = Kept()
                let store = try OldStore(Self.records)
                if hasFailed {
                    _ = try await store.failure {
                        kept.context = $0
                        throw Refusal()
                    }
                } else {
                    try await store.upgrade { kept.context = $0 }
                }
                guard let context = kept.context else { return }
                try Self.calls[call](context)
            }
            guard case .signal = result?.exitStatus else {
                Issue.record("The call threw an error, or did nothing.")
                return
            }
        }
    #endif

    /// Keeps a context beyond its block; unchecked, because only one thread uses it.
    private final class Kept: @unchecked Sendable {
        var context: MigrationContext?
    }

    @Test func `Blocks and steps see the changes of those before them`() async throws {
        let after = try await OldStore(Self.records).upgraded([
            Migration(to: 1, "a", .renameProperty("Person", "name", to: "n1")),
            Migration(
                to: 2,
                "b",
                .run { migration in
                    try migration.enumerate("Person") { old, new in new["n2"] = .string(try old.string("n1") + "2") }
                },
                .renameProperty("Person", "n1", to: "n3")
            ),
            Migration(to: 3, "c", .transform("Person") { $0["n4"] = .string(try $0.string("n2") + "4") }),
        ])

        #expect(after["ada"]?.text == #"{"n3":"Ada","n2":"Ada2","n4":"Ada24"}"#)
    }
}
