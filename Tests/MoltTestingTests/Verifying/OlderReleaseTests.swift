import Foundation
import MoltTesting
import TestSupport
import Testing

@testable import Molt

/// The model of the older release, of which the newer one knows nothing.
private struct Person: Codable, RecordType {
    enum Status: String, Codable, CaseIterable { case open, done }

    enum Contact: Codable, CaseIterable {
        case mail(String)
        case none

        static var allCases: [Contact] { [.mail(""), .none] }
    }

    struct Address: Codable {
        var city = "Paris"
        var zip: String?
    }

    struct Tag: Codable {
        var label = "a"
        var inner: [Tag]?
    }

    static let recordTypeName = "Person"

    var name = "Ada"
    var age = 36
    var since = Date(timeIntervalSinceReferenceDate: 0)
    var mail: String? = "ada@example.com"
    var status = Status.open
    @KeepingUnknown var rank: Status? = .open
    var contact = Contact.mail("ada@example.com")
    var address = Address(zip: "1")
    var tags = [Tag(inner: [Tag()])]
    var scores = ["chess": 1]
    var ranks = [Status.open: 1]
}

private struct Draft: Codable, RecordType {
    static let recordTypeName = "Draft"
    var text = "…"
}

/// A type of the newer release, which reads anything.
private struct Anything: Codable {
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) throws {}
}

@Suite struct `A declaration that older releases can read` {
    private let directory: ScratchDirectory
    private var schema: URL { directory.file("schema.json") }

    init() throws {
        directory = try ScratchDirectory()
    }

    private static let types = ["Person", "Draft", "Contact"].map { FixtureType.type(Anything.self, named: $0) }

    /// The store of the older release.
    private func store(_ coding: RecordCoding = .standard) throws -> StoreFixture {
        StoreFixture(
            schemaVersion: 0,
            records: [
                .init("ada", "Person", try .encoding(Person(), with: coding)),
                .init("bob", "Person", try .encoding(Person(), with: coding)),
                .init("old", "Draft", try .encoding(Draft(), with: coding), expiration: .distantPast),
                .init("photo", "Data", .data(Data([1]))),
            ]
        )
    }

    /// Records the shapes of some versions.
    private func recordShapes(_ versions: Int..., coding: RecordCoding = .standard) throws {
        for version in versions {
            let samples: [SchemaSnapshot.Samples] = [.samples(Person()), .samples(Draft()), .samples(Data())]
            try TestingError.expect(.recorded) {
                try SchemaSnapshot(of: samples, version: version, coding: coding).verify(
                    at: schema,
                    recording: .missing
                )
            }
        }
    }

    /// Returns what is wrong with the declarations of the migrations to versions 1, 2 and so on.
    private func problems(
        _ migrations: MigrationRegistry,
        of store: StoreFixture? = nil,
        schema: URL? = nil
    ) async throws -> [String] {
        let store = try store ?? self.store()
        let failure = await Releases.failure {
            try await store.verifyUpgrades(through: migrations, types: Self.types, schema: schema)
        }
        failure?.expect(kinds: .olderRelease)
        return failure?.failures.map(\.description) ?? []
    }

    private func readable(_ step: MigrationStep) -> MigrationRegistry {
        [Migration(to: 1, "change", step).readableByOlderReleases()]
    }

    /// Steps after which the older release could not read the store, with what it would meet, and what a comparison
    /// with the older store shows if the shapes are unknown.
    private static let falseClaims: [(step: MigrationStep, withShapes: String?, without: String?)] = [
        (
            .renameProperty("Person", "name", to: "fullName"),
            "could not read Person, because Person.name is missing. Keep the property",
            "would not find Person.name, which the records had. Keep the property"
        ),
        (
            .transform("Person") { $0["name"] = .null },
            "could not read Person, because Person.name is missing", "would not find Person.name, which the records had"
        ),
        (
            .renameProperty("Person", "mail", to: "email"),
            "would not find Person.mail, which the records had", "would not find Person.mail, which the records had"
        ),
        (
            .changeValue("Person", "age", to: .string),
            "could not read Person.age: it expects Int, and finds a string. Keep the form",
            "could not read Person.age: it expects a number, and finds a string. Keep the form"
        ),
        (
            .transform("Person") { $0["age"] = 36.5 }, "could not read Person.age: it expects Int, and finds a number",
            nil
        ),
        (
            .changeValue("Person", "since", from: .secondsSinceReferenceDate, to: .iso8601),
            "could not read Person.since: it expects Date, and finds a string",
            "could not read Person.since: it expects a number, and finds a string"
        ),
        (
            .renameType("Person", to: "Contact"),
            "would not find the records of type Person, which have the type Contact. Keep the name",
            "would not find the records of type Person, which have the type Contact. Keep the name"
        ),
        (
            .deleteType("Draft"), "would not find the records of type Draft. Keep the records",
            "would not find the records of type Draft. Keep the records"
        ),
        (
            .renameProperty("Person", ["address", "city"], to: "town"),
            "could not read Person, because Person.address.city is missing", "would not find Person.address.city"
        ),
        (
            .moveProperty("Person", ["address", "zip"], to: "zip"), "would not find Person.address.zip",
            "would not find Person.address.zip"
        ),
        (
            .wrapProperty("Person", "address", in: .array),
            "could not read Person.address: it expects Address, and finds an array",
            "could not read Person.address: it expects an object, and finds an array"
        ),
        (
            .renameProperty("Person", ["tags", .each, "label"], to: "text"),
            "could not read Person, because Person.tags[].label is missing", "would not find Person.tags[].label"
        ),
        (
            .transform("Person") { $0["tags"] = [["label": "a", "inner": [["text": "a"]]]] },
            "could not read Person, because Person.tags[].inner[].label is missing",
            "would not find Person.tags[].inner[].label"
        ),
        (
            .transform("Person") { $0["tags"] = [["label": "a"], [:]] },
            "could not read Person, because Person.tags[].label is missing", nil
        ),
        (
            .transform("Person") { $0["scores"] = ["chess": "one"] },
            "could not read Person.scores[]: it expects Int, and finds a string",
            "could not read Person.scores.chess: it expects a number, and finds a string"
        ),
        (
            .renameProperty("Person", ["scores", "chess"], to: "go"), "would not find Person.scores[]",
            "would not find Person.scores.chess"
        ),
        (
            .transform("Person") { $0["ranks"] = ["open", "one"] },
            "could not read Person.ranks[]: it expects Int, and finds a string",
            "could not read Person.ranks[]: it expects a number, and finds a string"
        ),
        (
            .mapValue("Person", "status", ["open": "new"]),
            "could not read Person.status: it does not know the case \"new\". Keep the old cases", nil
        ),
        (
            .transform("Person") { $0["contact"] = ["phone": ["_0": "1"]] },
            "could not read Person.contact: it does not know the case \"phone\"", "would not find Person.contact.mail"
        ),
        (
            .transform("Person") { $0["contact"] = ["mail": ["_0": 1]] },
            "could not read Person.contact.mail._0: it expects String, and finds a number",
            "could not read Person.contact.mail._0: it expects a string, and finds a number"
        ),
    ]

    @Test func `fails if it is false, and the failure names the place and the migration`() async throws {
        try recordShapes(0)
        for (step, withShapes, without) in Self.falseClaims {
            for (schema, words) in [(schema, withShapes), (nil, without)] {
                let found = try await problems(readable(step), schema: schema)
                guard let words else {
                    #expect(found == [], "\(step)")
                    continue
                }
                let keys = words.contains("Draft") ? #""old""# : #""ada", "bob""#
                let start =
                    "the store, \(keys): migration \"change\" (version 1) declares readableByOlderReleases(), but a release "
                    + "of version 0 \(words)"
                #expect(found.count == 1 && found[0].hasPrefix(start), "\(step): \(found)")
                #expect(found.allSatisfy { $0.hasSuffix(", or remove the declaration.") })
            }
            #expect(try await problems([Migration(to: 1, "change", step)], schema: schema) == [], "\(step)")
        }
    }

    @Test func `passes if it is true`() async throws {
        try recordShapes(0)
        let steps: [MigrationStep] = [
            .addProperty("Person", "nickname", default: "Al"),
            .addProperty("Person", ["address", "street"], default: ""),
            .mapValue("Person", "status", ["open": "done"]), .mapValue("Person", "rank", ["open": "gold"]),
            .transform("Person") { $0["ranks"] = ["done", 2, "open", 1] },
            .run { try $0.create("Contact", forKey: "new", ["phone": "1"]) },
        ]
        for step in steps {
            for schema in [schema, nil] { #expect(try await problems(readable(step), schema: schema) == [], "\(step)") }
        }
    }

    @Test func `is not about properties and types that the older release does not know`() async throws {
        try recordShapes(0)
        var store = try store()
        let ada = String(decoding: store.records[0].content.bytes.dropLast(), as: UTF8.self)
        store.records[0].content = .json(ada + #","fax":1}"#)
        store.records.append(.init("log", "Contact", .json("{}")))
        let migrations =
            readable(.removeProperty("Person", "fax"))
            .migrations + [Migration(to: 1, "log", .deleteType("Contact")).readableByOlderReleases()]
        #expect(try await problems(.init(migrations), of: store, schema: schema) == [])
        let found = try await problems(.init(migrations), of: store)
        #expect(found.count == 2 && found[0].contains("Person.fax"))
        // Which of the migrations to a version it was cannot be told.
        #expect(
            found[1].contains(#"one of the migrations "change" (version 1), "log" (version 1) declares"#),
            "\(found)"
        )
        #expect(found[1].contains("records of type Contact"))
    }

    @Test func `is checked for all versions from which on every migration declares it`() async throws {
        try recordShapes(0, 1, 2)
        let mail = Migration(to: 1, "mail", .renameProperty("Person", "mail", to: "email"))
        let age = Migration(to: 3, "age", .changeValue("Person", "age", to: .string)).readableByOlderReleases()
        let added = Migration(to: 2, "added").writableByOlderReleases()
        let found = try await problems([mail, added, age], schema: schema)
        #expect(
            found.count == 1 && found[0].contains("releases of versions 1, 2 could not read Person.age"),
            "\(found)"
        )
        #expect(try await problems([mail, added], schema: schema) == [])

        let both = try await problems([mail.readableByOlderReleases(), added, age], schema: schema)
        #expect(both.count == 2, "\(both)")
        #expect(both[0].contains("\"mail\" (version 1) declares") && both[0].contains("a release of version 0"))
        #expect(both[1].contains("\"age\" (version 3) declares") && both[1].contains("versions 0, 1, 2"))
    }

    @Test func `is checked for what the newest release has written, too`() async throws {
        try recordShapes(0)
        let migrations: MigrationRegistry = [
            Migration(to: 1, "first").readableByOlderReleases(), Migration(to: 2, "second").readableByOlderReleases(),
        ]
        let store = StoreFixture(
            schemaVersion: 2,
            ledger: migrations.migrations.map {
                .init(name: $0.name, version: $0.version, appliedAt: Date(timeIntervalSince1970: 0))
            },
            records: [.init("new", "Draft", .json("{}"))]
        )
        let found = try await problems(migrations, of: store, schema: schema)
        #expect(found.count == 1, "\(found)")
        #expect(
            found.first?.contains("version 0 could not read Draft, because Draft.text is missing") == true,
            "\(found)"
        )
    }

    @Test func `is checked with the coders of the older release`() async throws {
        let coding = RecordCoding { encoder, decoder in
            encoder.keyEncodingStrategy = .convertToSnakeCase
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            encoder.dateEncodingStrategy = .iso8601
            decoder.dateDecodingStrategy = .iso8601
        }
        struct Note: Codable, RecordType {
            static let recordTypeName = "Draft"
            var writtenAt = Date(timeIntervalSince1970: 0)
        }
        try TestingError.expect(.recorded) {
            try SchemaSnapshot(of: [.samples(Note())], version: 0, coding: coding).verify(
                at: schema,
                recording: .missing
            )
        }
        let store = StoreFixture(
            schemaVersion: 0,
            records: [.init("note", "Draft", try .encoding(Note(), with: coding))]
        )
        let added = readable(.addProperty("Draft", "title", default: ""))
        #expect(try await problems(added.coding(coding), of: store, schema: schema) == [])
        let later = readable(
            .changeValue("Draft", "written_at", from: .iso8601, to: .secondsSinceReferenceDate)
        ).coding(coding, through: 0)
        let found = try await problems(later, of: store, schema: schema)
        #expect(found.first?.contains("Draft.writtenAt: it expects Date, and finds a number") == true, "\(found)")
    }

    @Test func `is checked for all fixtures of a catalog, in one failure for each place`() async throws {
        let catalog = try CatalogDirectory(keeping: [store(), store()])
        let migrations = readable(.renameProperty("Person", "mail", to: "email"))
        try recordShapes(0)
        let failure = try await Releases.requireFailure {
            try await catalog.catalog(recording: .missing)
                .verify(migrations, types: Self.types, versions: [0], schema: schema)
        }
        failure.expect(
            .olderRelease,
            of: ["registry"],
            begins: #"0-everyday.json, "ada", "bob"; 0-everyday-1.json, "ada", "bob": migration "change""#
        )
        let other = try await Releases.requireFailure {
            try await catalog.catalog()
                .verify(migrations, types: Self.types, versions: [0], schema: directory.file("other.json"))
        }
        #expect(other.messages(.olderRelease).first?.hasPrefix("There are no shapes of older releases at ") == true)
    }
}
