import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `A step on settings with a condition` {
    private func upgrade(_ scratch: ScratchSuite, _ steps: MigrationStep...) throws -> MigrationReport {
        try scratch.suite.upgrade(
            with: [Migration(to: 1, "change", steps: steps)],
            configuration: .init { $0.hooks.findsUnmatchedNames = true }
        )
    }

    private static let json = #"{"kind":"item","n":1.5,"list":[{"kind":"item","name":"a"},{"kind":"ad","name":"b"}]}"#

    @Test(arguments: SettingForm.allCases)
    func `changes the contents and elements that fulfil it, in each form`(form: SettingForm) throws {
        // Elements of an array of texts have no name.
        guard form != .jsonTexts else { return }
        let scratch = try ScratchSuite(["a": .string(Self.json), "b": .string(Self.json.replacing("item", with: "ad"))])
        let places = ["a", "b"].map { MigrationStep.Settings.setting($0, in: scratch.suite) }
        func steps(_ step: (MigrationStep.Settings) -> MigrationStep) -> [MigrationStep] { places.map(step) }
        let migrations: MigrationRegistry = [
            Migration(to: 1, "form", steps: steps { .changeForm($0, to: form) }),
            Migration(
                to: 2,
                "change",
                steps: steps { .addProperty($0, "seen", default: true).where("kind", equals: "item") }
                    + steps { .removeProperty($0, "n").where("n", is: .number).where("kind", equals: "item") }
                    + steps {
                        .renameProperty($0, ["list", .each, "name"], to: "title")
                            .where(["list", .each, "kind"], equals: "item")
                    }
            ),
            Migration(to: 3, "text", steps: steps { .changeForm($0, to: .jsonText) }),
        ]
        let report = try scratch.suite.upgrade(with: migrations)
        let expected = [
            #"{"kind":"item","list":[{"kind":"item","title":"a"},{"kind":"ad","name":"b"}],"seen":true}"#,
            #"{"kind":"ad","n":1.5,"list":[{"kind":"ad","name":"a"},{"kind":"ad","name":"b"}]}"#,
        ]
        for (key, expected) in zip(["a", "b"], expected) {
            let text = try #require(try scratch.values[key]?.string)
            #expect(try RecordValue(json: text).sorted == RecordValue(json: expected).sorted, "\(form)")
        }
        let outcomes = report.entries[1].steps.flatMap(\.keys).map { "\($0.key): \($0.outcome)" }
        #expect(outcomes == ["a: changed", "b: kept", "a: changed", "b: kept", "a: changed", "b: already current"])
    }

    @Test func `changes JSON texts that fulfil it, and keeps the others byte for byte`() throws {
        let scratch = try ScratchSuite([
            "texts": [#"{"kind":"item","n":1}"#, #"{ "kind":"ad", "n":2}"#], "text": #"{ "kind" : "ad" }"#,
        ])
        let suite = scratch.suite
        let report = try upgrade(
            scratch,
            .removeProperty(.setting("texts", in: suite), [.each, "n"]).where([.each, "kind"], equals: "item"),
            .removeProperty(.setting("text", in: suite), "kind").where("kind", equals: "item")
        )
        try scratch.expect(["texts": [#"{"kind":"item"}"#, #"{ "kind":"ad", "n":2}"#], "text": #"{ "kind" : "ad" }"#])
        report.expectKeys("texts: changed", "text: kept, the step's condition does not hold")
    }

    @Test func `asks for the kinds and numbers of a property list`() throws {
        let date = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 1))
        let values: [String: PropertyListValue] = [
            "a1": ["x": date], "a2": ["x": .data(Data([1]))], "a3": ["x": "text"], "a4": ["x": .double(2)],
            "a5": ["x": .double(.infinity)], "a6": ["x": 2],
        ]
        let scratch = try ScratchSuite(values)
        let place = MigrationStep.Settings.settings(withPrefix: "a", in: scratch.suite)
        _ = try upgrade(
            scratch,
            .addProperty(place, "string", default: true).where("x", is: .string),
            .addProperty(place, "number", default: true).where("x", is: .number),
            .addProperty(place, "two", default: true).where("x", equals: 2)
        )
        try scratch.expect([
            "a1": ["x": date], "a2": ["x": .data(Data([1]))], "a3": ["x": "text", "string": true],
            "a4": ["x": .double(2), "number": true, "two": true], "a5": ["x": .double(.infinity), "number": true],
            "a6": ["x": 2, "number": true, "two": true],
        ])
    }

    @Test func `leaves alone what does not fulfil it, whatever it is`() throws {
        let values: [String: PropertyListValue] = ["a1": 7, "a2": "text", "a3": ["kind": "ad"], "a4": #"["x"]"#]
        let scratch = try ScratchSuite(values)
        let place = MigrationStep.Settings.settings(withPrefix: "a", in: scratch.suite)
        func item(_ step: MigrationStep) -> MigrationStep { step.where("kind", equals: "item") }
        let report = try upgrade(
            scratch,
            item(.renameProperty(place, "n", to: "m", ifMissing: .fail)),
            item(.changeValue(place, [], to: .integer)),
            item(.transform(place) { _ in throw CancellationError() })
        )
        try scratch.expect(values)
        for key in report.keys {
            #expect((key.outcome, key.reason) == (.kept, "the step's condition does not hold"), "\(key)")
        }
        #expect(report.entries[0].steps.map(\.unmatchedNames.count) == [1, 0, 0])
    }

    @Test func `fails, or keeps the setting by its policy, only where it holds`() throws {
        let values: [String: PropertyListValue] = ["a1": #"{"kind":"item","n":"x"}"#, "a2": #"{"kind":"ad","n":"x"}"#]
        let scratch = try ScratchSuite(values)
        let place = MigrationStep.Settings.settings(withPrefix: "a", in: scratch.suite)
        let step = MigrationStep.changeValue(place, "n", to: .integer).where("kind", equals: "item")
        let error = try #require(throws: MoltError.self) { try upgrade(scratch, step) }
        #expect(error.code == .typeMismatch && error.key == "a1")
        let report = try upgrade(scratch, step.onFailure(.quarantine(upTo: 1)))
        #expect(report.keyOutcomes == ["a1": .notConvertible, "a2": .kept])
        try scratch.expect(values)
    }

    @Test func `follows its policy for another value where it holds`() throws {
        let values: [String: PropertyListValue] = ["a1": ["kind": "item", "x": 1, "y": 2], "a2": ["x": 1, "y": 2]]
        let scratch = try ScratchSuite(values)
        let place = MigrationStep.Settings.settings(withPrefix: "a", in: scratch.suite)
        _ = try upgrade(
            scratch,
            .renameProperty(place, "x", to: "y", onConflict: .replace).where("kind", exists: true)
        )
        try scratch.expect(["a1": ["kind": "item", "y": 1], "a2": ["x": 1, "y": 2]])
    }

    @Test func `is named if no setting has its property`() throws {
        let scratch = try ScratchSuite(["a1": ["kind": "item", "x": 1]])
        let place = MigrationStep.Settings.settings(withPrefix: "a", in: scratch.suite)
        let report = try upgrade(
            scratch,
            .renameProperty(place, "x", to: "y").where("knid", exists: false),
            .renameProperty(place, "y", to: "x").where("kind", equals: "item")
        )
        let names = report.entries[0].steps.map(\.unmatchedNames)
        #expect(names.map(\.count) == [1, 0] && names[0][0].hasSuffix(#"did you mean "kind"?"#), "\(names)")
    }
}
