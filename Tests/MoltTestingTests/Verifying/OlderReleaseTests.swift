import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

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

    struct Label: Codable, Hashable { var name = "a" }

    struct Tag: Codable {
        var label = "a"
        var inner: [Tag]?
    }

    enum Length: Codable { case meters(Int) }

    /// Is encoded as the address.
    struct Home: Codable {
        var address = Address()

        init() {}

        init(from decoder: any Decoder) throws {
            address = try decoder.singleValueContainer().decode(Address.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(address)
        }
    }

    static let recordTypeName = "Person"

    var name = "Ada"
    var age = 36
    var since = Date(timeIntervalSinceReferenceDate: 0)
    var mail: String? = "ada@example.com"
    var status = Status.open
    @KeepingUnknown var rank: Status? = .open
    @KeepingUnknownElements var badges: [Status] = [.open]
    var contact = Contact.mail("ada@example.com")
    var address = Address(zip: "1")
    var tags = [Tag(inner: [Tag()])]
    var labels: Set<Label> = [Label()]
    var scores = ["chess": 1]
    var ranks = [Status.open: 1]
    var length = Length.meters(1)
    var home = Home()
}

private struct Draft: Codable, RecordType {
    static let recordTypeName = "Draft"
    var text = "…"
    var title = ""

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        text = try container.decode(String.self, forKey: .text)
        title = try container.decodeIfPresent(String.self, forKey: .title) ?? ""
    }
}

/// A type of the newer release, which reads anything.
private struct Anything: Codable {
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) throws {}
}

@Suite struct `A declaration that older releases can read` {
    private let directory = CatalogDirectory()
    /// The file with the types of the older releases.
    private var typesFile: URL { directory.url.appending(path: "types.json") }

    private static func anything(_ name: String) -> FixtureType { .type(Anything.self, named: name) }
    private static let types = ["Person", "Draft", "Contact"].map { FixtureType.type(Anything.self, named: $0) }

    /// The store of the older release.
    private func store(_ coding: RecordCoding = .standard) throws -> StoreFixture {
        StoreFixture(
            version: 0,
            records: [
                .init("ada", "Person", try .encoding(Person(), with: coding)),
                .init("bob", "Person", try .encoding(Person(), with: coding)),
                .init("old", "Draft", try .encoding(Draft(), with: coding), expiration: .distantFuture),
                .init("photo", "Data", .data(Data([1]))),
            ]
        )
    }

    /// The store of a newer release, which has added properties to the last record of its type.
    ///
    /// - Parameter edits: Strings in the JSON text of a person, and what to replace them with.
    private func store(after migrations: MigrationRegistry, _ edits: [String: String]) throws -> StoreFixture {
        var store = try store().migrated(through: migrations).fixture
        store.records[1].content = edited(store.records[1].content, edits)
        return store
    }

    private func edited(_ content: StoreFixture.Content, _ edits: [String: String]) -> StoreFixture.Content {
        var text = String(decoding: content.bytes, as: UTF8.self)
        for (old, new) in edits {
            #expect(text.contains(old))
            text.replace(old, with: new)
        }
        return .json(text)
    }

    /// Records the types of some versions.
    private func recordTypes(_ versions: Int..., coding: RecordCoding = .standard) async throws {
        for version in versions {
            try await directory.recordTypes(
                [
                    .type(Person.self, samples: ["ada": Person()]), .type(Draft.self, samples: ["old": Draft()]),
                    .type(Data.self, samples: ["photo": Data()]),
                ],
                at: version,
                coding: coding
            )
        }
    }

    /// Returns what is wrong with the declarations of the migrations to versions 1, 2 and so on.
    private func problems(
        _ migrations: MigrationRegistry,
        of store: StoreFixture? = nil,
        types: [FixtureType] = Self.types,
        knowing typesFile: URL? = nil
    ) async throws -> [String] {
        let store = try store ?? self.store()
        let failure = await Releases.failure {
            try await store.verifyUpgrades(through: migrations, types: types, knowing: typesFile)
        }
        failure?.expect(kinds: .olderRelease)
        return failure?.failures.map(\.description) ?? []
    }

    private func readable(_ steps: MigrationStep...) -> MigrationRegistry {
        [Migration(to: 1, "change", steps: steps).olderReleases(may: .read)]
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
            .changeValue("Person", "since", from: .deferredToDate, to: .iso8601),
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
        (.transform("Person") { $0["length"] = ["feet": ["_0": 1]] }, nil, "would not find Person.length.meters"),
        (
            .transform("Person") { $0["tags"] = [.null] },
            "could not read Person.tags[]: it expects Tag, and finds null",
            "could not read Person.tags[]: it expects an object, and finds null"
        ),
        (.removeProperty("Draft", "title"), "would not find Draft.title", "would not find Draft.title"),
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
        try await recordTypes(0)
        for (step, withShapes, without) in Self.falseClaims {
            for (typesFile, words) in [(self.typesFile, withShapes), (nil, without)] {
                let found = try await problems(readable(step), knowing: typesFile)
                guard let words else {
                    #expect(found == [], "\(step)")
                    continue
                }
                let keys = words.contains("Draft") ? #""old""# : #""ada", "bob""#
                let start =
                    "the store, \(keys): migration \"change\" (version 1) declares olderReleases(may: .read), but a release "
                    + "of version 0 \(words)"
                #expect(found.count == 1 && found[0].hasPrefix(start), "\(step): \(found)")
                #expect(found.allSatisfy { $0.hasSuffix(", or remove the declaration.") })
            }
            #expect(try await problems([Migration(to: 1, "change", step)], knowing: typesFile) == [], "\(step)")
        }
        let renamed = readable(.renameType("Person", to: "Contact"), .removeProperty("Contact", "name"))
        #expect(try await problems(renamed).count == 1)
        let swapped = readable(
            .run {
                for key in ["old", "photo"] { try $0.delete(key) }
                try $0.create("Draft", forKey: "old", Data([1]))
                try $0.create("Data", forKey: "photo", ["bytes": []])
            }
        )
        let types: [FixtureType] = [
            Self.types[0], .type(Data.self, named: "Draft"), .type(Anything.self, named: "Data"),
        ]
        for typesFile in [self.typesFile, nil] {
            let found = try await problems(swapped, types: types, knowing: typesFile)
            #expect(found.count == 2, "\(found)")
            #expect(found.first?.contains("could not read Data: it expects raw data, and finds JSON") == true)
            #expect(found.last?.contains("could not read Draft: it expects JSON, and finds raw data") == true)
        }
    }

    @Test func `passes if it is true`() async throws {
        try await recordTypes(0)
        let steps: [MigrationStep] = [
            .addProperty("Person", "nickname", default: "Al"),
            .addProperty("Person", ["address", "street"], default: ""),
            .mapValue("Person", "status", ["open": "done"]), .mapValue("Person", "rank", ["open": "gold"]),
            .transform("Person") { $0["badges"] = ["gold", "open"] },
            .transform("Person") { $0["ranks"] = ["done", 2, "open", 1] },
            .run { try $0.create("Contact", forKey: "new", ["phone": "1"]) },
        ]
        for step in steps {
            for typesFile in [self.typesFile, nil] {
                #expect(try await problems(readable(step), knowing: typesFile) == [], "\(step)")
            }
        }
        let settings = StoreFixture(primary: .suite(.standard), version: 0, suites: [.standard: ["a": 1]])
        #expect(try await problems(readable(.renameSetting("a", to: "b", in: .standard)), of: settings) == [])
    }

    @Test func `is not about properties and types that the older release does not know`() async throws {
        try await recordTypes(0)
        var store = try store()
        let faxes = [#""age":"#: #""fax":1,"age":"#, #""home":{"#: #""home":{"fax":1,"#]
        store.records[0].content = edited(store.records[0].content, faxes)
        store.records.append(.init("log", "Contact", .json("{}")))
        let change = readable(.removeProperty("Person", "fax"), .removeProperty("Person", ["home", "fax"]))
        let log = Migration(to: 1, "log", .deleteType("Contact")).olderReleases(may: .read)
        let migrations = MigrationRegistry(change.migrations + [log])
        #expect(try await problems(migrations, of: store, knowing: typesFile) == [])
        let found = try await problems(migrations, of: store)
        #expect(found.count == 3 && found[0].contains("Person.fax") && found[1].contains("Person.home.fax"), "\(found)")
        // Which of the migrations to a version it was cannot be told.
        #expect(
            found[2].contains(#"one of the migrations "change" (version 1), "log" (version 1) declares"#),
            "\(found)"
        )
        #expect(found[2].contains("records of type Contact"))
    }

    @Test func `is not about records that the older release could not read before`() async throws {
        try await recordTypes(0)
        var store = try store()
        let wrong = [#""age":36"#: #""age":"old""#, #""address":{"city":"Paris","zip":"1"}"#: #""address":"old""#]
        store.records[1].content = edited(store.records[1].content, wrong)
        store.records[2].content = .json(#"{"title":"a"}"#)
        let change = readable(
            .mapValue("Person", "age", ["old": "new"]),
            .mapValue("Person", "address", ["old": "new"]),
            .addProperty("Draft", "pages", default: 1)
        )
        #expect(try await problems(change, of: store, knowing: typesFile) == [])
    }

    @Test func `is checked for all versions from which on every migration declares it`() async throws {
        try await recordTypes(0, 1, 2)
        let mail = Migration(to: 1, "mail", .renameProperty("Person", "mail", to: "email"))
        let age = Migration(to: 3, "age", .changeValue("Person", "age", to: .string)).olderReleases(may: .read)
        let added = Migration(to: 2, "added").olderReleases(may: .write)
        let found = try await problems([mail, added, age], knowing: typesFile)
        #expect(
            found.count == 1 && found[0].contains("releases of versions 1, 2 could not read Person.age"),
            "\(found)"
        )
        #expect(try await problems([mail, added], knowing: typesFile) == [])

        let both = try await problems([mail.olderReleases(may: .read), added, age], knowing: typesFile)
        #expect(both.count == 2, "\(both)")
        #expect(both[0].contains("\"mail\" (version 1) declares") && both[0].contains("a release of version 0"))
        #expect(both[1].contains("\"age\" (version 3) declares") && both[1].contains("versions 0, 1, 2"))
    }

    @Test func `is checked for what the newest release has written, too`() async throws {
        let migrations: MigrationRegistry = [
            Migration(to: 1, "first").olderReleases(may: .read), Migration(to: 2, "second").olderReleases(may: .read),
        ]
        var newest = try store().migrated(through: migrations).fixture
        newest.records[2].content = .json("{}")
        let claims = [
            #"one of the migrations "first" (version 1), "second" (version 2) declares olderReleases(may: .read), but a release "#
                + "of version 0",
            // The shape of version 1 tells which one it was.
            #"migration "second" (version 2) declares olderReleases(may: .read), but releases of versions 0, 1"#,
        ]
        for (version, claim) in claims.enumerated() {
            try await recordTypes(version)
            #expect(
                try await problems(migrations, of: newest, knowing: typesFile) == [
                    #"the store, "old": \#(claim) could not read Draft, because Draft.text is missing. Keep the property, or "#
                        + "remove the declaration."
                ]
            )
        }
    }

    @Test func `includes what the older release writes, if it says so`() async throws {
        try await recordTypes(0)
        let migrations: MigrationRegistry = [Migration(to: 1, "more").olderReleases(may: .write)]
        let added = [
            #""age":"#: #""photo":1,"age":"#, #""address":{"#: #""address":{"street":"a","#,
            #""home":{"#: #""home":{"street":"a","#, #""contact":{"mail":{"#: #""contact":{"mail":{"isNew":true,"#,
        ]
        let store = try store(after: migrations, added)
        for store in [store, try self.store()] {
            #expect(try await problems(migrations, of: store, knowing: typesFile) == [])
        }

        struct PersonWithPhoto: Decodable { var photo: Int }
        struct PersonWithStreet: Decodable {
            struct Home: Decodable { var street: String }
            var home: Home
        }
        let required: [(type: FixtureType, property: String)] = [
            (.type(PersonWithPhoto.self, named: "Person"), "photo"),
            (.type(PersonWithStreet.self, named: "Person"), "home.street"),
        ]
        for (type, property) in required {
            let types = Self.types + [type]
            #expect(
                try await problems(migrations, of: store.without("ada"), types: types, knowing: typesFile) == [
                    #"the store, "bob": migration "more" (version 1) declares olderReleases(may: .write), but a release of "#
                        + "version 0 could add a value of type Person that today's type cannot read: \"\(property)\": missing. "
                        + "Make the property optional, or remove the declaration."
                ]
            )
        }

        let inArrays = [
            #""tags":[{"#: #""tags":[{"color":1,"#, #"[{"label":"a"}]"#: #"[{"color":2,"label":"a"}]"#,
            #"{"meters":{"#: #"{"meters":{"unit":1,"#,
        ]
        let older = try self.store(after: migrations, inArrays)
        #expect(try await problems(migrations, of: older, knowing: typesFile) == [])
        // The elements of a set have no places.
        let inSet = try self.store(after: migrations, [#""labels":[{"#: #""labels":[{"color":1,"#])
        let overwritten = try await problems(migrations, of: inSet, knowing: typesFile)
        #expect(
            overwritten == [
                #"the store, "bob": migration "more" (version 1) declares olderReleases(may: .write), but a release of "#
                    + "version 0 would remove Person.labels[].color when it changes a value, because it replaces that "
                    + "part of the value as a whole. Keep the property outside of it, or remove the declaration."
            ]
        )
        // A store that is only read is not written.
        let readable: MigrationRegistry = [Migration(to: 1, "more").olderReleases(may: .read)]
        #expect(try await problems(readable, of: inSet, knowing: typesFile) == [])
    }

    @Test func `is checked for a type whose name begins like one that keeps unknown values`() async throws {
        struct KeepingUnknownPeople: Codable { var name = "a" }
        struct Team: Codable { var people = KeepingUnknownPeople() }
        let types: [FixtureType] = [.type(Team.self, samples: ["a": Team()])]
        try await directory.recordTypes(types, at: 0)
        let store = StoreFixture(version: 0, records: [.init("a", "Team", try .encoding(Team()))])
        let migrations = readable(.renameProperty("Team", ["people", "name"], to: "title"))
        let found = try await problems(migrations, of: store, types: [Self.anything("Team")], knowing: typesFile)
        #expect(found.first?.contains("because Team.people.name is missing") == true, "\(found)")
    }

    @Test func `lets the older release write values of several types under their own names`() async throws {
        struct Alpha: Codable { var id = 1 }
        struct Beta: Codable { var name = "b" }
        struct Gamma: Codable { var parts = [1] }
        let types: [FixtureType] = [
            .type(Alpha.self, samples: ["a": Alpha(), "d": Alpha()]), .type(Beta.self, samples: ["b": Beta()]),
            .type(Gamma.self, samples: ["c": Gamma()]),
        ]
        try await directory.recordTypes(types, at: 0)
        let records = try ["a", "d"].map { StoreFixture.Record($0, "Alpha", try .encoding(Alpha())) }
        let others: [StoreFixture.Record] = [
            .init("b", "Beta", try .encoding(Beta())), .init("c", "Gamma", try .encoding(Gamma())),
        ]
        let store = StoreFixture(version: 0, records: [records[0]] + others + [records[1]])
        let migrations: MigrationRegistry = [Migration(to: 1, "more").olderReleases(may: .write)]
        #expect(try await problems(migrations, of: store, types: types, knowing: typesFile) == [])
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
            struct Address: Codable { var streetName = "a" }

            var writtenAt = Date(timeIntervalSince1970: 0)
            var homeAddress = Address()
            var phone = Phone.homePhone(1)
            enum Phone: Codable { case homePhone(Int) }
        }
        try await directory.recordTypes([.type(Note.self, samples: ["note": Note()])], at: 0, coding: coding)
        let store = StoreFixture(
            version: 0,
            records: [.init("note", "Draft", try .encoding(Note(), with: coding))]
        )
        let added = readable(.addProperty("Draft", "title", default: ""))
        #expect(try await problems(added.coding(coding), of: store, knowing: typesFile) == [])
        let later = readable(
            .changeValue("Draft", "written_at", from: .iso8601, to: .deferredToDate)
        ).coding(coding, through: 0)
        let writable = MigrationRegistry([Migration(to: 1, "more").olderReleases(may: .write)]).coding(coding)
        var newer = try store.migrated(through: writable).fixture
        newer.records[0].content = edited(
            newer.records[0].content,
            [#"{"street_name":"#: #"{"zip_code":1,"street_name":"#]
        )
        #expect(try await problems(writable, of: newer, knowing: typesFile) == [])
        let phone = readable(.renameProperty("Draft", ["phone", "home_phone", "_0"], to: "number")).coding(coding)
        #expect(
            try await problems(phone, of: store, knowing: typesFile).first?.contains("Draft.phone.homePhone._0 is")
                == true
        )
        let found = try await problems(later, of: store, knowing: typesFile)
        #expect(found.first?.contains("Draft.writtenAt: it expects Date, and finds a number") == true, "\(found)")
    }

    @Test func `is checked for all fixtures of a catalog, in one failure for each place`() async throws {
        let catalog = try CatalogDirectory(keeping: [store(), store()])
        // The type is wider than the property's values, so only the file tells what the release expects.
        let migrations = readable(.mapValue("Person", "status", ["open": "reopened"]))
        func failure() async throws -> [VerificationFailure.Failure] {
            try await Releases.requireFailure {
                try await catalog.catalog(recording: .missing).verify(migrations, types: Self.types, versions: [0])
            }.failures.filter { $0.kind == .olderRelease }
        }
        #expect(try await failure().isEmpty)
        try await recordTypes(0)
        try catalog.write(try directory.text("types.json"), to: "types.json")
        for path in ["0-everyday@1.json", "0-everyday-1@1.json"] { try catalog.remove(path) }
        let found = try await failure()
        #expect(found.map(\.subject) == ["registry"])
        let start = #"0-everyday.json, "ada", "bob"; 0-everyday-1.json, "ada", "bob": migration "change""#
        #expect(found.first?.description.hasPrefix(start) == true, "\(found)")
    }
}

extension StoreFixture {
    fileprivate func without(_ key: String) -> StoreFixture {
        var store = self
        store.records.removeAll { $0.key == key }
        return store
    }
}
