import Foundation
import Molt
import TestSupport
import Testing

@Suite("Migration of settings from Defaults 4 to 5") struct DefaultsV4ToV5Tests {
    private let cache: ScratchCache

    init() throws {
        cache = try ScratchCache()
    }

    private static let keys = DefaultsV4FixtureTests.forms.map { SettingKeys.key($0.key, $0.value) }
        .sorted { $0.name < $1.name }

    /// The suite as Defaults 4 wrote it to its file.
    private func fixtureSuite() throws -> ScratchSuite {
        try ScratchSuite(DefaultsV4FixtureTests.fixture("defaults-v4"))
    }

    private func migration(
        _ suite: Suite,
        _ keys: [SettingKeys] = keys,
        strict: Bool = false
    ) -> MigrationRegistry {
        [.defaultsV4ToV5(to: 1, suite: suite, keys: keys, strict: strict)]
    }

    @Test func `The whole suite that Defaults 4 wrote is converted on disk, and the report covers each key`() throws {
        let scratch = try fixtureSuite()
        var values = try scratch.values
        var outcomes: [String: MigrationReport.KeyOutcome.Outcome] = [:]
        for (key, form) in DefaultsV4FixtureTests.forms {
            switch DefaultsV4Conversion().convert(try #require(values[key]), as: form) {
            case .converted(let value): (values[key], outcomes[key]) = (value.asStored(), .converted)
            case .alreadyCurrent: outcomes[key] = .alreadyCurrent
            case .notConvertible: outcomes[key] = .notConvertible
            }
        }

        let report = try cache.upgrade(migration(scratch.suite))

        #expect(try scratch.values == values)
        #expect(report.keyOutcomes == outcomes)
        let name = scratch.suite.attachedName
        for words in [
            "defaults-v4-to-v5: 33 converted, 14 already current, 5 not convertible\n",
            "not convertible: \"malformedArray\" of \(name): not JSON text: ",
            "not convertible: \"nullElementArray\" of \(name) at [1]: null, where an integer was expected",
        ] {
            #expect(report.description.contains(words))
        }
    }

    /// Rows X1 and X16 to X18 of the acceptance list: the suite's own domain is empty.
    @Test func `A missing key is reported as absent, and its registered default is not persisted`() throws {
        let scratch = try ScratchSuite(["other": 1])
        let defaults = try scratch.defaults
        let registered: [(value: PropertyListValue?, form: DefaultsForm)] = [
            (nil, .array(of: .string)), (7, .int), (#"{"id":"0","name":"n"}"#, .codable), (#""1 Hour""#, .codable),
            ("[1]", .array(of: .int)), (["a"], .array(of: .string)),
        ]
        let keys: [SettingKeys] = registered.map { value, form in
            let name = "molt.test.registered.\(UUID().uuidString)"
            if let value { defaults.register(defaults: [name: value.object]) }
            #expect((defaults.object(forKey: name) != nil) == (value != nil))
            return SettingKeys.key(name, form)
        }

        let report = try cache.upgrade(migration(scratch.suite, keys))

        let found = report.keys.map { "\($0.key): \($0.outcome)" }
        #expect(found == keys.map { "\($0.name): absent" })
        #expect(try scratch.values == ["other": 1])
    }

    @Test(.enabled(if: TestHome.isAvailable))
    func `With the policy to fail, one bad setting rolls everything back and all are named`() throws {
        let scratch = try fixtureSuite()
        let bytes = try Data(contentsOf: scratch.file)
        let error = try #require(throws: MoltError.self) {
            try cache.upgrade(migration(scratch.suite, Self.keys, strict: true))
        }
        error.expect(.notConvertible, migration: "defaults-v4-to-v5", suite: scratch.suite.attachedName)
        for key in DefaultsV4FixtureTests.notConvertible.keys { error.expect(says: "\"\(key)\"") }
        for value in ["torn", "2 Weeks"] { #expect(!error.debugDescription.contains(value)) }
        #expect(try Data(contentsOf: scratch.file) == bytes)
        #expect(try CacheFile(at: cache.url).version() == nil)
    }

    @Test func `A plan describes the conversion, and misnamed keys are faults`() throws {
        let scratch = try ScratchSuite()
        let plan = try CacheFile(at: cache.url).plan(migration(scratch.suite))
        #expect(plan.entries[0].steps == ["convert settings from Defaults 4 to 5 in \(scratch.suite)"])

        let twice = [SettingKeys.key("a", .int), .key("a", .string), .key("", .int)]
        let cases: [(migrations: MigrationRegistry, fault: String)] = [
            (migration(scratch.suite, []), "No key is named."),
            (migration(scratch.suite, twice), "The key \"a\" is named 2 times."),
            (migration(scratch.suite, twice), "empty name"),
            (
                [.defaultsV4ToV5(to: 1, suite: scratch.suite, keys: [.key("a", .int)], except: ["a"])],
                "The key \"a\" is both converted and left alone."
            ),
        ]
        for (migrations, fault) in cases {
            MoltError.thrown {
                try cache.upgrade(migrations)
            }?.expect(.invalidRegistry, says: fault)
        }
    }
}
