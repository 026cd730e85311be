import Foundation
import Molt
import TestSupport
import Testing

@Suite struct `Steps on the content of settings` {
    private func upgrade(_ scratch: ScratchSuite, _ steps: MigrationStep...) throws -> MigrationReport {
        try scratch.suite.upgrade(
            with: [Migration(to: 1, "change", steps: steps)],
            configuration: .init { $0.hooks.findsUnmatchedNames = true }
        )
    }

    private struct Old: Codable { var name: String, at: Date }
    private struct New: Codable, Equatable {
        var title: String
        var at: Date
        var photo: Data?
    }

    @Test func `Closures decode and encode a property list with its own dates and data`() throws {
        let at = Date(timeIntervalSinceReferenceDate: 7e8)
        let scratch = try ScratchSuite([
            "list": .data(try PropertyListEncoder().encode(Old(name: "a", at: at))),
            "native": ["name": "a", "at": .date(at)], "json": .data(try JSONEncoder().encode(Old(name: "a", at: at))),
            "gone": "dropped",
        ])
        let suite = scratch.suite
        _ = try upgrade(
            scratch,
            .convert(.setting("list", in: suite), from: Old.self, to: New.self) { New(title: $0.name, at: $0.at) },
            .convert(.setting("json", in: suite), from: Old.self, to: New.self) { New(title: $0.name, at: $0.at) },
            .transform(.setting("native", in: suite)) { record in
                try record.set("next", to: record.value("at", as: Date.self) + 60)
                try record.set("photo", to: Data([1]))
                record["size"] = 1
            },
            .transform(.setting("gone", in: suite)) { $0.drop() }
        )
        let values = try scratch.values
        #expect(
            values["native"] == [
                "name": "a", "at": .date(at), "next": .date(at + 60), "photo": .data(Data([1])), "size": 1,
            ]
        )
        let list = try #require(values["list"]?.data)
        let json = try #require(values["json"]?.data)
        #expect(try PropertyListDecoder().decode(New.self, from: list) == New(title: "a", at: at))
        #expect(try JSONDecoder().decode(New.self, from: json) == New(title: "a", at: at))
        #expect(values["gone"] == nil)
    }

    @Test func `What has no form, or cannot have the property, is named and left`() throws {
        let values: [String: PropertyListValue] = [
            "archive": try SwiftyRow.archive(["a"]), "damaged": #"{"mail":"#, "number": 7, "bytes": .data(Data([0xFF])),
            "text": "plain", "list": .data(Data("bplist00".utf8)), "fine": #"{"x":1}"#,
            "null": .data(Data("null".utf8)),
        ]
        let scratch = try ScratchSuite(values)
        let report = try upgrade(
            scratch,
            .renameProperty(.settings(withPrefix: "n", in: scratch.suite), "mail", to: "email"),
            .renameProperty(.setting("damaged", in: scratch.suite), "mail", to: "email"),
            .renameProperty(.setting("bytes", in: scratch.suite), [.each, "mail"], to: "email"),
            .renameProperty(.setting("archive", in: scratch.suite), "mail", to: "email"),
            .addProperty(.setting("text", in: scratch.suite), "mail", default: 1),
            .renameProperty(.setting("list", in: scratch.suite), "mail", to: "email"),
            .renameProperty(.setting("fine", in: scratch.suite), "mail", to: "email")
        )
        try scratch.expect(values)
        report.expectKeys(
            "null: already current",
            "number: not convertible, a number, which has no properties",
            "damaged: not convertible, a string with damaged JSON text: the text ends too early, at byte 8",
            "bytes: not convertible, data that is neither JSON text nor a property list",
            "archive: not convertible, a keyed archive, which only its app can read",
            "text: not convertible, a string, which has no properties",
            "list: not convertible, a property list that is damaged, or contains values that no suite can store",
            "fine: already current"
        )
    }

    @Test func `The failure policy decides about a setting that a step cannot convert`() throws {
        let values: [String: PropertyListValue] = ["a1": #"{"n":"secret"}"#, "a2": #"{"n":"2"}"#]
        let scratch = try ScratchSuite(values)
        let place = MigrationStep.Settings.settings(withPrefix: "a", in: scratch.suite)
        let step = MigrationStep.changeValue(place, "n", to: .integer)
        let error = try #require(throws: MoltError.self) { try upgrade(scratch, step) }
        #expect(error.code == .typeMismatch)
        #expect(
            [error.key, error.suite, error.property, error.type] == [
                "a1", scratch.suite.attachedName, "n", nil,
            ]
        )
        #expect(!"\(error) \(error.debugDescription)".contains("secret"))
        try scratch.expect(values)

        let none = try #require(throws: MoltError.self) { try upgrade(scratch, step.onFailure(.quarantine(upTo: 0))) }
        #expect(none.code == .tooManyFailures)
        let report = try upgrade(scratch, step.onFailure(.quarantine(upTo: 1)))
        #expect(report.keyOutcomes == ["a1": .notConvertible, "a2": .changed])
        try scratch.expect(["a1": #"{"n":"secret"}"#, "a2": #"{"n":2}"#])
        let dropping = MigrationStep.changeValue(place, "n", to: .bool).onFailure(.drop())
        try scratch.suite.upgrade(with: [Migration(to: 1, "drop", dropping)])
        try scratch.expect([:])
    }

    @Test func `A value that a map does not name is kept or fails, and the report says so`() throws {
        let scratch = try ScratchSuite(["a": "dark", "b": "night", "c": "red", "d": #"{"theme":"red"}"#])
        let suite = scratch.suite
        let map: [RecordValue: RecordValue] = ["dark": "night"]
        var steps = ["a", "b", "c"].map { MigrationStep.mapValue(.setting($0, in: suite), [], map) }
        steps.append(.mapValue(.setting("d", in: suite), "theme", map))
        steps.append(.mapValue(.setting("a", in: suite), [], ["light": "day"]))
        let report = try suite.upgrade(with: [Migration(to: 1, "keep", steps: steps)])
        report.expectKeys(
            "a: changed",
            "b: already current",
            "c: kept, the step does not name its value",
            "d: kept, the step does not name its value",
            "a: kept, the step does not name its value"
        )
        // For the whole migration, what a step has changed is changed.
        #expect(report.description.contains("keep: 2 kept, 1 already current, 1 changed"), "\(report)")

        let failing = MigrationStep.mapValue(.setting("c", in: suite), [], map, otherwise: .fail)
        let words = #"The setting "c" has a value that the step does not name."#
        let error = try #require(throws: MoltError.self) {
            try suite.upgrade(with: [Migration(to: 2, "fail", failing)])
        }
        #expect(error.problem == words)
        #expect(error.advice?.hasPrefix("Accept such values with `onFailure(.quarantine(upTo:))`") == true)
        // Where a policy accepts failures, that is no advice.
        let exceeded = try #require(throws: MoltError.self) {
            try suite.upgrade(with: [Migration(to: 2, "fail", failing.onFailure(.quarantine(upTo: 0)))])
        }
        #expect(!"\(exceeded) \(exceeded.debugDescription)".contains("Accept such"))
        try suite.upgrade(with: [Migration(to: 2, "fail", failing.onFailure(.quarantine(upTo: 20)))]).expectKeys(
            "c: not convertible, \(words)"
        )
    }

    @Test func `A date in another form has advice about the form, unless a policy accepts it`() throws {
        let suite = try ScratchSuite(["at": "2001-01-01"]).suite
        let step = MigrationStep.changeValue(.setting("at", in: suite), [], from: .iso8601, to: .secondsSince1970)
        let error = try #require(throws: MoltError.self) { try suite.upgrade(with: [Migration(to: 1, "date", step)]) }
        error.expect(.typeMismatch, says: "is not a date in the form")
        #expect(error.advice?.hasPrefix("Name in `from:` the form that the app's coder had.") == true, "\(error)")
        let exceeded = try #require(throws: MoltError.self) {
            try suite.upgrade(with: [Migration(to: 1, "date", step.onFailure(.quarantine(upTo: 0)))])
        }
        #expect(!"\(exceeded) \(exceeded.debugDescription)".contains("Name in `from:`"))
    }

    @Test func `What a migration has done to a setting is taken back if a later step cannot convert it`() throws {
        let scratch = try ScratchSuite(["a1": #"{"mail":"x","n":"one"}"#, "a2": #"{"mail":"y","n":"2"}"#])
        func place(_ prefix: String) -> MigrationStep.Settings { .settings(withPrefix: prefix, in: scratch.suite) }
        let report = try scratch.suite.upgrade(
            with: MigrationRegistry([
                Migration(
                    to: 1,
                    "change",
                    .renameProperty(place("a"), "mail", to: "email"),
                    .renameSettings(withPrefix: "a", to: "b", in: scratch.suite),
                    .changeValue(place("b"), "n", to: .integer),
                    .addProperty(place("b"), "level", default: 1)
                )
            ]).onFailure(.quarantine())
        )
        try scratch.expect(["b1": #"{"mail":"x","n":"one"}"#, "b2": #"{"email":"y","n":2,"level":1}"#])
        #expect(report.description.contains("change: 2 renamed, 1 changed, 1 not convertible"), "\(report)")
    }

    @Test func `Every step on properties works, and one that changes nothing leaves the bytes of a property list`()
        throws
    {
        let data = try PropertyListSerialization.data(
            fromPropertyList: ["b": 1, "a": 2, "c": "x y", "d": ["z"]],
            format: .xml,
            options: 0
        )
        let value = PropertyListValue.data(data.replacing("<dict>".utf8, with: "<dict> ".utf8))
        let scratch = try ScratchSuite(["p": value, "q": value])
        let (p, q) = (
            MigrationStep.Settings.setting("p", in: scratch.suite),
            MigrationStep.Settings.setting("q", in: scratch.suite)
        )
        _ = try upgrade(
            scratch,
            .moveProperty(p, "b", to: ["in", "b"]),
            .copyProperty(p, "a", to: "copy"),
            .splitProperty(p, "c", into: ["c1", "c2"]),
            .joinProperties(p, ["c2", "c1"], into: "c"),
            .unwrapProperty(p, "d", from: .array),
            .removeProperty(q, "no"),
            .mapValue(q, "a", [7: 8])
        )
        #expect(try scratch.values["q"] == value)
        let changed = try PropertyListReader.value(try #require(try scratch.values["p"]?.data))
        #expect(changed == ["in": ["b": 1], "a": 2, "copy": 2, "c": "y x", "d": "z"])
    }

    @Test func `Dictionaries and strings with separators are changed in each form of a setting`() throws {
        let json = #"{"d":["a",{"k" : 1}],"t":"x,y"}"#
        let scratch = try ScratchSuite([
            "p.text": .string(json), "p.data": .data(Data(json.utf8)), "p.native": ["d": ["a", ["k": 1]], "t": "x,y"],
            "q": .string(json),
        ])
        let place = MigrationStep.Settings.settings(withPrefix: "p.", in: scratch.suite)
        _ = try upgrade(
            scratch,
            .mapValue(place, "d", in: .keys, ["a": "b"]),
            .mapValue(place, "d", in: .values, [["k": 1]: 2]),
            .changeDictionary(place, "d", to: .object),
            .splitIntoArray(place, "t", separator: ","),
            .joinArray(place, "t", separator: ";")
        )
        let changed = #"{"d":{"b":2},"t":"x;y"}"#
        try scratch.expect([
            "p.text": .string(changed), "p.data": .data(Data(changed.utf8)), "p.native": ["d": ["b": 2], "t": "x;y"],
            "q": .string(json),
        ])
        let others = try ScratchSuite([
            "native": ["a": 1, "z": 2], "text": #"["a",1,"z",2]"#, "texts": [#"{"a":1,"z":2}"#, #"["z",1,"a",2]"#],
        ])
        func map(_ key: String, _ path: PropertyPath) -> [MigrationStep] {
            let place = MigrationStep.Settings.setting(key, in: others.suite)
            return [
                .mapValue(place, path, in: .keys, ["a": "b"], otherwise: .remove),
                .mapValue(place, path, in: .values, [2: "two"], otherwise: .value("other")),
            ]
        }
        let steps = map("native", []) + map("text", []) + map("texts", .each)
        try others.suite.upgrade(with: [Migration(to: 1, "others", steps: steps)])
        try others.expect([
            "native": ["b": "other"], "text": #"["b","other"]"#, "texts": [#"{"b":"other"}"#, #"["b","two"]"#],
        ])
        // JSON text in a setting, in each form.
        let texts = try ScratchSuite([
            "p.text": #"{"t":"{\"n\":1.10}"}"#, "p.native": ["t": #"[1,{"n":0.5}]"#, "x": 1],
            "p.null": ["t": #"{"n":null}"#, "x": 1],
        ])
        let all = MigrationStep.Settings.settings(withPrefix: "p.", in: texts.suite)
        try texts.suite.upgrade(with: [Migration(to: 1, "parse", .parseJSONText(all, "t"))])
        try texts.expect([
            "p.text": #"{"t":{"n":1.10}}"#, "p.native": ["t": [1, ["n": 0.5]], "x": 1], "p.null": ["t": [:], "x": 1],
        ])
        try texts.suite.update(set: ["p.date": ["t": ["at": .date(Date(timeIntervalSinceReferenceDate: 0))]]])
        let encode = Migration(to: 2, "encode", .encodeAsJSONText(all, "t", otherwise: .keep))
        try texts.suite.upgrade(with: [Migration(to: 1, "parse", .parseJSONText(all, "t")), encode])
        try texts.expect([
            "p.text": #"{"t":"{\"n\":1.10}"}"#, "p.native": ["t": #"[1,{"n":0.5}]"#, "x": 1],
            "p.null": ["t": "{}", "x": 1],
            "p.date": ["t": ["at": .date(Date(timeIntervalSinceReferenceDate: 0))]],
        ])
        // A date is no string, although it has a text for steps.
        let dates = try ScratchSuite(["at": .date(Date(timeIntervalSince1970: 0))])
        let error = try #require(throws: MoltError.self) {
            try upgrade(dates, .splitIntoArray(.setting("at", in: dates.suite), [], separator: "o"))
        }
        #expect(error.code == .typeMismatch)
    }

    @Test func `A closure cannot change the key or the expiry of a setting`() throws {
        let scratch = try ScratchSuite(["a": "x"])
        for change: @Sendable (inout Record) -> Void in [
            { $0.key = "b" }, { $0.expiration = .now }, { $0.typeName = "T" },
        ] {
            let error = try #require(throws: MoltError.self) {
                try upgrade(scratch, .transform(.setting("a", in: scratch.suite), change))
            }
            #expect(error.code == .stepFailed)
        }
        try scratch.expect(["a": "x"])
    }

    @Test func `A dry run shows the content before and after, what is lost, and names that no setting has`() throws {
        let scratch = try ScratchSuite(["draft.1": #"{"fax":7,"name":"a"}"#, "draft.2": #"{"name":"b"}"#])
        let place = MigrationStep.Settings.settings(withPrefix: "draft.", in: scratch.suite)
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "change",
                .removeProperty(place, "fax"),
                .renameProperty(place, "nme", to: "title"),
                .transform(place) { $0["name"] = nil }
            )
        ]
        let report = try scratch.suite.dryRun(migrations, samples: 1)
        let steps = report.entries[0].steps
        #expect(steps[0].losses.map(\.description) == ["draft.*.fax"])
        #expect(steps[0].samples.map(\.description) == [#""draft.1" of \#(scratch.suite.attachedName)\#n  - fax: 7"#])
        let name =
            #""nme" does not occur in any setting "draft.*" of \#(scratch.suite.attachedName); did you mean "name"?"#
        #expect(steps[1].unmatchedNames == [name])
        #expect(steps[2].losses.map(\.name) == ["draft.*.name"])
        #expect(try scratch.values.count == 2)
    }

    // MARK: Forms

    private static let date = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 7e8))

    @Test func `Each form can be changed to each other one`() throws {
        // Foundation writes several members of a dictionary in any order.
        let json = #"{"list":[{"at":700000000},"a",{"n":1.5},{"photo":"AQ=="}]}"#
        let native: PropertyListValue = ["list": [["at": 700_000_000], "a", ["n": 1.5], ["photo": "AQ=="]]]
        let list = try PropertyListSerialization.data(fromPropertyList: native.object, format: .binary, options: 0)
        let xml = try PropertyListSerialization.data(fromPropertyList: native.object, format: .xml, options: 0)
        let values: [SettingForm: PropertyListValue] = [
            .native: native, .jsonText: .string(json), .jsonData: .data(Data(json.utf8)),
            .binaryPropertyList: .data(list),
            .xmlPropertyList: .data(xml),
        ]
        for (form, value) in values {
            for (newForm, newValue) in values {
                let scratch = try ScratchSuite(["a": value])
                _ = try upgrade(scratch, .changeForm(.setting("a", in: scratch.suite), to: newForm))
                try scratch.expect(["a": newValue], "\(form) to \(newForm)")
            }
        }
        let dated = try ScratchSuite([
            "a": ["at": Self.date, "photo": .data(Data([1]))], "b": [Self.date], "c": #"[{"n":1},[2]]"#,
        ])
        _ = try upgrade(
            dated,
            .changeForm(.setting("a", in: dated.suite), to: .jsonText),
            .changeForm(.setting("b", in: dated.suite), to: .jsonData, dates: .iso8601),
            .changeForm(.setting("c", in: dated.suite), to: .jsonTexts)
        )
        try dated.expect([
            "a": #"{"at":700000000,"photo":"AQ=="}"#, "b": .data(Data(#"["2023-03-08T20:26:40Z"]"#.utf8)),
            "c": [#"{"n":1}"#, "[2]"],
        ])
    }

    @Test func `Null is no native value, and a dry run shows a change of form`() throws {
        let scratch = try ScratchSuite(["gone": .data(Data("null".utf8)), "member": #"{"a":null,"b":1}"#, "odd": "x"])
        let suite = scratch.suite
        let migrations: MigrationRegistry = [
            Migration(
                to: 1,
                "native",
                .changeForm(.setting("gone", in: suite), to: .native),
                .changeForm(.setting("member", in: suite), to: .native),
                .mapValue(.setting("odd", in: suite), [], ["a": "b"], otherwise: .remove)
            )
        ]
        let steps = try suite.dryRun(migrations, samples: 1).entries[0].steps
        let title = #""member" of \#(suite.attachedName)"#
        #expect(steps[1].samples.map(\.description) == ["\(title)\n  - a: null"])
        try suite.upgrade(with: migrations)
        try scratch.expect(["member": ["b": 1]])
        let theme = try ScratchSuite(["theme": #""dark""#])
        let change = MigrationStep.changeForm(.setting("theme", in: theme.suite), to: .native)
        let sample = try theme.suite.dryRun([Migration(to: 1, "native", change)], samples: 1).entries[0].steps[0]
            .samples[0]
        #expect(sample.description.hasSuffix("  - \"JSON text\"\n  + \"a native value\""))
    }

    @Test func `A value that a form cannot hold fails the upgrade, and says what to do`() throws {
        let values: [(PropertyListValue, SettingForm)] = [
            ("[1,null]", .native), ("plain", .binaryPropertyList), (["x": .double(.infinity)], .jsonText),
            (7, .jsonTexts), (#"{"CF$UID":1}"#, .xmlPropertyList), ("[\"\u{FEFF}x\"]", .xmlPropertyList),
            ("{\"e\u{301}\":{},\"\u{E9}\":{}}", .jsonTexts), (#"[123456789012345678901234567890]"#, .native),
        ]
        for (value, form) in values {
            let scratch = try ScratchSuite(["a": value])
            let error = try #require(throws: MoltError.self) {
                try upgrade(scratch, .changeForm(.setting("a", in: scratch.suite), to: form))
            }
            #expect(error.code == .cannotStore, "\(value)")
            try scratch.expect(["a": value])
        }
        let scratch = try ScratchSuite(["a": ["x": Self.date], "b": #"{"x":1}"#])
        let dates = try #require(throws: MoltError.self) {
            try upgrade(
                scratch,
                .changeValue(.setting("b", in: scratch.suite), "x", from: .secondsSince1970, to: .propertyListDate)
            )
        }
        #expect(dates.problem == "JSON text cannot hold a date or data of a property list.")
    }

    // MARK: Keys and records

    @Test func `Keys are renamed in an order in which the new ones are free`() throws {
        let scratch = try ScratchSuite(["a": 1, "aa": 2, "aaa": 3, "b": 4])
        _ = try upgrade(scratch, .renameSettings(withPrefix: "a", to: "aa", in: scratch.suite))
        try scratch.expect(["aa": 1, "aaa": 2, "aaaa": 3, "b": 4])
        try scratch.suite.upgrade(with: [
            Migration(to: 1, "back", .renameSettings(withPrefix: "aa", to: "a", in: scratch.suite))
        ])
        try scratch.expect(["a": 1, "aa": 2, "aaa": 3, "b": 4])
        let report = try scratch.suite.upgrade(
            with: [
                Migration(
                    to: 1,
                    "one",
                    .copySetting("b", to: "c", in: scratch.suite),
                    .renameSettings(withPrefix: "aab", to: "x", in: scratch.suite)
                )
            ],
            configuration: .init { $0.hooks.findsUnmatchedNames = true }
        )
        report.expectKeys("b: copied, to c", "aab*: absent, the nearest prefix is \"aa\"")
        try scratch.expect(["a": 1, "aa": 2, "aaa": 3, "b": 4, "c": 4])
        let error = try #require(throws: MoltError.self) {
            try scratch.suite.upgrade(with: [
                Migration(to: 1, "copy", .copySettings(withPrefix: "aaa", to: "b", in: scratch.suite))
            ])
        }
        #expect(error.code == .keyExists)
    }

    @Test func `A setting becomes a record once, and a different record of its key is an error`() throws {
        let scratch = try ScratchSuite(["a": #"{"n":1}"#])
        let (first, second) = (try ScratchCache(), try ScratchCache())
        let step = MigrationStep.moveToRecords(.setting("a", in: scratch.suite), ofType: "A", key: "one")
        let migrations: MigrationRegistry = [Migration(to: 1, "move", step)]
        let create: MigrationRegistry = [
            Migration(
                to: 1,
                "create",
                .run(onFreshStore: true) { try $0.create("A", forKey: "one", ["n": 2] as RecordValue) }
            ),
            Migration(to: 2, "move", step),
        ]
        // Both values are whole, so no policy decides between them.
        let error = try #require(throws: MoltError.self) { try second.upgrade(create.onFailure(.drop())) }
        #expect(error.code == .keyExists)
        #expect(error.suite == scratch.suite.attachedName)
        try scratch.expect(["a": #"{"n":1}"#])
        // The setting stays until the record is committed, and the next opening removes it.
        interrupt { try first.upgrade(migrations, $0) }
        try scratch.expect(["a": #"{"n":1}"#])
        try first.upgrade(migrations)
        #expect(try CodableCache(at: first.url, migrations: migrations).keys() == ["one"])
        try scratch.expect([:])
        // Put back from an older copy, the suite is upgraded again, and the record is the newer of the two.
        let copy: [String: PropertyListValue] = ["a": #"{"n":3}"#]
        try scratch.putBack(copy)
        try first.upgrade(migrations).expectKeys(#"a: kept, the record "one" exists, with other content"#)
        try scratch.expect(copy, history: ["move"])
        let report = try second.upgrade(create)
        // The suite has been through the migration.
        #expect(report.keys.isEmpty)
    }

    @Test func `Without a cache, later migrations of a suite wait for a move into records`() throws {
        let scratch = try ScratchSuite(["draft.1": #"{"n":1}"#, "old": 2])
        let migrations: MigrationRegistry = [
            Migration(to: 1, "earlier", .renameSetting("old", to: "other", in: scratch.suite)),
            Migration(
                to: 1,
                "move",
                .moveToRecords(.settings(withPrefix: "draft.", in: scratch.suite), ofType: "Draft")
            ),
            Migration(to: 2, "remove", .removeSettings(withPrefix: "draft.", in: scratch.suite)),
            Migration(to: 3, "later", .renameProperty("Draft", "n", to: "m")),
        ]
        let report = try scratch.suite.upgrade(with: migrations)
        report.expectDeferred("move", "remove")
        // Waiting, it has nothing to do.
        try scratch.expectUnchanged { try scratch.suite.upgrade(with: migrations) }
        try scratch.expect(["draft.1": #"{"n":1}"#, "other": 2])
        let cache = try ScratchCache()
        try cache.upgrade(migrations)
        try scratch.expect(["other": 2], history: ["earlier", "move", "remove"])
        #expect(
            try CodableCache(at: cache.url, migrations: migrations).value([String: Int].self, forKey: "draft.1") == [
                "m": 1
            ]
        )
        #expect(try scratch.suite.upgrade(with: migrations).deferred.isEmpty)
    }

    @Test(arguments: ["move", "rename", "copy", "block", "one migration", "records first"])
    func `Without a cache, a move into records also waits for settings that an earlier step brings`(
        way: String
    ) throws {
        let old = try ScratchSuite(["draft": #"{"n":1}"#, "size": 1])
        let new = try ScratchSuite()
        let (from, into) = (old.suite, new.suite)
        let move = Migration.suiteToAppGroup(to: 2, from: from, into: into)
        func records(_ version: Int = 4, _ key: String = "draft", in suite: Suite) -> Migration {
            Migration(to: version, "records", .moveToRecords(.setting(key, in: suite), ofType: "Draft", key: "draft"))
        }
        let migrations: MigrationRegistry =
            switch way {
            case "rename":
                [
                    move, Migration(to: 3, "rename", .renameSetting("draft", to: "d", in: into)),
                    records(4, "d", in: into),
                ]
            case "copy":
                [Migration(to: 2, "copy", .copySetting("draft", to: "d", in: from)), records(2, "d", in: from)]
            case "block":
                [
                    Migration(to: 2, "block", .changeSettings(in: from) { try $0.rename("draft", to: "d") }),
                    records(4, "d", in: from),
                ]
            case "one migration":
                [
                    move,
                    Migration(
                        to: 2,
                        "records",
                        .renameSetting("draft", to: "d", in: into),
                        .moveToRecords(.setting("d", in: into), ofType: "Draft", key: "draft")
                    ),
                ]
            case "records first": [records(1, in: from), move]
            default: [move, records(in: into)]
            }
        let waiting = try from.upgrade(with: migrations).deferred.map(\.migration.name)
        #expect(waiting == (way == "records first" ? ["records", move.name] : ["records"]))
        try old.expectUnchanged { try from.upgrade(with: migrations) }
        let cache = try ScratchCache()
        try cache.upgrade(migrations)
        let opened = try CodableCache(at: cache.url, migrations: migrations)
        #expect(try opened.value([String: Int].self, forKey: "draft") == ["n": 1])
        opened.close()
        #expect(try from.upgrade(with: migrations).deferred.isEmpty)
        #expect(try into.values()["draft"] == nil)
    }

    @Test func `Without a cache, a move into records waits for nothing if no setting comes`() throws {
        let old = try ScratchSuite(["size": 1])
        let new = try ScratchSuite()
        let migrations: MigrationRegistry = [
            .suiteToAppGroup(to: 2, from: old.suite, into: new.suite),
            Migration(to: 2, "records", .moveToRecords(.setting("draft", in: new.suite), ofType: "Draft")),
        ]
        #expect(try old.suite.upgrade(with: migrations).deferred.isEmpty)
        try new.expect(["size": 1])
    }

    @Test func `A date in a property list has no properties, and text that looks like a tag is text`() throws {
        let values: [String: PropertyListValue] = [
            "date": Self.date, "dates": [Self.date], "in": ["at": Self.date, "x": 1],
        ]
        let scratch = try ScratchSuite(values.merging(["link": #"{"mail":1,"link":"molt:date"}"#]) { $1 })
        let (suite, policy) = (scratch.suite, FailurePolicy.quarantine())
        let report = try upgrade(
            scratch,
            .addProperty(.setting("date", in: suite), "level", default: 1),
            .addProperty(.setting("dates", in: suite), [.each, "level"], default: 1).onFailure(policy),
            .moveProperty(.setting("in", in: suite), "x", to: ["at", "x"]).onFailure(policy),
            .changeValue(.setting("date", in: suite), [], to: .string).onFailure(policy),
            .renameProperty(.setting("link", in: suite), "mail", to: "email")
        )
        try scratch.expect(values.merging(["link": #"{"email":1,"link":"molt:date"}"#]) { $1 })
        let left = MigrationReport.KeyOutcome.Outcome.notConvertible
        #expect(report.keyOutcomes == ["date": left, "dates": left, "in": left, "link": .changed])
        #expect(report.description.contains(#"The setting "date" is a date that cannot be converted to a string"#))
    }

    @Test func `The form of a value that does not show it can be declared`() throws {
        let bytes = PropertyListValue.data(Data("12".utf8))
        let scratch = try ScratchSuite([
            "native": "[1]", "json": "7", "bytes": bytes, "texts": [#"{"a":1}"#, "null", "7"],
        ])
        let suite = scratch.suite
        let mixed = try ScratchSuite(["texts": [#"{"a":1}"#, "{broken"]])
        let step = MigrationStep.renameProperty(.setting("texts", in: mixed.suite), [.each, "a"], to: "b")
        try upgrade(mixed, step).expectKeys(
            "texts: not convertible, an array in which only some elements are JSON text"
        )
        _ = try upgrade(
            scratch,
            .mapValue(.setting("native", in: suite, form: .native), [], ["[1]": "one"], otherwise: .fail),
            .wrapProperty(.setting("json", in: suite, form: .jsonText), [], in: .array),
            .wrapProperty(.setting("bytes", in: suite, form: .native), [], in: .object("photo")),
            .renameProperty(.setting("texts", in: suite), [.each, "a"], to: "b")
        )
        try scratch.expect([
            "native": "one", "json": "[7]", "bytes": ["photo": bytes], "texts": [#"{"b":1}"#, "null", "7"],
        ])
        let error = try #require(throws: MoltError.self) {
            try scratch.suite.upgrade(with: [
                Migration(to: 1, "whole", .unwrapProperty(.setting("texts", in: suite), [], from: .array))
            ])
        }
        #expect(error.problem.contains("cannot be changed as a whole"))
    }

    @Test func `Settings have the coders of Foundation unless the migration declares others`() throws {
        let json = PropertyListValue.data(
            try JSONEncoder().encode(Old(name: "a", at: Date(timeIntervalSinceReferenceDate: 5)))
        )
        let seconds = RecordCoding {
            $0.dateEncodingStrategy = .secondsSince1970
            $1.dateDecodingStrategy = .secondsSince1970
        }
        for isDeclared in [false, true] {
            let scratch = try ScratchSuite(["a": json])
            let step = MigrationStep.transform(.setting("a", in: scratch.suite)) { record in
                try record.set("at", to: record.value("at", as: Date.self) + 1)
                try record.set("new", to: Date(timeIntervalSince1970: 0))
            }
            let migration = Migration(to: 1, "change", step)
            try scratch.suite.upgrade(
                with: MigrationRegistry([isDeclared ? migration.coding(seconds) : migration]).coding(seconds)
            )
            let text = String(decoding: try #require(try scratch.values["a"]?.data), as: UTF8.self)
            #expect(text.contains(#""at":6"#))
            #expect(text.contains(isDeclared ? #""new":0"# : #""new":-978307200"#))
        }
    }

    @Test func `The registry's limit counts the settings of all steps of a migration`() throws {
        let scratch = try ScratchSuite(["a1": #"{"n":"x"}"#, "b1": #"{"n":"x"}"#])
        let steps = ["a", "b"].map {
            MigrationStep.changeValue(.settings(withPrefix: $0, in: scratch.suite), "n", to: .integer)
        }
        let migrations = MigrationRegistry([Migration(to: 1, "change", steps: steps)])
        let error = try #require(throws: MoltError.self) {
            try scratch.suite.upgrade(with: migrations.onFailure(.quarantine(upTo: 1)))
        }
        #expect([error.code.rawValue, error.key] == ["tooManyFailures", "a1"])
    }

    @Test func `Fingerprints tell records from settings, and a setting from a prefix`() {
        let settings: [MigrationStep.Settings] = [
            .setting("a", in: .standard), .settings(withPrefix: "a", in: .standard), .setting("a", in: Suite("b")),
        ]
        let places: [any MigrationStep.Place] = ["a"] + settings
        let fingerprints = places.map { place in Migration(to: 1, "x", .removeProperty(place, "y")).fingerprint }
        #expect(Set(fingerprints).count == places.count)
    }
}
