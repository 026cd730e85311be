import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// What steps create around the place that they write to, and whether today's type can read it.
@Suite struct `Objects that are optional` {
    private struct Person: Codable, Equatable, Sendable, RecordType {
        static let recordTypeName = "Person"

        struct Address: Codable, Equatable, Sendable {
            struct Location: Codable, Equatable, Sendable {
                var latitude: Int
                var unit: String
            }

            var street: String
            var country: String
            var location: Location?
        }

        enum State: Codable, Equatable, Sendable {
            case idle
            case busy(since: Int, note: String?)
        }

        var address: Address?
        var former: [Address?]?
        var named: [String: Address?]?
        var state: State?

        static let home = Address(street: "A", country: "DE", location: .init(latitude: 1, unit: "m"))
        static let office = Address(street: "B", country: "FR")
        static let places: [Address?] = [nil, home, office]
        static let byName: [String: Address?] = ["a": nil, "b": home, "c": office]
    }

    private static let place = "Person"

    /// What the release added that made these properties required.
    private static let additions: [MigrationStep] = [
        .addProperty(place, ["address", "country"], default: "DE"),
        .addProperty(place, ["address", "location", "unit"], default: "m"),
        .addProperty(place, ["former", .each, "country"], default: "DE"),
        .addProperty(place, ["former", .each, "location", "unit"], default: "m"),
        .transform(place) { person in
            try person.add(["named", .each, "country"], default: "DE")
            try person.add(["named", .each, "location", "unit"], default: "m")
        },
        .addProperty(place, ["state", "busy", "since"], default: 0),
    ]

    private static let (old, older) = (#"{"street":"B","country":"FR"}"#, #"{"street":"A","location":{"latitude":1}}"#)

    /// Contents of the earlier release, and what today's type reads after the upgrade.
    private static let people: [(content: String, person: Person)] = [
        ("{}", Person()),
        (#"{"address":null,"former":null,"named":null,"state":null}"#, Person()),
        (
            #"{"address":\#(old),"former":[],"named":{},"state":{"idle":{}}}"#,
            Person(address: Person.office, former: [], named: [:], state: .idle)
        ),
        (
            #"{"address":{"street":"B","country":null,"location":null},"state":{"busy":{}}}"#,
            Person(address: .init(street: "B", country: "DE"), state: .busy(since: 0, note: nil))
        ),
        (
            #"{"address":\#(older),"former":[null,\#(older),\#(old)],"named":{"a":null,"b":\#(older),"c":\#(old)}}"#,
            Person(
                address: Person.home,
                former: Person.places,
                named: Person.byName
            )
        ),
        (
            #"{"state":{"busy":{"since":3,"note":"x"}}}"#, Person(state: .busy(since: 3, note: "x"))
        ),
    ]

    /// The people that today's type reads after an upgrade in each way.
    private func people(_ contents: [String], _ steps: [MigrationStep]) throws -> [[Person]] {
        let migration = Migration(to: 1, "change", steps: steps)
        let records = contents.enumerated().map { StoredRecord("Person", "p\($0)", $1) }
        let read = try [migration, migration.onRead()].map { migration in
            let store = try OldStore(records)
            let configuration = MoltConfiguration { $0.runsBackfill = false }
            let cache = try CodableCache(at: store.url, migrations: [migration], configuration: configuration)
            defer { cache.close() }
            return try records.map { try #require(try cache.value(Person.self, forKey: $0.key)) }
        }
        let documents = try contents.map { content in
            let output = try DocumentUpgrade([migration]).upgrade(Data(content.utf8), ofType: "Person", writtenAt: 0)
            return try JSONDecoder().decode(Person.self, from: output.content)
        }
        return read + [documents]
    }

    @Test func `get a new property where they are, and can still be read where they are not`() throws {
        for found in try people(Self.people.map(\.content), Self.additions) {
            #expect(found == Self.people.map(\.person))
        }
    }

    @Test func `are built from several properties, at once or with a close between, and only from values`() throws {
        let steps: [MigrationStep] = [
            .moveProperty(Self.place, "street", to: ["address", "street"]),
            .moveProperty(Self.place, "country", to: ["address", "country"]),
            .copyProperty(Self.place, "latitude", to: ["address", "location", "latitude"]),
            .joinProperties(Self.place, ["meters", "feet"], into: ["address", "location", "unit"]),
        ]
        let contents = [
            #"{"street":"A","country":"DE","latitude":1,"feet":"m"}"#, #"{"street":"B","country":"FR"}"#, "{}",
            #"{"street":null,"country":null,"latitude":null,"feet":null}"#,
            #"{"street":"A","country":"DE","address":null,"latitude":1,"meters":"m"}"#,
        ]
        let addresses: [Person.Address?] = [Person.home, Person.office, nil, nil, Person.home]
        let expected = addresses.map { Person(address: $0) }
        for found in try people(contents, steps) { #expect(found == expected) }
        let migrations = steps.enumerated().map { Migration(to: $0 + 1, "step \($0)", $1) }
        let store = try OldStore(contents.enumerated().map { StoredRecord("Person", "p\($0)", $1) })
        for count in 1...migrations.count {
            try CodableCache(at: store.url, migrations: MigrationRegistry(Array(migrations.prefix(count)))).close()
        }
        let cache = try CodableCache(at: store.url, migrations: MigrationRegistry(migrations))
        #expect(try contents.indices.map { try cache.value(Person.self, forKey: "p\($0)") } == expected)
        cache.close()
        // The parts of one string are put into several new objects.
        let names = try upgraded(
            #"{"name":"Ada King"}"#,
            .splitProperty("Person", "name", into: [["a", "b", "x"], ["a", "c", "y"]])
        )
        #expect(names == #"{"a":{"b":{"x":"Ada"},"c":{"y":"King"}}}"#)
        #expect(
            try upgraded(#"{"name":null}"#, .splitProperty("Person", "name", into: [["name", "x"], ["a", "y"]])) == "{}"
        )
    }

    private func upgraded(_ content: String, _ step: MigrationStep) throws -> String {
        let output = try DocumentUpgrade([Migration(to: 1, "change", step)])
            .upgrade(Data(content.utf8), ofType: "Person", writtenAt: 0, forKey: "p")
        return String(decoding: output.content, as: UTF8.self)
    }

    @Test func `are not created beside the case of an enum, unless the step or the call says so`() throws {
        let note: PropertyPath = ["state", "busy", "note"]
        let steps: [[MigrationStep]] = [
            [
                .moveProperty("Person", "note", to: note),
                .moveProperty("Person", "note", to: note, creatingObjects: true),
            ],
            [
                .copyProperty("Person", "note", to: note),
                .copyProperty("Person", "note", to: note, creatingObjects: true),
            ],
            [
                .joinProperties("Person", ["note", "other"], into: note),
                .joinProperties("Person", ["note", "other"], into: note, creatingObjects: true),
            ],
            [
                .splitProperty("Person", "note", into: [note, "rest"]),
                .splitProperty("Person", "note", into: [note, "rest"], creatingObjects: true),
            ],
            [
                .transform("Person") { try $0.move("note", to: note) },
                .transform("Person") { try $0.move("note", to: note, creatingObjects: true) },
            ],
        ]
        for state in [#"{"idle":{}}"#, #"{"waiting":{"for":1}}"#] {
            let content = #"{"note":"s3cret","state":\#(state)}"#
            for pair in steps {
                let error = #expect(throws: MoltError.self, "\(pair[0])") { try upgraded(content, pair[0]) }
                error?.expect(.typeMismatch, key: "p", property: "state.busy.note")
                let text = error?.description ?? ""
                #expect(text.contains("creatingObjects: true") && !text.contains("s3cret"))
                let created = try upgraded(content, pair[1])
                #expect(created.contains(#""state":\#(state.dropLast()),"busy":{"note":"s3cret"}}"#), "\(created)")
            }
        }
        // What is no enum, or has the case, gets the value; a property may leave its object for a new one.
        let fitting = [
            (#"{"note":"x","state":{"busy":{"since":1}}}"#, #"{"state":{"busy":{"since":1,"note":"x"}}}"#),
            (#"{"note":"x","state":{"idle":1}}"#, #"{"state":{"idle":1,"busy":{"note":"x"}}}"#),
            (#"{"note":"x","state":{"a":{},"b":{}}}"#, #"{"state":{"a":{},"b":{},"busy":{"note":"x"}}}"#),
            (#"{"note":"x","state":{}}"#, #"{"state":{"busy":{"note":"x"}}}"#),
            (#"{"note":null,"state":{"idle":{}}}"#, #"{"state":{"idle":{}}}"#),
            (#"{"state":{"idle":{}}}"#, #"{"state":{"idle":{}}}"#),
        ]
        for (content, expected) in fitting { #expect(try upgraded(content, steps[0][0]) == expected) }
        let inner = try upgraded(
            #"{"look":{"theme":{"name":"dark"}}}"#,
            .moveProperty("Person", ["look", "theme"], to: ["look", "colors", "theme"])
        )
        #expect(inner == #"{"look":{"colors":{"theme":{"name":"dark"}}}}"#)
        // The only property of a record may be an object that another one is built from.
        let outer = try upgraded(
            #"{"profile":{"street":"A"}}"#,
            .moveProperty("Person", ["profile", "street"], to: ["address", "street"])
        )
        #expect(outer == #"{"profile":{},"address":{"street":"A"}}"#)
        #expect(
            try upgraded(#"{"idle":{}}"#, .transform("Person") { $0[["busy", "note"]] = 1 })
                == #"{"idle":{},"busy":{"note":1}}"#
        )
    }

    /// A step puts the text into the case that has one, or refuses the record as it is.
    @Test(arguments: Resident.TextMove.allCases, 0..<TestRun.choose(1, long: 40))
    func `are never created beside the case of a random enum`(move: Resident.TextMove, block: UInt64) throws {
        var random = SeededGenerator(seed: block)
        let step = move.step(Resident.name)
        let residents = (0..<20).map { _ in Resident(&random) }
        let contents = try residents.map { String(decoding: try $0.json(), as: UTF8.self) }
        let expected = residents.map(move.result)
        let keys = residents.indices.map { "r\($0 + 10)" }
        let refused = keys.indices.filter { expected[$0] == nil }
        #expect(!refused.isEmpty && refused.count < keys.count)

        let store = try OldStore(zip(keys, contents).map { StoredRecord(Resident.name, $0, $1) })
        let before = try store.snapshot()
        let stopping: MigrationRegistry = [Migration(to: 1, "move", step)]
        let error = #expect(throws: MoltError.self) { try CodableCache(at: store.url, migrations: stopping) }
        error?.expect(.typeMismatch, key: keys[refused[0]], property: "state.busy.text")
        #expect(try store.snapshot() == before)
        for (index, content) in contents.enumerated() {
            func output() throws -> DocumentUpgrade.Output {
                try DocumentUpgrade(stopping).upgrade(Data(content.utf8), ofType: Resident.name, writtenAt: 0)
            }
            guard let resident = expected[index] else {
                #expect(throws: MoltError.self, "\(content)") { try output() }?.expect(.typeMismatch)
                continue
            }
            #expect(try Resident.read(output().content) == resident, "\(content)")
        }

        let keeping: MigrationRegistry = [Migration(to: 1, "move", step.onFailure(.quarantine(upTo: .unlimited)))]
        let cache = try CodableCache(at: store.url, migrations: keeping)
        defer { cache.close() }
        #expect(try cache.quarantined().map(\.key) == refused.map { keys[$0] })
        for record in try store.snapshot().records {
            let index = try #require(keys.firstIndex(of: record.key))
            #expect(try Resident.read(record.text.utf8) == expected[index], "\(contents[index])")
        }
    }

    @Test func `are not replaced if a call names no property in them`() throws {
        for path: PropertyPath in [[], ["tags", .each], ["former", .each]] {
            let content = #"{"tags":["a",null],"former":[{"street":"A"}]}"#
            #expect(try upgraded(content, .transform("Person") { try $0.add(path, default: 1) }) == content)
        }
    }

    @Test func `are looked for by the name that the step has`() async throws {
        let store = try OldStore([StoredRecord("Person", "p", Self.people[2].content)])
        let report = try await store.upgrade(
            .addProperty("Person", ["adress", "country"], default: "DE"),
            .addProperty("Person", ["address", "location", "unit"], default: "m"),
            .addProperty("Person", ["address", "country"], default: "DE")
        )
        let names = report.entries[0].steps.map(\.unmatchedNames)
        let nearest = #""adress" does not occur in the only record of type "Person"; did you mean "address"?"#
        #expect(names == [[nearest], [#""address.location" does not occur in the only record of type "Person""#], []])
    }

    @Test func `A list that no record has is named, also if a step fails for elements without the property`()
        async throws
    {
        let store = try OldStore([StoredRecord("Person", "p", #"{"addresses":[{"zip":1}]}"#)])
        // The name of a type may be a variable in every step.
        let type = "Person"
        let steps: [MigrationStep] = [
            .renameProperty(type, ["adresses", .each, "zip"], to: "code", ifMissing: .fail),
            .addProperty(type, ["addresses", .each, "country"], default: try RecordValue(json: #"{"n":1.50}"#)),
            .transform(type) { _ in }, .removeProperty(type, ["addresses", .each, "zip"], ifMissing: .fail),
        ]
        let report = try await store.upgrade([Migration(to: 1, "change", steps: steps)])
        let names = report.entries[0].steps.map { $0.unmatched.map(\.nearest) }
        #expect(names == [[#"["addresses", .each, "zip"]"#], [], [], []])
        #expect(try store.snapshot().records.map(\.text) == [#"{"addresses":[{"country":{"n":1.50}}]}"#])
        for text in ["", "{", "s3cret", "1 2"] {
            let error = #expect(throws: MoltError.self) { try RecordValue(json: text) }
            #expect(error?.code == .malformedContent && error?.description.contains("s3cret") == false)
        }
    }
}
