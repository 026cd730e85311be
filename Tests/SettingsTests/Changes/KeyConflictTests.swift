import Molt
import TestSupport
import Testing

@Suite struct `A setting whose new key has a value` {
    private typealias Policy = ConflictPolicy<PropertyListValue>

    private static let values: [String: PropertyListValue] = ["size": 12, "fontSize": 14, "other": true]

    private static let merge = Policy.merge { value, other in value = .int((value.int ?? 0) + (other.int ?? 0)) }

    private func upgrade(_ scratch: ScratchSuite, _ steps: MigrationStep...) throws -> MigrationReport {
        try scratch.suite.upgrade(with: [Migration(to: 1, "rename", steps: steps)])
    }

    @Test(arguments: [
        (Policy.keep, 14, "kept", "fontSize has another value, which stays"),
        (.replace, 12, "replaced", "the value of fontSize"),
        (merge, 26, "renamed", "to fontSize, merged with its value"),
    ])
    func `is renamed by its policy, which the report names`(
        policy: ConflictPolicy<PropertyListValue>,
        size: Int64,
        outcome: String,
        reason: String
    ) throws {
        let scratch = try ScratchSuite(Self.values)
        let report = try upgrade(
            scratch,
            .renameSetting("size", to: "fontSize", in: scratch.suite, onConflict: policy)
        )
        try scratch.expect(["fontSize": .int(size), "other": true])
        let key = try #require(report.keys.first)
        #expect(key.key == "size" && key.outcome.description == outcome && key.reason == reason)
        #expect(report.losses.map(\.name) == ["fontSize (conflicts)"] && report.losses[0].count == 1)
        #expect("\(report.losses[0])" == "one of two values of 1 setting at fontSize")
    }

    @Test func `is copied by its policy, and nothing is lost if the other one stays`() throws {
        for (policy, size) in [(Policy.keep, 14), (.replace, 12), (Self.merge, 26)] as [(Policy, Int64)] {
            let scratch = try ScratchSuite(Self.values)
            let step = MigrationStep.copySetting("size", to: "fontSize", in: scratch.suite, onConflict: policy)
            let report = try upgrade(scratch, step)
            try scratch.expect(["size": 12, "fontSize": .int(size), "other": true])
            #expect(report.losses.isEmpty == (size == 14))
        }
    }

    @Test(arguments: [("text", "12", "12!"), ("12", "text", "text")])
    func `is changed by later steps only if the value that stays could be converted`(
        first: String,
        second: String,
        result: String
    ) throws {
        let scratch = try ScratchSuite(["fontSize": .string(first), "size": .string(second)])
        func convert(_ key: String) -> MigrationStep {
            .changeValue(.setting(key, in: scratch.suite), [], to: .integer).onFailure(.quarantine(upTo: .unlimited))
        }
        let mark = MigrationStep.transform(.setting("fontSize", in: scratch.suite)) { setting in
            setting[[]] = .string("\(try setting.int([]))!")
        }
        _ = try upgrade(
            scratch,
            convert("fontSize"),
            convert("size"),
            .renameSetting("size", to: "fontSize", in: scratch.suite, onConflict: .replace),
            mark
        )
        try scratch.expect(["fontSize": .string(result)])
    }

    @Test func `is found for each key with a prefix`() throws {
        let scratch = try ScratchSuite(["a.1": 1, "b.1": 2, "a.2": 3, "a.3": 4, "b.3": 4])
        let suite = scratch.suite
        let report = try upgrade(scratch, .renameSettings(withPrefix: "a.", to: "b.", in: suite, onConflict: .replace))
        try scratch.expect(["b.1": 1, "b.2": 3, "b.3": 4])
        #expect(report.keys.map(\.outcome) == [.replaced, .renamed, .renamed])
        #expect("\(report.losses[0])" == "one of two values of 1 setting at b.*")
        _ = try suite.upgrade(
            with: [
                Migration(
                    to: 1,
                    "rename",
                    .renameSettings(withPrefix: "a.", to: "b.", in: suite, onConflict: .replace)
                ),
                Migration(to: 2, "copy", .copySettings(withPrefix: "b.", to: "c.", in: suite, onConflict: .keep)),
            ]
        )
        try scratch.expect(["b.1": 1, "b.2": 3, "b.3": 4, "c.1": 1, "c.2": 3, "c.3": 4])
    }

    @Test func `stops the upgrade by default, and the message says what to do`() throws {
        let scratch = try ScratchSuite(Self.values)
        let step = MigrationStep.renameSetting("size", to: "fontSize", in: scratch.suite)
        MoltError.thrown { try upgrade(scratch, step) }?.expect(
            .keyExists,
            key: "size",
            migration: "rename",
            says: "Say with `onConflict:` which value stays",
            "see `replacing:`"
        )
        try scratch.expect(Self.values)
    }

    /// One user has the value of an earlier build under the new key, and cannot be upgraded.
    @Test func `of a migration that has shipped is mended by one that replaces it`() throws {
        let (locked, upgraded) = try (ScratchSuite(Self.values), ScratchSuite(["size": 12]))
        for (scratch, size) in [(locked, 14), (upgraded, 12)] as [(ScratchSuite, Int64)] {
            let suite = scratch.suite
            let shipped = Migration(to: 1, "rename", .renameSetting("size", to: "fontSize", in: suite))
            _ = try? suite.upgrade(with: [shipped])
            let step = MigrationStep.renameSetting("size", to: "fontSize", in: suite, onConflict: .keep)
            try suite.upgrade(with: [shipped, Migration(to: 2, "mended", replacing: ["rename"], step)])
            #expect(try suite.value(forKey: "fontSize") == .int(size) && suite.value(forKey: "size") == nil)
        }
    }

    @Test func `keeps a value whole that a later step of the migration cannot convert`() throws {
        let scratch = try ScratchSuite(["a": #"{"n":1}"#, "b": #"{"n":2}"#])
        let suite = scratch.suite
        let merge = Policy.merge { value, other in value = .string("[\(value.string ?? ""),\(other.string ?? "")]") }
        let report = try upgrade(
            scratch,
            .addProperty(.setting("a", in: suite), "m", default: 0),
            .renameSetting("a", to: "b", in: suite, onConflict: merge),
            .renameProperty(.setting("b", in: suite), [.each, "x"], to: "y", ifMissing: .fail)
                .onFailure(.quarantine(upTo: 1))
        )
        #expect(report.keys.last?.outcome == .notConvertible)
        try scratch.expect(["b": #"[{"n":2},{"n":1,"m":0}]"#])
    }

    @Test func `is decided in a closure, too`() throws {
        let scratch = try ScratchSuite(Self.values)
        let report = try upgrade(
            scratch,
            .changeSettings(in: scratch.suite, "size") { settings in
                _ = try settings.copy("other", to: "size", onConflict: .keep)
                _ = try settings.rename("size", to: "fontSize", onConflict: .replace)
            }
        )
        try scratch.expect(["fontSize": 12, "other": true])
        #expect(report.isEmpty == false)
    }

    @Test func `has its policy in the fingerprint, except the default`() throws {
        let suite = Suite("app")
        let policies: [Policy] = [.fail, .keep, .replace, .merge { _, _ in }, .merge(revision: 2) { _, _ in }]
        let steps: [(Policy) -> MigrationStep] = [
            { .renameSetting("a", to: "b", in: suite, onConflict: $0) },
            { .copySettings(withPrefix: "a", to: "b", in: suite, onConflict: $0) },
        ]
        for step in steps {
            #expect(Set(policies.map { Migration(to: 1, "m", step($0)).fingerprint }).count == 5)
        }
        let plain = Migration(to: 1, "m", .renameSetting("a", to: "b", in: suite))
        #expect(plain.fingerprint == Migration(to: 1, "m", steps[0](.fail)).fingerprint)
    }
}
