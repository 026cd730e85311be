import Foundation
import Molt
import MoltTesting
import TestSupport
import Testing

@Suite struct `Steps proposed for the differences between two versions` {
    private enum V1 {
        struct Alien: Codable, RecordType {
            static var recordTypeName: String { "Alien" }
            var fullName = "Ada Lovelace"
            var mail = "a@b.c"
            var age = "36"
            var street = "S"
            var phone = "1"
            var nicknames = ["A"]
            var status = Status.open
            var title: String? = "Dr."
            var fax: String? = "2"
            var homes = [Home()]
            var labels = [Status.open: 1]
        }
        struct Home: Codable { var zip = 1 }
        enum Status: String, Codable, CaseIterable { case open, done }
        struct Draft: Codable, RecordType {
            static var recordTypeName: String { "Draft" }
            var text = ""
        }
    }

    private enum V2 {
        struct Person: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var firstName = "Ada"
            var lastName = "Lovelace"
            var email = "a@b.c"
            var age = 36
            var address = Address()
            var phone = ["1"]
            var nicknames = "A"
            var status = Status.active
            var title = "Dr."
            var visits = 0
            var homes = [Home()]
            var labels = [Status.active: 1]
        }
        struct Address: Codable { var street = "S" }
        struct Home: Codable { var zipCode = 1 }
        enum Status: String, Codable, CaseIterable { case active, done }
    }

    private func proposal(
        _ old: [FixtureType],
        _ new: [FixtureType],
        settings: (old: [FixtureSetting], new: [FixtureSetting]) = ([], [])
    ) async throws -> String {
        let directory = CatalogDirectory()
        for (version, types, settings) in [(1, old, settings.old), (2, new, settings.new)] {
            try await directory.recordTypes(types, settings, at: version)
        }
        return try directory.catalog().proposedMigration(from: 1, to: 2)
    }

    @Test func `Names and types suggest a step for each, and the steps carry old values to new types`() async throws {
        let source = try await proposal(
            [.type(V1.Alien.self, samples: ["a": .init()]), .type(V1.Draft.self, samples: ["d": .init()])],
            [.type(V2.Person.self, samples: ["a": .init()])]
        )

        #expect(
            source == """
                Migration(
                    to: 2,
                    "alien-becomes-person-and-split-full-name",
                    .renameType("Alien", to: "Person"),
                    // .deleteType("Draft") deletes the records of a type that there is no sample of any more
                    .splitProperty("Person", "fullName", into: ["firstName", "lastName"]),  // in the order of the parts
                    .moveProperty("Person", "street", to: ["address", "street"]),
                    .renameProperty("Person", "mail", to: "email"),
                    .addProperty("Person", "visits", default: 0),
                    // .removeProperty("Person", "fax") deletes values that are not read any more
                    .changeValue("Person", "age", to: .integer),  // fails for a text that is no number
                    .renameProperty("Person", ["homes", .each, "zip"], to: "zipCode"),
                    .mapValue("Person", "labels", in: .keys, ["open": "active"]),
                    // One of these two, depending on what the texts mean:
                    // .unwrapProperty("Person", "nicknames", from: .array),  // ["one"] becomes "one", and more than \
                one element fails
                    // .joinArray("Person", "nicknames", separator: ","),  // ["one","two"] becomes "one,two"
                    .addProperty("Person", "nicknames", default: ""),  // where it is missing or null
                    // One of these two, depending on what the texts mean:
                    // .wrapProperty("Person", "phone", in: .array),  // "one,two" becomes ["one,two"]
                    // .splitIntoArray("Person", "phone", separator: ","),  // "one,two" becomes ["one","two"]
                    .mapValue("Person", "status", ["open": "active"]),
                    .addProperty("Person", "title", default: "")  // where it is missing or null
                )
                """
        )
        let migrations: MigrationRegistry = [
            Migration(
                to: 2,
                "pasted",
                .renameType("Alien", to: "Person"),
                .splitProperty("Person", "fullName", into: ["firstName", "lastName"]),
                .moveProperty("Person", "street", to: ["address", "street"]),
                .renameProperty("Person", "mail", to: "email"),
                .addProperty("Person", "visits", default: 0),
                .changeValue("Person", "age", to: .integer),
                .renameProperty("Person", ["homes", .each, "zip"], to: "zipCode"),
                .mapValue("Person", "labels", in: .keys, ["open": "active"]),
                .unwrapProperty("Person", "nicknames", from: .array),
                .addProperty("Person", "nicknames", default: ""),
                .wrapProperty("Person", "phone", in: .array),
                .mapValue("Person", "status", ["open": "active"]),
                .addProperty("Person", "title", default: "")
            )
        ]
        let json = String(decoding: try JSONEncoder().encode(V1.Alien()), as: UTF8.self)
        let old = StoreFixture(version: 1, records: [.init("ada", "Alien", .json(json))])
        let person = try #require(try old.migrated(through: migrations).value(V2.Person.self, forKey: "ada"))

        let names = "\(person.firstName) \(person.lastName), \(person.nicknames)"
        let values = "\(person.age), \(person.status), \(person.homes.map(\.zipCode)), \(person.labels[.active] ?? 0)"
        #expect("\(names), \(values)" == "Ada Lovelace, A, 36, active, [1], 1")
    }

    @Test func `Joined strings are recognized, and no change needs no step`() async throws {
        struct Old: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var firstName = "Ada", lastName = "L"
        }
        struct New: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var fullName = "Ada L"
        }
        let source = try await proposal(
            [.type(Old.self, samples: ["a": .init()])],
            [.type(New.self, samples: ["a": .init()])]
        )
        #expect(source.contains(#".joinProperties("Person", ["firstName", "lastName"], into: "fullName")"#))
        #expect(
            try await proposal([.type(New.self, samples: ["a": .init()])], [.type(New.self, samples: ["a": .init()])])
                == #"Migration(to: 2, "version-2")"#
        )
    }

    @Test func `The form of a dictionary changes with the type of its keys`() async throws {
        enum Status: String, Codable, CaseIterable { case open, done }
        struct Old: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var counts = [Status.open: 1]
            var labels = ["a": 1]
        }
        struct New: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var counts = ["open": 1]
            var labels = [Status.open: 1]
        }
        let source = try await proposal(
            [.type(Old.self, samples: ["a": .init()])],
            [.type(New.self, samples: ["a": .init()])]
        )
        #expect(source.contains(#".changeDictionary("Person", "counts", to: .object)"#))
        #expect(source.contains(#".changeDictionary("Person", "labels", to: .alternatingArray)"#))
    }

    @Test func `A setting is renamed and removed by its key, and its properties are changed in its suite`() async throws
    {
        struct Profile: Codable { var mail = "m", name = "Ada", age = 36 }
        struct Account: Codable { var email = "m", name = "Ada", age = 36 }
        let group = Molt.Suite("group.molt")
        let source = try await proposal(
            [],
            [],
            settings: (
                [
                    .setting("profile", Profile.self, in: group, samples: [.init()]),
                    .setting("draft", Profile.self, in: .standard, samples: [.init()]),
                ], [.setting("account", Account.self, in: group, samples: [.init()])]
            )
        )
        #expect(
            source == """
                Migration(
                    to: 2,
                    "profile-becomes-account-and-mail-becomes-email",
                    .renameSetting("profile", to: "account", in: Suite("group.molt")),
                    // .removeSettings("draft", in: .standard) removes a setting that there is no sample of any more
                    .renameProperty(.setting("account", in: Suite("group.molt")), "mail", to: "email")
                )
                """
        )
    }

    @Test func `Optional values that become required get a default after their form has changed`() async throws {
        enum Level: Int, Codable, CaseIterable {
            case low = 1
            case high
        }
        enum NewLevel: Int, Codable, CaseIterable {
            case low = 1
            case highest = 5
        }
        enum Color: String, Codable, CaseIterable { case red, green, blue }
        enum NewColor: String, Codable, CaseIterable { case white, black }
        struct Old: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var phone: String? = "1"
            var nicks: [String]? = ["a"]
            var mail: String? = "m"
            var level = Level.low
            var color = Color.red
            var counts = ["1"]
        }
        struct New: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var phone = ["1"]
            var nicks = "a"
            var email = "m"
            var level = NewLevel.low
            var color = NewColor.white
            var counts = [1]
        }
        let source = try await proposal(
            [.type(Old.self, samples: ["a": .init()])],
            [.type(New.self, samples: ["a": .init()])]
        )

        #expect(
            source == """
                Migration(
                    to: 2,
                    "mail-becomes-email-and-email-required",
                    .renameProperty("Person", "mail", to: "email"),
                    .addProperty("Person", "email", default: ""),  // where it is missing or null
                    .mapValue("Person", "color", ["blue": …, "green": …, "red": …]),
                    .changeValue("Person", ["counts", .each], to: .integer),  // fails for a text that is no number
                    .mapValue("Person", "level", [2: 5]),
                    // One of these two, depending on what the texts mean:
                    // .unwrapProperty("Person", "nicks", from: .array),  // ["one"] becomes "one", and more than \
                one element fails
                    // .joinArray("Person", "nicks", separator: ","),  // ["one","two"] becomes "one,two"
                    .addProperty("Person", "nicks", default: ""),  // where it is missing or null
                    // One of these two, depending on what the texts mean:
                    // .wrapProperty("Person", "phone", in: .array),  // "one,two" becomes ["one,two"]
                    // .splitIntoArray("Person", "phone", separator: ","),  // "one,two" becomes ["one","two"]
                    .addProperty("Person", "phone", default: [])  // where it is missing or null
                )
                """
        )
        let pasted: MigrationRegistry = [
            Migration(
                to: 2,
                "pasted",
                .renameProperty("Person", "mail", to: "email"),
                .addProperty("Person", "email", default: ""),
                .unwrapProperty("Person", "nicks", from: .array),
                .addProperty("Person", "nicks", default: ""),
                .wrapProperty("Person", "phone", in: .array),
                .addProperty("Person", "phone", default: [])
            )
        ]
        for json in ["{}", #"{"phone":null,"nicks":null,"mail":null}"#, #"{"nicks":[]}"#] {
            let old = StoreFixture(version: 1, records: [.init("a", "Person", .json(json))])
            struct Read: Codable { var phone: [String], nicks: String, email: String }
            let read = try #require(try old.migrated(through: pasted).value(Read.self, forKey: "a"))
            #expect(read.nicks.isEmpty && read.email.isEmpty && read.phone.isEmpty)
        }
    }

    @Test func `What is in a text is left to the developer, and an object that must be there is added first`()
        async throws
    {
        struct Old: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var street: String? = "S", days = "mon,wed", rooms = [1], room = 1
        }
        struct Address: Codable { var street: String? = "S" }
        struct New: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var address = Address(), days = ["mon", "wed"], rooms = [[1]], room = [1]
        }
        let source = try await proposal(
            [.type(Old.self, samples: ["a": .init()])],
            [.type(New.self, samples: ["a": .init()])],
            settings: (
                [.setting("days", String.self, in: .standard, samples: ["mon"])],
                [.setting("days", [String].self, in: .standard, form: .jsonText, samples: [["mon"]])]
            )
        )
        for line in [
            #".addProperty("Person", "address", default: [:]),  // where it is missing"#,
            #"// .wrapProperty("Person", "days", in: .array),  // "one,two" becomes ["one,two"]"#,
            #"// .splitIntoArray("Person", "days", separator: ","),  // "one,two" becomes ["one","two"]"#,
            #".wrapProperty("Person", "room", in: .array)"#,
            "// .defaultsV4ToV5(…), another migration, if Defaults 4 has written the text",
        ] { #expect(source.contains(line), "\(source)") }
        #expect(!source.contains(#".wrapProperty("Person", "rooms", in: .array)"#))
        let pasted: MigrationRegistry = [
            Migration(
                to: 2,
                "pasted",
                .addProperty("Person", "address", default: [:]),
                .moveProperty("Person", "street", to: ["address", "street"])
            )
        ]
        for json in ["{}", #"{"street":null}"#, #"{"street":"S"}"#] {
            let old = StoreFixture(version: 1, records: [.init("a", "Person", .json(json))])
            struct Read: Codable { var address: Address }
            _ = try #require(try old.migrated(through: pasted).value(Read.self, forKey: "a"))
        }
    }

    // MARK: Stores of the old version

    private struct Sampled {
        var old: [String: TypeShape]
        var new: [String: TypeShape]
        var store: StoreFixture
        var later: StoreFixture?

        var source: String {
            StepProposal(
                from: old,
                to: new,
                stores: ["1-device.json": store],
                laterStores: later.map { ["2-device.json": $0] } ?? [:]
            )
            .migration(to: 2) ?? ""
        }
    }

    private static func person(_ json: String...) -> StoreFixture {
        StoreFixture(
            version: 1,
            records: json.enumerated().map { .init("p\($0.offset)", "Person", .json($0.element)) }
        )
    }

    private static let days = "setting days in standard"

    @Test func `A step that fails for a stored value is a comment that says so`() throws {
        struct Old: Codable { var age = "36" }
        struct New: Codable { var age = 36 }
        let sampled = Sampled(
            old: ["Person": .of(Old())],
            new: ["Person": .of(New())],
            store: Self.person(#"{"age":"36"}"#, #"{"age":"unknown"}"#)
        )
        #expect(
            sampled.source == """
                Migration(
                    to: 2,
                    "version-2"
                    // .changeValue("Person", "age", to: .integer) fails for p1 (1-device.json): typeMismatch
                )
                """
        )
    }

    @Test func `Stores of a catalog are tried, and their separator is the proposed one`() async throws {
        struct Old: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var days = "mon"
        }
        struct New: Codable, RecordType {
            static var recordTypeName: String { "Person" }
            var days = ["mon"]
        }
        let directory = CatalogDirectory()
        try await directory.recordTypes([.type(Old.self, samples: ["a": .init()])], at: 1)
        try await directory.recordTypes([.type(New.self, samples: ["a": .init()])], at: 2)
        try directory.catalog(recording: .missing).keep(Self.person(#"{"days":"secret;hidden"}"#), named: "device")

        let source = try directory.catalog().proposedMigration(from: 1, to: 2)
        #expect(source.contains(#"separator: ";")  // "one;two" becomes ["one","two"]"#), "\(source)")
        #expect(source.contains(#"in: .array),  // "one;two" becomes ["one;two"]"#), "\(source)")
        #expect(!source.contains("secret"))
    }

    @Test func `JSON text that becomes a value is parsed if all samples are JSON`() throws {
        struct Address: Codable { var street = "S" }
        struct Old: Codable { var home: String? = "", tags = "", work = "" }
        struct New: Codable { var home: Address? = Address(), tags = ["a"], work = Address() }
        let sampled = Sampled(
            old: ["Person": .of(Old())],
            new: ["Person": .of(New())],
            store: Self.person(
                #"{"home":"{\"street\":\"S\"}","tags":"[\"a\"]","work":"text"}"#,
                #"{"tags":" [] ","work":"{}"}"#
            )
        )
        #expect(
            sampled.source == """
                Migration(
                    to: 2,
                    "parse-home-and-parse-tags",
                    .parseJSONText("Person", "home"),  // fails for a text that is not JSON of an object or array
                    .parseJSONText("Person", "tags")  // fails for a text that is not JSON of an object or array
                    // .transform(…) for "Person", "work": it changed from String to Address
                )
                """
        )
    }

    @Test func `A property is added in an optional object, and in an enum's case, only where that is`() throws {
        enum OldState: Codable {
            case idle
            case busy(since: Int)
        }
        enum NewState: Codable {
            case idle
            case busy(since: Int, by: String)
        }
        struct OldAddress: Codable { var street = "S" }
        struct NewAddress: Codable { var street = "S", country = "DE" }
        struct Old: Codable {
            var address: OldAddress? = OldAddress()
            var state: OldState
        }
        struct New: Codable {
            var address: NewAddress? = NewAddress()
            var state: NewState
        }
        let old = try #require(TypeShape.of(all: [Old(state: .idle), Old(state: .busy(since: 1))]))
        let new = try #require(TypeShape.of(all: [New(state: .idle), New(state: .busy(since: 1, by: "a"))]))
        let proposal = StepProposal(from: ["Person": old], to: ["Person": new])
        #expect(
            proposal.migration(to: 2) == """
                Migration(
                    to: 2,
                    "country-added-and-by-added",
                    .addProperty("Person", ["address", "country"], default: ""),
                    .addProperty("Person", ["state", "busy", "by"], default: "")
                )
                """
        )
        for json in [#"{"state":{"idle":{}}}"#, #"{"address":{"street":"S"},"state":{"busy":{"since":1}}}"#] {
            let store = StoreFixture(version: 0, records: [.init("a", "Person", .json(json))])
            let migrated = try store.migrated(through: [Migration(to: 1, "proposed", steps: proposal.steps)])
            _ = try #require(try migrated.value(New.self, forKey: "a"))
        }
    }

    @Test func `A setting in the form of a library is not changed by a step`() throws {
        let shapes = (old: [Self.days: TypeShape.of("a")], new: [Self.days: TypeShape.of(["a"])])
        func source(_ value: PropertyListValue) -> String {
            let store = StoreFixture(version: 1, suites: [.standard: ["days": value]])
            return Sampled(old: shapes.old, new: shapes.new, store: store).source
        }
        #expect(
            source(#"["mon","wed"]"#) == """
                Migration(
                    to: 2,
                    "version-2"
                    // .defaultsV4ToV5(to: …, suite: .standard, keys: [.key("days", .array(of: .string))]), a \
                migration of its own: it is JSON in a string, as Defaults 4 writes it
                )
                """
        )
        let list = NSArray(array: ["mon"])
        let archive = try NSKeyedArchiver.archivedData(withRootObject: list, requiringSecureCoding: true)
        let lines = source(.data(archive)).split(separator: "\n").filter { $0.contains(".setting(") }
        #expect(lines.allSatisfy { $0.hasPrefix("    // ") }, "\(lines)")
    }

    @Test func `A setting whose form alone has changed gets that step`() throws {
        let shape = [Self.days: TypeShape.of(["a"])]
        let sampled = Sampled(
            old: shape,
            new: shape,
            store: StoreFixture(version: 1, suites: [.standard: ["days": #"["mon"]"#]]),
            later: StoreFixture(version: 2, suites: [.standard: ["days": ["mon"]]])
        )
        #expect(
            sampled.source == """
                Migration(
                    to: 2,
                    "days-form",
                    .changeForm(.setting("days", in: .standard), to: .native)
                )
                """
        )
    }
}
