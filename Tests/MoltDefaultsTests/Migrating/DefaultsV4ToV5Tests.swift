import Foundation
import TestSupport
import Testing

@testable import Molt

@Suite("Migration of settings from Defaults 4 to 5") struct DefaultsV4ToV5Tests {
    private let cache: ScratchCache

    init() throws {
        cache = try ScratchCache()
    }

    private static let keys = DefaultsV4FixtureTests.forms.map { DefaultsKeys.key($0.key, $0.value) }
        .sorted { $0.name < $1.name }

    /// The suite as Defaults 4 wrote it to its file.
    private func fixtureSuite() throws -> ScratchSuite {
        try ScratchSuite(DefaultsV4FixtureTests.fixture("defaults-v4"))
    }

    private func migration(
        _ suite: Suite,
        _ keys: [DefaultsKeys] = keys,
        _ unconvertible: UnconvertibleSettings = .leave
    ) -> MigrationRegistry {
        [.defaultsV4ToV5(to: 1, suite: suite, keys: keys, unconvertible: unconvertible)]
    }

    @Test func `The whole suite that Defaults 4 wrote is converted on disk, and the report covers each key`() throws {
        let scratch = try fixtureSuite()
        let old = try scratch.values
        let report = try cache.upgrade(migration(scratch.suite))

        let new = try scratch.values
        let outcomes = report.outcomes
        #expect(report.keys.count == DefaultsV4FixtureTests.forms.count)
        #expect(Set(report.keys.map(\.store)) == [scratch.suite.attachedName])
        let conversion = DefaultsV4Conversion()
        for (key, form) in DefaultsV4FixtureTests.forms {
            let before = try #require(old[key])
            let (value, outcome): (PropertyListValue, MigrationReport.KeyOutcome.Outcome) =
                switch conversion.convert(before, as: form) {
                case .converted(let value): (value.asStored(), .converted)
                case .alreadyCurrent: (before, .alreadyCurrent)
                case .notConvertible: (before, .notConvertible)
                }
            #expect(new[key] == value && outcomes[key] == outcome, "\(key)")
        }
        let left = report.keys.filter { $0.outcome == .notConvertible }
        #expect(Set(left.map(\.key)) == Set(DefaultsV4FixtureTests.notConvertible.keys))
        #expect(left.allSatisfy { $0.reason?.isEmpty == false })
        #expect(left.first { $0.key == "nullElementArray" }?.place == "[1]")
        #expect(report.description.contains("5 not convertible"))
        #expect(report.description.contains("not convertible: \"malformedArray\" of \(scratch.suite.attachedName): "))
    }

    @Test func `Running the migration again under another name changes nothing`() throws {
        let scratch = try fixtureSuite()
        try cache.upgrade(migration(scratch.suite))
        let values = try scratch.values
        let again = try cache.upgrade([
            .defaultsV4ToV5(to: 1, suite: scratch.suite, keys: Self.keys),
            .defaultsV4ToV5(to: 2, "again", suite: scratch.suite, keys: Self.keys),
        ])
        #expect(again.entries.map(\.migration.name) == ["again"])
        #expect(!again.keys.contains { $0.outcome == .converted })
        #expect(try scratch.values == values)
        #expect(try scratch.history == ["defaults-v4-to-v5", "again"])
    }

    /// Rows X1 and X16 to X18 of the acceptance list: the suite's own domain is empty.
    @Test(arguments: [
        ("X1 absent", PropertyListValue?.none, DefaultsForm.array(of: .string)),
        ("X16 a number", 7, .int),
        ("X17 a Codable struct", #"{"id":"0","name":"n"}"#, .codable),
        ("X17 a Codable enum", #""1 Hour""#, .codable),
        ("X18 an array", "[1]", .array(of: .int)),
        ("X18 a native array", .array(["a"]), .array(of: .string)),
    ])
    func `A missing key is reported as absent, and its registered default is not persisted`(
        row: String,
        registered: PropertyListValue?,
        form: DefaultsForm
    ) throws {
        let scratch = try ScratchSuite(["other": 1])
        let name = "molt.test.registered.\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: scratch.suite.domainName))
        if let registered { defaults.register(defaults: [name: registered.object]) }
        #expect((defaults.object(forKey: name) != nil) == (registered != nil))

        let report = try cache.upgrade(migration(scratch.suite, [.key(name, form)]))

        #expect(report.keys.map(\.outcome) == [.absent])
        #expect(try scratch.values == ["other": 1])
    }

    @Test(.enabled(if: TestHome.isAvailable))
    func `With the policy to fail, one bad setting rolls everything back and all are named`() throws {
        let scratch = try fixtureSuite()
        let bytes = try Data(contentsOf: scratch.file)
        let error = #expect(throws: MoltError.self) {
            try cache.upgrade(migration(scratch.suite, Self.keys, .fail))
        }
        error?.expect(.notConvertible, migration: "defaults-v4-to-v5", attachedStore: scratch.suite.attachedName)
        for key in DefaultsV4FixtureTests.notConvertible.keys {
            #expect(error?.message.contains("\"\(key)\"") == true)
        }
        #expect(error?.debugDescription.contains("torn") == false)
        #expect(error?.debugDescription.contains("2 Weeks") == false)
        #expect(try Data(contentsOf: scratch.file) == bytes)
        #expect(try CodableCache.schemaVersion(ofFileAt: cache.url) == nil)
    }

    @Test func `A plan describes the conversion, and misnamed keys are faults`() throws {
        let scratch = try ScratchSuite()
        let plan = try MigrationPlan(forFileAt: cache.url, migrations: migration(scratch.suite))
        #expect(plan.entries[0].steps == ["convert settings from Defaults 4 to 5 in \(scratch.suite)"])

        let twice = [DefaultsKeys.key("a", .int), .key("a", .string), .key("", .int)]
        for (keys, fault) in [
            ([], "No key is named."), (twice, "The key \"a\" is named 2 times."), (twice, "empty name"),
        ] {
            let error = #expect(throws: MoltError.self) { try cache.upgrade(migration(scratch.suite, keys)) }
            error?.expect(.invalidRegistry, says: fault)
        }
    }
}
