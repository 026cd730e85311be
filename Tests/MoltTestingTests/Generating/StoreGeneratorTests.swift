import Foundation
import Molt
import MoltTesting
import Testing

/// A type with a leaf of each kind, and some that take few values.
struct Alien: Codable, Equatable, Sendable {
    enum Mood: String, Codable { case calm, angry }

    var fullName: String
    var planet: String?
    var age: Int
    var weight: Double
    var isFriendly: Bool
    var arms: UInt8
    var mood: Mood
    var home: URL
    var tags: [String]
    var born: Date

    static let ada = Alien(
        fullName: "Ada Lovelace",
        planet: nil,
        age: 36,
        weight: 62.5,
        isFriendly: true,
        arms: 2,
        mood: .calm,
        home: URL(filePath: "/ada"),
        tags: ["mathematician", "writer"],
        born: Date(timeIntervalSinceReferenceDate: 0.5)
    )
    static let plato = Alien(
        fullName: "Plato",
        planet: "Earth",
        age: -400,
        weight: 80.25,
        isFriendly: false,
        arms: 3,
        mood: .angry,
        home: URL(filePath: "/plato"),
        tags: [],
        born: Date(timeIntervalSinceReferenceDate: -1.5)
    )
}

@Suite struct `A store generator` {
    let suite = Molt.Suite("generated.example")

    private func generator(maximumCount: Int = 12) throws -> StoreGenerator {
        try StoreGenerator(
            samples: [
                .samples(of: "Alien", Alien.ada, Alien.plato),
                .json(of: "Note", #"{"text":"a","stars":1,"pin":null}"#, #"{"text":"b","pin":{"x":0.5},"more":[1,2]}"#),
                .samples(of: "Photo", Data([1, 2, 3])),
                .settings(
                    of: suite,
                    ["theme": "dark", "size": 13, "scale": 1.5, "isOn": true],
                    ["theme": "light", "names": ["a", "b"], "size": 12, "isOn": false, "blob": .data(Data([1]))]
                ),
            ],
            schemaVersion: 4,
            maximumCount: maximumCount
        )
    }

    private func stores(_ count: UInt64 = 200) throws -> [StoreFixture] {
        let generator = try generator()
        return try (0..<count).map { try generator.store(seed: $0) }
    }

    private func contents(of type: String, in stores: [StoreFixture]) throws -> [RecordValue] {
        try stores.flatMap(\.records).filter { $0.typeName == type && !$0.content.isData }
            .map { try RecordValue(json: $0.content.bytes) }
    }

    @Test func `The same seed gives the same store, another seed another one`() throws {
        let stores = try stores(30)
        #expect(try self.stores(30) == stores)
        #expect(Set(stores).count == 30)
    }

    @Test func `A store is the same in every run and on every platform`() throws {
        let generator = try StoreGenerator(
            samples: [.json(of: "Note", #"{"text":"Ada","stars":3}"#, #"{"text":"b","stars":4,"pin":null}"#)],
            schemaVersion: 1,
            maximumCount: 4
        )
        let texts = try generator.store(seed: 4).records.map {
            "\($0.key) \(String(decoding: $0.content.bytes, as: UTF8.self))"
        }
        #expect(texts == Self.expected)
    }

    private static let expected = [
        #"pxle usorw {"text":" b","stars":4}"#,
        #"dea992abcb3620ef {"text":"Ada","stars":-1}"#,
        #"tz-2 {"text":"xjtm","stars":3,"pin":null}"#,
        #"deolrbi-3 {"text":"ejgaajv  yjosh","stars":3,"pin":null}"#,
    ]

    @Test func `Whatever is drawn can be decoded as the type of its sample`() throws {
        for record in try stores().flatMap(\.records) where record.typeName == "Alien" {
            _ = try JSONDecoder().decode(Alien.self, from: Data(record.content.bytes))
        }
    }

    @Test func `Types, version and count are those that were asked for`() throws {
        let stores = try stores()
        #expect(stores.allSatisfy { $0.schemaVersion == 4 && $0.primary == .cache && $0.records.count <= 12 })
        #expect(Set(stores.map(\.records.count)) == Set(0...12))
        #expect(Set(stores.flatMap(\.records).map(\.typeName)) == ["Alien", "Note", "Photo"])
        #expect(Set(stores.flatMap(\.suites.keys)) == [suite])
    }

    @Test func `Keys differ by their bytes, and odd ones are among them`() throws {
        let stores = try stores()
        for store in stores {
            #expect(Set(store.records.map { Array($0.key.utf8) }).count == store.records.count)
        }
        let keys = stores.flatMap(\.records).map(\.key)
        #expect(keys.contains { $0.utf8.elementsEqual("\u{E9}".utf8) })
        #expect(keys.contains { $0.utf8.elementsEqual("e\u{301}".utf8) })
        #expect(keys.contains { $0.utf8.count >= 100 })
        #expect(keys.contains { $0.contains("/") } && keys.contains { $0.contains("\"") })
        #expect(keys.contains { $0.hasSuffix(" ") })
    }

    @Test func `Some records expire, in the past or in the future`() throws {
        let dates = try stores().flatMap(\.records).map(\.expiration)
        #expect(dates.contains(nil))
        #expect(dates.contains { $0.map { $0 < Date() } ?? false })
        #expect(dates.contains { $0.map { $0 > Date() } ?? false })
    }

    @Test func `Texts of all kinds come up`() throws {
        let texts = try contents(of: "Alien", in: stores()).compactMap { $0.object?["fullName"]?.string }
        #expect(texts.contains(""))
        #expect(texts.contains { $0.hasPrefix(" ") } && texts.contains { $0.hasSuffix(" ") })
        #expect(texts.contains { $0.contains("\"") } && texts.contains { $0.contains("\\") })
        #expect(texts.contains { $0.contains("\0") })
        #expect(texts.contains { $0.unicodeScalars.contains("\u{301}") })
        #expect(texts.contains { $0.unicodeScalars.contains { $0.properties.isEmojiPresentation } })
        #expect(texts.contains { $0.unicodeScalars.contains { 0x590...0x6FF ~= $0.value } })
        #expect(texts.contains { !$0.isEmpty && !$0.contains(" ") } && texts.contains { $0.contains(" ") })
        #expect(texts.contains { $0.count >= 2_000 })
    }

    @Test func `Whole numbers stay whole, fractions may be any number, and extremes come up`() throws {
        let stores = try stores()
        let aliens = try contents(of: "Alien", in: stores).compactMap(\.object)
        let ages = aliens.compactMap { $0["age"]?.number?.integer(Int.self) }
        #expect(ages.count == aliens.count)
        #expect([0, .max, .min].allSatisfy(ages.contains))
        #expect(ages.contains { $0 < 0 } && ages.contains { $0 > 1 << 40 })
        let weights = aliens.compactMap { $0["weight"]?.number }
        #expect(["0.1", "1e-7", "1.7976931348623157e308"].allSatisfy { text in weights.contains { $0.text == text } })
        let arms = aliens.compactMap { $0["arms"]?.number?.integer(UInt8.self) }
        #expect(arms.count == aliens.count && arms.contains(255) && arms.contains(0))
        #expect(Set(aliens.compactMap { $0["isFriendly"]?.bool }) == [true, false])
    }

    @Test func `Arrays become longer, shorter and empty`() throws {
        let stores = try stores()
        let counts = try contents(of: "Alien", in: stores).compactMap { $0.object?["tags"]?.array?.count }
        #expect(counts.contains(0) && counts.contains(1) && counts.contains(2) && counts.contains { $0 > 4 })
        let sizes = stores.flatMap(\.records).filter(\.content.isData).map(\.content.bytes.count)
        #expect(sizes.contains(0) && sizes.contains { $0 > 10 })
    }

    @Test func `A property is left out, and null, only where the samples show it`() throws {
        let notes = try contents(of: "Note", in: stores()).compactMap(\.object)
        #expect(notes.allSatisfy { $0["text"]?.string != nil && $0["pin"] != nil })
        #expect(notes.contains { $0["stars"] == nil } && notes.contains { $0["stars"] != nil })
        #expect(notes.allSatisfy { $0["stars"].map { $0.number != nil } ?? true })
        #expect(notes.contains { $0["pin"] == .null } && notes.contains { $0["pin"]?.object != nil })
        #expect(notes.contains { $0["more"] != nil && $0["stars"] != nil })
        let aliens = try contents(of: "Alien", in: stores()).compactMap(\.object)
        #expect(aliens.contains { $0["planet"] == nil } && aliens.contains { $0["planet"]?.string != nil })
        #expect(aliens.allSatisfy { $0.properties.count >= 9 })
    }

    @Test func `Settings keep their kinds, and stay what a suite can hold`() throws {
        let settings = try stores().compactMap { $0.suites[suite] }
        #expect(settings.allSatisfy { $0["theme"]?.string != nil && $0["isOn"]?.bool != nil })
        #expect(settings.allSatisfy { $0["size"].map { $0.int != nil } ?? false })
        #expect(settings.contains { $0["scale"] == nil } && settings.contains { $0["scale"]?.double != nil })
        #expect(
            settings.contains { $0["names"]?.array == [] } && settings.contains { $0["blob"]?.data?.isEmpty ?? false }
        )
        let texts = settings.compactMap { $0["theme"]?.string }
        #expect(texts.contains("") && texts.contains { $0.utf8.contains { $0 > 0x7F } })
        let generator = try StoreGenerator(
            samples: [.settings(of: suite, ["theme": "dark", "size": 13, "on": true], ["theme": "a", "scale": 0.5])],
            primary: .suite(suite),
            schemaVersion: 1
        )
        try generator.check(runs: 20, seed: 3) { store in
            let found = try TemporaryStore(store).contents()
            guard found.suites == store.suites else { throw TestFailure() }
        }
    }

    @Test func `A store is read back from disk as it was drawn`() throws {
        try generator().check(runs: 20, seed: 5) { store in
            let found = try TemporaryStore(store).contents()
            guard found == store else { throw TestFailure() }
        }
    }

    @Test func `A fixture's own records and settings are samples`() throws {
        let fixture = StoreFixture(
            schemaVersion: 2,
            ledger: [LedgerEntry(name: "first", version: 2, appliedAt: Date(timeIntervalSince1970: 1))],
            records: [
                .init("a", "Note", .json(#"{"text":"a"}"#)), .init("b", "City", .json(#"{"zip":1}"#)),
                .init("c", "Note", .json(#"{"text":"b","pin":true}"#)),
            ],
            suites: [suite: ["theme": "dark"]]
        )
        let generator = try StoreGenerator(like: fixture, maximumCount: 20)
        let stores = try (0..<40).map { try generator.store(seed: $0) }
        #expect(stores.allSatisfy { $0.schemaVersion == 2 && $0.ledger == fixture.ledger })
        #expect(Set(stores.flatMap(\.records).map(\.typeName)) == ["Note", "City"])
        #expect(try contents(of: "Note", in: stores).contains { $0.object?["pin"] == nil })
        #expect(stores.allSatisfy { $0.suites[suite]?["theme"]?.string != nil })
    }

    @Test func `Samples that cannot be used are refused, and named`() throws {
        let cases: [([StoreSamples], StoreFixture.Primary, String)] = [
            ([.json(of: "Note")], .cache, "of the type Note"),
            ([.json(of: "Note", "{}", "{")], .cache, "Sample 2 of the type Note"),
            ([.json(of: "Note", as: Alien.self, "{}")], .cache, "cannot be decoded"),
            ([.json(of: "Note", "{}"), .json(of: "Note", "{}")], .cache, "two places"),
            ([.json(of: "Note", "{}")], .suite(suite), "A suite has no records"),
        ]
        for (samples, primary, text) in cases {
            let error = #expect(throws: TestingError.self) {
                try StoreGenerator(samples: samples, primary: primary, schemaVersion: 0)
            }
            #expect(error?.code == .unsuitable)
            #expect(error?.message.contains(text) == true)
        }
    }
}

struct TestFailure: Error {}
