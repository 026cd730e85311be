import Foundation
import Generators
import Molt
import TestSupport
import Testing

/// What steps create in the content of settings, and whether today's type can read it.
@Suite struct `Objects in settings that are optional` {
    private struct Profile: Codable, Equatable {
        struct Look: Codable, Equatable {
            var theme: String
            var zoom: Int
        }
        enum State: Codable, Equatable {
            case idle
            case busy(since: Int)
        }

        var look: Look?
        var looks: [Look?]?
        var state: State?

        static let some: [Look?] = [Look(theme: "dark", zoom: 1)]
    }

    private static let profiles: [(json: String, profile: Profile)] = [
        ("{}", Profile()), (#"{"look":null,"looks":null,"state":null}"#, Profile()),
        (#"{"looks":[],"state":{"idle":{}}}"#, Profile(looks: [], state: .idle)),
        (
            #"{"look":{"theme":"dark"},"looks":[{"theme":"dark"}],"state":{"busy":{}}}"#,
            Profile(look: .init(theme: "dark", zoom: 1), looks: Profile.some, state: .busy(since: 0))
        ),
    ]

    @Test(arguments: SettingForm.allCases)
    func `get a property where they are, in each form, and can still be read`(form: SettingForm) throws {
        // Elements of an array of texts have no name.
        guard form != .jsonTexts else { return }
        for (json, profile) in Self.profiles {
            let scratch = try ScratchSuite(["profile": .string(json)])
            let setting = MigrationStep.Settings.setting("profile", in: scratch.suite)
            let changes: MigrationRegistry = [
                Migration(to: 1, "form", .changeForm(setting, to: form)),
                Migration(
                    to: 2,
                    "add",
                    .addProperty(setting, ["look", "zoom"], default: 1),
                    .addProperty(setting, ["looks", .each, "zoom"], default: 1),
                    .addProperty(setting, ["state", "busy", "since"], default: 0),
                    .moveProperty(setting, "theme", to: ["look", "theme"])
                ),
                Migration(to: 3, "text", .changeForm(setting, to: .jsonText)),
            ]
            try scratch.suite.upgrade(with: changes)
            let text = try #require(try scratch.values["profile"]?.string)
            #expect(try JSONDecoder().decode(Profile.self, from: Data(text.utf8)) == profile, "\(form): \(text)")
        }
    }

    @Test func `are not put beside the case of an enum, and null gets nothing`() throws {
        let null = PropertyListValue.data(Data("null".utf8))
        let scratch = try ScratchSuite(["profile": #"{"since":1,"state":{"idle":{}}}"#, "other": null])
        let step = MigrationStep.moveProperty(
            .setting("profile", in: scratch.suite),
            "since",
            to: ["state", "busy", "since"]
        )
        let error = try #require(throws: MoltError.self) {
            try scratch.suite.upgrade(with: [Migration(to: 1, "move", step)])
        }
        #expect(error.code == .typeMismatch && error.property == "state.busy.since")
        let add = MigrationStep.addProperty(.setting("other", in: scratch.suite), "zoom", default: 1)
        try scratch.suite.upgrade(with: [Migration(to: 1, "add", add)])
        try scratch.expect(["profile": #"{"since":1,"state":{"idle":{}}}"#, "other": null])
    }

    @Test(arguments: Resident.TextMove.allCases, 0..<TestRun.choose(6, long: 200))
    func `are never created beside the case of a random enum`(move: Resident.TextMove, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let setting = try Resident(&random).setting(&random)
        let scratch = try ScratchSuite([Resident.name: setting])
        let step = move.step(.setting(Resident.name, in: scratch.suite))
        let result = Result { try scratch.suite.upgrade(with: [Migration(to: 1, "move", step)]) }
        switch (try move.result(for: Resident.read(setting)), result) {
        case (let resident?, .success):
            let upgraded = try #require(try scratch.values[Resident.name])
            #expect(try Resident.read(upgraded) == resident, "\(setting)")
        case (nil, .failure(let error)):
            #expect((error as? MoltError)?.code == .typeMismatch, "\(error)")
            try scratch.expect([Resident.name: setting])
        default: Issue.record("\(result): \(setting)")
        }
    }

    @Test func `have their names looked for, also inside the only setting`() throws {
        let scratch = try ScratchSuite(["profile": #"{"look":{"theme":"dark"}}"#, "level": ["at": .double(1)]])
        let place = MigrationStep.Settings.setting("profile", in: scratch.suite)
        let report = try scratch.suite.dryRun([
            Migration(
                to: 1,
                "names",
                .renameProperty(place, ["look", "thme"], to: "color"),
                .addProperty(place, ["lok", "zoom"], default: 1)
            )
        ])
        let names = report.entries[0].steps.flatMap(\.unmatched).map(\.nearest)
        #expect(names == [#"["look", "theme"]"#, "look"])
        // A whole number that is no integer has no literal of its own.
        let map = MigrationStep.mapValue(
            .setting("level", in: scratch.suite),
            "at",
            [1: 10, 2.0: 20],
            otherwise: .fail
        )
        try scratch.suite.upgrade(with: [Migration(to: 1, "map", map)])
        #expect(try scratch.values["level"] == ["at": 10])
    }
}
