import Testing

@testable import Molt

@Suite("Steps that change types", .throughEveryEntryPoint)
struct TypeStepTests {
    private static let records = [
        StoredRecord("Alien", "zork", #"{ "name" : "Zork" }"#),
        StoredRecord("Person", "ada", #"{"name":"Ada"}"#),
        StoredRecord("Alien", "quux", #"{"name":"Quux"}"#),
    ]

    @Test func `renameType renames all records of a type, and changes no byte of them`() async throws {
        let after = try await OldStore(Self.records).upgraded(.renameType("Alien", to: "Being"))

        #expect(after.types == ["zork": "Being", "ada": "Person", "quux": "Being"])
        #expect(after.records.map(\.text) == Self.records.map(\.text))
        #expect(after.version == 1)
    }

    @Test func `renameType to an existing type merges the two`() async throws {
        let after = try await OldStore(Self.records).upgraded(
            .renameType("Alien", to: "Person"),
            .addProperty("Person", "isHuman", default: true)
        )

        #expect(Set(after.types.values) == ["Person"])
        #expect(after["zork"]?.text == #"{ "name" : "Zork","isHuman":true }"#)
        #expect(after["ada"]?.text == #"{"name":"Ada","isHuman":true}"#)
    }

    @Test func `A closure cannot give a record an empty type name`() async throws {
        let store = try OldStore(Self.records)
        for step: MigrationStep in [
            .transform("Alien") { $0.typeName = "" },
            .run { migration in try migration.enumerate("Alien") { _, new in new.typeName = "" } },
            .run { try $0.create("", forKey: "new", 1) },
        ] {
            try await store.failure(step).expect(.stepFailed)
        }
    }

    @Test func `Types can swap their names through a third one`() async throws {
        let after = try await OldStore(Self.records).upgraded(
            .renameType("Alien", to: "Third"),
            .renameType("Person", to: "Alien"),
            .renameType("Third", to: "Person")
        )

        #expect(after.types == ["zork": "Person", "ada": "Alien", "quux": "Person"])
    }

    @Test func `renameType of an unknown type does nothing`() async throws {
        let after = try await OldStore(Self.records).upgraded(.renameType("Robot", to: "Person"))

        #expect(after.records.map(\.type) == Self.records.map(\.type))
        #expect(after.version == 1)
    }

    @Test func `deleteType deletes only the records of that type`() async throws {
        let store = try OldStore(Self.records)

        let report = try await store.upgrade(.deleteType("Alien"), .deleteType("Robot"))

        #expect(try store.snapshot().keys == ["ada"])
        #expect(report.counts.dropped == 2)
        #expect(report.entries[0].steps.map(\.counts.dropped) == [2, 0])
    }

    @Test func `Steps follow a type through its renames until its deletion`() async throws {
        let after = try await OldStore(Self.records).upgraded([
            Migration(to: 1, "a", .renameProperty("Alien", "name", to: "title")),
            Migration(to: 2, "b", .renameType("Alien", to: "Being"), .addProperty("Being", "legs", default: 3)),
            Migration(to: 3, "c", .transform("Alien") { _ in throw Refusal() }),
            Migration(to: 4, "d", .deleteType("Person")),
            Migration(to: 5, "e", .transform("Person") { _ in throw Refusal() }),
        ])

        #expect(after.texts == ["zork": #"{ "title" : "Zork","legs":3 }"#, "quux": #"{"title":"Quux","legs":3}"#])
        #expect(after.version == 5)
    }
}
