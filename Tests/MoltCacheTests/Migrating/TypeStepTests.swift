import Molt
import Testing

@Suite("Steps that change types")
struct TypeStepTests {
    private static let records = [
        StoredRecord("Alien", "zork", #"{ "name" : "Zork" }"#),
        StoredRecord("Person", "ada", #"{"name":"Ada"}"#),
        StoredRecord("Alien", "quux", #"{"name":"Quux"}"#),
    ]

    @Test(arguments: EntryPoint.allCases)
    func `renameType renames all records of a type, and changes no byte of them`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        let after = try await store.upgraded(registry(.renameType("Alien", to: "Being")))

        #expect(after.types == ["zork": "Being", "ada": "Person", "quux": "Being"])
        #expect(after.records.map(\.text) == Self.records.map(\.text))
        #expect(after.version == 1)
    }

    @Test(arguments: EntryPoint.allCases)
    func `renameType to an existing type merges the two`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        let after = try await store.upgraded(
            registry(.renameType("Alien", to: "Person"), .addProperty("Person", "isHuman", default: true))
        )

        #expect(Set(after.types.values) == ["Person"])
        #expect(after["zork"]?.text == #"{ "name" : "Zork","isHuman":true }"#)
        #expect(after["ada"]?.text == #"{"name":"Ada","isHuman":true}"#)
    }

    @Test(arguments: EntryPoint.allCases)
    func `Types can swap their names through a third one`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        let after = try await store.upgraded(
            registry(
                .renameType("Alien", to: "Third"),
                .renameType("Person", to: "Alien"),
                .renameType("Third", to: "Person")
            )
        )

        #expect(after.types == ["zork": "Person", "ada": "Alien", "quux": "Person"])
    }

    @Test(arguments: EntryPoint.allCases)
    func `renameType of an unknown type does nothing`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        let after = try await store.upgraded(registry(.renameType("Robot", to: "Person")))

        #expect(after.records.map(\.type) == Self.records.map(\.type))
        #expect(after.version == 1)
    }

    @Test(arguments: EntryPoint.allCases)
    func `deleteType deletes only the records of that type`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        let report = try await store.upgrade(registry(.deleteType("Alien"), .deleteType("Robot")))

        #expect(try store.snapshot().keys == ["ada"])
        #expect(report.counts.dropped == 2)
        #expect(report.entries[0].steps.map(\.counts.dropped) == [2, 0])
    }

    @Test(arguments: EntryPoint.allCases)
    func `Steps follow a type through its renames until its deletion`(entry: EntryPoint) async throws {
        let store = try OldStore(Self.records, through: entry)

        let after = try await store.upgraded([
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
