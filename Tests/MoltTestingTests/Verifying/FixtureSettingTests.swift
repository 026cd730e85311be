import Foundation
import Molt
import MoltTesting
import Testing

/// Fixtures without records, whose settings hold what the app encodes.
@Suite("Settings as the app reads them") struct FixtureSettingTests {
    fileprivate enum Theme: String, Codable, SettingValue { case light, dark }
    private struct OldProfile: Codable { var mail: String }
    private struct Profile: Codable { var email: String }
    private struct Draft: Codable { var text: String }

    private static let group = Molt.Suite("group.molt.drafts")
    private static let profile = MigrationStep.Settings.setting("profile", in: .standard)
    private static let drafts = MigrationStep.Settings.settings(withPrefix: "draft.", in: .standard)

    private let migrations: MigrationRegistry = [
        Migration(to: 1, "mail-becomes-email", .renameProperty(profile, "mail", to: "email"))
    ]

    private func fixture(
        _ standard: [String: PropertyListValue],
        and suites: [Molt.Suite: [String: PropertyListValue]] = [:]
    ) -> StoreFixture {
        var suites = suites
        suites[.standard] = standard
        return StoreFixture(primary: .suite(.standard), version: 0, suites: suites)
    }

    private static var forms: [PropertyListValue] {
        get throws {
            let old = OldProfile(mail: "a@b.c")
            let json = try JSONEncoder().encode(old)
            let list = try PropertyListEncoder().encode(old)
            return [.string(String(decoding: json, as: UTF8.self)), .data(json), .data(list), ["mail": "a@b.c"]]
        }
    }

    @Test func `can be stored in any form, and need not be there`() async throws {
        for value in try Self.forms {
            let since: PropertyListValue = #""2026-11-26T12:00:00Z""#
            try await fixture(["profile": value, "title": "[1", "unnamed": "{", "since": since]).verifyUpgrades(
                through: migrations,
                types: [],
                settings: [
                    .key(.theme, in: .standard),
                    .setting("profile", Profile.self, in: .standard),
                    .setting("title", String.self, in: .standard),
                    .unread("unnamed", in: .standard),
                    .setting(
                        "since",
                        Date.self,
                        in: .standard,
                        coding: RecordCoding { $1.dateDecodingStrategy = .iso8601 }
                    ),
                ]
            )
        }
    }

    @Test func `fail with the key, the suite and the problem if they cannot be read`() async throws {
        let store = fixture(
            ["theme": "green", "profile": #"{"mail":5}"#, "volume": "loud", "title": "[1"],
            and: [Self.group: ["draft.1": "{}", "draft.2": #"{"text":"a"}"#, "draft.current": "draft.2"]]
        )
        let failure = try await Releases.requireFailure {
            try await store.verifyUpgrades(
                through: migrations,
                types: [],
                settings: [
                    .key(.theme, in: .standard),
                    .setting("profile", Profile.self, in: .standard),
                    .setting("volume", Int.self, in: .standard),
                    .setting("title", [Int].self, in: .standard),
                    .settings(withPrefix: "draft.", Draft.self, in: Self.group),
                    .setting("draft.current", String.self, in: Self.group),
                ]
            )
        }
        failure.expect(kinds: .decoding)
        let found = failure.messages(.decoding)
        let title = "\"title\" of standard cannot be read as Array<Int>: it is a string with damaged JSON text"
        #expect(found.contains { $0.hasPrefix(title) })
        #expect(
            found.filter { !$0.hasPrefix(title) } == [
                #""profile" of standard cannot be read as Profile: "email": String expected, number found."#,
                #""theme" of standard cannot be read as Theme: The stored value is not JSON text of Theme."#,
                #""volume" of standard cannot be read as Int: The content: Int expected, string found."#,
                #""draft.1" of suite group.molt.drafts cannot be read as Draft: "text": missing."#,
            ]
        )
    }

    private struct Visit: Codable, Equatable {
        var startsAt: Date?
        var size: Double?
    }

    private static let dates = RecordCoding { encoder, decoder in
        encoder.dateEncodingStrategy = .iso8601
        decoder.dateDecodingStrategy = .iso8601
    }
    private static let numbers = RecordCoding { encoder, decoder in
        encoder.dateEncodingStrategy = .secondsSince1970
        decoder.dateDecodingStrategy = .secondsSince1970
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
    }

    @Test(
        arguments: [
            (#"{"startsAt":"2026-11-26T12:00:00Z"}"#, nil, .standard, "$1.dateDecodingStrategy = .iso8601 }`."),
            (#"{"startsAt":700000000}"#, dates, .standard, "Foundation's own coders can read it."),
            (#"{"startsAt":"2026-11-26T12:00:00Z"}"#, nil, dates, "The registry's coders can read it."),
            (#"{"size":"inf"}"#, nil, numbers, "pass them as `coding:`."),
            (#"{"startsAt":700000000}"#, nil, numbers, "read different values. Pass those"),
            (#"{"startsAt":700000000}"#, nil, .standard, nil), (#"{"startsAt":700000000}"#, .standard, numbers, nil),
            (#"{"startsAt":700000000}"#, numbers, .standard, nil), (#"{"size":1}"#, nil, numbers, nil),
        ] as [(PropertyListValue, RecordCoding?, RecordCoding, String?)]
    )
    func `that other coders read get the code to write, and those that two coders read differently ask for one`(
        stored: PropertyListValue,
        coding: RecordCoding?,
        registered: RecordCoding,
        advice: String?
    ) async throws {
        for isPrefix in [false, true] {
            let setting: FixtureSetting =
                isPrefix
                ? .settings(withPrefix: "vis", Visit.self, in: .standard, coding: coding)
                : .setting("visit", Visit.self, in: .standard, coding: coding)
            let failure = await Releases.failure {
                try await fixture(["visit": stored]).verifyUpgrades(
                    through: MigrationRegistry([]).coding(registered),
                    types: [],
                    settings: [setting]
                )
            }
            guard let advice else {
                #expect(failure == nil)
                continue
            }
            let found = try #require(failure)
            found.expect(kinds: .decoding)
            found.expect(.decoding, says: "\"visit\" of standard cannot be read as Visit: ", advice)
        }
    }

    @Test func `that need two strategies of coders get both`() async throws {
        let failure = try await Releases.requireFailure {
            struct Visit: Codable { var startsAt: Date }
            try await fixture(["visit": #"{"starts_at":"2026-11-26T12:00:00Z"}"#]).verifyUpgrades(
                through: [],
                types: [],
                settings: [.setting("visit", Visit.self, in: .standard)]
            )
        }
        failure.expect(.decoding, says: "with dates in ISO 8601 and names in snake case. If the app stores it so, pass")
    }

    @Test func `have the names in steps and in the test, or the nearest ones are failures`() async throws {
        let directory = try CatalogDirectory(keeping: [
            fixture(["profile": #"{"mail":"a@b.c","name":"Ada"}"#, "draft": 1]),
            fixture(["draft.1": #"{"text":"a"}"#]),
        ])
        let change = Migration(
            to: 1,
            "change",
            .renameProperty(Self.profile, "mial", to: "email"),
            .renameProperty(Self.drafts, "txet", to: "body"),
            .renameProperty(Self.profile, "name", to: "fullName"),
            .renameProperty(.settings(withPrefix: "darft.", in: .standard), "text", to: "body")
        )
        let failure = try await Releases.requireFailure {
            try await directory.catalog().verify(
                [change],
                types: [],
                settings: [
                    .setting("profil", Profile.self, in: .standard),
                    .setting("rare", Profile.self, in: .standard),
                    .settings(withPrefix: "darft.", Draft.self, in: .standard),
                ],
                versions: [0]
            )
        }
        let add = "Correct the name, or add a fixture with a setting that has it."
        let expected: [String] = [
            #"migration "change" (version 1): "darft.*" of standard is in no fixture; the nearest prefix is "draft". "#
                + "Correct the key, or add a fixture that has it.",
            #"migration "change" (version 1), step 1 (rename profile.mial to email in standard): "mial" is in no "#
                + #"fixture's setting "profile" of standard; did you mean "mail"? \#(add)"#,
            #"migration "change" (version 1), step 2 (rename draft.*.txet to body in standard): "txet" is in no "#
                + #"fixture's setting "draft.*" of standard; did you mean "text"? \#(add)"#,
            #""profil" of standard in `settings` is in no fixture after its upgrade; did you mean "profile"? "#
                + "Correct the name, or add a fixture that has it.",
            #""darft.*" of standard in `settings` is in no fixture after its upgrade; did you mean "draft."? "#
                + "Correct the name, or add a fixture that has it.",
        ]
        #expect(failure.messages(.unmatchedName) == expected)
    }

    @Test func `are looked for where they can be read, and in the suites of steps and of the test`() async throws {
        let directory = try CatalogDirectory(keeping: [
            fixture(["profile": #"{"mail":"a@b.c"}"#, "draft.1": "{}", "volume": "loud"]),
            fixture(["profile": #"{"mail":"#]),
        ])
        let change = Migration(
            to: 1,
            "change",
            .renameProperty(Self.profile, "mial", to: "email"),
            .renameProperty(.settings(withPrefix: "draft.", in: Self.group), "text", to: "body")
        )
        let settings: [FixtureSetting] = [
            .setting("profile", Profile.self, in: Self.group), .setting("volume", Int.self, in: .standard),
        ]
        let failure = try await Releases.requireFailure {
            try await directory.catalog().verify([change], types: [], settings: settings, versions: [0])
        }
        failure.expect(.decoding, says: "\"volume\" of standard cannot be read as Int")
        let otherSuite = "standard has it. Correct the suite, or add a fixture that has it."
        #expect(
            failure.messages(.unmatchedName) == [
                #"migration "change" (version 1): "draft.*" of suite group.molt.drafts is in no fixture; \#(otherSuite)"#,
                #"migration "change" (version 1), step 1 (rename profile.mial to email in standard): "mial" is in no "#
                    + #"fixture's setting "profile" of standard; did you mean "mail"? "#
                    + "Correct the name, or add a fixture with a setting that has it.",
                #""profile" of suite group.molt.drafts in `settings` is in no fixture after its upgrade; \#(otherSuite)"#,
            ]
        )
    }

    @Test func `of a suite alone pass beside migrations that only work on records`() async throws {
        let migrations = MigrationRegistry(
            self.migrations.migrations + [
                Migration(to: 2, "records", .renameProperty("Person", "mail", to: "email")),
                // It waits for the cache of the app.
                Migration(to: 3, "drafts", .moveToRecords(.setting("draft", in: .standard), ofType: "Draft")),
            ]
        )
        let directory = try CatalogDirectory(keeping: [fixture(["profile": #"{"mail":"a@b.c"}"#, "draft": "{}"])])
        let recording = try await Releases.requireFailure {
            try await directory.catalog(recording: .missing).verify(migrations, types: [], versions: [0])
        }
        recording.expect(kinds: .recorded)
        let report = try await directory.catalog().verify(migrations, types: [], versions: [0])
        #expect(report.rows.map(\.targets) == [[1, 2, 3]])
        #expect(try directory.text("0-everyday@2.json").contains("\"schemaVersion\": 1"))
    }
}

extension SettingKeys {
    fileprivate static let theme = SettingKey<FixtureSettingTests.Theme>("theme", default: .dark)
}
