import Foundation
import Molt
import Testing

/// What apps have to do with settings, each in one or two declared steps.
@Suite("Settings of an earlier release") struct ScenarioTests {
    /// Settings, the steps for them, and what they become.
    private func expect(
        _ before: [String: PropertyListValue],
        become after: [String: PropertyListValue],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ steps: (Suite) -> [MigrationStep]
    ) throws {
        let scratch = try ScratchSuite(before)
        let migrations: MigrationRegistry = [Migration(to: 1, "change", steps: steps(scratch.suite))]
        try scratch.suite.upgrade(with: migrations)
        try scratch.expect(after, sourceLocation: sourceLocation)
        // Once is enough.
        try scratch.suite.upgrade(with: migrations)
        try scratch.expect(after, sourceLocation: sourceLocation)
    }

    /// A required property is added, one is renamed, and one is removed; what is not touched stays as it was.
    private func profileSteps(_ place: any MigrationStep.Place) -> [MigrationStep] {
        [
            .addProperty(place, "level", default: 1),
            .renameProperty(place, "mail", to: "email"),
            .removeProperty(place, "fax"),
        ]
    }

    @Test func `1, 2: a struct in JSON text or JSON data`() throws {
        let old = #"{ "fax":"7", "mail":"a\/b","size":1.50 }"#
        let new = #"{ "email":"a\/b","size":1.50,"level":1 }"#
        try expect(["profile": .string(old)], become: ["profile": .string(new)]) {
            profileSteps(.setting("profile", in: $0))
        }
        try expect(["profile": .data(Data(old.utf8))], become: ["profile": .data(Data(new.utf8))]) {
            profileSteps(.setting("profile", in: $0))
        }
    }

    private struct Profile: Codable, Equatable {
        var email = "a@b"
        var level = 1
        var since = Date(timeIntervalSinceReferenceDate: 7e8)
        var photo = Data([1, 2])
        var size = 2.0
        var nick: String?
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func `3: a struct in a property list in data`(format: PropertyListSerialization.PropertyListFormat) throws {
        struct OldProfile: Encodable {
            var mail = "a@b"
            var fax = "7"
            var since = Date(timeIntervalSinceReferenceDate: 7e8)
            var photo = Data([1, 2])
            var size = 2.0
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let scratch = try ScratchSuite(["profile": .data(try encoder.encode(OldProfile()))])
        let place = MigrationStep.Settings.setting("profile", in: scratch.suite)

        try scratch.suite.upgrade(with: [Migration(to: 1, "change", steps: profileSteps(place))])

        let data = try #require(try scratch.values["profile"]?.data)
        #expect(try PropertyListDecoder().decode(Profile.self, from: data) == Profile())
        #expect(data.starts(with: (format == .xml ? "<?xml" : "bplist").utf8))
    }

    @Test func `4: a native dictionary`() throws {
        let since = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 7e8))
        let old: PropertyListValue = [
            "mail": "a@b", "fax": "7", "since": since, "photo": .data(Data([1])), "size": 2.0,
        ]
        let new: PropertyListValue = [
            "email": "a@b", "level": 1, "since": since, "photo": .data(Data([1])), "size": 2.0,
        ]
        try expect(["profile": old], become: ["profile": new]) { profileSteps(.setting("profile", in: $0)) }
    }

    @Test func `5, 6: each element of an array or a dictionary of JSON texts`() throws {
        let old: PropertyListValue = [#"{"mail":"a"}"#, #" {"x":1.0} "#]
        let new: PropertyListValue = [#"{"email":"a"}"#, #" {"x":1.0} "#]
        try expect(["people": old], become: ["people": new]) {
            [.renameProperty(.setting("people", in: $0), [.each, "mail"], to: "email")]
        }
        try expect(["people": ["a": [#"{"mail":1}"#]]], become: ["people": ["a": [#"{"email":1}"#]]]) {
            [.renameProperty(.setting("people", in: $0), [.each, .each, "mail"], to: "email")]
        }
        try expect(["people": ["ada": #"{"mail":1}"#]], become: ["people": ["ada": #"{"email":1}"#]]) {
            [.renameProperty(.setting("people", in: $0), [.each, "mail"], to: "email")]
        }
    }

    @Test func `7: an enum in three forms`() throws {
        let forms: [PropertyListValue] = [#""dark""#, "dark", .data(Data(#""dark""#.utf8))]
        for form in forms {
            try expect(["theme": form], become: ["theme": "night"]) {
                [
                    .mapValue(.setting("theme", in: $0), [], ["dark": "night"], otherwise: .fail),
                    .changeForm(.setting("theme", in: $0), to: .native),
                ]
            }
        }
    }

    @Test func `8: keys with a prefix`() throws {
        var before: [String: PropertyListValue] = ["draft.1": "a", "draft.2": 2, "other": true]
        for number in 0..<700 { before["cache.\(number)"] = .int(Int64(number)) }
        let scratch = try ScratchSuite(before)
        let report = try scratch.suite.upgrade(with: [
            Migration(
                to: 1,
                "prefixes",
                .renameSettings(withPrefix: "draft.", to: "draft.old.", in: scratch.suite),
                .removeSettings(withPrefix: "cache.", in: scratch.suite),
                .copySettings(withPrefix: "other", to: "copy", in: scratch.suite)
            )
        ])
        try scratch.expect(["draft.old.1": "a", "draft.old.2": 2, "other": true, "copy": true])
        let lines = report.description.split(separator: "\n").map(String.init)
        #expect(lines.contains("prefixes: 700 removed, 2 renamed, 1 copied"))
        #expect(lines.contains("prefixes: removed 700 settings cache.*"))
        #expect(lines.allSatisfy { $0.count < 200 })
    }

    @Test func `9: all settings but those of an SDK go to the group, and the system's stay`() throws {
        let source = try ScratchSuite([
            "theme": "dark", "IABTCF_x": 1, "AppleLanguages": ["de"], "NSWindow Frame main": "1 2",
        ])
        let group = try ScratchSuite()
        try source.suite.upgrade(with: [
            .suiteToAppGroup(
                to: 1,
                from: source.suite,
                into: group.suite,
                keys: .except(prefixes: ["IABTCF_"]),
                removingSource: true
            )
        ])
        try group.expect(["theme": "dark"])
        try source.expect(["IABTCF_x": 1, "AppleLanguages": ["de"], "NSWindow Frame main": "1 2"])
    }

    @Test func `10: the form of a date`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
        try expect(["at": .double(1_678_307_200)], become: ["at": .date(date)]) {
            [.changeValue(.setting("at", in: $0), [], from: .secondsSince1970, to: .propertyListDate)]
        }
        try expect(["at": .date(date)], become: ["at": "2023-03-08T20:26:40Z"]) {
            [.changeValue(.setting("at", in: $0), [], from: .propertyListDate, to: .iso8601)]
        }
        try expect(["hike": #"{"at":700000000}"#], become: ["hike": #"{"at":"2023-03-08T20:26:40Z"}"#]) {
            [.changeValue(.setting("hike", in: $0), "at", from: .deferredToDate, to: .iso8601)]
        }
    }

    @Test func `A URL in a property list, and paths in an array, become relative`() throws {
        struct Photo: Codable { var file: URL }
        let url = URL(fileURLWithPath: "/var/mobile/0F-1/Documents/a b.jpg")
        let encoded = try PropertyListEncoder().encode(Photo(file: url))
        let scratch = try ScratchSuite(["photo": .data(encoded), "recent": [.string(url.path), "c.jpg"]])
        let photo = MigrationStep.Settings.setting("photo", in: scratch.suite)
        let recent = MigrationStep.Settings.setting("recent", in: scratch.suite)
        try scratch.suite.upgrade(with: [
            Migration(
                to: 1,
                "relative",
                .changeValue(photo, ["file", "relative"], toPathIn: "Documents"),
                .changeValue(recent, [.each], toPathIn: "Documents")
            )
        ])
        let data = try #require(try scratch.values["photo"]?.data)
        let contents =
            try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: [String: String]]
        #expect(contents == ["file": ["relative": "a b.jpg"]])
        #expect(try scratch.values["recent"] == ["a b.jpg", "c.jpg"])
    }

    @Test func `11: settings become records`() throws {
        let scratch = try ScratchSuite([
            "history": #"{ "a":1.0 }"#, "draft.1": ["at": .data(Data([0]))], "theme": "dark", "draft.count": 7,
            "draft.text": "x", "draft.on": .data(Data("true".utf8)), "place": "office",
        ])
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "records",
                .moveToRecords(.setting("history", in: scratch.suite), ofType: "History"),
                .moveToRecords(.settings(withPrefix: "draft.", in: scratch.suite), ofType: "Draft", key: "drafts/"),
                .moveToRecords(.setting("place", in: scratch.suite, form: .native), ofType: "Place")
            ),
            Migration(to: 2, "rename", .renameProperty("History", "a", to: "b")),
        ]
        // Without a cache there is no place for them.
        try scratch.suite.upgrade(with: migrations)
        #expect(try scratch.values.count == 7)
        let scratchCache = try ScratchCache()
        try scratchCache.upgrade(migrations)
        // A number is no draft.
        try scratch.expect([
            "theme": "dark", "draft.count": 7, "draft.text": "x", "draft.on": .data(Data("true".utf8)),
        ])
        let cache = try CodableCache(at: scratchCache.url, migrations: migrations)
        #expect(try cache.keys().sorted() == ["drafts/1", "history", "place"])
        #expect(try cache.value([String: Double].self, forKey: "history") == ["b": 1])
        #expect(try cache.value([String: Data].self, forKey: "drafts/1") == ["at": Data([0])])
    }
}
